"""Runs of Python's unittest, with subtests, class set-ups and modules that could not be imported."""

import re2

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule

_TEST = r"(?P<name>[^\s(]+ \([^()\s]*\)(?: \[.*?\])?(?: \(.*\))?)"

UNITTEST = Grammar(
    name="unittest",
    programs=frozenset({"unittest"}),
    signs=r"Ran \d+ tests? in [\d.]+s$|(?:FAIL|ERROR): \S+ \([\w.]*\)",
    deepest_last=True,
    thrown=1,
    sureness=0.85,
    rules=(
        Rule("summary", r"(?P<counts>Ran \d+ tests? in [\d.]+s)$", to=""),
        Rule("summary", r"(?P<counts>FAILED \(.*\)|OK(?: \(.*\))?|NO TESTS RAN(?: \(.*\))?)$", at="-"),
        Rule("moves", r"={70}$", to="title"),
        Rule("opens", rf"(?:FAIL|ERROR|UNEXPECTED SUCCESS): {_TEST}$", to="block"),
        Rule("moves", r"-{70}$", at="title -"),
        Rule("moves", r"-{70}$", at="block.thrown", to=""),
        Rule("aside", r"-{70}$|Traceback \(most recent|The above exception|During handling", at="block block.thrown",
             to="block.thrown", what="headings"),
        Rule("aside", r"Std(?:out|err):$", at="block.thrown", to="block.said", what="headings of captured output"),
        Rule("frame", r'\s+File ".*", line \d+', at="block.thrown"),
        Rule("detail", r"\S", at="block.thrown", weight="error"),
        Rule("detail", r"\s+(?:\||\+-)", at="block.thrown"),
        Rule("aside", r"\s", at="block.thrown", what="lines of source"),
        Rule("named", rf"{_TEST} \.\.\. (?:FAIL|ERROR|unexpected success)$"),
        Rule("aside", r".*\.\.\. (?:FAIL|ERROR|unexpected success)$", what="failing tests, named in passing"),
        Rule("passed", r".*\.\.\. ok$"),
        Rule("skipped", r".*\.\.\. skipped (?P<reason>.*)$"),
        Rule("skipped", r".*\.\.\. expected failure$", what="expected failures"),
        Rule("aside", r"[.FEsxu]{8,}$", at="-", what="lines of progress"),
        Rule("told", r"Fatal Python error: ", to="block.thrown", then=1, what="crashes"),
        Rule("told", r"KeyboardInterrupt$", weight="error", what="interruptions"),
    ),
)  # fmt: skip

_PARTS = re2.compile(r"^([^\s(]+) \(([^()\s]*)\)(.*)$")


class UnittestReading(RunReading):
    """`test_x (mod.Class.test_x) (i=1)` is run again as `mod.Class.test_x`; what tells a subtest apart stays behind it."""

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        found = _PARTS.match(named["name"])
        if found is None:
            return None
        test, inside, rest = found.groups()
        if test in ("setUpClass", "tearDownClass", "setUpModule", "tearDownModule"):
            return f"{test} ({inside})"
        if inside.startswith("unittest.loader."):
            return str(test)
        last = inside.rpartition(".")[2]
        whole = inside if last == test else f"{inside}.{test}" if inside else test
        return f"{whole}{rest}"
