"""Who reads an output: the surest extractor, beside the one that reads anything; and the one pass over its lines."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TypeVar

import msgspec

from limen.evidence.extractor import Extractor, Reading, Told
from limen.evidence.findings import Findings
from limen.evidence.generic import GenericExtractor, GenericReading
from limen.kit.log import failed_open

T = TypeVar("T")

_SURE = 0.5
# Lines are read in blocks of so many, which bounds what is held of an output that streams in.
_BLOCK_LINES = 512
_BLOCK_CHARS = 1 << 20
_SAMPLE_LINES = 200
_SAMPLE_CHARS = 2_000


class Seen(msgspec.Struct, frozen=True):
    """An output that was read: its lines counted, the first and last of them with their numbers, and what was found.

    `special` is what its own extractor found, None where there is none; `generic` is the floor's, empty where that failed.
    """

    lines: int
    chars: int
    head: tuple[tuple[int, str], ...]
    tail: tuple[tuple[int, str], ...]
    special: Findings | None
    generic: Findings


def sampled(lines: Iterable[str], command: str = "", exit_code: int | None = None) -> Told:
    """What an extractor is told before it reads."""
    if isinstance(lines, list):
        first, last = lines[:_SAMPLE_LINES], lines[-_SAMPLE_LINES:]
    else:
        short = (line[:_SAMPLE_CHARS] for line in lines)
        first = list(islice(short, _SAMPLE_LINES))
        last = list(deque(chain(first, short), _SAMPLE_LINES))
    head, tail = (tuple(line[:_SAMPLE_CHARS] for line in part) for part in (first, last))
    return Told(command, exit_code, head, tail)


def contained(call: Callable[[], T]) -> T | None:
    """What a call gives; None where it fails, which is counted. An extractor is a plug-in, and no output may end a turn."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - a plug-in's hook: whatever lines do to it, the output passes
        failed_open("compact.unread", error)
        return None


def choose(extractors: Iterable[Extractor], told: Told) -> Extractor | None:
    """The surest extractor that is sure enough; of equally sure ones the first. One that fails is passed by."""
    best, best_fit = None, 0.0
    for extractor in extractors:
        fit = contained(partial(extractor.fits, told))
        if fit is not None and fit >= _SURE and fit > best_fit:
            best, best_fit = extractor, fit
    return best


def read(lines: Iterable[str], told: Told, extractor: Extractor | None, *, head: int = 5, tail: int = 5) -> Seen:
    """Read an output once. An extractor that fails leaves the floor; a failing floor leaves nothing but the ends."""
    readings = _Readings(told, extractor)
    firsts: list[tuple[int, str]] = []
    lasts: deque[tuple[int, str]] = deque(maxlen=tail)
    number = chars = 0
    waiting = iter(lines)
    while block := _block(waiting):
        firsts.extend(enumerate(block[: head - number], number + 1) if number < head else ())
        readings.lines(number + 1, block)
        lasts.extend(enumerate(block[-tail:] if tail else (), number + 1 + max(len(block) - tail, 0)))
        number += len(block)
        chars += sum(map(len, block)) + len(block)
    special, generic = readings.findings()
    return Seen(number, chars, tuple(firsts), tuple(lasts), special, generic or Findings("text"))


def _block(waiting: Iterator[str]) -> list[str]:
    """The next lines, fewer where they are long."""
    block: list[str] = []
    chars = 0
    for line in islice(waiting, _BLOCK_LINES):
        block.append(line)
        chars += len(line)
        if chars > _BLOCK_CHARS:
            break
    return block


class _Readings:
    """The two readings of one output, each until it fails."""

    def __init__(self, told: Told, extractor: Extractor | None) -> None:
        self._special = None if extractor is None else contained(partial(extractor.read, told))
        self._generic: GenericReading | None = GenericExtractor().read(told)

    def lines(self, first: int, block: Sequence[str]) -> None:
        """The next lines, to each."""
        if self._special is not None:
            self._special = contained(partial(_given, self._special, first, block))
        if self._generic is not None:
            self._generic = contained(partial(_given_at_once, self._generic, first, block))

    def findings(self) -> tuple[Findings | None, Findings | None]:
        """What each found, None for one that failed."""
        special = None if self._special is None else contained(self._special.findings)
        return special, None if self._generic is None else contained(self._generic.findings)


def _given(reading: Reading, first: int, block: Sequence[str]) -> Reading:
    for number, line in enumerate(block, first):
        reading.line(number, line)
    return reading


def _given_at_once(reading: GenericReading, first: int, block: Sequence[str]) -> GenericReading:
    reading.lines(first, block)
    return reading
