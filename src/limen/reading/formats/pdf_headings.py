"""The headings of a PDF: rows that its bookmarks name, and rows that are set larger or bolder than the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from limen.reading.formats.pdf_rows import Row
from limen.reading.formats.pdf_tables import Table
from limen.reading.formats.pdf_words import BULLETS

CONTINUED = 0
_LARGER = 1.13
_MOST_CHARS = 180
_MOST_BOLD_CHARS = 90
_MOST_STOPPED_CHARS = 30
_MOST_ROWS_OF_A_PAGE = 400
_MOST_ROWS = 3
# Share of the rows from which bold ones, or large ones, are the text rather than its headings.
_BOLD_SHARE = 0.2
_LARGE_SHARE = 0.22
_DEEPEST = 6
_WATERMARK_PAGES, _WATERMARK_SHARE = 3, 0.4
_STEP = 1.07
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_NOT_SAID = re.compile(r"[\W_]+")
_NUMBERING = re.compile(r"(?:chapter|section|part|appendix|kapitel|chapitre|teil)?[\divxlcdma-h]{0,8}")
_NUMBERED = re.compile(r"(?:\d+\.)*\d+\.?\s+\S|[A-Z]\.\s|[IVX]+\.\s")
_STOPS = (".", ",", ";", "。", "，", "；")
_SENTENCE_END = (".", ",", ";", ":", "?", "!", "…")

Levels = dict[int, int]


class Bookmark(msgspec.Struct, frozen=True):
    """An entry of a PDF's own outline: level from 1, and the page that it leads to."""

    level: int
    title: str
    page: int


class Found(msgspec.Struct):
    """For each page the levels of its headings by row, CONTINUED for a heading's further rows; bookmarks that no row is."""

    levels: dict[int, Levels]
    elsewhere: list[Bookmark]


def headings_of(
    pages: Mapping[int, list[Row]], tables: Mapping[int, Mapping[int, Table]], bookmarks: Iterable[Bookmark], body: float
) -> Found:
    """The headings of all pages; `body` is the size of their text."""
    levels: dict[int, Levels] = defaultdict(dict)
    elsewhere = _by_bookmarks(pages, bookmarks, levels)
    large, bold = _by_style(pages, tables, body, levels)
    known = _levels_of_styles(pages, levels)
    sizes = _ranks(Counter(pages[number][at].size for number, at in large))
    below = max((*sizes.values(), *known.values(), 0)) + 1
    for start, end in {**large, **bold}.items():
        number, first = start
        row = pages[number][first]
        level = known.get(_style(row)) or sizes.get(row.size if start in large else -1.0) or below
        levels[number].update(dict.fromkeys(range(first + 1, end), CONTINUED))
        levels[number][first] = min(level, _DEEPEST)
    return Found(dict(levels), elsewhere)


def _by_bookmarks(pages: Mapping[int, list[Row]], bookmarks: Iterable[Bookmark], levels: dict[int, Levels]) -> list[Bookmark]:
    elsewhere: list[Bookmark] = []
    said: dict[int, list[str]] = {}
    for mark in bookmarks:
        rows = pages.get(mark.page)
        if rows is None or len(rows) > _MOST_ROWS_OF_A_PAGE:
            continue
        texts = said.setdefault(mark.page, [_plain(row.text) for row in rows])
        place = _place(texts, _plain(mark.title), levels[mark.page])
        if place is None:
            elsewhere.append(mark)
        else:
            levels[mark.page].update(dict.fromkeys(range(place[0] + 1, place[1]), CONTINUED))
            levels[mark.page][place[0]] = min(mark.level, _DEEPEST)
    return elsewhere


def _place(texts: list[str], title: str, taken: Levels) -> tuple[int, int] | None:
    """The rows that are a title, perhaps with a numbering that only one of both has."""
    if not title:
        return None
    for rows in range(1, _MOST_ROWS + 1):
        for start in range(len(texts) - rows + 1):
            if start not in taken and texts[start] and _is_same("".join(texts[start : start + rows]), title):
                return start, start + rows
    return None


def _is_same(text: str, title: str) -> bool:
    if text == title:
        return True
    long, short = (text, title) if len(text) > len(title) else (title, text)
    return len(short) > 3 and long.endswith(short) and _NUMBERING.fullmatch(long[: -len(short)]) is not None


def _plain(text: str) -> str:
    return _NOT_SAID.sub("", text).casefold()


Runs = dict[tuple[int, int], int]


def _by_style(
    pages: Mapping[int, list[Row]], tables: Mapping[int, Mapping[int, Table]], body: float, taken: Mapping[int, Levels]
) -> tuple[Runs, Runs]:
    """Where headings begin, and the row after each: of those set larger than the text, and of those in bold alone."""
    large: Runs = {}
    bold: Runs = {}
    total = 0
    repeated = _repeated(pages)
    for number, rows in pages.items():
        total += len(rows)
        covered = {row for table in tables.get(number, {}).values() for row in range(table.start, table.end)}
        covered |= taken.get(number, {}).keys()
        at = 0
        while at < len(rows):
            end = at + 1
            if at not in covered and rows[at].text not in repeated and _may_be(rows[at]):
                while end < len(rows) and end not in covered and _goes_on(rows[end - 1], rows[end]):
                    end += 1
                if end - at <= _MOST_ROWS and rows[at].size >= _LARGER * body and _is_title(rows[at:end]):
                    large[number, at] = end
                elif end - at < _MOST_ROWS and _is_bold_heading(rows, at, end, body):
                    bold[number, at] = end
            at = end
    return (
        large if len(large) <= _LARGE_SHARE * total or total < 20 else {},
        bold if len(bold) <= _BOLD_SHARE * total else {},
    )


def _repeated(pages: Mapping[int, list[Row]]) -> set[str]:
    """What stands on so many pages that it is a watermark or the name of the whole."""
    counts = Counter(text for rows in pages.values() for text in {row.text for row in rows})
    return {text for text, count in counts.items() if count >= max(_WATERMARK_PAGES, _WATERMARK_SHARE * len(pages))}


def _is_title(rows: list[Row]) -> bool:
    length = sum(len(row.text) for row in rows)
    most = _MOST_STOPPED_CHARS if rows[-1].text.endswith(_STOPS) else _MOST_CHARS
    return length <= most and not any(row.contents for row in rows)


def _may_be(row: Row) -> bool:
    text, cells = row.text, len(row.pieces)
    if ". . . ." in text or text[0] in BULLETS or (cells > 2 and row.is_apart) or (cells > 1 and row.pieces[-1].text.isdecimal()):
        return False
    return len(text) <= _MOST_CHARS and bool(_LETTERS.search(text)) and not row.pieces[0].aside and not row.contents


def _goes_on(before: Row, row: Row) -> bool:
    return (
        not row.fresh
        and abs(row.size - before.size) < 0.06 * before.size
        and row.bold == before.bold
        and row.top - before.top < 1.6 * max(before.size, before.bottom - before.top)
    )


def _is_bold_heading(rows: list[Row], start: int, end: int, body: float) -> bool:
    row, text = rows[start], " ".join(one.text for one in rows[start:end])
    if not all(one.bold for one in rows[start:end]) or row.mono or len(text) > _MOST_BOLD_CHARS or len(row.pieces) > 2:
        return False
    if text.endswith(_SENTENCE_END) or row.size < 0.95 * body or end >= len(rows) or rows[end].bold:
        return False
    before = rows[start - 1] if start and not row.fresh else None
    apart = before is None or row.top - before.bottom > 0.35 * row.size
    return apart or _NUMBERED.match(text) is not None


def _style(row: Row) -> tuple[float, bool]:
    return round(row.size * 2) / 2, row.bold


def _levels_of_styles(pages: Mapping[int, list[Row]], levels: Mapping[int, Levels]) -> dict[tuple[float, bool], int]:
    """The level that most rows of a style have by the bookmarks."""
    counts: dict[tuple[float, bool], Counter[int]] = defaultdict(Counter)
    for number, found in levels.items():
        for at, level in found.items():
            if level != CONTINUED:
                counts[_style(pages[number][at])][level] += 1
    return {style: count.most_common(1)[0][0] for style, count in counts.items()}


def _ranks(counts: Counter[float]) -> dict[float, int]:
    """The rank of each size from 1, the largest. Sizes that nearly are the same share one, and so do the rarer ones with the
    next smaller of those that most headings have: a cover may have five of its own."""
    groups: list[list[float]] = []
    for size in sorted(counts, reverse=True):
        if groups and size * _STEP >= groups[-1][0]:
            groups[-1].append(size)
        else:
            groups.append([size])
    weights = [sum(counts[size] for size in group) for group in groups]
    usual = set(sorted(range(len(groups)), key=lambda index: (index > 0, -weights[index]))[: _DEEPEST - 2])
    ranks: dict[float, int] = {}
    rank = 1
    for index, group in enumerate(groups):
        ranks.update(dict.fromkeys(group, min(rank, len(usual))))
        rank += index in usual
    return ranks
