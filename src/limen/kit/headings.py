"""The headings of a Markdown text."""

import re
from typing import NamedTuple

_HEADING_CHARS = 300
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)])(?:\s|$)| {4}|\t")
_ANCHOR = re.compile(r"[ \t]*\{#([\w:.-]+)\}[ \t]*$")


class HeadingLine(NamedTuple):
    """A heading: its level from 1 to 6, its Markdown, the line on which it stands, and its anchor where it names one."""

    level: int
    text: str
    line: int
    anchor: str


def headings_in(markdown: str) -> list[HeadingLine]:
    """The headings of a text in order: ATX and setext, those inside fenced code left out. Lines count from 1."""
    found: list[HeadingLine] = []
    fence = previous = ""
    for number, line in enumerate(markdown.split("\n"), 1):
        fenced = _FENCE.match(line)
        if fence:
            if fenced and fenced[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            previous = ""
        elif fenced:
            fence, previous = fenced[1], ""
        elif atx := _ATX.match(line):
            found += _heading(len(atx[1]), atx[2] or "", number)
            previous = ""
        elif previous.strip() and (underline := _SETEXT.match(line)):
            found += _heading(1 if underline[1][0] == "=" else 2, previous.strip(), number - 1)
            previous = ""
        else:
            previous = "" if _NOT_PARAGRAPH.match(line) else line
    return found


def _heading(level: int, text: str, line: int) -> list[HeadingLine]:
    anchor = _ANCHOR.search(text)
    plain = (text[: anchor.start()] if anchor else text).strip()
    return [HeadingLine(level, plain[:_HEADING_CHARS], line, anchor[1] if anchor else "")] if plain else []
