"""What may stand in a report, in the order in which it is chosen."""

import re
from collections.abc import Sequence
from itertools import chain, zip_longest

import msgspec

from limen.evidence.choose import Seen
from limen.evidence.findings import Findings, Quote, Tally, Weight
from limen.evidence.stamps import stamp_end
from limen.evidence.templates import shape

# The order of choosing: by how much a line decides; what the output's own extractor found goes before what the floor found.
_SPECIAL: dict[Weight, int] = {"summary": 0, "failure": 2, "error": 4, "detail": 8, "warning": 12, "note": 18}
_FLOOR: dict[Weight, int] = {"summary": 0, "failure": 6, "error": 6, "detail": 14, "warning": 14, "note": 18}
_NAMED = 9
_END, _TAIL, _HEAD = 10, 16, 17
# So many of the last lines are chosen before warnings: there a program says how it ended.
_ENDS = 2
# So much later in the order is a line that begins like another of its tier.
_OTHERS = 3
_WORD = re.compile(r"\w+")
# Lines that begin alike for so long may well say the same.
_BEGINNING = 80


class Entry(msgspec.Struct, frozen=True):
    """A line that may be shown. `at` is where in it stands what decides. One with a `count` over 1 stands for lines to `last`."""

    line: int
    text: str
    weight: Weight
    tier: int
    at: int = 0
    count: int = 1
    last: int = 0
    group: int = 0
    is_end: bool = False


def entries(seen: Seen) -> list[Entry]:
    """All that may be shown of an output, what is chosen first first."""
    if seen.special is None:
        found = _of(seen.generic, _SPECIAL)
    else:
        found = _named_later(_of(seen.special, _SPECIAL), seen.special.names)
        known = {entry.line for entry in found}
        found += [entry for entry in _of(seen.generic, _FLOOR) if entry.line not in known]
    for place, (line, text) in enumerate(reversed(seen.tail)):
        found.append(Entry(line, text, "note", _END if place < _ENDS else _TAIL, last=line, is_end=True))
    found += [Entry(line, text, "note", _HEAD, last=line, is_end=True) for line, text in seen.head]
    tiers: dict[int, list[Entry]] = {}
    for entry in found:
        tiers.setdefault(entry.tier, []).append(entry)
    for tier in sorted(tiers):
        if tiers[tier][0].weight == "detail":
            tiers[tier] = _in_turn(tiers[tier])
        elif not tiers[tier][0].is_end:
            tiers[tier], others = _ordered(tiers[tier])
            tiers.setdefault(tier + _OTHERS, []).extend(others)
    return [entry for tier in sorted(tiers) for entry in tiers[tier]]


def _named_later(found: list[Entry], names: Sequence[str]) -> list[Entry]:
    """A line that says no more than which test failed comes after what went wrong in each: the names are told in any case."""
    leaves = {words[-1] for words in map(_WORD.findall, names) if words}
    return [
        msgspec.structs.replace(entry, tier=_NAMED)
        if entry.weight == "failure" and not leaves.isdisjoint(_WORD.findall(entry.text))
        else entry
        for entry in found
    ]


def tallies_of(seen: Seen) -> list[Tally]:
    """Counted lines of which none is worth showing; of what the floor counted only where nobody else did."""
    counted = seen.generic.tallies if seen.special is None else seen.special.tallies
    return [tally for tally in counted if not tally.example]


def _of(findings: Findings, tiers: dict[Weight, int]) -> list[Entry]:
    quotes = (_of_quote(quote, tiers) for quote in findings.quotes)
    tallies = (_of_tally(tally, tiers) for tally in findings.tallies if tally.example)
    return sorted(chain(quotes, tallies), key=lambda entry: entry.line)


def _of_quote(quote: Quote, tiers: dict[Weight, int]) -> Entry:
    return Entry(quote.line, quote.text, quote.weight, tiers[quote.weight], quote.start, last=quote.line, group=quote.group)


def _of_tally(tally: Tally, tiers: dict[Weight, int]) -> Entry:
    return Entry(tally.first, tally.example, tally.weight, tiers[tally.weight], tally.start, tally.count, tally.last, tally.group)


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
