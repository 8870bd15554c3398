"""Sections of a text by the name of their heading, or by its anchor as addresses have it behind their `#`."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

import msgspec

from limen.core.web import Heading
from limen.kit.headings import without_markup
from limen.web.browse.lines import Lines

# Fewer characters begin too many headings; they have to be all of one.
_LEAST_BEGUN_CHARS = 3
_PAGE = re.compile(r"page=(\d{1,6})")
_NO_SLUG = re.compile(r"[^\w\- ]+")


class Section(msgspec.Struct, frozen=True):
    """A heading with what stands below it: the first and the last of its lines, counted from 1."""

    title: str
    line: int
    end_line: int


def section_named(headings: Sequence[Heading], lines: Lines, name: str) -> Section | None:
    """The first section whose heading equals a name, else whose anchor does, else whose heading begins with it.

    Case and blanks make no difference. `#name` is an anchor: also the number of a PDF's page (`#page=3`), or what it would be if
    the page made its anchors of its headings' words.
    """
    is_anchor = name.startswith("#") and name[1:2] not in ("#", " ")
    found = _by_anchor(headings, name[1:]) if is_anchor else _by_name(headings, name)
    if found is None:
        page = _PAGE.fullmatch(name[1:])
        return None if page is None else _page_of(lines, page[1])
    first = headings.index(found)
    behind = (heading.line for heading in headings[first + 1 :] if heading.level <= found.level and heading.line > found.line)
    end = next(behind, None)
    last = len(lines) if end is None else lines.number_of(end) - 1
    line = min(lines.number_of(found.line), len(lines))
    return Section(without_markup(found.text), line, max(last, line))


def _by_anchor(headings: Sequence[Heading], anchor: str) -> Heading | None:
    wanted = unquote(anchor).strip()
    if not wanted:
        return None
    exact = (heading for heading in headings if heading.anchor == wanted)
    folded = wanted.casefold()
    alike = (heading for heading in headings if folded in (heading.anchor.casefold(), _slug(heading.text)))
    return next(exact, None) or next(alike, None)


def _by_name(headings: Sequence[Heading], name: str) -> Heading | None:
    """By a name as Markdown, else as the heading reads: `**kwargs`, `__init__`."""
    return _by_words(headings, _folded(name)) or _by_words(headings, " ".join(name.split()).casefold())


def _by_words(headings: Sequence[Heading], wanted: str) -> Heading | None:
    if not wanted:
        return None
    names = [_folded(heading.text) for heading in headings]
    if wanted in names:
        return headings[names.index(wanted)]
    by_anchor = next((heading for heading in headings if heading.anchor.casefold() == wanted), None)
    if by_anchor is not None or len(wanted) < _LEAST_BEGUN_CHARS:
        return by_anchor
    return next((heading for heading, said in zip(headings, names, strict=True) if said.startswith(wanted)), None)


def _page_of(lines: Lines, number: str) -> Section | None:
    """A page of a PDF, by the mark that stands before it."""
    marks = [index for index, line in enumerate(lines, 1) if line.startswith("[Page ")]
    first = next((index for index in marks if re.match(rf"\[Page {number}[\],]", lines[index - 1])), None)
    if first is None:
        return None
    return Section(f"Page {number}", first, next((mark - 1 for mark in marks if mark > first), len(lines)))


def _folded(text: str) -> str:
    return " ".join(without_markup(text.strip().strip("#")).split()).casefold()


def _slug(text: str) -> str:
    return _NO_SLUG.sub("", _folded(text)).replace(" ", "-")
