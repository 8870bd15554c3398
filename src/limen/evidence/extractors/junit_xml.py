"""Results of tests as JUnit XML, however its elements are laid out on lines."""

from html import unescape

import re2

from limen.evidence.extractors.quoting import QUOTE_CHARS, quote
from limen.evidence.extractors.run_reading import RunReading
from limen.evidence.extractors.run_rules import Grammar, Rule
from limen.evidence.findings import Quote, Weight

JUNIT_XML = Grammar(
    name="junit xml",
    signs=r"\s*(?:<\?xml[^>]*\?>\s*)?<testsuites?\b|\s*<testcase\b",
    sureness=0.95,
    deepest_last=True,
    rules=(),
)

_TAG = re2.compile(
    r"<(?P<end>/?)(?P<tag>testsuites|testsuite|testcase|failure|error|skipped|system-out|system-err)\b"
    r"(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)(?P<shut>>?)"
)
_ATTRIBUTE = re2.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_COUNTS = ("tests", "failures", "errors", "skipped")
_ASSERTS = re2.compile(r"E\s+\S|\s*(?:[Ee]xpected|[Aa]ctual|[Rr]eceived|but was|Caused by: )\b")
_PLACE = re2.compile(r"\s+at .*\.\w+:\d+\)?|\s*File \".*\", line \d+|\S+\.\w+:\d+: ")
_FIRST_LINES = 2
_ATTRIBUTES_CHARS = 20_000
_OPENS = Rule("opens", "")


class JUnitXmlReading(RunReading):
    """Reads tag after tag; a quote is the tag, or a line of what was thrown."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._case = ""
        self._verdict = ""
        self._inside = ""
        self._first = 0
        self._whole = False
        self._at = (0, "", 0)
        self._from = 0

    def line(self, number: int, text: str) -> None:
        body = text if text.isascii() else text.encode("utf-8", "replace").decode()
        found = False
        for match in _TAG.finditer(body):
            if not found and match["end"] and self._throws():
                self._thrown(number, text[: match.start()])
            found = True
            self._tag(number, text, match)
        if not found and self._throws():
            self._thrown(number, text)

    def quoted(self, number: int, text: str, weight: Weight, group: int = 0, at: int = 0) -> Quote:
        """What is quoted is a piece of a line; it stands in the line from `_from` on."""
        made = quote(number, text, weight, group, at)
        start = self._from + made.start
        return Quote(number, made.text, weight, start, start + len(made.text), group)

    def _throws(self) -> bool:
        return self._inside in ("failure", "error") and self.open is not None

    def _tag(self, number: int, text: str, match: "re2._Match[str]") -> None:
        tag, raw = match["tag"], match["attributes"]
        if match["end"]:
            self._ended(tag, number)
            return
        values = {name: unescape(one or other) for name, one, other in _ATTRIBUTE.findall(raw[:_ATTRIBUTES_CHARS])}
        alone = raw.endswith("/")
        if tag in ("testsuites", "testsuite"):
            self._suite(tag, number, text, match.span(), values)
        elif tag == "testcase":
            group = values.get("classname", "")
            name = values.get("name", "")
            self._case = f"{group}.{name}" if group and group != "test" and not name.startswith(group) else name or group
            self._verdict = "passed"
            self._at = (number, text[match.start() : match.end()], match.start())
            if alone:
                self._ended(tag, number)
        elif tag in ("failure", "error") and self._case:
            self._verdict = "failed"
            self._first = _FIRST_LINES if values.get("message") else 0
            self._failed(number, text, match.span(), "error" if values.get("message") else "detail")
        elif tag == "skipped":
            self._verdict = "skipped"
            reason = values.get("message", "").strip()
            self.count("skipped tests" + (f": {reason[:160]}" if reason else ""), number)
        if tag not in ("testsuites", "testsuite", "testcase"):
            self._inside = "" if alone else tag

    def _failed(self, number: int, text: str, span: tuple[int, int], weight: Weight) -> None:
        """Quote the test's tag together with the failure's, or each where they stand on lines of their own."""
        line, tag, self._from = self._at
        piece = text[self._from : span[1]] if line == number else tag
        self.fail(_OPENS, line, piece, self._case)
        if line != number or len(piece) > QUOTE_CHARS:
            self._from = span[0]
            self.detail(number, text[span[0] : span[1]], weight)

    def _suite(self, tag: str, number: int, text: str, span: tuple[int, int], values: dict[str, str]) -> None:
        counts = " ".join(f"{key}={values[key]}" for key in _COUNTS if values.get(key, "").isdigit())
        if not counts or (tag == "testsuite" and self._whole):
            return
        self._whole = self._whole or tag == "testsuites"
        self._from = span[0]
        self.alone(number, text[span[0] : span[1]], "summary", "more suites")
        self.headlines.append(counts if tag == "testsuites" else f"{values.get('name', 'suite')}: {counts}")

    def _ended(self, tag: str, number: int) -> None:
        if tag == "testcase":
            if self._verdict == "passed":
                self.count("passing tests", number)
            self._case, self._verdict = "", ""
            self.close()
        elif tag == self._inside:
            self._inside = ""

    def _thrown(self, number: int, text: str) -> None:
        self._from = 0
        body = text.encode("utf-8", "replace").decode()
        if not body.strip():
            return
        if _ASSERTS.match(body) or self._first < _FIRST_LINES:
            self._first += 1
            self.detail(number, text, "error")
        elif _PLACE.match(body):
            self.frame(number, text)
        else:
            self.count("other lines of failures", number)
