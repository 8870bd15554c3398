"""The lines of a text that hold a phrase, with the lines around them. Plain words, no pattern language: nothing makes it slow."""

import re
from collections.abc import Sequence
from itertools import islice

import msgspec

from limen.kit.headings import without_markup
from limen.kit.text import clip

MAX_MATCHES = 20
AROUND_LINES = 2
LINE_CHARS = 600
# What a long line shows before the phrase.
_BEFORE_CHARS = 150
_MARKS = re.compile(r"[\\*_~`\[]")


class FoundLine(msgspec.Struct, frozen=True):
    """A matching line, counted from 1, and the lines around it, joined by newlines. A long one is cut around its match."""

    line: int
    text: str
    before: str
    after: str


def find_lines(lines: Sequence[str], phrase: str, first: int = 1) -> tuple[list[FoundLine], int]:
    """Lines from `first` on that hold `phrase`, whatever its case, spacing and marks of Markdown: at most MAX_MATCHES, and
    the count of all. A line that holds it without its marks only is shown so where it is cut.
    """
    wanted = _folded(phrase)
    behind = islice(enumerate(lines), first - 1, None)
    holding = [(number, said) for number, line in behind if (said := _holding(line, wanted)) is not None]
    found = [
        FoundLine(
            number + 1,
            around(lines[number] if len(lines[number]) <= LINE_CHARS else said, wanted),
            _joined(lines[max(number - AROUND_LINES, 0) : number]),
            _joined(lines[number + 1 : number + 1 + AROUND_LINES]),
        )
        for number, said in holding[:MAX_MATCHES]
    ]
    return found, len(holding)


def as_they_stand(lines: Sequence[str], found: Sequence[FoundLine]) -> tuple[list[str], int]:
    """Found lines with those around them, whole, and the first one's number. Lines between them are empty, so that each keeps its
    distance from the first."""
    shown = {
        number for one in found for number in range(max(one.line - AROUND_LINES, 1), min(one.line + AROUND_LINES, len(lines)) + 1)
    }
    first, last = min(shown, default=1), max(shown, default=0)
    return [lines[number - 1] if number in shown else "" for number in range(first, last + 1)], first


def around(line: str, phrase: str) -> str:
    """At most LINE_CHARS of a line, its blanks folded, around the phrase in it."""
    if len(line) <= LINE_CHARS:
        return clip(line, LINE_CHARS)
    start = max(line.casefold().find(phrase) - _BEFORE_CHARS, 0)
    piece = clip(line[start:], LINE_CHARS - 1)
    return f"…{piece}" if start else piece


def _holding(line: str, wanted: str) -> str | None:
    """A line as it stands, else as it reads, where it holds what is wanted."""
    if wanted in _folded(line):
        return line
    plain = without_markup(line) if _MARKS.search(line) else ""
    return plain if plain and wanted in _folded(plain) else None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(clip(line, LINE_CHARS) for line in lines)
