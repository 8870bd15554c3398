"""Runs of jest, vitest, mocha and Playwright's test runner."""

import re2

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule

# What the four share inside of a failure.
_DETAILS = (
    Rule("aside", r"\s+at .*\(?node:", at="block", what="lines of stacks"),
    Rule("frame", r"\s+(?:at|❯) .*:\d+:\d+\)?$", at="block"),
    Rule("detail", r"\s*> *\d+ ?\|", at="block"),
    Rule("aside", r"\s*(?:\d+ ?)?\|", at="block", what="lines of source"),
    Rule("detail", r"\s+(?:[-+] ?)?(?:Expected|Received|Locator|Timeout|Call log|Error)\b", at="block"),
    Rule("detail", r"\s*[-+]\s*\S", at="block"),
)

_TOOK = r"(?: \(?[\d.]+ ?m?s\)?)?$"

JEST = Grammar(
    name="jest",
    programs=frozenset({"jest"}),
    signs=r"Test Suites: +\d|(?:PASS|FAIL) +(?:\S+ )?\S+\.[cm]?[jt]sx?(?: \([\d.]+ m?s\))?$",
    rules=(
        Rule("summary", r"(?P<counts>Tests: +.*)$", to=""),
        Rule("summary", r"(?:Test Suites: |Snapshots: |Time: |Snapshot Summary)", to=""),
        Rule("aside", r"Summary of all failing tests$", to="again", what="headings"),
        Rule("told", r"FAIL +(?P<suite>.+\.\w+)(?: \([\d.]+ m?s\))?$", to="", what="failing files"),
        Rule("passed", r"PASS +\S", to="", what="passing files"),
        Rule("moves", r"\s+● (?:Console$|Cannot log after|Deprecation Warning|.* obsolete)", to="console"),
        Rule("opens", r"\s+● (?P<name>.+)$", to="block", then=2),
        *_DETAILS,
        Rule("passed", r"\s+[✓√] ", at="- console"),
        Rule("skipped", r"\s+○ ", at="- console"),
        Rule("skipped", r"\s+✎ ", at="- console", what="todo"),
        Rule("aside", rf"\s+[✕×] (?P<short>.+?){_TOOK}", at="-", what="failing tests, named in passing"),
        Rule("told", r"(?:A worker process has failed|Jest did not exit)", weight="error", what="crashes"),
        Rule("told", r"(?:.*Call retries were exceeded|.*Jest worker encountered)", weight="error", what="crashes"),
        Rule("told", r" › \d+ (?:snapshots?|test suites?) ", weight="error", what="snapshots"),
    ),
)  # fmt: skip

VITEST = Grammar(
    name="vitest",
    programs=frozenset({"vitest"}),
    signs=r" RUN  v\d| (?:FAIL|✓|❯) +\S.*\.[cm]?[jt]sx?\b.* (?:>|\()| Test Files  \d|\s+Tests  \d",
    rules=(
        Rule("summary", r" +(?P<counts>Tests  .*)$", to=""),
        Rule("summary", r" +(?P<counts>Errors  .*)$", to=""),
        Rule("summary", r" +(?:Test Files|Duration|Snapshots)  ", to=""),
        Rule("moves", r"⎯+ (?:Failed|Unhandled)", to="fails"),
        Rule("moves", r"⎯+", to="fails"),
        Rule("opens", r" FAIL  (?P<name>.+?)(?: \[ .* \])?$", at="fails block", to="block", then=2),
        Rule("told", r" FAIL  ", what="failing tests"),
        *_DETAILS,
        Rule("moves", r"std(?:out|err) \| ", to="console"),
        Rule("aside", rf" +[×✗✖] +(?P<short>.+?){_TOOK}", at="- console", to="", what="failing tests, named in passing"),
        Rule("aside", r" +→ ", at="- console", what="messages, told again below"),
        Rule("passed", r" +[✓√] ", at="- console", to=""),
        Rule("skipped", r" +↓ ", at="- console"),
        Rule("aside", r" +❯ ", at="- console", to="", what="files with failures"),
        Rule("told", r"(?:Vitest caught|Error: Worker|.*Timeout terminating|.*hanging-process)", weight="error"),
    ),
)  # fmt: skip

MOCHA = Grammar(
    name="mocha",
    programs=frozenset({"mocha", "_mocha", "cypress"}),
    signs=r"  \d+ (?:passing(?: \(.*\))?|failing)$",
    rules=(
        Rule("summary", r" +(?P<counts>\d+ (?:passing|pending)(?: \(.*\))?)$", at="-"),
        Rule("summary", r" +(?P<counts>\d+ failing)$", at="-", to="fails"),
        Rule("opens", r" {1,6}(?P<start>\d+\) .+)$", at="fails block", to="title"),
        Rule("detail", r"(?P<part>\s+.+)$", at="title"),
        *_DETAILS,
        Rule("aside", r"\s+\d+\) (?P<short>.+)$", at="-", what="failing tests, named in passing"),
        Rule("passed", r"\s+[✔✓√] ", at="-"),
        Rule("skipped", r"\s+- ", at="-", what="pending tests"),
    ),
)  # fmt: skip

PLAYWRIGHT = Grammar(
    name="playwright",
    programs=frozenset({"playwright"}),
    verbs=frozenset({"test"}),
    signs=r"Running \d+ tests? using \d+ workers?|  +\d+\) (?:\[[^\]]+\] › )?\S+:\d+:\d+ › ",
    rules=(
        Rule("summary", r"  (?P<counts>\d+ (?:failed|interrupted))$", to="list"),
        Rule("summary", r"  (?P<counts>\d+ (?:flaky|skipped|did not run|passed)(?: \(.*\))?)$", to=""),
        Rule("listed", r"    (?P<name>\S.* › .*?)(?: ─+)?$", at="list"),
        Rule("opens", r"  \d+\) (?P<name>\S.* › .*?)(?: ─+)?$", to="block", then=3),
        Rule("aside", r"    Retry #\d+", at="block", to="retry", what="retries"),
        Rule("aside", r"    (?:Error Context: |attachment #)", at="block retry", what="attachments"),
        Rule("aside", r"    ", at="retry", what="retries"),
        Rule("aside", r"\[\d+/\d+\] ", what="lines of progress"),
        *_DETAILS,
        Rule("detail", r"\s+- ", at="block"),
        Rule("passed", r"\s+(?:✓|ok) "),
        Rule("skipped", r"\s+- +\d+ "),
        Rule("aside", rf"\s+(?:✘|x) +\d+ (?P<short>\S.*?){_TOOK}", what="attempts that failed"),
        Rule("told", r"Error: |\s*Internal error|.*Worker process crashed", at="-", weight="error", then=2),
    ),
)  # fmt: skip

_TITLE_LINES = 12
_NUMBER = re2.compile(r"^\d+\) +")


class JestReading(RunReading):
    """A file that could not be run has no test to name: its own name stands."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._suite = ""

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        if "suite" in named:
            self._suite = named["suite"].strip()
        if named.get("name") == "Test suite failed to run":
            named = {"name": self._suite or "Test suite failed to run"}
        return super().take(rule, number, text, named)


class MochaReading(RunReading):
    """A failure's title stands on several lines, the last with a colon; `--grep` takes it joined by blanks."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._title: list[tuple[int, str, str]] = []

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        part = named.get("start") or named.get("part")
        if part is None:
            return super().take(rule, number, text, named)
        if rule.act == "opens":
            self._title = []
        self._title.append((number, text, _NUMBER.sub("", part).strip()))
        if not part.endswith(":") and len(self._title) < _TITLE_LINES:
            return None
        title = " ".join(said for _, _, said in self._title).removesuffix(":")
        at, first, _ = self._title[0]
        super().take(Rule("opens", ""), at, first, {"name": title})
        for at, line, _ in self._title[1:]:
            self.detail(at, line)
        self._title = []
        self.goes, self.follow = "block", 2
        return None


class PlaywrightReading(RunReading):
    """Blocks are told of flaky tests too: what failed in the end stands in the list at the end, if the run came to it."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._failed: dict[str, None] = {}
        self._ended = False

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        if rule.act == "listed":
            self._failed[named["name"]] = None
        return named.get("name")

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        self._ended = self._ended or rule.act == "summary"
        return super().take(rule, number, text, named)

    def names(self) -> tuple[str, ...]:
        return tuple(self._failed) if self._ended else super().names()
