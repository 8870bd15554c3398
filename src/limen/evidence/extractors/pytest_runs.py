"""Runs of pytest: its progress in both forms, failures in every style of traceback, the short summary, workers of xdist."""

import re
from itertools import islice

import re2

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule
from limen.evidence.findings import Findings

_WORDS = (
    r"(?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|tests? collected|subtests (?:passed|failed))"
)
_ID = r"(?P<name>[^\s=]\S*?(?:::.*?)?)"
_PERCENT = r"\s*(?:\[ *\d+(?:%|/\d+)\])?$"
_IN_FAILURES = "- fails block block.captured"
_THROWN = r"(?:[A-Za-z_][\w.]*\.)?[A-Za-z_]\w*(?:Error|Exception|Warning|Interrupt|Exit|Group|Failed|Skipped)"

PYTEST = Grammar(
    name="pytest",
    programs=frozenset({"pytest", "py.test"}),
    signs=r"={4,} test session starts ={4,}$|={4,} short test summary info ={4,}$|={2,} (?:FAILURES|ERRORS) ={2,}$"
    rf"|(?:=+ )?(?:no tests ran|\d+ {_WORDS}(?:, \d+ {_WORDS})*) in [\d.]+s",
    deepest_last=True,
    thrown=1,
    rules=(
        Rule("summary", rf"(?:=+ )?(?P<counts>(?:no tests \w+|\d+ {_WORDS}\b.*) in [\d.]+s(?: \(.*\))?)(?: =+)?$", to=""),
        Rule("moves", r"=+ (?:FAILURES|ERRORS) =+$", to="fails"),
        Rule("moves", r"=+ warnings summary(?: \(final\))? =+$", to="warnings"),
        Rule("moves", r"=+ short test summary info =+$", to="short"),
        Rule("moves", r"=+ PASSES =+$", to="passes"),
        Rule("moves", r"={10,} [^=]+ ={10,}$", to=""),
        Rule("told", r"!+ .+ !+$", to="", then=1, weight="error", what="interruptions"),
        Rule("told", r"INTERNALERROR>", weight="error", what="pytest itself broke"),
        Rule("told", r"(?:(?P<name>\S+::.*?) )?(?:\S+ [.FEsxXu]*)?Fatal Python error: ", to="block", what="crashes"),
        Rule("told", r"(?:(?P<name>\S+::.*?) )?\++ Timeout \++$", to="block", what="timeouts"),
        Rule("detail", r"~+ Stack of .* ~+$", at="block block.captured", to="block"),
        Rule("aside", r"timeout(?: method| func_only)?: ", at="-", what="settings"),
        Rule("told", r"(?:E +)?worker '\w+' crashed while running '(?P<name>.+)'", to="block"),
        Rule("told", r"\[gw\d+\] node down: ", weight="error", what="lost workers"),
        # Progress, one line a test: alone, and of a worker.
        Rule("passed", rf"{_ID} (?:SUB)?PASSED(?:\[.*\])?(?: \(.*\))?{_PERCENT}"),
        Rule("named", rf"{_ID} (?:FAILED|ERROR){_PERCENT}", at="- fails"),
        Rule("named", rf"{_ID} SUBFAIL(?:ED)?(?:\[.*\])?(?: \(.*\))?{_PERCENT}", at="- fails"),
        Rule("aside", rf"(?:{_ID} RERUN{_PERCENT}|\[gw\d+\] \[ *\d+%\] RERUN )", at="- fails", what="reruns"),
        Rule("skipped", rf"{_ID} SKIPPED(?: \((?P<reason>.*)\))?{_PERCENT}"),
        Rule("skipped", rf"{_ID} XFAIL(?: \((?P<reason>.*)\))?{_PERCENT}", what="expected failures"),
        Rule("skipped", rf"{_ID} XPASS(?: \((?P<reason>.*)\))?{_PERCENT}", what="unexpected passes"),
        Rule("passed", r"\[gw\d+\] \[ *\d+%\] PASSED (?P<name>.+?) *$"),
        Rule("named", r"\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (?P<name>.+?) *$"),
        Rule("skipped", r"\[gw\d+\] \[ *\d+%\] (?:SKIPPED|XFAIL|XPASS) (?P<name>.+?) *$"),
        Rule("aside", r"(?:\S+ )?[.FEsxXuRp,-]+ *\[ *\d+%\]$", what="lines of progress"),
        # Failures.
        Rule("opens", r"_+ (?P<name>[^ _].*?|_[^ ].*?) _+$", at=_IN_FAILURES, to="block"),
        Rule("aside", r"-+ Captured .+ -+$", at="block block.captured", to="block.captured", what="headings of captured output"),
        Rule("frame", r'(?:\s|\|)*File ".*", line \d+', at="block"),
        Rule("detail", r"E(?:\s+\S|$)", at="block fails", weight="error"),
        Rule("place", rf"\S.*:\d+: (?:{_THROWN}|Failed|[A-Z]\w+)$", at="block"),
        Rule("frame", r"\S.*:\d+: in ", at="block"),
        Rule("frame", r"\S+:\d+: *$", at="block"),
        Rule("told", r"\S.*?:\d+: .+", at="fails", what="failures of one line"),
        Rule("aside", r"[\s|+]*(?:Exception Group )?Traceback", at="block", what="lines of source and values"),
        Rule("detail", rf"[\s|+]*{_THROWN}(?:: |$)", at="block", weight="error"),
        Rule("detail", r"\[XPASS\(strict\)\]|contains \d+ failed subtests?|Failed: ", at="block", weight="error"),
        Rule("aside", r"\s|>\s|\S+ = |The above exception|During handling|_ _ _", at="block", what="lines of source and values"),
        # The short summary, and what is said instead of a run.
        Rule("skipped", r"SKIPPED \[(?P<n>\d+)\] (?P<reason>.*)$"),
        Rule("skipped", r"XFAIL .*?(?: - (?P<reason>.*))?$", at="short", what="expected failures"),
        Rule("skipped", r"XPASS .*?(?: - (?P<reason>.*))?$", at="short", what="unexpected passes"),
        Rule("listed", r"(?:FAILED|ERROR|SUBFAIL(?:ED)?(?:\[.*?\])?(?: \(.*?\)|\(.*?\))?) (?P<name>\S.*)$", at="short"),
        Rule("passed", r"PASSED \S+", at="short"),
        Rule("told", r"ERROR: |\S*pytest\S*: error: |ImportError while loading conftest", at="- short", weight="error", then=1,
             what="usage"),
        Rule("warning", r"\s+\S.*?:\d+: (?P<kind>\w*Warning)\b", at="warnings"),
        Rule("aside", r"(?:\s|\S+::|\S+\.py)", at="warnings", what="lines of the warnings summary"),
        Rule("aside", r"(?P<begun>\S+::\S.*?) $", at="-", what="tests begun"),
    ),
)  # fmt: skip

_PHASE = re2.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) ")
_MESSAGE = re2.compile(rf"assert |{_THROWN}|Failed|\[XPASS|contains \d|Exception|worker ")
# Tests that run at once.
_AT_ONCE = 64
# Places looked at for the end of a name.
_CUTS = 40
_OF_SUBTEST = re2.compile(r"^(.+?) ?(?: \[[^\]]*\])?(?: \(.*\))?$")


def _dotted(node_id: str) -> str:
    """A node id as the header of its failure names it: classes and function with dots, the file left out."""
    path, _, inner = node_id.partition("::")
    if not inner:
        return path
    head, bracket, parameters = inner.partition("[")
    return head.replace("::", ".") + bracket + parameters


def _test_of(header: str) -> str:
    """The test that a header of a subtest belongs to."""
    found = _OF_SUBTEST.match(header)
    return found.group(1) if found is not None else header


class PytestReading(RunReading):
    """Failures are kept by the header's name, which has no file; the ids stand in the progress and the short summary."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._ids: dict[str, dict[str, None]] = {}
        self._headers: dict[str, str] = {}
        # Ids of the progress and names of headers, which stand alone on their lines.
        self._told: set[str] = set()
        self._begun: dict[str, tuple[int, str]] = {}

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        if "begun" in named and len(self._begun) < _AT_ONCE:
            self._begun[named["begun"]] = (number, text)
        elif "name" in named:
            self._begun.pop(named["name"].strip(), None)
        return super().take(rule, number, text, named)

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        name = named["name"].strip()
        if rule.act == "opens":
            name = _PHASE.sub("", name)
            self._told.add(name)
            return self._by_header(name)
        if rule.act == "listed":
            name = self._without_message(name)
        if rule.act == "named" and "::" not in name:
            return None
        if rule.act != "listed":
            self._told.add(name)
        key = _dotted(name)
        self._ids.setdefault(key, {})[name] = None
        return key if key in self.failures else self._headers.get(key, key)

    def _by_header(self, name: str) -> str:
        """The header's name; of a subtest that of its test, where that is known."""
        test = _test_of(name)
        if test != name and name not in self._ids:
            if test in self._ids:
                return test
            self._headers.setdefault(test, name)
        return name

    def _without_message(self, said: str) -> str:
        """The id before ` - message`. Both may hold ` - `: what was named before decides, then the parameters' bracket."""
        cuts = [found.start() for found in islice(re.finditer(" - ", said), _CUTS)]
        for cut in (len(said), *reversed(cuts)):
            name = said[:cut]
            if name in self._told or _dotted(name) in self._told:
                return name
        if not cuts or "[" not in said[: cuts[0]]:
            return said[: cuts[0]] if cuts else said
        closed = [cut for cut in cuts if said[cut - 1] == "]"]
        likely = [cut for cut in closed if _MESSAGE.match(said[cut + 3 :])] or closed
        return said[: likely[0]] if likely else said

    def findings(self) -> Findings:
        # Of a run that came to no counts, what it was at when the output ended.
        for number, text in self._begun.values() if not self.headlines else ():
            self.alone(number, text, "error", "tests begun")
        return super().findings()

    def names(self) -> tuple[str, ...]:
        # The header of a test that took its worker down names the file alone.
        files = {name.partition("::")[0] for ids in self._ids.values() for name in ids if "::" in name}
        found: dict[str, None] = {}
        for key in self.failures:
            ids = self._ids.get(key) or self._ids.get(_test_of(key))
            if ids:
                found.update(ids)
            elif key not in files:
                found[key] = None
        return tuple(found)
