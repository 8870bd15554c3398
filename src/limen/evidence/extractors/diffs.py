"""Differences and patches: which files, how many lines of each were added and removed, the first of them word for word."""

import re

from limen.evidence.extractor import Told
from limen.evidence.extractors.commands import programs
from limen.evidence.extractors.quoting import quote, shared_folder
from limen.evidence.findings import Findings, Quote, Tally

_START = re.compile(r"diff (?:--git|--cc|--combined|-\S|.* ).*|Index: .*")
_HUNK = re.compile(r"@@+ -\d+(?:,(?P<old>\d+))? (?:-\S+ )?\+\d+(?:,(?P<new>\d+))? @@+.*")
_NORMAL = re.compile(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?")
_NAME = re.compile(r"(?:---|\+\+\+) (?:[ab]/)?(?P<name>[^\t]+)")
_WHOLE = re.compile(
    r"Only in .*|(?:Binary files|Files) .* differ|(?:new file|deleted file|old|new) mode .*|(?:rename|copy) (?:from|to) .*"
)
_DIFFERS = re.compile(r"diff --git |Only in |Binary files |Files .* differ|@@ -|\d+(?:,\d+)?[acd]\d+")
_MOST_FILES = 1_000
_CHANGES_A_FILE = 8
_MOST_QUOTES = 240
_LIST_CHARS = 1_300


class _Changed:
    """One file: its lines added and removed, and the lines of the output that tell of it."""

    def __init__(self, line: int, name: str) -> None:
        self.name = name
        self.first = self.last = line
        self.added = self.removed = self.quoted = 0


class Diff:
    """The extractor for unified, context-free and folder differences."""

    name = "diff"

    def fits(self, told: Told) -> float:
        """By the program that compares, and by lines that only a difference has."""
        marks = sum(1 for line in (*told.head, *told.tail) if _DIFFERS.match(line))
        if not marks:
            return 0.0
        compares = any(
            name in ("diff", "colordiff", "sdiff") or (name == "git" and _shows(words)) for name, words in programs(told.command)
        )
        unified = any(_HUNK.fullmatch(line) for line in (*told.head, *told.tail))
        return 0.95 if compares else 0.8 if unified else 0.0

    def read(self, told: Told) -> "DiffReading":
        """Begin to read an output."""
        return DiffReading()


def _shows(words: tuple[str, ...]) -> bool:
    return not {"diff", "show", "log", "format-patch", "stash"}.isdisjoint(words)


class DiffReading:
    """One difference."""

    def __init__(self) -> None:
        self._files: list[_Changed] = []
        self._more = 0
        self._quotes: list[Quote] = []
        self._old = self._new = 0
        self._normal = False

    def line(self, number: int, text: str) -> None:
        """Read one line: a change, or what tells where changes are."""
        if self._old > 0 or self._new > 0:
            self._in_hunk(number, text)
        elif (hunk := _HUNK.fullmatch(text[:2000])) is not None:
            self._old, self._new = int(hunk["old"] or 1), int(hunk["new"] or 1)
            self._told_of(number, text)
        elif _START.fullmatch(text[:2000]):
            self._begin(number, text[:300])
            self._told_of(number, text, always=True)
        elif _WHOLE.fullmatch(text[:2000]):
            if text.startswith(("Only in", "Binary files", "Files")):
                self._begin(number, text[:300])
            self._told_of(number, text, always=True)
        elif (named := _NAME.match(text[:400])) is not None and not self._normal:
            self._named(number, text, named["name"])
        elif _NORMAL.fullmatch(text[:100]):
            self._normal = True
            self._told_of(number, text)
        elif self._normal and text[:2] in ("< ", "> ", "<", ">"):
            self._change(number, text, added=text[0] == ">")

    def _in_hunk(self, number: int, text: str) -> None:
        sign = text[:1]
        if sign == "\\":
            return
        self._new -= sign != "-"
        self._old -= sign != "+"
        if sign in ("+", "-"):
            self._change(number, text, added=sign == "+")

    def _begin(self, number: int, name: str) -> None:
        self._normal = False
        if len(self._files) < _MOST_FILES:
            self._files.append(_Changed(number, name))
        else:
            self._more += 1

    def _named(self, number: int, text: str, name: str) -> None:
        """The names before the hunks: of a file begun already, or of the next in a patch without headings."""
        current = self._files[-1] if self._files else None
        if text.startswith("---") and (current is None or current.added or current.removed):
            self._begin(number, name)
        elif current is not None and name != "/dev/null":
            current.name = name

    def _change(self, number: int, text: str, *, added: bool) -> None:
        if not self._files:
            self._begin(number, "the file")
        file = self._files[-1]
        file.added += added
        file.removed += not added
        self._told_of(number, text)

    def _told_of(self, number: int, text: str, *, always: bool = False) -> None:
        if not self._files:
            return
        file = self._files[-1]
        file.last = number
        if (always or file.quoted < _CHANGES_A_FILE) and len(self._quotes) < _MOST_QUOTES:
            file.quoted += 1
            self._quotes.append(quote(number, text, "detail", len(self._files)))

    def findings(self) -> Findings:
        """Files with what was added and removed, the first changes of each."""
        files = self._files
        added, removed = sum(file.added for file in files), sum(file.removed for file in files)
        more = "" if not self._more else f" and {self._more:,} more"
        told = [f"differences in {len(files):,}{more} files: {added:,} lines added, {removed:,} removed", self._listed()]
        tallies = [
            Tally(f"changed lines of {file.name}", file.added + file.removed, file.first, file.last)
            for file in files
            if file.added + file.removed > file.quoted
        ]
        return Findings("diff", "\n".join(filter(None, told)), (), tuple(self._quotes), tuple(tallies))

    def _listed(self) -> str:
        folder = shared_folder([file.name for file in self._files])
        said, left = [], _LIST_CHARS
        for index, file in enumerate(self._files):
            said.append(f"{file.name[len(folder) :]} +{file.added} -{file.removed}")
            left -= len(said[-1]) + 2
            if left < 0:
                said[-1] = f"{len(self._files) - index} more files"
                break
        return (f"{folder}: " if folder else "") + "; ".join(said)
