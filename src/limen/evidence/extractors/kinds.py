"""Problems of one kind: how many there are, where they are, and which lines tell of them."""

from collections.abc import Iterator

from limen.evidence.extractors.diagnostics import LOOSE, Diagnostic, Severity
from limen.evidence.extractors.quoting import places, quote, shape_of
from limen.evidence.findings import Quote, Tally

_MOST_KINDS = 150
_MOST_PLACES = 400
_MOST_MORE = 300
_MORE_A_KIND = 12
_EXAMPLE_CHARS = 20_000
# The list of kinds that stands at the head of a report.
_LIST_KINDS = 14
_LIST_CHARS = 1_500
_SAID = {"failure": "failed step", "error": "error", "warning": "warning", "note": "notes"}
_RANK = {"failure": 0, "error": 1, "warning": 2, "note": 3}


class Kind:
    """Problems of one severity and code. Holds their places, the first line, and later lines that say what none before did."""

    def __init__(self, number: int, severity: Severity, label: str, *, loose: bool) -> None:
        self.number = number
        self.severity = severity
        self.label = label
        self.loose = loose
        self.count = 0
        self.more: list[Quote] = []
        self._first = (0, "", 0)
        self._last = 0
        self._messages: set[str] = set()
        self._places: dict[tuple[str, int | None], None] = {}
        self._unlisted = 0

    def add(self, line: int, text: str, found: Diagnostic, file: str, *, room: bool) -> None:
        """One more of them. Of an error whose message differs the line is kept too, while there is `room`."""
        self.count += 1
        self._last = line
        if self.count == 1:
            self._first = (line, text[:_EXAMPLE_CHARS], found.at)
        elif room and self._tells_more(found):
            self.more.append(quote(line, text, "detail", self.number, found.at))
        if len(self._messages) <= _MORE_A_KIND:
            self._messages.add(found.message)
        if file and len(self._places) < _MOST_PLACES:
            self._places[(file, found.line)] = None
        elif file and (file, found.line) not in self._places:
            self._unlisted += 1

    def _tells_more(self, found: Diagnostic) -> bool:
        known = found.message in self._messages or len(self._messages) > _MORE_A_KIND
        return self.severity in ("error", "failure") and not self.loose and not known

    def listed(self, limit_chars: int) -> str:
        """The kind in words with its places, as many as fit: `12 × error E0425 …: src/: a.rs:3,9; b.rs:4`."""
        where = f": {places(self._places, limit_chars)}" if self._places else ""
        more = f"; {self._unlisted} more places" if self._unlisted else ""
        return f"{self.count} × {_SAID[self.severity]} {self.label}".rstrip() + where + more

    def quotes(self) -> list[Quote]:
        """The line of a kind that has one only, and what further lines add."""
        if self.count > 1 or self.severity == "note" or self.loose:
            return self.more
        line, text, at = self._first
        return [quote(line, text, self.severity, self.number, at), *self.more]

    def tally(self) -> Tally | None:
        """The lines of a kind that has several. Notes, and lines with a mere word of failure, are counted and not shown."""
        line, text, at = self._first
        if self.loose or self.severity == "note":
            return Tally(self.label or "notes and help", self.count, line, self._last, "note")
        if self.count == 1:
            return None
        what = self.listed(_LIST_CHARS).partition(" × ")[2]
        return Tally(what, self.count, line, self._last, self.severity, text, at, self.number)


class Kinds:
    """The kinds of problems of one output, at most 150; what is over is counted as one more."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._more = 0

    def add(self, line: int, text: str, found: Diagnostic, file: str) -> Kind:
        """Count a problem with those of its kind."""
        kind = self._kind_of(found)
        before = len(kind.more)
        kind.add(line, text, found, "" if found.severity == "note" else file, room=self._more < _MOST_MORE)
        self._more += len(kind.more) - before
        return kind

    def _kind_of(self, found: Diagnostic) -> Kind:
        key, label = _key(found)
        if (kind := self._kinds.get((found.severity, key))) is None:
            if len(self._kinds) >= _MOST_KINDS:
                key, label = "\0", "of other kinds"
            new = Kind(len(self._kinds) + 1, found.severity, label, loose=found.shape is LOOSE)
            kind = self._kinds.setdefault((found.severity, key), new)
        return kind

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())

    def listed(self) -> list[str]:
        """The gravest and most frequent kinds in words, with their places: what one looks at first."""
        told = [kind for kind in self._kinds.values() if kind.severity != "note" and not kind.loose]
        told.sort(key=lambda kind: (_RANK[kind.severity], -kind.count, kind.number))
        said: list[str] = []
        left = _LIST_CHARS
        for index, kind in enumerate(told[:_LIST_KINDS]):
            share = max(left // (min(len(told), _LIST_KINDS) - index) - len(kind.label) - 24, 40)
            said.append(kind.listed(share))
            left -= len(said[-1])
            if left < 0:
                break
        if len(told) > len(said):
            said.append(f"{len(told) - len(said)} more kinds")
        return said


def _key(found: Diagnostic) -> tuple[str, str]:
    if found.severity == "note":
        return "", ""
    if found.shape is LOOSE:
        return "\1", f"other lines with a word of {found.severity}"
    shape = shape_of(found.message)
    label = f"{found.code} {shape}".strip(" :") or found.shape.name
    if found.shape.severity == "failure" or found.shape.one:
        return found.shape.name, label
    return found.code or shape, label
