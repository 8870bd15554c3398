"""Splitting a page into sections: stretches under one heading, neither so long that a hit says nothing nor so short that
it is only a heading. The spans of a text cover it without gap or overlap."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import msgspec

from limen.core.web import Heading, Page
from limen.kit.fences import Fences
from limen.store.library import LibrarySection
from limen.web.library.markup import visible

# Measured on three sets of documentation (bench/library.py): sections of about a screen answer questions best.
LONGEST_CHARS = 2_400
SHORTEST_CHARS = 120
_MERGED_HEADINGS = 6
# Above this share of link text a section is a table of contents, an index or navigation; so is what leans that way in a
# document that is mostly links. Among 1,941 pages of three manuals every page over 0.5 was one.
_LISTING_SHARE = 0.7
_LISTING_DOCUMENT_SHARE = 0.5
_LEANING_SHARE = 0.25
_HEADING_CHARS = 300
# Where a page of a PDF begins in its text: `[Page 4]`, or `[Page 4, "ii"]` where the page calls itself otherwise.
_PAGE_MARK = re.compile(r"^\[Page (\d+)(?:, [^\n]*)?\]$", re.MULTILINE)
_WORD_CHAR = re.compile(r"[^\W_]")


class Span(msgspec.Struct, frozen=True):
    """A stretch of a text: character offsets (`end` exclusive), its first line (from 1), and the headings above it.

    `merged` are headings of short subsections that it took in; `anchor` leads to its first heading.
    """

    start: int
    end: int
    line: int
    path: tuple[str, ...] = ()
    anchor: str = ""
    merged: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """`A › B`, with short subsections behind: `A › B › C, D`."""
        parts = [*self.path, ", ".join(self.merged)] if self.merged else self.path
        return " › ".join(part for part in parts if part)[:_HEADING_CHARS]


def sections(page: Page) -> tuple[LibrarySection, ...]:
    """The page's sections with the text that is searched, link targets left out; stretches without a word are dropped."""
    covered = spans(page.text, page.outline)
    if page.media_type == "application/pdf":
        covered = _by_page(page.text, covered)
    found = [(span, visible(page.text[span.start : span.end])) for span in covered]
    chars = sum(len(seen.text) for _, seen in found)
    share = sum(len(seen.text) * seen.link_share for _, seen in found) / chars if chars else 0.0
    limit = _LEANING_SHARE if share > _LISTING_DOCUMENT_SHARE else _LISTING_SHARE
    return tuple(
        LibrarySection(span.heading, span.anchor, span.line, seen.text, listing=seen.link_share > limit)
        for span, seen in found
        if _WORD_CHAR.search(seen.text)
    )


def _by_page(text: str, covered: Sequence[Span]) -> tuple[Span, ...]:
    """Spans of a PDF's text, each leading to the page that it begins on, which may be far behind its heading's."""
    marks = [(mark.start(), mark[1]) for mark in _PAGE_MARK.finditer(text)]
    at = 0
    found: list[Span] = []
    for span in covered:
        while at < len(marks) and marks[at][0] <= span.start:
            at += 1
        found.append(msgspec.structs.replace(span, anchor=f"page={marks[at - 1][1]}") if at else span)
    return tuple(found)


def spans(text: str, outline: Sequence[Heading]) -> tuple[Span, ...]:
    """Cover `text` with spans, cut at the outline's lines; short ones joined to their parent, long ones split."""
    if not text:
        return ()
    starts = _line_starts(text)
    joined = _join_short(text, _under_headings(len(text), starts, outline))
    return tuple(part for span in joined for part in _split_long(text, span))


def _line_starts(text: str) -> list[int]:
    lines = text.split("\n")
    return [chars + line for line, chars in enumerate(accumulate(map(len, lines[:-1]), initial=0))]


def _under_headings(length: int, starts: list[int], outline: Sequence[Heading]) -> list[Span]:
    by_line = {heading.line: heading for heading in reversed(outline) if 1 <= heading.line <= len(starts)}
    lines = sorted(by_line.keys() | {1})
    bounds = [*(starts[line - 1] for line in lines), length]
    found: list[Span] = []
    above: list[Heading] = []
    for line, (start, end) in zip(lines, pairwise(bounds), strict=True):
        heading = by_line.get(line)
        if heading is not None:
            above = [*(one for one in above if one.level < heading.level), heading]
        if start < end or not found:
            path = tuple(one.text for one in above)
            found.append(Span(start, end, line, path, above[-1].anchor if above else ""))
    return found


def _join_short(text: str, parts: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is None or not _below(part, last):
            joined.append(part)
        elif _body_chars(text, last) < SHORTEST_CHARS and not last.merged:
            joined[-1] = msgspec.structs.replace(part, start=last.start, line=last.line, anchor=part.anchor or last.anchor)
        elif _body_chars(text, part) < SHORTEST_CHARS and _has_room(part, last):
            joined[-1] = msgspec.structs.replace(last, end=part.end, merged=(*last.merged, part.path[-1]))
        else:
            joined.append(part)
    return joined


def _below(part: Span, parent: Span) -> bool:
    return len(part.path) > len(parent.path) and part.path[: len(parent.path)] == parent.path


def _has_room(part: Span, parent: Span) -> bool:
    return part.end - parent.start <= LONGEST_CHARS and len(parent.merged) < _MERGED_HEADINGS


def _body_chars(text: str, span: Span) -> int:
    """Characters of a span without its heading line."""
    newline = text.find("\n", span.start, span.end)
    if not span.path:
        newline = span.start - 1
    elif newline < 0:
        return 0
    return len(text[newline + 1 : span.end].strip())


def _split_long(text: str, span: Span) -> Iterator[Span]:
    if span.end - span.start <= LONGEST_CHARS:
        yield span
        return
    line, start = span.line, span.start
    for end in _cuts(text, span):
        yield msgspec.structs.replace(span, start=start, end=end, line=line)
        line += text.count("\n", start, end)
        start = end


def _cuts(text: str, span: Span) -> Iterator[int]:
    """Ends of the parts of a long span: at the last paragraph border that fits, else at a line's, else inside a line."""
    start = span.start
    paragraph = line_end = start
    fences = Fences() if _has_fence(text, span) else None
    position = start
    while position < span.end:
        newline = text.find("\n", position, span.end)
        following = span.end if newline < 0 else newline + 1
        line = text[position:following]
        inside = fences is not None and fences.holds(line.rstrip("\n"))
        while following - start > LONGEST_CHARS:
            cut = paragraph if paragraph - start > LONGEST_CHARS // 3 else line_end
            if cut - start <= LONGEST_CHARS // 6:
                cut = _inside_line(text, start, following)
            yield cut
            start = cut
        line_end = following
        if not inside and (line == "\n" or line.isspace()):
            paragraph = following
        position = following
    if start < span.end:
        yield span.end


def _has_fence(text: str, span: Span) -> bool:
    return text.find("```", span.start, span.end) >= 0 or text.find("~~~", span.start, span.end) >= 0


def _inside_line(text: str, start: int, end: int) -> int:
    """A cut behind the last blank that leaves a part of fitting length, or in the middle of a word that is too long."""
    limit = min(start + LONGEST_CHARS, end)
    blank = text.rfind(" ", start + LONGEST_CHARS // 2, limit)
    return blank + 1 if blank > 0 else limit
