"""Runs of go test, as text and as a stream of JSON events."""

import re

import msgspec

from limen.evidence.extractors.quoting import quote
from limen.evidence.extractors.run_reading import Failure, RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule
from limen.evidence.findings import Findings, Quote, Weight

_TOOK = r"(?: \([\d.]+s\))?$"

GO_TEST = Grammar(
    name="go test",
    programs=frozenset({"go", "gotestsum", "richgo"}),
    verbs=frozenset({"test", "gotestsum", "richgo"}),
    signs=r"\s*--- (?:FAIL|PASS|SKIP): Test\S+ \(|=== RUN   \S|(?:ok  |FAIL)\t\S+|\?   \t\S+",
    certain=r'\{"(?:Time|Action|ImportPath)":.*"Action":"(?:start|run|pass|fail|output|skip|build-output|build-fail)".*"(?:Package|ImportPath)":',
    rules=(
        Rule("opens", rf"\s*--- FAIL: (?P<name>\S.*?){_TOOK}", to="block"),
        Rule("passed", rf"\s*--- PASS: (?P<name>\S.*?){_TOOK}", to=""),
        Rule("skipped", rf"\s*--- SKIP: (?P<name>\S.*?){_TOOK}", to="skip"),
        Rule("skipped", r"\s+\S+\.go:\d+: (?P<reason>.*)$", at="skip", to="", what="reasons of skips"),
        Rule("aside", r"=== (?:RUN|PAUSE|CONT|NAME) +(?P<begun>\S.*)$", to="run", what="tests begun"),
        Rule("summary", r"(?P<counts>FAIL\t\S.*)$", to=""),
        Rule("told", r"FAIL$", to="", what="ends", weight="summary"),
        Rule("summary", r"DONE (?P<counts>\d+ tests.*)$", to=""),
        Rule("passed", r"ok  \t", what="passing packages", to=""),
        Rule("aside", r"\?   \t|PASS$|coverage: ", what="packages without tests, ends and coverage", to=""),
        Rule("told", r"panic: .*", to="block.crash", then=1, weight="error", what="panics"),
        Rule("told", r"(?:fatal error|unexpected fault address|SIG[A-Z]+|runtime): .*", to="block.crash", then=1, weight="error",
             what="crashes"),
        Rule("told", r"WARNING: DATA RACE", to="block.crash", then=1, weight="error", what="data races"),
        Rule("told", r"signal: |exit status |\[signal ", to="", weight="error", what="exit states"),
        Rule("named", r"\t+(?P<name>Test\S*) \([\dms.h]+\)$", at="block.crash"),
        Rule("detail", r"goroutine \d+ \[.*", at="block.crash"),
        Rule("aside", r"\t\S*/src/(?:runtime|testing|internal|reflect|sync|time)/\S*\.go:\d+", at="block.crash",
             what="lines of stacks"),
        Rule("detail", r"\S+\.Test\w*\(", at="block.crash"),
        Rule("frame", r"\t\S+\.go:\d+|\s+\S+\.go:\d+ \+0x", at="block.crash"),
        Rule("aside", r"\S.*\(.*\)$|created by |={10,}", at="block.crash", what="lines of stacks"),
        Rule("told", r"# \S+", weight="detail", what="packages that did not build"),
        Rule("told", r"(?:vet: )?\S+\.go:\d+(?::\d+)?: .*", at="-", weight="error", what="errors of the build"),
        Rule("detail", r"\s+\S+\.go:\d+:(?: |$)", at="block", then=6, weight="error"),
        Rule("detail", r"\s+(?:Error Trace|Error|Test|Messages|expected|actual|got|want)\b.*:", at="block"),
    ),
)  # fmt: skip

# Lines kept of a test that runs, and tests that run at once.
_KEPT = 6
_AT_ONCE = 200
_PLACE_CHARS = 400
_OUTPUT_CHARS = 4_000
_PLACE = re.compile(r"\s+\S+\.go:\d+:(?: |$)")


class _Event(msgspec.Struct, rename="pascal"):
    """A line of `go test -json`."""

    action: str
    package: str = ""
    test: str = ""
    output: str = ""


_EVENTS = msgspec.json.Decoder(_Event)
_OUTPUT = '"Output":"'


class GoReading(RunReading):
    """With -v the lines of a test stand before its verdict: they are kept until that comes. Events of several tests at once are
    read each in its own state."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._running = ""
        self._begun: tuple[int, str] | None = None
        self._kept: dict[str, list[tuple[int, str, int]]] = {}
        self._key = ("", "")
        self._states: dict[tuple[str, str], tuple[str, str, Failure | None]] = {}
        self._start = 0

    def line(self, number: int, text: str) -> None:
        self._start = 0
        at = text.find("{") if '"Action":"' in text else -1
        event = self._event(text[at:]) if at >= 0 else None
        if event is None:
            super().line(number, text)
        elif event.action in ("output", "build-output") or event.output:
            self._switch((event.package, event.test))
            self._start = text.find(_OUTPUT, at) + len(_OUTPUT)
            super().line(number, text) if self._start < len(_OUTPUT) else self.read(
                number, text, event.output[:_OUTPUT_CHARS].rstrip("\n")
            )
        elif event.action == "fail" and event.test and event.test not in self.failures:
            self.take(Rule("opens", ""), number, text, {"name": event.test})

    def _event(self, text: str) -> _Event | None:
        try:
            return _EVENTS.decode(text.encode("utf-8", "replace"))
        except msgspec.DecodeError:
            return None

    def _switch(self, key: tuple[str, str]) -> None:
        if key != self._key:
            if len(self._states) < _AT_ONCE or self._key in self._states:
                self._states[self._key] = (self.state, self._running, self.open)
            self._key = key
            self.state, self._running, self.open = self._states.get(key, ("run" if key[1] else "", key[1], None))

    def quoted(self, number: int, text: str, weight: Weight, group: int = 0, at: int = 0) -> Quote:
        if not self._start:
            return super().quoted(number, text, weight, group, at)
        # Of an event that which it says, as it stands there.
        end = max(text.rfind('"'), self._start)
        made = quote(number, text[self._start : end], weight, group, max(at - self._start, 0))
        start = self._start + made.start
        return Quote(number, made.text, weight, start, start + len(made.text), group)

    def read(self, number: int, text: str, body: str) -> None:
        if self.state == "block" and body[:1] not in (" ", "\t", ""):
            # What a failure says is indented; this line is of another test, or of none.
            self.moved("")
        kept = self._kept.get(self._running)
        if (
            self.state == "run"
            and body[:1] in ("\t", " ")
            and "--- " not in body[:60]
            and (kept or _PLACE.match(body[:_PLACE_CHARS]))
        ):
            if kept is None and len(self._kept) < _AT_ONCE:
                kept = self._kept[self._running] = []
            if kept is not None and len(kept) < _KEPT:
                kept.append((number, text, self._start))
            else:
                self.count("more lines of tests", number)
            return
        super().read(number, text, body)

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        if "begun" in named:
            self._running, self._begun = named["begun"].strip(), (number, text)
        elif rule.to == "block.crash" and self.state == "run" and self._begun is not None:
            # No verdict names a failure here: the test that was begun last is told beside the crash.
            self.alone(*self._begun, "detail", "more tests begun")
            self._begun = None
        held = super().take(rule, number, text, named)
        lines = self._kept.pop(named.get("name", "").strip(), ()) if rule.act != "summary" else ()
        for line in lines:
            self._settle(rule, *line)
        return held

    def _settle(self, rule: Rule, number: int, text: str, start: int) -> None:
        """A line of a test that has its verdict now."""
        self._start, now = start, self._start
        if rule.act == "opens":
            self.detail(number, text, "error")
        elif rule.act == "skipped":
            said = text[start : text.rfind('"')].removesuffix("\\n") if start else text
            self.count(f"reasons of skips: {said.strip()[:160]}", number)
        else:
            self.count("lines of passing tests", number)
        self._start = now

    def findings(self) -> Findings:
        for lines in self._kept.values():
            for number, text, self._start in lines:
                self.alone(number, text, "detail", "lines of tests without a verdict")
        return super().findings()
