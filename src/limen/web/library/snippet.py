"""The few lines of a section that show best why it was found."""

from collections.abc import Sequence
from heapq import nlargest

from limen.kit.text import clip
from limen.web.library.marks import Mark

SNIPPET_CHARS = 320
_LINES, _LIKELY = 8, 6
_LEAD_CHARS = 80


def snippet(text: str, marks: Sequence[Mark]) -> tuple[int, str]:
    """The number (from 0) of the line that it begins in, and the lines around the densest of `marks`."""
    lines = text.split("\n")
    by_line = _by_line(marks, lines)
    if not by_line:
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
        return first, clip("\n".join(lines[first : first + _LINES]), SNIPPET_CHARS)
    own = {number: len({mark.word for mark in here}) for number, here in by_line.items()}
    # What begins the best snippet holds about as many of the words as any line.
    likely = nlargest(_LIKELY, own, key=lambda number: (own[number], -number))
    best = max(likely, key=lambda number: (_worth(lines, by_line, number), -number))
    if len(lines[best]) > SNIPPET_CHARS:
        return best, _within_line(lines[best], by_line[best])
    return best, clip("\n".join(lines[best : best + _LINES]), SNIPPET_CHARS)


def _by_line(marks: Sequence[Mark], lines: Sequence[str]) -> dict[int, list[Mark]]:
    """Marks by the line they stand in, counted from the line's start; they come in order."""
    found: dict[int, list[Mark]] = {}
    number = start = 0
    for mark in marks:
        while number < len(lines) - 1 and mark.start > start + len(lines[number]):
            start += len(lines[number]) + 1
            number += 1
        found.setdefault(number, []).append(Mark(mark.start - start, mark.end - start, mark.word))
    return found


def _worth(lines: Sequence[str], by_line: dict[int, list[Mark]], first: int) -> float:
    """What a reader gets of the lines that fit behind `first`: different words there, in the first line itself, then how many."""
    room = SNIPPET_CHARS
    seen: set[int] = set()
    total = 0.0
    for number in range(first, min(first + _LINES, len(lines))):
        if number > first and len(lines[number]) > room:
            break
        room -= len(lines[number]) + 1
        marks = by_line.get(number, [])
        seen.update(mark.word for mark in marks)
        total += min(len(marks), 4) * 0.1
    return len(seen) + 0.6 * len({mark.word for mark in by_line[first]}) + total


def _within_line(line: str, marks: Sequence[Mark]) -> str:
    """The stretch of a long line that holds most different words, from the beginning of a sentence or of a word."""
    reach = SNIPPET_CHARS - _LEAD_CHARS
    best = max(marks, key=lambda one: len({mark.word for mark in marks if one.start <= mark.start < one.start + reach})).start
    earliest = max(best - _LEAD_CHARS, 0)
    sentence = max(line.rfind(end, earliest, best) for end in (". ", "? ", "! ", "。"))
    begin = sentence + 1 if sentence >= 0 else line.rfind(" ", 0, earliest + 1) + 1
    begin = begin if best - begin <= reach else earliest
    return ("…" if begin else "") + clip(line[begin : begin + 2 * SNIPPET_CHARS], SNIPPET_CHARS - 1)
