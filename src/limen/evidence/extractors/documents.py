"""Texts with headings, Markdown and HTML: their outline, alerts, and what else is in them, counted."""

import re
from collections import Counter
from html import unescape

from limen.evidence.extractor import Told
from limen.evidence.extractors.quoting import quote
from limen.evidence.findings import Findings, Quote, Tally

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})\s+(?P<title>\S.*)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)\s*(?P<language>\w*)")
_ALERT = re.compile(
    r"\s*(?:>\s*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]|(?:>\s*)?\*{0,2}_{0,2}(?:Warning|WARNING|Caution|CAUTION|Danger|DANGER"
    r"|Important|IMPORTANT|Deprecated|DEPRECATED|Breaking change|BREAKING CHANGE|Security|SECURITY)\b[^\w\n]{0,3}:"
    r"|:::\s*(?:warning|danger)"
    r"|!!! (?:warning|danger|important)|\.\. (?:warning|danger|caution|important)::)"
)
_TAGS = re.compile(r"<(?P<tag>title|h[1-6])\b[^<>]{0,500}>(?P<title>[^<]{1,300})", re.IGNORECASE)
_ALERT_TAGS = re.compile(
    r"<\w+\b[^<>]{0,300}(?:class=\"[^\"<>]{0,200}\b(?:alert|warning|error|danger)\b|role=\"alert\")", re.IGNORECASE
)
_COUNTED_TAGS = ("<a ", "<img", "<table", "<form", "<script", "<input")
_MOST_QUOTES = 150
_OUTLINE_CHARS = 1_400
_PAGE = re.compile(r"\s*<(?:!doctype html|html\b|head\b|body\b)", re.IGNORECASE)


class Document:
    """The extractor for Markdown and HTML."""

    name = "document"

    def fits(self, told: Told) -> float:
        """By how a page begins, or by headings that stand between blank lines."""
        lines = told.head
        if any(_PAGE.match(line) for line in lines[:20]):
            return 0.8
        headings = sum(
            1 for before, line in zip(("", *lines), lines, strict=False) if not before.strip() and _HEADING.match(line)
        )
        if ".md" in told.command or "README" in told.command:
            return 0.8 if headings else 0.0
        return 0.6 if headings >= 3 and headings >= 0.03 * len(lines) else 0.0

    def read(self, told: Told) -> "DocumentReading":
        """Begin to read an output."""
        return DocumentReading(page=any(_PAGE.match(line) for line in told.head[:20]))


class DocumentReading:
    """One text."""

    def __init__(self, *, page: bool) -> None:
        self._page = page
        self._outline: list[tuple[int, int, str]] = []
        self._headings = 0
        self._quotes: list[Quote] = []
        self._counts: Counter[str] = Counter()
        self._fence = [0, 0, 0]
        self._in_fence = False
        self._alert = False

    def line(self, number: int, text: str) -> None:
        """Read one line of a page, or of a text with headings."""
        if self._page:
            self._of_page(number, text)
            return
        fence = _FENCE.match(text)
        if fence is not None:
            self._in_fence = not self._in_fence
            if self._in_fence:
                self._counts[f"code block {fence['language']}".rstrip()] += 1
        if fence is not None or self._in_fence:
            self._fence = [self._fence[0] + 1, self._fence[1] or number, number]
            return
        if (heading := _HEADING.match(text[:400])) is not None:
            self._heading(number, text, len(heading["marks"]), heading["title"].rstrip(" #"), 0)
        elif _ALERT.match(text[:200]):
            self._quote(number, text, 0)
            self._alert = True
            return
        elif self._alert and text.strip():
            self._quote(number, text, 0)
        self._alert = False
        self._counts["links"] += text.count("](")
        self._counts["table rows"] += text[:1] == "|"

    def _of_page(self, number: int, text: str) -> None:
        for match in _TAGS.finditer(text):
            level = 0 if match["tag"].lower() == "title" else int(match["tag"][1])
            self._heading(number, text, level, unescape(" ".join(match["title"].split())), match.start())
        for match in _ALERT_TAGS.finditer(text):
            self._quote(number, text, match.start())
        low = text.lower()
        for tag in _COUNTED_TAGS:
            self._counts[f"{tag.strip()}>"] += low.count(tag)

    def _heading(self, number: int, text: str, level: int, title: str, at: int) -> None:
        self._headings += 1
        if len(self._outline) < _MOST_QUOTES:
            self._outline.append((level, number, title[:100]))
            self._quotes.append(quote(number, text, "note", at=at))

    def _quote(self, number: int, text: str, at: int) -> None:
        if len(self._quotes) < 2 * _MOST_QUOTES:
            self._quotes.append(quote(number, text, "warning", at=at))

    def findings(self) -> Findings:
        """The outline with line numbers, alerts, counts."""
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(self._counts.items()) if count)
        told = [f"{self._headings:,} headings" + (f"; {counts}" if counts else "")]
        told += self._outlined()
        count, first, last = self._fence
        tallies = (Tally("lines of code blocks", count, first, last),) if count else ()
        once = {(one.line, one.start): one for one in self._quotes}
        return Findings("document", "\n".join(told), (), tuple(once[place] for place in sorted(once)), tallies)

    def _outlined(self) -> list[str]:
        said, left = [], _OUTLINE_CHARS
        for index, (level, number, title) in enumerate(self._outline):
            said.append(f"{'  ' * max(level - 1, 0)}{title} (line {number})")
            left -= len(said[-1]) + 1
            if left < 0:
                said[-1] = f"{self._headings - index} more headings"
                break
        return said
