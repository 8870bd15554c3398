"""What a report leaves out, in lines of the whole, by kind: so that each of them can be asked for."""

from collections.abc import Iterable, Sequence

from limen.evidence.choose import Seen
from limen.evidence.entries import Entry
from limen.evidence.findings import Tally, Weight
from limen.kit.text import clip

# Kinds that are told one by one, of those that were counted only; the others are told together.
_KINDS = 5
_KIND_CHARS = 60
_NAMED: dict[Weight, str] = {
    "failure": "failures", "error": "errors", "warning": "warnings", "summary": "summary lines", "detail": "details",
    "note": "notes",
}  # fmt: skip


def left_out(seen: Seen, found: Sequence[Entry], chosen: Sequence[Entry]) -> list[str]:
    """Rows such as `left out: lines 120-4,810: 4,600 passing tests`; together with what is shown they stand for every line.

    What tells of errors or warnings is in a row that says so. A line may be of two rows, where two readers counted it.
    """
    rows = [*_hidden(seen, found, chosen), *_counted(seen)]
    if seen.special is not None:
        others = seen.lines - len({entry.line for entry in chosen}) - sum(row.count for row in rows)
        rows += [Tally("other lines", others, 1, seen.lines)] if others > 0 else []
    return [f"left out: {_span(row.first, row.last)}: {row.count:,} {clip(row.what, _KIND_CHARS)}" for row in rows]


def _hidden(seen: Seen, found: Sequence[Entry], chosen: Sequence[Entry]) -> Iterable[Tally]:
    """What might have been shown and is not, by how much it decides. Frames are counted with the others of their traces."""
    taken, lines = set(map(id, chosen)), {entry.line for entry in chosen}
    missing: dict[Weight, list[Entry]] = {}
    details = set() if seen.special is None else {quote.line for quote in seen.special.quotes}
    for entry in found:
        is_told = entry.line in lines and entry.last == entry.line
        if id(entry) not in taken and not is_told and not entry.is_end and (entry.weight != "detail" or entry.line in details):
            missing.setdefault(entry.weight, []).append(entry)
    for weight, hidden in missing.items():
        count = sum(max(entry.count - (entry.line in lines), 1) for entry in hidden)
        kinds = f" of {len(hidden)} kinds" if count > len(hidden) > 1 else ""
        yield Tally(_NAMED[weight] + kinds, count, min(entry.line for entry in hidden), max(entry.last for entry in hidden))


def _counted(seen: Seen) -> Iterable[Tally]:
    """What was counted and of which no line is worth showing; by the floor only where nobody else counted."""
    counted = seen.generic.tallies if seen.special is None else seen.special.tallies
    kinds = sorted((tally for tally in counted if not tally.example), key=lambda tally: (tally.weight == "note", -tally.count))
    yield from sorted(kinds[:_KINDS], key=lambda tally: tally.first)
    others: dict[Weight, list[Tally]] = {}
    for tally in kinds[_KINDS:]:
        others.setdefault(tally.weight, []).append(tally)
    for weight, rest in others.items():
        if len(rest) == 1:
            yield rest[0]
            continue
        what = f"lines of {len(rest)} other kinds" if weight == "note" else f"other {_NAMED[weight]}"
        yield Tally(what, sum(tally.count for tally in rest), min(one.first for one in rest), max(one.last for one in rest))


def _span(first: int, last: int) -> str:
    return f"line {first:,}" if first == last else f"lines {first:,}-{last:,}"
