"""The lines of a text that hold a phrase, with the lines around them. Plain words, no pattern language: nothing makes it slow."""

from collections.abc import Sequence
from itertools import islice

import msgspec

from limen.kit.text import clip

MAX_MATCHES = 20
AROUND_LINES = 2
LINE_CHARS = 600
# What a long line shows before the phrase.
_BEFORE_CHARS = 150


class FoundLine(msgspec.Struct, frozen=True):
    """A matching line, counted from 1, and the lines around it, joined by newlines. A long one is cut around its match."""

    line: int
    text: str
    before: str
    after: str


def find_lines(lines: Sequence[str], phrase: str, first: int = 1) -> tuple[list[FoundLine], int]:
    """Lines from `first` on that hold `phrase`, whatever its case and spacing: at most MAX_MATCHES, and the count of all."""
    wanted = " ".join(phrase.split()).casefold()
    behind = islice(enumerate(lines), first - 1, None)
    numbers = [number for number, line in behind if wanted in " ".join(line.split()).casefold()]
    found = [
        FoundLine(
            number + 1,
            around(lines[number], wanted),
            _joined(lines[max(number - AROUND_LINES, 0) : number]),
            _joined(lines[number + 1 : number + 1 + AROUND_LINES]),
        )
        for number in numbers[:MAX_MATCHES]
    ]
    return found, len(numbers)


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


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(clip(line, LINE_CHARS) for line in lines)
