"""The extractor that reads anything: errors, warnings and stack traces in whatever format, told once each with their number."""

from collections import Counter, deque
from collections.abc import Sequence
from itertools import islice

import msgspec

from limen.evidence.extractor import Told
from limen.evidence.findings import Findings, Quote, Tally, Weight
from limen.evidence.severity import Gravity, gravity, telling
from limen.evidence.stacks import Place, Stacks
from limen.evidence.stamps import TIME, stamp_end
from limen.evidence.templates import Template, Templates

# Surely enough for nothing: it is asked for beside the surest, and alone where nobody is sure.
_FLOOR = 0.1
# Of failures with the same words so many are kept line by line, and of all of them so many.
_REPEATS = 48
_ALL_REPEATS = 240
# Frames that are kept of a trace: these first ones, or for Python, which names the place last, the last ones.
_FRAMES = 3
_LEVELS = ("INFO", "DEBUG", "TRACE", "NOTICE")


class _Kind(msgspec.Struct):
    """Lines of one template: as the first one stands, and how grave the gravest is."""

    group: int
    weight: Weight
    template: Template
    example: str
    at: int


class GenericExtractor:
    """The floor: it fits every output, and never well."""

    name = "generic"

    def fits(self, told: Told) -> float:
        """Never enough to be chosen."""
        return _FLOOR

    def read(self, told: Told) -> "GenericReading":
        """Begin to read an output."""
        return GenericReading(told)


class GenericReading:
    """One output. Holds a line of each template, and of failures a bounded number of repeats."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._templates = Templates()
        self._kinds: dict[int, _Kind] = {}
        self._details: list[Quote] = []
        self._repeats = 0
        self._stacks = Stacks()
        self._frames: deque[tuple[int, str]] = deque(maxlen=_FRAMES)
        self._open: _Kind | None = None
        self._calm: dict[str, tuple[int, int, int]] = {}
        self._stack_lines = (0, 0, 0)

    def line(self, number: int, text: str) -> None:
        """The next line."""
        place = self._stacks.place(text)
        if place is not None and place.part != "cause":
            self._trace(number, text, place)
            return
        grave = gravity(text)
        if grave is not None:
            self._open = self._grave(number, text, grave)
            return
        if text:
            self._open = None
        self._count_calm(number, text)

    def lines(self, first: int, lines: Sequence[str]) -> None:
        """The next lines, the first of which has that number: the same as one by one, at a fraction of the time."""
        begin = 0
        for index in (*telling(lines), len(lines)):
            while begin < index and self._stacks.goes_on:
                self.line(first + begin, lines[begin])
                begin += 1
            if begin < index:
                self._calm_lines(first + begin, lines[begin:index])
            if begin <= index < len(lines):
                self.line(first + index, lines[index])
            begin = max(begin, index + 1)

    def _calm_lines(self, first: int, lines: Sequence[str]) -> None:
        if any(lines):
            self._open = None
        for number, text in enumerate(lines, first):
            self._count_calm(number, text)

    def _trace(self, number: int, text: str, place: Place) -> None:
        """A line of a trace. Of Python's the last frames are kept, until the line is read that says what they led to."""
        if place.part == "end":
            grave = gravity(text)
            kind = self._grave(number, text, Gravity("failure", 0 if grave is None else grave.at, exact=True))
            if kind.template.count == 1:
                self._details.extend(Quote(at, frame, "detail", group=kind.group) for at, frame in self._frames)
            self._frames.clear()
            return
        count = self._stack_lines
        self._stack_lines = (count[0] + 1, count[1] or number, number)
        if place.part == "head":
            self._open = None
            self._frames.clear()
        elif self._open is None:
            self._frames.append((number, text))
        elif self._open.template.count == 1 and place.depth < _FRAMES:
            self._details.append(Quote(number, text, "detail", group=self._open.group))

    def _grave(self, number: int, text: str, grave: Gravity) -> _Kind:
        template = self._templates.add(number, text[stamp_end(text) :], exact=grave.exact)
        kind = self._kinds.get(template.number)
        if kind is None:
            kind = _Kind(template.number, grave.weight, template, text, grave.at)
            self._kinds[template.number] = kind
        elif grave.exact and template.count <= _REPEATS and self._repeats < _ALL_REPEATS:
            self._repeats += 1
            self._details.append(Quote(number, text, "detail", start=grave.at, group=kind.group))
        return kind

    def _count_calm(self, number: int, text: str) -> None:
        level = next((level for level in _LEVELS if level in text), "other")
        count, first, _ = self._calm.get(level, (0, number, number))
        self._calm[level] = (count + 1, first, number)

    def findings(self) -> Findings:
        """What was found, in the order of the output."""
        quotes = [*self._details]
        tallies = []
        for kind in self._kinds.values():
            found = kind.template
            if found.count == 1:
                quotes.append(Quote(found.first, kind.example, kind.weight, start=kind.at, group=kind.group))
            else:
                place = (found.count, found.first, found.last)
                tallies.append(Tally(" ".join(found.words), *place, kind.weight, kind.example, kind.at, kind.group))
        others = {f"{level} lines": seen for level, seen in self._calm.items()} | {"lines of stack traces": self._stack_lines}
        calm = [Tally(what, count, first, last) for what, (count, first, last) in others.items() if count]
        quotes.sort(key=lambda quote: quote.line)
        tallies.sort(key=lambda tally: tally.first)
        return Findings("text", self._headline(), (), tuple(quotes), (*tallies, *calm))

    def _headline(self) -> str:
        """Counts of lines by how grave they are, and between which times they stand."""
        counts: Counter[str] = Counter()
        for kind in self._kinds.values():
            counts[kind.weight] += kind.template.count
        named = {"failure": "of failures", "error": "of errors", "warning": "of warnings"}
        said = ", ".join(f"{counts[weight]:,} {name}" for weight, name in named.items() if counts[weight])
        first = next((time for time in map(TIME.search, self._told.head) if time is not None), None)
        last = next((time for time in map(TIME.search, islice(reversed(self._told.tail), 200)) if time is not None), None)
        times = f"times {first[0]} to {last[0]}" if first is not None and last is not None and first[0] != last[0] else ""
        return "; ".join(part for part in (f"lines that tell {said}" if said else "", times) if part)
