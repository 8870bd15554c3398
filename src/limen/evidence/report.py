"""A report: the little of a long output that decides what is done next, each line with the number it has in the whole."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

import msgspec

from limen.evidence.choose import Seen
from limen.evidence.entries import Entry, Turn, entries
from limen.evidence.findings import Quote
from limen.evidence.left_out import left_out
from limen.evidence.names import names_block
from limen.evidence.window import Style, rendered
from limen.kit.text import clip

MARK = "[limen report]"
"""How every report begins."""

_COMMAND_CHARS = 160
# What the id of the whole text takes, where there is one: it is known only after the report is.
_ID_CHARS = 130
# Least room for lines beside a long list of names.
_LEAST_LINES_CHARS = 1_600
# Where lines are cut, times and loggers before the message go first.
_STYLES = (
    Style(300), Style(200), Style(140), Style(140, bare=True), Style(110, bare=True), Style(90, bare=True), Style(60, bare=True),
)  # fmt: skip
# Entries up to this turn decide; they set how much of each line is shown.
_GRAVE = Turn.WARNING
# A line that names a failing test.
_TEST = re.compile(r"TEST-UNEXPECTED-|\[  FAILED  \]|^\s*(?:--- FAIL|FAIL|FAILED|not ok|[✗✖✕●])[ :]")
_LEFT_OUT_CHARS = 260
_ROUNDS = 4


ReadOn = Callable[[str], str]


def by_tool(evidence_id: str) -> str:
    """The call by which a model reads on."""
    return f'evidence_inspect {{"id": "{evidence_id}", "start": 1, "end": 120}}'


def by_command(evidence_id: str, command: str = "limen") -> str:
    """The command that shows the same. `command` is how Limen is called."""
    return f"{command} evidence show {evidence_id} 1 120"


class Room(msgspec.Struct, frozen=True):
    """What a report may take: `chars`, and up to `most_chars` where names of failing tests ask for it."""

    chars: int
    most_chars: int


class Report(msgspec.Struct, frozen=True):
    """What is shown of an output. `left` says why the whole is shown instead (`small`, `ratio`, `verbatim`, `already`, `failed`,
    `unkept`); it is empty for a report.

    `first` and `rest` are its text without the id of the whole, which `kept_as` adds. `kept_lines` are the numbers of the lines
    in
    it, `quoted` those lines as they stand in the whole. `names` are the failing tests that were found, `changed` says what is
    different from the run before, `kind` what was read: the name of a family of outputs, `text` where it is of none.
    """

    first: str
    rest: str
    kept_lines: tuple[int, ...] = ()
    quoted: tuple[Quote, ...] = ()
    left: str = ""
    evidence_id: str = ""
    names: tuple[str, ...] = ()
    changed: str = ""
    kind: str = ""
    read_on: str = ""

    @property
    def text(self) -> str:
        """The report as a model is given it."""
        if self.left:
            return self.rest
        rest = f"{self.changed}\n{self.rest}" if self.changed else self.rest
        if not self.evidence_id:
            return f"{self.first}\n{rest}"
        return f"{self.first} · {self.evidence_id}\n{rest}\nThe whole is kept, unchanged; lines of it: {self.read_on}"

    def kept_as(self, evidence_id: str, read_on: ReadOn = by_tool) -> "Report":
        """The same report, of an output that is kept under that id; `read_on` says what shows lines of it."""
        return msgspec.structs.replace(self, evidence_id=evidence_id, read_on=read_on(evidence_id))

    def beside(self, changed: str) -> "Report":
        """The same report, which also says what is different from the run before."""
        return msgspec.structs.replace(self, changed=changed)


def compose(seen: Seen, room: Room, command: str = "", exit_code: int | None = None) -> Report:
    """The report of an output. The same output gives the same report."""
    first = _first(seen, command, exit_code)
    found = [findings for findings in (seen.special, seen.generic) if findings is not None]
    headlines = list(islice((findings.headline for findings in found if findings.headline), 1))
    names = tuple(dict.fromkeys(name for findings in found for name in findings.names))
    limit, most = room.chars - _ID_CHARS - len(first), room.most_chars - _ID_CHARS - len(first)
    if names:
        block = names_block(names, max(limit, most) - _LEAST_LINES_CHARS)
        limit = max(limit, min(limit + len(block), most))
        headlines.append(block)
    opening = "\n".join(headlines)
    body = _Body(entries(seen), partial(left_out, seen), limit - len(opening))
    body.fill()
    if not names:
        body.fill_with_tests(most - len(opening))
    rest = "\n".join(part for part in (opening, body.text()) if part)
    return Report(first, rest, tuple(sorted(entry.line for entry in body.chosen)), body.quoted(), names=names, kind=found[0].kind)


def _first(seen: Seen, command: str, exit_code: int | None) -> str:
    parts = [MARK]
    if exit_code is not None:
        parts.append(_ending(exit_code))
    if command.strip():
        parts.append(f"$ {clip(command, _COMMAND_CHARS)}")
    parts.append(f"{seen.lines:,} lines, {seen.chars:,} characters")
    return parts[0] + " " + " · ".join(parts[1:])


def _ending(exit_code: int) -> str:
    """An exit status in words; a signal where it was one, as a shell or as Python tells it."""
    signal = -exit_code if exit_code < 0 else exit_code - 128 if 128 < exit_code < 160 else 0
    said = f"exit status {exit_code}" if exit_code == 0 else f"EXIT STATUS {exit_code}: failed"
    return f"{said} (signal {signal})" if signal else said


class _Body:
    """The lines of a report, chosen until its room is full."""

    def __init__(
        self, found: Sequence[Entry], left_out: Callable[[Sequence[Entry], Sequence[Entry]], list[str]], limit_chars: int
    ) -> None:
        self._entries = found
        self._left_out = left_out
        self._limit = limit_chars
        self.chosen: list[Entry] = []
        self._style = self._widest()

    def _widest(self) -> Style:
        """The style with the most of each line in which all that is grave has room."""
        grave = [entry for entry in self._entries if entry.turn <= _GRAVE]
        for style in _STYLES:
            if sum(map(style.cost, grave)) <= self._limit - _LEFT_OUT_CHARS:
                return style
        return _STYLES[-1]

    def fill(self) -> None:
        """Choose lines, the gravest first. What is shown is often shorter than reckoned, so what has no room is asked again."""
        waiting, taken = list(self._entries), set[int]()
        left = self._limit - _LEFT_OUT_CHARS
        for _ in range(_ROUNDS):
            passed_by = []
            for entry in waiting:
                cost = self._style.cost(entry)
                if entry.line in taken:
                    continue
                if cost > left:
                    passed_by.append(entry)
                    continue
                self.chosen.append(entry)
                taken.add(entry.line)
                left -= cost
            waiting, left = passed_by, self._limit - len(self.text())
            if not waiting or left <= 0:
                break
        while self.chosen and len(self.text()) > self._limit:
            self.chosen.pop()

    def fill_with_tests(self, most_chars: int) -> None:
        """Add what names failing tests, for which a report may grow, until `most_chars` are full."""
        taken = {entry.line for entry in self.chosen}
        tests = [
            entry for entry in self._entries if entry.weight == "failure" and entry.line not in taken and _TEST.search(entry.text)
        ]
        left = most_chars - len(self.text())
        for entry in tests:
            left -= self._style.cost(entry)
            if left < 0:
                break
            self.chosen.append(entry)

    def text(self) -> str:
        """The lines, and what was left out."""
        lines = rendered(sorted(self.chosen, key=lambda entry: entry.line), self._style)
        return "\n".join((*lines, *self._left_out(self._entries, self.chosen)))

    def quoted(self) -> tuple[Quote, ...]:
        """The lines that are shown, as they stand."""
        return tuple(map(_quote, sorted(self.chosen, key=lambda entry: entry.line)))


def _quote(entry: Entry) -> Quote:
    end = entry.offset + len(entry.text) if entry.offset or entry.is_part else None
    return Quote(entry.line, entry.text, entry.weight, entry.offset, end)
