"""Running headers, footers and page numbers of a PDF: what stands at the same place of many pages; numbers of lines."""

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping

from limen.reading.formats.pdf_rows import Row

_FEWEST = 3
# On that share of all pages, or of the pages from its first to its last, as headers change by chapter and by side.
_SHARE = 0.5
_DENSE_SHARE = 0.3
_SAME_PLACE = 6.0
_MOST_CHARS = 200
_ROUNDS = 2
_FEWEST_LINES = 10
_DIGITS = re.compile(r"\d+")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_PART = re.compile(r"^(?:chapter|section|appendix|part|kapitel|chapitre)(?=.)")
_NUMBER = re.compile(r"[\W_]*(?:[ivxlc]{1,7}|\d{1,5})[\W_]*", re.IGNORECASE)
_NUMBERS_SHARE = 0.6

_Seen = list[tuple[int, Row]]


def without_running(pages: dict[int, list[Row]], labels: Mapping[int, str]) -> dict[str, int]:
    """Takes them out of the pages' rows, and says how many rows of each kind went. The first of a kind stays where the
    text says it nowhere else. `labels` are what the pages are numbered with, where that is no count from 1."""
    counts: Counter[str] = Counter()
    for number, rows in pages.items():
        start, end = _line_numbers(rows)
        counts["line number"] += end - start
        pages[number] = rows[:start] + rows[end:]
    words = {id(row): _words(row) for rows in pages.values() for row in rows}
    for name, last in (("header", False), ("footer", True)):
        open_pages = {number for number, rows in pages.items() if len(rows) > _FEWEST}
        for _ in range(_ROUNDS):
            gone = _repeated({number: _outermost(pages[number], last) for number in open_pages}, len(pages), labels)
            gone = {number: rows for number, rows in gone.items() if rows}
            for number, rows in _with_first_kept(gone, pages, words).items():
                places = {id(row) for row in rows}
                pages[number] = [row for row in pages[number] if id(row) not in places]
                counts[name] += len(rows)
            open_pages = set(gone)
    return {name: count for name, count in counts.items() if count}


def _line_numbers(rows: list[Row]) -> tuple[int, int]:
    """The first of the rows that, in a column of their own, count the lines of the page from 1; and the first behind them."""
    start = next((at for at, row in enumerate(rows) if row.text == "1"), 0)
    end = start
    while end < len(rows) and rows[end].text == str(end - start + 1) and abs(rows[end].x1 - rows[start].x1) < rows[end].size:
        end += 1
    if end - start < _FEWEST_LINES:
        return 0, 0
    beside = sum(row.x0 > rows[start].x1 and rows[start].top < row.bottom < rows[end - 1].bottom + row.size for row in rows)
    return (start, end) if beside >= _FEWEST_LINES else (0, 0)


def _outermost(rows: list[Row], last: bool) -> list[Row]:
    """The rows beside each other at the top or the bottom of a page."""
    if not rows:
        return []
    edge = max(rows, key=lambda row: row.bottom) if last else min(rows, key=lambda row: row.top)
    middle = (edge.top + edge.bottom) / 2
    return [row for row in rows if row.top < middle < row.bottom and len(row.text) <= _MOST_CHARS]


def _repeated(edges: dict[int, list[Row]], count: int, labels: Mapping[int, str]) -> dict[int, list[Row]]:
    seen: dict[str, _Seen] = defaultdict(list)
    for number in sorted(edges):
        for row in edges[number]:
            seen[_kind(row.text)].append((number, row))
    gone: dict[int, list[Row]] = defaultdict(list)
    numbered = [(number, row) for number, row in seen.get("#", ()) if _bare(row.text) in (labels.get(number), str(number))]
    if len(numbered) > 1:
        seen["#"] = [one for one in seen["#"] if one not in numbered]
        for number, row in numbered:
            gone[number].append(row)
    for kind, found in seen.items():
        if not found:
            continue
        middle = statistics.median_low([row.top for _, row in found])
        there = [(number, row) for number, row in found if abs(row.top - middle) <= _SAME_PLACE]
        if _is_running(kind, there, count):
            for number, row in there:
                gone[number].append(row)
    return gone


def _words(row: Row) -> str:
    return _PART.sub("", _NO_LETTERS.sub("", row.text).casefold())


def _bare(text: str) -> str:
    return text.strip(" -–—.[]()|")


def _kind(text: str) -> str:
    return "#" if _NUMBER.fullmatch(text) else _DIGITS.sub("#", text).casefold().strip()


def _is_running(kind: str, found: _Seen, count: int) -> bool:
    pages = sorted({number for number, _ in found})
    if len(pages) < min(_FEWEST, count) or count < 2 or (count == 2 and "#" not in kind):
        return False
    if not _NO_LETTERS.sub("", kind):
        return _counts_up(found)
    return len(pages) >= min(_SHARE * count, _DENSE_SHARE * (pages[-1] - pages[0] + 1))


def _counts_up(found: _Seen) -> bool:
    """Whether the numbers are those of the pages, all by the same difference."""
    said = [(number, _DIGITS.findall(row.text)) for number, row in found]
    romans = sum(not digits for _, digits in said)
    ahead = Counter(int(digits[0][:9]) - number for number, digits in said if digits)
    return romans + (ahead.most_common(1)[0][1] if ahead else 0) >= _NUMBERS_SHARE * len(said)


def _with_first_kept(gone: dict[int, list[Row]], pages: dict[int, list[Row]], words: Mapping[int, str]) -> dict[int, list[Row]]:
    """The rows that may go: of words that are said nowhere else, the first stays."""
    places = {id(row) for rows in gone.values() for row in rows}
    said = {words[id(row)] for rows in pages.values() for row in rows if id(row) not in places}
    going: dict[int, list[Row]] = defaultdict(list)
    for number in sorted(gone):
        for row in gone[number]:
            its = words[id(row)]
            if its in said or not its or _NUMBER.fullmatch(row.text):
                going[number].append(row)
            said.add(its)
    return going
