"""What may stand in a report, in the order in which it is chosen."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum, auto
from itertools import chain, zip_longest

import msgspec

from limen.evidence.choose import Seen
from limen.evidence.findings import Findings, Quote, Tally, Weight
from limen.evidence.stamps import stamp_end
from limen.evidence.templates import shape

_WORD = re.compile(r"\w+")
# Lines that begin alike for so long may well say the same.
_BEGINNING = 80
_PART_CHARS = 300
# A counted kind stands for a line that has so much of the words of its first one.
_SAME_KIND = 0.5


class Turn(IntEnum):
    """When a line is chosen: by how much it decides. What the output's own extractor found goes before what the floor found, what
    begins like another line of its kind after the first of them, and the ends of the output, which decide nothing by themselves,
    come last."""

    SUMMARY = auto()
    FAILURE = auto()
    FAILURE_ALIKE = auto()
    ERROR = auto()
    FLOOR_GRAVE = auto()
    ERROR_ALIKE = auto()
    DETAIL = auto()
    FLOOR_GRAVE_ALIKE = auto()
    NAMED = auto()
    WARNING = auto()
    WARNING_ALIKE = auto()
    FLOOR_WARNING = auto()
    FLOOR_DETAIL = auto()
    FLOOR_WARNING_ALIKE = auto()
    NOTE = auto()
    NOTE_ALIKE = auto()
    TAIL = auto()
    HEAD = auto()


Turns = dict[Weight, tuple[Turn, Turn]]
"""By weight when a line is chosen, and when one that begins like another."""

_OWN: Turns = {
    "summary": (Turn.SUMMARY, Turn.SUMMARY),
    "failure": (Turn.FAILURE, Turn.FAILURE_ALIKE),
    "error": (Turn.ERROR, Turn.ERROR_ALIKE),
    "detail": (Turn.DETAIL, Turn.DETAIL),
    "warning": (Turn.WARNING, Turn.WARNING_ALIKE),
    "note": (Turn.NOTE, Turn.NOTE_ALIKE),
}
# Alone, the floor cannot know which of many failures that begin alike are worth more than the first error.
_ALONE: Turns = {**_OWN, "failure": (Turn.FAILURE, Turn.ERROR_ALIKE)}
_BESIDE: Turns = {
    **_OWN,
    "failure": (Turn.FLOOR_GRAVE, Turn.FLOOR_GRAVE_ALIKE),
    "error": (Turn.FLOOR_GRAVE, Turn.FLOOR_GRAVE_ALIKE),
    "detail": (Turn.FLOOR_DETAIL, Turn.FLOOR_DETAIL),
    "warning": (Turn.FLOOR_WARNING, Turn.FLOOR_WARNING_ALIKE),
}


class Entry(msgspec.Struct, frozen=True):
    """A line that may be shown. `at` is where in `text` stands what decides. One with a `count` over 1 stands for lines to
    `last`.

    `text` is the line, or what of it begins behind `offset` characters; `is_part`: it is cut out of a longer one.
    """

    line: int
    text: str
    weight: Weight
    turn: Turn
    alike: Turn
    at: int = 0
    count: int = 1
    last: int = 0
    group: int = 0
    offset: int = 0
    is_part: bool = False

    @property
    def is_end(self) -> bool:
        """Whether it is one of the first or last lines, and nothing else is known of it."""
        return self.turn >= Turn.TAIL


def entries(seen: Seen) -> list[Entry]:
    """All that may be shown of an output, what is chosen first first."""
    if seen.special is None:
        found = _of(seen.generic, _ALONE)
    else:
        found = _named_later(_of(seen.special, _OWN), seen.special.names)
        found += _besides(_of(seen.generic, _BESIDE), found, seen.special.tallies)
    ends = [Entry(line, text, "note", Turn.TAIL, Turn.TAIL, last=line) for line, text in reversed(seen.tail)]
    ends += [Entry(line, text, "note", Turn.HEAD, Turn.HEAD, last=line) for line, text in seen.head]
    turns: dict[Turn, list[Entry]] = {}
    for entry in found:
        turns.setdefault(entry.turn, []).append(entry)
    ordered: dict[Turn, list[Entry]] = {}
    for turn in sorted(turns):
        if turn in (Turn.DETAIL, Turn.FLOOR_DETAIL):
            ordered.setdefault(turn, []).extend(_in_turn(turns[turn]))
            continue
        firsts, others = _ordered(turns[turn])
        ordered.setdefault(turn, []).extend(firsts)
        for entry in others:
            ordered.setdefault(entry.alike, []).append(entry)
    return [*chain.from_iterable(ordered[turn] for turn in sorted(ordered)), *ends]


def _besides(floor: Iterable[Entry], own: Sequence[Entry], tallies: Sequence[Tally]) -> list[Entry]:
    """What the floor found that the output's own extractor did not: neither quoted nor counted. Of lines that the floor counted,
    those that are quoted already are counted no more."""
    counted = _counted(tallies)
    known = {entry.line: _shape(entry.text) for entry in own}
    found = []
    for entry in floor:
        if counted(entry):
            continue
        if entry.count == 1:
            if entry.line not in known:
                found.append(entry)
            continue
        said = _shape(entry.text)
        left = entry.count - sum(entry.line <= line <= entry.last and other == said for line, other in known.items())
        if left > 0:
            found.append(msgspec.structs.replace(entry, count=left) if entry.line in known else entry)
    return found


def _counted(tallies: Sequence[Tally]) -> Callable[[Entry], bool]:
    """Whether a line, or all lines of a kind, are among those that are counted: in a range without a gap, or of the same weight
    and, where the first of them is known, of its words."""
    kinds = [(tally, frozenset(_said(tally.example))) for tally in tallies]

    def is_counted(entry: Entry) -> bool:
        words: list[str] | None = None
        for tally, said in kinds:
            if not tally.first <= entry.line <= entry.last <= tally.last:
                continue
            if tally.count > tally.last - tally.first:
                return True
            if tally.weight == entry.weight:
                words = _said(entry.text) if words is None else words
                if not tally.example or sum(word in said for word in words) >= _SAME_KIND * len(words):
                    return True
        return False

    return is_counted


def _named_later(found: list[Entry], names: Sequence[str]) -> list[Entry]:
    """A line that says no more than which test failed comes after what went wrong in each: the names are told in any case."""
    leaves = {words[-1] for words in map(_WORD.findall, names) if words}
    return [
        msgspec.structs.replace(entry, turn=Turn.NAMED, alike=Turn.NAMED)
        if entry.weight == "failure" and not leaves.isdisjoint(_WORD.findall(entry.text))
        else entry
        for entry in found
    ]


def _of(findings: Findings, turns: Turns) -> list[Entry]:
    quotes = (_of_quote(quote, turns) for quote in findings.quotes)
    tallies = (_of_tally(tally, turns) for tally in findings.tallies if tally.example)
    return sorted(chain(quotes, tallies), key=lambda entry: entry.line)


def _of_quote(quote: Quote, turns: Turns) -> Entry:
    turn, alike = turns[quote.weight]
    entry = Entry(quote.line, quote.text, quote.weight, turn, alike, quote.start, last=quote.line, group=quote.group)
    if quote.end is None:
        return entry
    # An extractor hands over the whole of a line, or no more of it than the part that stands for it; what is short is a heading
    # without the lines that are drawn beside it.
    text = quote.text[quote.start : quote.end] if len(quote.text) > quote.end - quote.start else quote.text
    return msgspec.structs.replace(entry, text=text, at=0, offset=quote.start, is_part=len(text) >= _PART_CHARS)


def _of_tally(tally: Tally, turns: Turns) -> Entry:
    turn, alike = turns[tally.weight]
    return Entry(tally.first, tally.example, tally.weight, turn, alike, tally.start, tally.count, tally.last, tally.group)


def _said(text: str) -> list[str]:
    """The words of a line that are no values."""
    return [word for word in _shape(text).split() if "*" not in word]


def _shape(text: str) -> str:
    return shape(text[stamp_end(text) :])


def _ordered(found: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """What is said of many lines and of one in turn: the most frequent first, and single lines from both ends inwards, since what
    began it and what it ended with decide more than what lies between. What begins like another is apart, to be chosen later."""
    many = sorted((entry for entry in found if entry.count > 1), key=lambda entry: (-entry.count, entry.line))
    ones = sorted((entry for entry in found if entry.count == 1), key=lambda entry: entry.line)
    middle = (len(ones) + 1) // 2
    both_ways = [entry for pair in zip_longest(ones[:middle], reversed(ones[middle:])) for entry in pair if entry is not None]
    in_turn = [entry for pair in zip_longest(many, both_ways) for entry in pair if entry is not None]
    begun: set[str] = set()
    firsts: list[Entry] = []
    others: list[Entry] = []
    for entry in in_turn:
        beginning = shape(entry.text[stamp_end(entry.text) :][:_BEGINNING])
        (others if beginning in begun else firsts).append(entry)
        begun.add(beginning)
    return firsts, others


def _in_turn(details: list[Entry]) -> list[Entry]:
    """The first detail of each group, then the second of each."""
    groups: dict[int, list[Entry]] = {}
    for entry in details:
        groups.setdefault(entry.group, []).append(entry)
    return [entry for round_ in zip_longest(*groups.values()) for entry in round_ if entry is not None]
