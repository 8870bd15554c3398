"""Runs of RSpec, PHPUnit, dotnet test, ctest and GoogleTest."""

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule

RSPEC = Grammar(
    name="rspec",
    programs=frozenset({"rspec"}),
    signs=r"\d+ examples?, \d+ failures?|rspec \./\S+:\d+ # |     Failure/Error: ",
    rules=(
        Rule("summary", r"(?P<counts>\d+ examples?, \d+ failures?.*)$", to=""),
        Rule("moves", r"Pending: ", to="pending"),
        Rule("moves", r"Failures:$", to="fails"),
        Rule("moves", r"Failed examples:$", to="list"),
        Rule("named", r"rspec (?P<place>\S+)(?: # (?P<name>.*))?$"),
        Rule("opens", r"  \d+\) (?P<name>\S.*)$", at="fails block", to="block"),
        Rule("detail", r"     Failure/Error: ", at="block"),
        Rule("detail", r"\s+(?:expected|got)\b", at="block", weight="error"),
        Rule("detail", r"     \S*(?:Error|Exception|NotMet)\S*:", at="block", then=1, weight="error"),
        Rule("detail", r"\s+[-+]\S", at="block"),
        Rule("aside", r"\s+(?:\(compared using|Diff:|@@ )", at="block", what="headings"),
        Rule("frame", r"\s+# \./\S+:\d+", at="block"),
        Rule("aside", r"\s+# ", at="block", what="lines of stacks"),
        Rule("skipped", r"  \d+\) .*", at="pending", what="pending examples"),
        Rule("aside", r"     # (?P<reason>.*)$", at="pending", what="reasons and places of pending examples"),
        Rule("told", r"An error occurred ", weight="error", then=3, to="", what="files that could not be loaded"),
        Rule("aside", r"[.FE*]{8,}$", what="lines of progress"),
    ),
)  # fmt: skip

PHPUNIT = Grammar(
    name="phpunit",
    programs=frozenset({"phpunit", "pest"}),
    signs=r"PHPUnit \d+\.\d+|Tests: \d+, Assertions: \d+|OK \(\d+ tests?, \d+ assertions?\)",
    rules=(
        Rule("summary", r"(?P<counts>Tests: \d+, Assertions: .*|OK \(.*|OK, but .*|No tests executed!)$", to=""),
        Rule("told", r"(?:FAILURES|ERRORS|WARNINGS)!$", weight="summary", to=""),
        Rule("moves", r"There (?:was|were) \d+ (?:failures?|errors?):", to="block"),
        Rule("moves", r"There (?:was|were) \d+ (?P<kind>\w+)", to="skips"),
        Rule("opens", r"\d+\) (?P<name>\S.*)$", at="block", to="block", then=3),
        Rule("skipped", r"\d+\) .*", at="skips", what="skipped, incomplete or risky tests"),
        Rule("frame", r"\S.*\.php:\d+$", at="block"),
        Rule("aside", r"\S", at="skips", what="reasons and places of skips"),
        Rule("detail", r"[-+].|Caused by", at="block"),
        Rule("named", r" [✘x] (?P<name>.*)$", at="-"),
        Rule("passed", r" ✔ ", at="-"),
        Rule("aside", r"[.FEWSIRND]+ +\d+ / \d+ \( *\d+%\)$", what="lines of progress"),
        Rule("told", r"(?:PHP )?(?:Fatal|Parse) error: ", weight="error", to="", then=1, what="crashes"),
    ),
)  # fmt: skip

_CASE = r"(?P<name>\S.*?) \[(?:< )?[\d.,]+ ?m?s(?: \d+ ?m?s)?\]$"

DOTNET = Grammar(
    name="dotnet test",
    programs=frozenset({"dotnet", "vstest.console"}),
    verbs=frozenset({"test", "vstest"}),
    signs=r"(?:Failed|Passed)!  - Failed: |  (?:Failed|Passed) \S.* \[[<\d].*m?s\]$"
    r"|Total tests: \d+|Test Run (?:Failed|Successful|Aborted)\.",
    rules=(
        Rule("summary", r"(?P<counts>(?:Failed|Passed)!  - Failed: .*)$", to=""),
        Rule("summary", r" *(?P<counts>(?:Total tests|Passed|Failed|Skipped): +\d+)$", to=""),
        Rule("summary", r"Test Run \w+\.$", to=""),
        Rule("opens", rf"\s+Failed {_CASE}", to="block"),
        Rule("passed", rf"\s+Passed {_CASE}", to=""),
        Rule("skipped", rf"\s+Skipped {_CASE}", to="skip"),
        Rule("named", r"\[xUnit\.net [\d:.]+\] +(?P<name>\S.*) \[FAIL\]$"),
        Rule("aside", r"\[xUnit\.net [\d:.]+\] ", what="lines of xUnit"),
        Rule("aside", r"  Error Message:", at="skip", what="reasons of skips"),
        Rule("aside", r"  Error Message:", at="block", then=4, weight="error", what="headings"),
        Rule("aside", r"  Stack Trace:|  Standard Output", at="block", what="headings"),
        Rule("frame", r"\s+at .* in .*:line \d+", at="block"),
        Rule("aside", r"\s+at ", at="block", what="lines of stacks"),
        Rule("told", r"The active test run was aborted|.*Test host process crashed", weight="error", to="", then=1,
             what="crashes"),
    ),
)  # fmt: skip

CTEST = Grammar(
    name="ctest",
    programs=frozenset({"ctest"}),
    signs=r"\s*\d+/\d+ Test +#\d+: |\d+% tests passed, \d+ tests? failed out of|Test project /",
    rules=(
        Rule("summary", r"(?P<counts>\d+% tests passed, \d+ tests? failed out of \d+)$", to=""),
        Rule("passed", r"\s*\d+/\d+ Test +#\d+: .* Passed +[\d.]+ sec", to=""),
        Rule("skipped", r"\s*\d+/\d+ Test +#\d+: .*\*\*\*(?P<reason>Skipped|Not Run \(Disabled\))", to=""),
        Rule("opens", r"\s*\d+/\d+ Test +#\d+: (?P<name>.+?) \.*\*\*\*", to="block", then=3),
        Rule("moves", r"\s+Start +\d+: ", to="started"),
        Rule("moves", r"The following tests did not run:", to="unrun"),
        Rule("moves", r"The following tests FAILED:", to="list"),
        Rule("named", r"\s+\d+ - (?P<name>.+) \(.*\)(?: .*)?$", at="list"),
        Rule("aside", r"\s+\d+ - ", at="unrun", what="tests that did not run"),
        Rule("told", r"Errors while running CTest|No tests were found", weight="error", to=""),
        Rule("detail", r"Could not find executable|Unable to find executable", at="started"),
        Rule("aside", r"Looked in the following|\S*/?\S+$", at="started", what="where executables were looked for"),
        Rule("told", r"\[  FAILED  \] ", what="failing cases"),
        Rule("detail", r".*:\d+: (?:Failure|error|FAILED)|\s+(?:Expected|Actual|Which is)\b", at="block", then=2),
    ),
)  # fmt: skip

GTEST = Grammar(
    name="gtest",
    signs=r"\[==========\] (?:Running )?\d+ tests? from ",
    sureness=0.8,
    rules=(
        Rule("summary", r"\[==========\] (?P<counts>\d+ tests? from .* ran\..*)$", to=""),
        Rule("summary", r"\[  PASSED  \] (?P<counts>\d+ tests?)\.$|\s*(?:\d+ FAILED TESTS?)$", to=""),
        Rule("opens", r"\[  FAILED  \] (?P<name>\S.*?)(?:, where .*?)?(?: \(\d+ ms\))?$", at="run"),
        Rule("named", r"\[  FAILED  \] (?P<name>[^\s\d].*?)(?:, where .*?)?(?: \(\d+ ms\))?$"),
        Rule("told", r"\[  FAILED  \] \d+ tests?", weight="summary"),
        Rule("passed", r"\[       OK \] ", to=""),
        Rule("skipped", r"\[  SKIPPED \] ", to=""),
        Rule("moves", r"\[ RUN      \] ", to="run"),
        Rule("told", r".*:\d+: Failure$|.*\(\d+\): error: ", at="run", weight="error", then=3, what="failed expectations"),
    ),
)  # fmt: skip


class RspecReading(RunReading):
    """A failure is told under its description; the list at the end says where it stands, by which it is run again."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._places: dict[str, dict[str, None]] = {}

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        name = named.get("name", named.get("place", "")).strip()
        if "place" in named:
            self._places.setdefault(name, {})[f"{named['place']} # {name}" if "name" in named else name] = None
        return name

    def names(self) -> tuple[str, ...]:
        return tuple(place for name in self.failures for place in self._places.get(name, (name,)))
