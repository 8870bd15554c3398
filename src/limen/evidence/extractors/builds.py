"""Builds, linters and installers: problems grouped by their code, with every place, and the step that failed."""

import re
from collections import deque

from limen.evidence.extractor import Told
from limen.evidence.extractors.commands import programs
from limen.evidence.extractors.diagnostics import ARROW, LOOSE, SUMMARY, Diagnostic, Severity, diagnostic, loosely
from limen.evidence.extractors.families import FAMILIES, Family
from limen.evidence.extractors.quoting import places, quote, shape_of
from limen.evidence.findings import Findings, Quote, Tally

_MOST_GROUPS = 150
_MOST_PLACES = 400
_MOST_QUOTES = 300
_QUOTES_A_GROUP = 12
_SUMMARIES = 6


# What a compiler names below a problem; what only points at a place in the line above.
_NAMES = re.compile(r"\s+(?:symbol|location|required|found|reason):? ")
_UNDERLINE = frozenset("^~|-─ ")
_SAID = {"failure": "failed step", "error": "error", "warning": "warning", "note": "notes"}


class _Kind:
    """Problems of one severity and code, as many as there are: where they are, and what lines tell of them."""

    def __init__(self, number: int, severity: Severity, label: str) -> None:
        self.number = number
        self.severity = severity
        self.label = label
        self.count = 0
        self.first = self.last = 0
        self.example = ""
        self.said: set[str] = set()
        self.places: dict[tuple[str, int | None], None] = {}
        self.unlisted = 0

    def add(self, line: int, text: str) -> None:
        self.count += 1
        self.last = line
        if self.count == 1:
            self.first, self.example = line, text[:400]

    def at(self, file: str, line: int | None) -> None:
        if len(self.places) < _MOST_PLACES:
            self.places[(file, line)] = None
        elif (file, line) not in self.places:
            self.unlisted += 1

    def tells_more(self, found: Diagnostic) -> bool:
        """Whether a further one says what none of the quoted ones says: another name, of an error."""
        return self.severity != "warning" and len(self.said) < _QUOTES_A_GROUP and found.message not in self.said

    def tally(self) -> Tally:
        where = f": {places(self.places)}" if self.places else ""
        more = f"; {self.unlisted} more places" if self.unlisted else ""
        what = f"{_SAID[self.severity]} {self.label}{where}{more}".strip()
        return Tally(what, self.count, self.first, self.last, self.severity, self.example)


class _BuildReading:
    """One output of a build. Holds one entry for each kind of problem, its places, and the lines it quotes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._quotes: list[Quote] = []
        self._summaries: deque[Quote] = deque(maxlen=_SUMMARIES)
        self._file = ""
        self._awaits: tuple[int, str, Diagnostic] | None = None
        self._body: tuple[int, int] = (0, 0)
        self._final = (0, "")

    def line(self, number: int, text: str) -> None:
        """Read one line: a problem, what belongs to the one before, the output's own count, or none of them."""
        if not text or text.isspace():
            self._body = (0, 0)
            return
        self._final = (number, text)
        if SUMMARY.match(text):
            self._summaries.append(quote(number, text, "failure" if text.startswith("error") else "summary"))
            return
        awaited, self._awaits = self._awaits, None
        if (arrow := ARROW.match(text)) is not None:
            self._placed(number, text, awaited, arrow["file"].strip(), int(arrow["line"]))
            return
        if awaited and not awaited[2].shape.placed_later:
            self._keep(*awaited)
        found = diagnostic(text)
        if found is None and len(text) > 1000 and (match := LOOSE.pattern.search(text)):
            found = loosely(text[match.start() - 1 : match.start() + 400])
            found = found and found._replace(at=match.start())
        if found is None or (found.shape is LOOSE and self._body[0]):
            self._belongs(number, text)
        elif found.shape.placed_later or (found.shape.name in ("plain", "rolldown") and found.severity != "failure"):
            self._awaits = (number, text, found)
        else:
            self._keep(number, text, found)

    def _placed(self, number: int, text: str, awaited: tuple[int, str, Diagnostic] | None, file: str, line: int) -> None:
        if awaited is None:
            return
        kind = self._keep(awaited[0], awaited[1], awaited[2]._replace(file=file, line=line))
        if kind.count == 1:
            self._quotes.append(quote(number, text, "detail", kind.number))
        self._body = (0, 0)

    def _keep(self, number: int, text: str, found: Diagnostic) -> _Kind:
        file = found.file or (self._file if found.shape.name == "eslint" else "")
        kind = self._kind_of(found)
        kind.add(number, text)
        self._body = (0, 0)
        if found.severity == "note":
            return kind
        if file:
            kind.at(file, found.line)
        if kind.count == 1:
            weight = "note" if found.shape is LOOSE else found.severity
            self._quotes.append(quote(number, text, weight, kind.number, found.at))
            self._body = (found.shape.body, kind.number)
        elif kind.tells_more(found) and len(self._quotes) < _MOST_QUOTES:
            one = found.shape.one
            self._quotes.append(quote(number, text, "detail" if one else "note", kind.number if one else 0))
        kind.said.add(found.message)
        return kind

    def _kind_of(self, found: Diagnostic) -> _Kind:
        if found.severity == "note":
            key, label = "", ""
        elif found.shape.severity == "failure":
            key, label = found.shape.name, shape_of(found.message) or found.shape.name
        else:
            shape = shape_of(found.message)
            key = found.shape.name if found.shape.one else found.code or shape
            label = f"{found.code} {shape}".strip(" :") or found.shape.name
        if (kind := self._kinds.get((found.severity, key))) is None:
            if len(self._kinds) >= _MOST_GROUPS:
                key, label = "\0", "of other kinds"
            kind = self._kinds.setdefault((found.severity, key), _Kind(len(self._kinds) + 1, found.severity, label))
        return kind

    def _belongs(self, number: int, text: str) -> None:
        left, group = self._body
        if group and (left or _NAMES.match(text)) and not set(text.strip()) <= _UNDERLINE:
            self._quotes.append(quote(number, text, "detail", group))
            self._body = (max(left - 1, 0), group)
        elif not text[0].isspace() and " " not in text and ("/" in text or "." in text or "\\" in text):
            self._file = text[:400]

    def findings(self) -> Findings:
        """The problems by kind, what is quoted of them, and the output's own counts."""
        if self._awaits and not self._awaits[2].shape.placed_later:
            self._keep(*self._awaits)
            self._awaits = None
        quotes = sorted([*self._quotes, *self._summaries], key=lambda one: one.line)
        number, text = self._final
        if number and not self._summaries and not set(text) <= _UNDERLINE and all(one.line != number for one in quotes):
            quotes.append(quote(number, text, "note"))
        said = list(dict.fromkeys(one.text.strip()[:160] for one in self._summaries))
        return Findings(self._name, "; ".join(said[-3:]), (), tuple(quotes), tuple(k.tally() for k in self._kinds.values()))


class BuildOutput:
    """The extractor of one family of builds; all of them read by the same table, as one build runs another's tools."""

    def __init__(self, family: Family) -> None:
        self._family = family

    @property
    def name(self) -> str:
        """The family's name."""
        return self._family.name

    def fits(self, told: Told) -> float:
        """By the command, by words that only this family writes, and by how many lines have the form of a problem."""
        family = self._family
        ran = programs(told.command)
        ends = "\n".join((*told.head, *told.tail))
        marked = any(mark in ends for mark in family.marks)
        if any(family.runs(name, words) for name, words in ran):
            tests = any(name in _TESTS or not _TESTS.isdisjoint(words) for name, words in ran)
            return (0.55 if not marked else 0.7) if tests and not family.broken(ends) else 0.95 if marked else 0.85
        if any(name in _READERS for name, _ in ran) and not marked:
            return 0.0
        return 0.7 if marked else _by_form(told) if family.any_form else 0.0

    def read(self, told: Told) -> _BuildReading:
        """Begin to read an output."""
        return _BuildReading(self.name)


_TESTS = frozenset({"test", "tests", "pytest", "ctest", "nextest", "verify", "jest", "vitest", "mocha", "tox", "nox"})
# Programs that show lines of other files: what looks like a problem there is a line that was looked for.
_READERS = frozenset({"grep", "rg", "ag", "find", "ls", "git", "jq", "sed", "awk", "curl"})


def _by_form(told: Told) -> float:
    lines = told.head if told.head == told.tail else (*told.head, *told.tail)
    found = [one for one in map(diagnostic, lines) if one and one.shape is not LOOSE and one.file and one.severity != "note"]
    return 0.6 if len(found) >= 3 else 0.0


BUILD_EXTRACTORS = tuple(map(BuildOutput, FAMILIES))
"""An extractor for each family of builds, linters and installers."""
