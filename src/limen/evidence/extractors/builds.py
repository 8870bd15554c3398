"""Builds, linters and installers: problems grouped by their code, with every place, and the step that failed."""

import re
from collections import deque

from limen.evidence.extractor import Told
from limen.evidence.extractors.commands import programs
from limen.evidence.extractors.diagnostics import ARROW, LOOSE, SUMMARY, Diagnostic, diagnostic, loosely
from limen.evidence.extractors.families import FAMILIES, Family
from limen.evidence.extractors.kinds import Kind, Kinds
from limen.evidence.extractors.quoting import quote
from limen.evidence.findings import Findings, Quote

_SUMMARIES = 6
_MOST_DETAILS = 300
# What a compiler names below a problem; what only points at a place in the line above.
_NAMES = re.compile(r"\s+(?:symbol|location|required|found|reason):? ")
_UNDERLINE = frozenset("^~|-─ ")


class _BuildReading:
    """One output of a build. Holds one entry for each kind of problem, its places, and the lines it quotes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds = Kinds()
        self._details: list[Quote] = []
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
        self._body = (0, 0)
        if kind.count == 1:
            self._detail(number, text, kind.number)

    def _keep(self, number: int, text: str, found: Diagnostic) -> Kind:
        file = found.file or (self._file if found.shape.name == "eslint" else "")
        kind = self._kinds.add(number, text, found, file)
        is_first = kind.count == 1 and found.severity != "note" and found.shape is not LOOSE
        self._body = (found.shape.body, kind.number) if is_first else (0, 0)
        return kind

    def _detail(self, number: int, text: str, group: int) -> None:
        if len(self._details) < _MOST_DETAILS:
            self._details.append(quote(number, text, "detail", group))

    def _belongs(self, number: int, text: str) -> None:
        left, group = self._body
        if group and (left or _NAMES.match(text)) and not set(text.strip()) <= _UNDERLINE:
            self._detail(number, text, group)
            self._body = (max(left - 1, 0), group)
        elif not text[0].isspace() and " " not in text and ("/" in text or "." in text or "\\" in text):
            self._file = text[:400]

    def findings(self) -> Findings:
        """The problems by kind, what is quoted of them, and the output's own counts."""
        if self._awaits and not self._awaits[2].shape.placed_later:
            self._keep(*self._awaits)
            self._awaits = None
        quotes = [*self._details, *self._summaries]
        tallies = []
        for kind in self._kinds:
            quotes += kind.quotes()
            if (tally := kind.tally()) is not None:
                tallies.append(tally)
        if not self._summaries and self._final[0] and not set(self._final[1]) <= _UNDERLINE:
            quotes.append(quote(*self._final, "note"))
        once = {one.line: one for one in reversed(quotes)}
        said = list(dict.fromkeys(one.text.strip()[:160] for one in self._summaries))
        headline = "\n".join(filter(None, ("; ".join(said[-3:]), *self._kinds.listed())))
        return Findings(self._name, headline, (), tuple(once[line] for line in sorted(once)), tuple(tallies))


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
