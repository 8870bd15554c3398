"""HTML of our own making, block by block: what every reader of a document writes, and no page of the web."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape

import msgspec

from limen.core.fault import ToolFault
from limen.core.web import Page
from limen.reading.markup.convert import as_it_is, without_signs

# Noncharacters that mark places while a page is converted; as references of XML they come past the decoder.
_OUR_SIGNS = dict.fromkeys(range(0xFDD0, 0xFDF0), "\ufffd")
_FIELD_CHARS = 500
# A tree of this takes 250 MB.
_MOST_CHARS = 20_000_000
_DEEPEST = 9
_TAG = re.compile(r"<[^>]*>")
_HEADING = re.compile(r"(</?h)([1-6])(?=[\s>])", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


class About(msgspec.Struct, frozen=True):
    """What a document says about itself; empty where it does not say. `published` is an ISO 8601 date or time."""

    title: str = ""
    author: str = ""
    published: str = ""
    language: str = ""


class Entry(msgspec.Struct, frozen=True):
    """A list's entry: how deep it stands from 0, its number where the list is numbered."""

    level: int
    number: int | None = None


class Blocks:
    """Blocks in order. Entries that follow each other become one list, nested by their levels."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[tuple[int, str]] = []
        self._code: list[str] = []

    def add(self, html: str) -> None:
        """A block that is no list's."""
        self._end()
        self._put(html)

    def paragraph(self, html: str) -> None:
        """A paragraph, where there is something in it."""
        if html.strip():
            self.add(f"<p>{html}</p>")

    def slide(self, number: int, title: str) -> None:
        """The heading of a slide; its title is HTML."""
        words = title.replace("<br>", " ").strip()
        self.add(heading(2, f"Slide {number}: {words}" if words else f"Slide {number}", f"slide={number}"))

    def notes(self, inner: "Blocks") -> None:
        """What is said beside a slide, where there is anything."""
        if html := inner.html():
            self.add(f"<blockquote><p><strong>Notes</strong></p>{html}</blockquote>")

    def code(self, html: str) -> None:
        """A line of a listing."""
        self._close(-1)
        self._code.append(html)

    def entry(self, entry: Entry, html: str) -> None:
        """A list's entry."""
        self._end_code()
        level = min(max(entry.level, 0), _DEEPEST)
        kind = "ul" if entry.number is None else "ol"
        self._close(level)
        if self._open and self._open[-1] == (level, kind):
            self._put(f"</li><li>{html}")
            return
        if self._open and self._open[-1][0] == level:
            self._close(level - 1)
        start = "" if entry.number in (None, 1) else f' start="{entry.number}"'
        self._open.append((level, kind))
        self._put(f"<{kind}{start}><li>{html}")

    def more(self, level: int, html: str) -> None:
        """A further paragraph of the entry before it; where there is none, one of its own."""
        self._close(level)
        if html.strip():
            self._put(f"<p>{html}</p>")

    def html(self) -> str:
        """All blocks."""
        self._end()
        return "".join(self._parts)

    def inline(self) -> str:
        """All blocks; an only paragraph without its tag, as it stands in a cell or a note."""
        html = self.html()
        return html[3:-4] if html.startswith("<p>") and html.endswith("</p>") and html.count("<p>") == 1 else html

    def _end(self) -> None:
        self._close(-1)
        self._end_code()

    def _close(self, level: int) -> None:
        """End the lists that are deeper than a level."""
        while self._open and self._open[-1][0] > level:
            self._put(f"</li></{self._open.pop()[1]}>")

    def _end_code(self) -> None:
        if self._code:
            self._put("<pre><code>" + "\n".join(self._code) + "</code></pre>")
            self._code.clear()

    def _put(self, html: str) -> None:
        self._parts.append(html)


def comment_by(author: str, date: str = "") -> str:
    """How a comment begins: who says it, and when, as far as that is known."""
    return ", ".join(filter(None, (f"Comment by {line_of(author)}" if author.strip() else "Comment", line_of(date)))) + ": "


def text_html(text: str) -> str:
    """Text as HTML."""
    return escape(text if text.isascii() else text.translate(_OUR_SIGNS), quote=False)


def paragraphs(text: str, line_break: str = "<br>") -> str:
    """Plain text whose blank lines part paragraphs."""
    parts = (text_html(part.strip("\n")).replace("\n", line_break) for part in _BLANK_LINES.split(text))
    return "".join(f"<p>{part}</p>" for part in parts if part.strip())


def items(entries: Iterable[str]) -> str:
    """A list of entries that are HTML; nothing where there are none."""
    html = "".join(f"<li>{entry}</li>" for entry in entries)
    return f"<ul>{html}</ul>" if html else ""


def deeper(html: str, by: int) -> str:
    """A part whose headings stand so much below their own level, as it has one above it."""
    return _HEADING.sub(lambda found: f"{found[1]}{min(int(found[2]) + by, 6)}", html)


def kept(text: str) -> str:
    """Text that no writer escapes: formulas, signs of notes, stand-ins for pictures."""
    return as_it_is(text_html(text))


def link(href: str, html: str) -> str:
    """A link; what it shows alone where it leads nowhere."""
    return f'<a href="{escape(href)}">{html}</a>' if href.strip() and html.strip() else html


def heading(level: int, html: str, anchor: str = "") -> str:
    """A heading of level 1 to 6."""
    named = f' id="{escape(anchor)}"' if anchor else ""
    return f"<h{min(level, 6)}{named}>{html}</h{min(level, 6)}>"


def picture(description: str) -> str:
    """What stands for a picture: its description. Nothing where there is none."""
    words = " ".join(description.split())[:_FIELD_CHARS]
    return kept(f"[IMAGE: {words}]") if words else ""


def table(rows: Iterable[Iterable[str | tuple[str, str]]], *, headed: bool = True) -> str:
    """A table of cells as HTML, or as `(attributes, html)`; its first row is the head. Nothing where no cell holds anything."""
    parts, holds = [], False
    for number, row in enumerate(rows):
        tag = "th" if headed and not number else "td"
        cells = [("", cell) if isinstance(cell, str) else cell for cell in row]
        holds = holds or any(html.strip() for _, html in cells)
        parts.append("<tr>" + "".join(f"<{tag}{attributes}>{html}</{tag}>" for attributes, html in cells) + "</tr>")
    return f"<table>{''.join(parts)}</table>" if holds else ""


def spans(across: int, down: int = 1) -> str:
    """The attributes of a cell that covers others."""
    return (f' colspan="{across}"' if across > 1 else "") + (f' rowspan="{down}"' if down > 1 else "")


def note(sign: str, html: str, said: str = "") -> str:
    """The text of a note, behind its sign and what is said of it; further blocks of it follow."""
    words = html.removeprefix("<p>")
    return f"<p>{kept(f'[^{sign}]:')} {said}{words}" + ("</p>" if words == html else "")


def line_of(text: str) -> str:
    """A field of a document in one line."""
    return " ".join(text.translate(_OUR_SIGNS).split())[:_FIELD_CHARS]


def page_of(
    html: str,
    about: About,
    dropped: Mapping[str, int],
    *,
    kind: str = "",
    hidden: Sequence[str] = (),
    notices: Iterable[str] = (),
) -> Page:
    """A page whose text is HTML that is yet to be written as what was asked for.

    `hidden` are the names of parts of a `kind` that are left out since they are not shown. Raises ToolFault `reading.too_large`.
    """
    if len(html) > _MOST_CHARS:
        reason = f"this document holds {len(html):,} characters of text and marks; {_MOST_CHARS:,} are read"
        raise ToolFault("reading.too_large", reason, "save a part of it as a document of its own")
    not_shown = [f"Hidden {kind}s, left out: {', '.join(hidden[:20])}{' …' if len(hidden) > 20 else ''}."] if hidden else []
    return Page(
        title=about.title,
        text=html,
        author=about.author,
        published=about.published,
        language=about.language,
        dropped={name: count for name, count in {**dropped, f"hidden {kind}": len(hidden)}.items() if count},
        format="html",
        notices=(*notices, *not_shown),
    )


def words_of(html: str) -> str:
    """The words of a piece of our own HTML."""
    return unescape(without_signs(_TAG.sub("", html.replace("<br>", " "))))
