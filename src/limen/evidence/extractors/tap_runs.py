"""Runs told in TAP (node:test, tap, prove and others), and node:test's own form."""

import re2

from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Named, Rule

TAP = Grammar(
    name="tap",
    programs=frozenset({"prove", "tap", "bats"}),
    signs=r"TAP version \d+$|(?:not )?ok \d+(?: -| )|# (?:tests|Subtest:) |1\.\.\d+$|Result: (?:PASS|FAIL)|Files=\d+, Tests=\d+",
    sureness=0.8,
    rules=(
        Rule("opens", r"\s*not ok\b *\d* *(?:- )?(?P<name>.*?)(?: # (?P<kind>(?i:skip|todo)\S*) ?(?P<reason>.*))?$", to="block"),
        Rule("skipped", r"\s*ok\b *\d* *(?:- )?.*# (?i:skip\S*) ?(?P<reason>.*)$"),
        Rule("skipped", r"\s*ok\b *\d* *(?:- )?.*# (?i:todo\S*) ?(?P<reason>.*)$", what="todo"),
        Rule("passed", r"\s*ok\b *\d* *(?:- )?(?P<name>.*)$", to=""),
        Rule("told", r"\s*#\s+Failed test '(?P<short>.*)'$", at="- other block.beside", to="block.beside", what="failing tests"),
        Rule("moves", r"\s*# Subtest: (?P<begun>.*)$"),
        Rule("summary", r"# (?P<counts>(?:tests|pass|fail|cancelled|skipped|todo) +\d+)$", to=""),
        Rule("summary", r"# (?:suites|duration_ms|time=)", to=""),
        Rule("summary", r"(?P<counts>Result: .*|Files=\d+, Tests=.*|Failed \d+/\d+ (?:test programs|subtests).*)$", to=""),
        Rule("told", r"Bail out!", weight="error", to=""),
        Rule("told", r"\S+ +\(Wstat: .*|\s+(?:Failed tests?|Non-zero exit status|Parse errors): .*", weight="failure",
             what="failing files"),
        Rule("aside", r"\s*(?:error|message): [|>]-?$", at="block block.beside", then=2, weight="error", what="headings"),
        Rule("detail", r"\s*#? *(?:error|message): .*", at="block block.beside", weight="error"),
        Rule("detail", r"\s*#? *(?:location|expected|actual|got|wanted|found|at|file|Failed test|failureType)\b.*",
             at="block block.beside"),
        Rule("detail", r"\s+[-+] +\S|\s+.*!==? ", at="block block.beside"),
        Rule("aside", r"\s+.*[ (]node:", at="block block.beside", what="lines of stacks"),
        Rule("frame", r"\s+\S.*\(?(?:file:|/)\S+:\d+:\d+\)?$", at="block block.beside"),
        Rule("moves", r"\s*\.\.\.$", at="block block.beside other", to=""),
        Rule("aside", r"\s+\S", at="block block.beside other"),
        Rule("aside", r"# +at ", what="lines of stacks"),
    ),
)  # fmt: skip

_TOOK = r" \([\d.]+ms\)"

NODE_SPEC = Grammar(
    name="node:test",
    programs=frozenset({"node"}),
    verbs=frozenset({"--test"}),
    signs=r"ℹ (?:tests|pass|fail) \d+$|✖ failing tests:$|\s*[✔✖﹣] .* \(\d+\.\d+ms\)|test at \S.*:\d+:\d+$",
    sureness=0.85,
    rules=(
        Rule("summary", r"ℹ (?P<counts>(?:tests|pass|fail|cancelled|skipped|todo) \d+)$", to=""),
        Rule("summary", r"ℹ (?:suites|duration_ms) ", to=""),
        Rule("moves", r"✖ failing tests:$", to="fails"),
        Rule("moves", r"\s*▶ (?P<begun>.*?)(?: \([\d.]+ms\))?$", to=""),
        Rule("detail", r"test at (?P<place>.+:\d+:\d+)$", at="fails block other", to="place"),
        Rule("opens", rf"✖ (?P<last>.+?){_TOOK}(?: # (?P<reason>.*))?$", at="fails place block", to="block", then=4),
        Rule("named", rf"\s*✖ (?P<name>.+?){_TOOK}(?: # (?P<reason>.*))?$", at="- other"),
        Rule("skipped", rf"\s*﹣ .+?{_TOOK}(?: # (?P<reason>.*))?$", at="- other"),
        Rule("passed", rf"\s*✔ .+?{_TOOK}(?: # .*)?$", at="- other", to=""),
        Rule("aside", r"\s+at .*[ (]node:", at="block", what="lines of stacks"),
        Rule("frame", r"\s+at .*:\d+:\d+\)?(?: \{)?$", at="block"),
        Rule("detail", r"\s+(?:actual|expected|code):|\s*[-+] +\S", at="block"),
        Rule("aside", r"\s+\S|\}", at="block"),
        Rule("aside", r"\s+\S|\}", at="- other", what="lines between tests"),
    ),
)  # fmt: skip

_UNESCAPED = re2.compile(r"\\([#\\])")


class NestedReading(RunReading):
    """Tests inside of tests: a name is the path to it, joined by blanks. One that fails for those inside it is no failing test of
    its own, nor is one that is still to be done."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._path: list[tuple[int, str]] = []
        self._failed_inside = -1
        self._by_last: dict[str, list[str]] = {}
        self._place: tuple[int, str] | None = None

    def take(self, rule: Rule, number: int, text: str, named: Named) -> bool | None:
        if "begun" in named:
            self._climb(self.indent)
            self._path.append((self.indent, self._plain(named["begun"])))
        elif "place" in named:
            self.close()
            self._place = (number, text)
            return None
        elif rule.act in ("opens", "named") and (named.get("kind") or (named.get("reason") and self.grammar is NODE_SPEC)):
            self.count(f"failing, to be done: {named.get('reason', '')}", number)
            self._place = None
            self.close()
            self.goes = "other"
            return None
        elif rule.act in ("opens", "named") and "name" in named:
            inside = self._failed_inside > self.indent
            self._failed_inside = self.indent
            if inside:
                self.count("suites in which a test failed", number)
                self._climb(self.indent)
                self.close()
                self.goes = "other"
                return None
        held = super().take(rule, number, text, named)
        if held is not False and rule.act == "opens" and self._place is not None:
            self.detail(*self._place)
            self._place = None
        return held

    def _climb(self, indent: int) -> None:
        while self._path and self._path[-1][0] >= indent:
            self._path.pop()

    def _plain(self, name: str) -> str:
        return str(_UNESCAPED.sub(r"\1", name.strip()))

    def named(self, rule: Rule, number: int, named: Named) -> str | None:
        if "last" in named:
            waiting = self._by_last.get(named["last"])
            return waiting.pop(0) if waiting else named["last"]
        self._climb(self.indent)
        last = self._plain(named["name"]) or f"not ok, line {number}"
        full = " ".join([name for _, name in self._path] + [last])
        self._by_last.setdefault(last, []).append(full)
        return full
