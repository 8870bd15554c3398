"""The headings of a Markdown text."""

import re
from typing import NamedTuple

from limen.kit.fences import Fences

HEADING_CHARS = 300
"""How much of a heading an outline shows."""
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)])(?:\s|$)| {4}|\t")
_LINK = re.compile(r"!?(?<!\\)\[((?:[^\[\]\\]|\\.)*+)\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*+\)")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
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
    fences = Fences()
    previous = ""
    for number, line in enumerate(markdown.split("\n"), 1):
        if fences.holds(line):
            previous = ""
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
    return [HeadingLine(level, plain[:HEADING_CHARS], line, anchor[1] if anchor else "")] if plain else []


def without_markup(markdown: str) -> str:
    """A line of Markdown as its words: links by their text, no emphasis, no backslashes."""
    return _ESCAPED.sub(r"\1", _EMPHASIS.sub("", _LINK.sub(r"\1", markdown)))
