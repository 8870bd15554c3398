"""A line as a report shows it: whole, or the part that decides, with a mark where something is left out."""

import re
from collections.abc import Sequence

import msgspec

from limen.evidence.entries import Entry
from limen.evidence.stamps import stamp_end

GAP = "…"
"""Stands where a part of a line is left out."""

# So much of a line's beginning is shown in any case; a beginning that long which was shown before is not shown again.
_BEGINNING = 90
_BEFORE = 24
_REMEMBERED = 24
# So much of what was shown before may be shown again, to begin where a part of the line begins.
_LEAD = 60
# Words at the beginning of a line that are values, such as times, places and levels, then a thread and the package of a logger;
# where
# room is short, such a beginning as long as this is left out.
_VALUES = re.compile(r"(?:(?:\S*\d\S*|-|[A-Z][a-z]{2}|[A-Z]{4,8})\s+)+(?:\[[^\]]{0,80}\]\s+)?(?:[A-Za-z_$][\w$]*\.){0,12}")
_LONG_VALUES = 40
_COUNT_CHARS = 18


class Style(msgspec.Struct, frozen=True):
    """How much of a line is shown. `bare` leaves out a long beginning of values."""

    width: int
    bare: bool = False

    def cost(self, entry: Entry) -> int:
        """The most characters that showing an entry may take."""
        begin, width = self._of(entry)
        gaps = 2 * len(GAP) if entry.is_part else 0
        return gaps + min(len(entry.text) - begin, width) + len(str(entry.line)) + 4 + (_COUNT_CHARS if entry.count > 1 else 0)

    def part(self, entry: Entry, before: list[str]) -> str:
        """The entry's line as it is shown; `before` are the lines that were shown before, to which it is added."""
        if not entry.is_part:
            return self._part(entry, before)
        said = self._part(entry, before)
        return (GAP if entry.offset and not said.startswith(GAP) else "") + said.removesuffix(GAP) + GAP

    def _part(self, entry: Entry, before: list[str]) -> str:
        start, width = self._of(entry)
        text = entry.text[start:]
        for other in before:
            if other[:_BEGINNING] == text[:_BEGINNING] and len(text) > _BEGINNING:
                shared = _shared(text, other)
                begin = text.rfind(" ", 0, min(shared, len(text) - 1)) + 1 or shared
                part = text.rfind(" | ", begin - _LEAD, begin) + 3
                begin = part if part > 2 else begin
                return GAP + cut(text[begin:], max(entry.at - start - begin, 0), width)
        before.append(text)
        del before[:-_REMEMBERED]
        return (GAP if start else "") + cut(text, entry.at - start, width)

    def _of(self, entry: Entry) -> tuple[int, int]:
        """Where an entry's line begins to be shown, and how much of it is."""
        start = stamp_end(entry.text)
        if self.bare:
            values = _VALUES.match(entry.text[:400], start)
            if values is not None and values.end() - start >= _LONG_VALUES:
                return values.end(), self.width
        return start, max(self.width, _BEGINNING + 4)


def _shared(text: str, other: str) -> int:
    """How many characters two lines begin with in common."""
    least, most = 0, min(len(text), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if text[least:middle] == other[least:middle] else (least, middle - 1)
    return least


def rendered(chosen: Sequence[Entry], style: Style) -> list[str]:
    """Entries as numbered lines."""
    digits = max((len(str(entry.line)) for entry in chosen), default=1)
    before: list[str] = []
    lines = []
    for entry in chosen:
        many = f" (×{entry.count}, last {entry.last})" if entry.count > 1 else ""
        lines.append(f"{entry.line:>{digits}}{many}: {style.part(entry, before)}")
    return lines


def cut(text: str, at: int, width: int) -> str:
    """About `width` characters of a line at most: its beginning, and what stands at `at`."""
    if len(text) <= width:
        return text
    if at <= width - _BEFORE:
        return text[:width] + GAP
    begin = max(at - _BEFORE, _BEGINNING)
    end = begin + max(width - _BEGINNING, 60)
    return f"{text[:_BEGINNING]}{GAP}{text[begin:end]}{GAP if end < len(text) else ''}"
