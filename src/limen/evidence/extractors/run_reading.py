"""A test run read line by line by the rules of its runner."""

import msgspec

from limen.evidence.extractor import Told
from limen.evidence.extractors.commands import runs
from limen.evidence.extractors.log_prefix import prefix_end
from limen.evidence.extractors.run_record import RunRecord
from limen.evidence.extractors.run_rules import Grammar, Named, Rule
from limen.evidence.extractors.run_signs import CERTAIN, RunSigns
from limen.evidence.findings import Findings, Quote, Weight
from limen.evidence.severity import gravity

# So much of a line is looked at by the rules; what stands behind is judged by its words alone.
_LOOKED_AT = 4_000
# Details and frames quoted of one failure, and failures told with theirs. Of the rest the number and the range are told.
_DETAILS = 12
_FRAMES = 3
_PLACES = 2
_FAILURES_TOLD = 150
_SHORT_NAMES = 10_000
# A failure told again at the end of a run adds nothing from so many details on.
_TOLD_ENOUGH = 3
# How much surer a command makes what a runner's own lines say, and how sure it makes alone.
_BESIDE, _BY_COMMAND = 0.08, 0.65
_KINDS_OF = {"passed": "passing tests", "skipped": "skipped tests", "warning": "warnings", "aside": "other lines of failures"}


class Failure(msgspec.Struct):
    """One failing test being told: `waiting` is the line that named it, quoted if nothing better comes."""

    group: int
    waiting: Quote | None = None
    told: bool = False
    thrown: int = 0
    details: int = 0
    frames: int = 0
    places: int = 0


class RunReading(RunRecord):
    """A test run being read. Families with names of their own (nested, listed apart) refine `named` and `findings`."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__()
        self.grammar = grammar
        self.state = ""
        self.failures: dict[str, Failure] = {}
        self.open: Failure | None = None
        self._then = 0
        self._then_weight: Weight = "detail"
        self._held: Quote | None = None
        self._groups = 0
        # Names told in short: they stand where no failure is told in full, as in a run that was cut off.
        self._short: dict[str, Quote] = {}
        # Of the line at hand: its indentation, the state after it, and how many lines it takes with it.
        self.indent = 0
        self.goes: str | None = None
        self.follow = 0

    def line(self, number: int, text: str) -> None:
        cut = prefix_end(text)
        body = text[cut : cut + _LOOKED_AT]
        self.read(number, text, body)

    def read(self, number: int, text: str, body: str) -> None:
        """Take one line: `body` is the part that is the runner's own."""
        line = body.encode("utf-8", "replace")
        for rule in self.grammar.rules_in(self.state).taking(line):
            if self._then and rule.act == "aside" and not rule.what and body.strip():
                continue
            named = rule.named(line)
            self.indent = len(body) - len(body.lstrip())
            self.goes, self.follow = rule.to, rule.then
            if self.take(rule, number, text, named) is not False:
                if self.goes is not None:
                    self.moved(self.goes)
                self._then = self.follow
                self._then_weight = "error" if rule.act == "opens" or rule.weight == "error" else "detail"
                return
        self._unmatched(number, text, body)

    def moved(self, state: str) -> None:
        """The output goes on in another state; outside of failures none is open."""
        self.state = state
        if state != "block" and not state.startswith("block."):
            self.close()

    def close(self) -> None:
        self._flush()
        self.open, self._then = None, 0

    def _unmatched(self, number: int, text: str, body: str) -> None:
        if self._then > 0:
            if body.strip():
                self._then -= 1
                self.detail(number, text, self._then_weight)
            return
        grave = gravity(text)
        if grave is None:
            return
        if self.open is not None:
            self.detail(number, text, at=grave.at)
        else:
            self.alone(number, text, grave.weight, f"more lines that tell of {grave.weight}s", grave.at)

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        """Act on a line. False: the rule does not hold after all."""
        self._then = 0
        what = rule.what
        if "short" in named and len(self._short) < _SHORT_NAMES:
            self._short.setdefault(named["short"].strip(), self.quoted(number, text, "failure"))
        match rule.act:
            case "opens" | "listed" | "named":
                name = self.named(rule, number, named)
                if name is None:
                    return False
                self.fail(rule, number, text, name)
            case "detail":
                self.detail(number, text, "error" if rule.weight == "error" else "detail")
            case "place" if self.open is not None and self.open.places < _PLACES and self.open.group <= _FAILURES_TOLD:
                self._flush()
                self.open.places += 1
                self.quotes.append(self.quoted(number, text, "error", self.open.group))
            case "frame" | "place":
                self.frame(number, text)
            case "told" if named.get("name"):
                self.fail(rule, number, text, self.named(rule, number, named) or named["name"])
            case "told":
                self.alone(number, text, rule.weight, f"more lines of {what or 'its kind'}", group=self._apart(rule))
            case "summary":
                self.alone(number, text, "summary", "more lines of counts")
                if named.get("counts"):
                    self.headlines.append(" ".join(named["counts"].strip(" =").split()))
            case "moves":
                pass
            case _:
                self._counted(rule, number, text, named)
        return None

    def _apart(self, rule: Rule) -> int:
        """The group of a line that belongs to no test: one of its own where what follows belongs to it, as a stack to a crash."""
        if not (rule.to or "").startswith("block"):
            return 0
        self.close()
        self._groups += 1
        self.open = Failure(self._groups, told=True)
        return self._groups

    def _counted(self, rule: Rule, number: int, text: str, named: Named) -> None:
        what = rule.what or _KINDS_OF[rule.act]
        said = named.get("reason" if rule.act == "skipped" else "kind", "").strip()[:160]
        if said:
            what = f"{what}: {said}"
        weight: Weight = "warning" if rule.act == "warning" else "note"
        self.count(what, number, weight, text if rule.act == "warning" else "", named)

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        """The test's name. None: the line names none after all."""
        return named.get("name", "").strip() or None

    def fail(self, rule: Rule, number: int, text: str, name: str) -> None:
        """A line that tells of a failing test."""
        failure = self.failures.get(name)
        if failure is None:
            self._groups += 1
            failure = self.failures[name] = Failure(self._groups)
        found = self.quoted(number, text, "failure", failure.group)
        if rule.act == "named":
            self.count("failing tests, named in passing", number)
            if failure.waiting is None and not failure.told and failure.group <= _FAILURES_TOLD:
                failure.waiting = found
            return
        if rule.act != "listed":
            self.close()
            self.open = failure
        if failure.details >= _TOLD_ENOUGH:
            failure.details = _DETAILS
        if failure.told or failure.group > _FAILURES_TOLD:
            self.count("failing tests, named again" if failure.told else "more failing tests", number)
        else:
            self.quotes.append(found)
            failure.told, failure.waiting = True, None

    def detail(self, number: int, text: str, weight: Weight = "detail", at: int = 0) -> None:
        """A line of the open failure; without one it stands alone. The first that say what was thrown weigh more."""
        self._flush()
        failure = self.open
        if failure is not None and weight == "error":
            failure.thrown += 1
            weight = "error" if failure.thrown <= self.grammar.thrown else "detail"
        if failure is None:
            self.alone(number, text, weight, "more details", at)
        elif failure.details < _DETAILS and failure.group <= _FAILURES_TOLD:
            failure.details += 1
            self.quotes.append(self.quoted(number, text, weight, failure.group, at))
        else:
            self.count("more details of failures", number)

    def frame(self, number: int, text: str) -> None:
        """A line of a stack: the first ones are quoted, and the last where that is the deepest."""
        failure = self.open
        if failure is None:
            self.count("lines of stacks", number)
        elif failure.frames < (1 if self.grammar.deepest_last else _FRAMES) and failure.group <= _FAILURES_TOLD:
            failure.frames += 1
            # The first says where, as much as what was thrown says why.
            weight: Weight = "detail" if failure.frames > 1 or failure.places else "error"
            self.quotes.append(self.quoted(number, text, weight, failure.group))
        elif self.grammar.deepest_last and failure.group <= _FAILURES_TOLD:
            if self._held is not None:
                self.count("lines of stacks", self._held.line)
            self._held = self.quoted(number, text, "detail", failure.group)
        else:
            self.count("lines of stacks", number)

    def _flush(self) -> None:
        if self._held is not None:
            self.quotes.append(self._held)
            self._held = None

    def names(self) -> tuple[str, ...]:
        """The failing tests, in the order of the output."""
        return tuple(self.failures) or tuple(self._short)

    def findings(self) -> Findings:
        self.close()
        waiting = [failure.waiting for failure in self.failures.values() if failure.waiting is not None]
        if not self.failures:
            quoted = {one.line for one in self.quotes}
            waiting += [one for one in self._short.values() if one.line not in quoted][:_FAILURES_TOLD]
        quotes = sorted([*self.quotes, *waiting], key=lambda one: one.line)
        return Findings(self.grammar.name, self.headline(), self.names(), tuple(quotes), self.tallies())


class RunExtractor:
    """A runner's extractor: known by a line that only its output has, or by the command."""

    def __init__(self, grammar: Grammar, signs: RunSigns, reading: type[RunReading] = RunReading) -> None:
        self._grammar = grammar
        self._signs = signs
        self._reading = reading

    @property
    def name(self) -> str:
        return self._grammar.name

    def fits(self, told: Told) -> float:
        grammar = self._grammar
        by_command = runs(told.command, grammar.programs, grammar.verbs)
        by_signs = self._signs.of(told).get(grammar.name, 0.0)
        if by_signs:
            return min(by_signs + (_BESIDE if by_command else 0.0), CERTAIN)
        return _BY_COMMAND if by_command else 0.0

    def read(self, told: Told) -> RunReading:
        return self._reading(self._grammar)
