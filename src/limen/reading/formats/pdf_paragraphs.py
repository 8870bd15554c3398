"""The rows of a PDF page to Markdown: paragraphs put together, lists, code and headings kept in their lines."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from limen.reading.formats.pdf_headings import CONTINUED, Levels
from limen.reading.formats.pdf_rows import LEADER, Row
from limen.reading.formats.pdf_tables import Table
from limen.reading.formats.pdf_words import BULLETS, HYPHEN

# Of the size of the text: what is an indent, how much wider than usual the space above a paragraph is, a space between words.
_INDENT = 0.8
_SPACED = 1.3
_SPACE = 0.3
# Narrower text stands in cells and addresses, whose lines are no sentence.
_NARROW = 12.0
_USUAL_PITCH = 1.25
_SAME_SIZE = 0.1
_MARGIN = 4.0
_MOST_MARGINS = 30
_JUSTIFIED_ROWS, _JUSTIFIED_SHARE = 3, 0.25
_MOST_SPACES = 60
_WORD_CHARS = 60
_LISTED = re.compile(r"(?:[•▪◦‣·∙●○■□▫➢✓✔–—*►-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]|\[\w{1,12}\])\s+(?=\S)")
_BULLET = re.compile(rf"[{BULLETS}]\s+")
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*$")
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff9f\u3000-\u30ff]")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MARK = re.compile(r"(#{1,6}(?:\s|$)|```|~~~)")


class Style(msgspec.Struct):
    """What is usual in a document: distances from row to row by size, whether all is typewritten, how often words occur."""

    pitches: dict[int, float]
    typewritten: bool
    words: Counter[str]


def style_of(pages: Mapping[int, list[Row]], typewritten: bool) -> Style:
    """The style of all pages; words are those of compounds and of their rows' inner words."""
    pitches: dict[int, Counter[float]] = defaultdict(Counter)
    words: Counter[str] = Counter()
    broken = any(row.text.endswith(("-", HYPHEN)) for rows in pages.values() for row in rows)
    for rows in pages.values():
        for before, row in pairwise(rows):
            pitch = row.top - before.top
            if not row.fresh and round(before.size * 2) == round(row.size * 2) and row.size < pitch < 3 * row.size:
                pitches[round(row.size * 2)][round(pitch * 2) / 2] += 1
        if broken:
            for row in rows:
                words.update(_COMPOUND.findall(row.text.casefold()))
    usual = {size: found.most_common(1)[0][0] for size, found in pitches.items() if found.total() > 3}
    return Style(usual, typewritten, words)


def written(rows: list[Row], tables: Mapping[int, Table], levels: Levels, style: Style) -> tuple[str, list[tuple[int, int, str]]]:
    """The Markdown of a page, and of each heading its level, its line from 0 and its text."""
    blocks: list[str] = []
    headings: list[tuple[int, int, str]] = []
    line = 0
    for level, text in _blocks(rows, tables, levels, style):
        if level:
            headings.append((level, line, text))
            text = f"{'#' * level} {text}"
        blocks.append(text)
        line += text.count("\n") + 2
    return "\n\n".join(blocks), headings


def _blocks(rows: list[Row], tables: Mapping[int, Table], levels: Levels, style: Style) -> Iterator[tuple[int, str]]:
    """Blocks of text, each with its level where it is a heading, else 0."""
    edges = _edges(rows)
    at = 0
    while at < len(rows):
        if at in tables:
            yield 0, tables[at].written()
            at = tables[at].end
            continue
        end = at + 1
        if levels.get(at):
            while levels.get(end) == CONTINUED:
                end += 1
            yield levels[at], _heading(rows[at:end], style)
        elif _is_code(rows, at, style):
            while end < len(rows) and end not in tables and end not in levels and _is_below(rows[end - 1], rows[end]):
                end += 1
            yield 0, _code(rows[at:end])
        else:
            while end < len(rows) and end not in tables and end not in levels and not _is_code(rows, end, style):
                end += 1
            yield from ((0, text) for text in _paragraphs(rows[at:end], edges[at:end], style) if text)
        at = end


def _heading(rows: list[Row], style: Style) -> str:
    text = rows[0].text
    for row in rows[1:]:
        text = _run_on(text, row.text, style)
    return " ".join(text.split())


def _is_code(rows: list[Row], at: int, style: Style) -> bool:
    return rows[at].mono and not style.typewritten


def _is_below(before: Row, row: Row) -> bool:
    """Whether a row goes on with the code above it, wherever it begins."""
    return row.mono and (not row.fresh or 0 < row.top - before.top < 3 * row.size)


def _code(rows: list[Row]) -> str:
    left = min(row.x0 for row in rows)
    piece = max((piece for row in rows for piece in row.pieces), key=lambda piece: len(piece.text))
    width = max((piece.x1 - piece.x0) / len(piece.text), 0.5)
    usual = min((row.top - before.top for before, row in pairwise(rows) if row.top > before.top), default=0.0)
    lines: list[str] = []
    for before, row in zip((None, *rows), rows, strict=False):
        if before is not None and row.top - before.top > 1.6 * usual > 0:
            lines.append("")
        line = ""
        for piece in row.pieces:
            column = min(round((piece.x0 - left) / width), len(line) + _MOST_SPACES)
            line = line.ljust(max(column, len(line) + bool(line))) + piece.text
        lines.append(line)
    fence = "````" if any("```" in line for line in lines) else "```"
    return "\n".join((fence, *lines, fence))


def _edges(rows: list[Row]) -> list[float]:
    """Where the text to which each row belongs ends at the right."""
    groups: list[tuple[Row, list[float]]] = []
    of_row: list[list[float]] = []
    for row in rows:
        if row.fresh:
            groups = []
        ends = next(
            (
                ends
                for first, ends in groups
                if abs(first.x0 - row.x0) < _MARGIN * row.size and abs(first.size - row.size) < _SAME_SIZE * row.size
            ),
            None,
        )
        if ends is None and len(groups) >= _MOST_MARGINS:
            ends = groups[-1][1]
        elif ends is None:
            ends = []
            groups.append((row, ends))
        ends.append(row.x1)
        of_row.append(ends)
    usual = {key: (_usual_end(ends), max(ends)) for key, ends in {id(ends): ends for ends in of_row}.items()}
    found = ((row, usual[id(ends)]) for row, ends in zip(rows, of_row, strict=True))
    return [end if end > row.x1 - 2 else last for row, (end, last) in found]


def _usual_end(ends: list[float]) -> float:
    end, count = Counter(map(round, ends)).most_common(1)[0]
    return float(end) if count >= _JUSTIFIED_ROWS and count >= _JUSTIFIED_SHARE * len(ends) else max(ends)


def _paragraphs(rows: list[Row], edges: list[float], style: Style) -> Iterator[str]:
    text, began = _shown(rows[0]), True
    for at in range(1, len(rows)):
        row, after = rows[at], rows[at + 1] if at + 1 < len(rows) and not rows[at + 1].fresh else None
        glue = _glue(rows[at - 1], row, after, (edges[at - 1], edges[at]), began, style)
        began = glue != " "
        if glue == " ":
            text = _run_on(text, row.text, style)
        elif glue == "\n":
            text = f"{text}\n{_shown(row)}"
        else:
            yield text
            text = _shown(row)
    yield text


def _shown(row: Row) -> str:
    text = _BULLET.sub("- ", row.text, count=1) if _BULLET.match(row.text) else row.text
    if row.contents:
        text = LEADER.sub(" … ", text)
    return "\\" + text if _MARK.match(text) else text


def _glue(before: Row, row: Row, after: Row | None, edges: tuple[float, float], began: bool, style: Style) -> str:
    """What comes between two rows: a space within a paragraph, a line's end, or an empty line."""
    broken = before.text.endswith(HYPHEN)
    if row.pieces[0].aside or before.pieces[0].aside:
        beside = row.pieces[0].aside and before.pieces[0].aside and min(row.x1, before.x1) > max(row.x0, before.x0)
        return " " if beside else "\n\n"
    if abs(row.size - before.size) > _SAME_SIZE * row.size or (before.bold and not row.bold):
        return "\n\n"
    if row.fresh:
        goes_on = broken or (row.text[:1].islower() and not _ENDED.search(before.text) and len(before.pieces) == 1)
        return " " if goes_on else "\n\n"
    if before.contents and row.contents:
        return "\n"
    size = row.size
    usual = style.pitches.get(round(size * 2), size * _USUAL_PITCH)
    if row.top - before.top > max(_SPACED * usual, usual + 0.25 * size) and not broken:
        return "\n\n"
    listed = _LISTED.match(row.text) is not None
    if listed and row.x0 < before.x0 + 3 * size:
        return "\n" if began or row.x0 <= before.x0 + size else "\n\n"
    if before.contents or (before.is_apart and not broken) or _counts_on(before, row):
        return "\n"
    full = broken or (edges[0] - before.x1 < _lead(row) + _SPACE * size and edges[0] - before.x0 > _NARROW * size)
    shift = row.x0 - before.x0
    if shift > _INDENT * size:
        returns = after is not None and after.x0 < row.x0 - _INDENT * size
        if returns and after is not None and edges[1] - row.x1 < _lead(after) + _SPACE * size and not _LISTED.match(before.text):
            return "\n\n"
    elif shift < -_INDENT * size and not began:
        return "\n\n"
    return " " if full else "\n"


def _lead(row: Row) -> float:
    """The width of what had to find room on the row before."""
    return row.size if _CJK.match(row.text) else row.lead


def _counts_on(before: Row, row: Row) -> bool:
    """Whether both begin with their numbers as lines."""
    one, other = before.pieces[0].text.split(" ", 1)[0], row.pieces[0].text.split(" ", 1)[0]
    return one.isdecimal() and other.isdecimal() and len(other) < 7 and int(other) == int(one[:9]) + 1


def _run_on(text: str, more: str, style: Style) -> str:
    if text.endswith(HYPHEN):
        return _dehyphenated(text[:-1], more, style)
    if text.endswith("-") and text[-2:-1].isalpha() and more[:1].isalpha():
        return _dehyphenated(text[:-1], more, style) if more[:1].islower() else text + more
    if text[-1:] == "–" and text[-2:-1].isalnum() and more[:1].isalnum():
        return text + more
    if _CJK.match(text[-1:]) and _CJK.match(more[:1]):
        return text + more
    return f"{text} {more}"


def _dehyphenated(text: str, more: str, style: Style) -> str:
    """A word that was broken at a line's end, whole; its hyphen stays where the document has it within a line as well."""
    start = re.search(r"[^\W\d_]+(?:-[^\W\d_]+)*$", text[-_WORD_CHARS:])
    rest = re.match(r"[^\W\d_]+", more)
    if start is None or rest is None:
        return f"{text}-{more}"
    one, other = start[0].casefold(), rest[0].casefold()
    hyphened, whole = style.words[f"{one}-{other}"], style.words[one + other]
    kept = hyphened > whole or (not whole and not more[:1].islower())
    return f"{text}-{more}" if kept else text + more
