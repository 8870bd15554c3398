"""What a search found in files: how many hits, in which files, the first of each."""

import re
from collections import Counter

from limen.evidence.extractor import Told
from limen.evidence.extractors.commands import programs
from limen.evidence.extractors.quoting import places, quote
from limen.evidence.findings import Findings, Quote, Tally

_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git", "ugrep"})
_HIT = re.compile(r"(?P<path>[^\s:][^:\t]{0,300}):(?:(?P<line>\d+):)?")
_UNDER_HEADING = re.compile(r"(?P<line>\d+):")
_HEADING = re.compile(r"[^\s:][^:\t]{0,300}")
_CONTEXT = re.compile(r"--|[^\s:][^:\t]{0,300}-\d+-|\d+-")
_STRANGE = re.compile(r"(?:Binary file .* matches|\S*grep: |rg: |git: ).*")
_MOST_FILES = 3_000
_MOST_SHOWN = 150
_MOST_PLACES = 80
_TOP_FILES = 15
_EXAMPLE_CHARS = 20_000


class _File:
    """The hits in one file: how many, between which lines of the output, and the first one."""

    def __init__(self, line: int, text: str, at: int) -> None:
        self.first = self.last = line
        self.count = 0
        self.text, self.at = text[: at + _EXAMPLE_CHARS], at


class Hits:
    """The extractor for `grep` and its kin."""

    name = "hits"

    def fits(self, told: Told) -> float:
        """By the program that searches and the share of lines that begin with a file; without one, with a file and a number."""
        lines = [line for line in told.head if line.strip()]
        numbered = sum(
            1 for line in lines if (match := _HIT.match(line)) and match["line"] and not line[match.end() :][:1].isdigit()
        )
        searched = any(name in _SEARCHERS and (name != "git" or "grep" in words) for name, words in programs(told.command))
        if searched and lines:
            fitting = sum(1 for line in lines if _HIT.match(line) or _UNDER_HEADING.match(line) or _CONTEXT.match(line))
            return 0.92 if fitting >= 0.6 * len(lines) else 0.0
        return 0.55 if len(lines) >= 8 and numbered >= 0.9 * len(lines) else 0.0

    def read(self, told: Told) -> "HitReading":
        """Begin to read an output."""
        return HitReading(_wanted(told.command))


def _wanted(command: str) -> str:
    """The words that were looked for, where they stand in the command as they are: a long line is shown around them."""
    for name, words in programs(command):
        if name in _SEARCHERS:
            return next((word.strip("\"'") for word in words if word[:1] != "-" and word != "grep"), "")
    return ""


class HitReading:
    """One search."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._files: dict[str, _File] = {}
        self._places: list[tuple[str, int | None]] = []
        self._heading = ""
        self._count = 0
        self._span = (0, 0)
        self._strange: list[Quote] = []
        self._more_files = 0

    def line(self, number: int, text: str) -> None:
        """Read a hit, a heading, or what a search says besides."""
        if not text or _CONTEXT.match(text[:400]):
            return
        if _STRANGE.fullmatch(text[:2000]):
            if len(self._strange) < _TOP_FILES:
                self._strange.append(quote(number, text, "warning"))
        elif self._heading and (match := _UNDER_HEADING.match(text)):
            self._hit(number, text, self._heading, match["line"], match.end())
        elif match := _HIT.match(text):
            self._hit(number, text, match["path"], match["line"], match.end())
        elif _HEADING.fullmatch(text):
            self._heading = text

    def _hit(self, number: int, text: str, path: str, line: str | None, begin: int) -> None:
        self._count += 1
        self._span = (self._span[0] or number, number)
        if len(self._places) <= _MOST_PLACES:
            self._places.append((path, int(line) if line else None))
        if (file := self._files.get(path)) is None:
            if len(self._files) >= _MOST_FILES:
                self._more_files += 1
                return
            at = text.find(self._wanted, begin) if self._wanted else -1
            file = self._files[path] = _File(number, text, max(at, 0))
        file.count += 1
        file.last = number

    def findings(self) -> Findings:
        """Hits by file, the first of each word for word."""
        quotes, tallies = list(self._strange), []
        shown = list(self._files.items())[:_MOST_SHOWN]
        for path, file in shown:
            if file.count == 1:
                quotes.append(quote(file.first, file.text, "detail", at=file.at))
            else:
                tallies.append(Tally(f"hits in {path}", file.count, file.first, file.last, "detail", file.text, file.at))
        if self._count:
            tallies.append(Tally("hits", self._count, *self._span))
        quotes.sort(key=lambda one: one.line)
        return Findings("hits", "\n".join(self._told()), (), tuple(quotes), tuple(tallies))

    def _told(self) -> list[str]:
        files = f"{len(self._files):,} files" if not self._more_files else f"more than {len(self._files):,} files"
        told = [f"{self._count:,} hits in {files}"]
        if self._count <= _MOST_PLACES:
            told.append(places(self._places))
        else:
            most = Counter({path: file.count for path, file in self._files.items()}).most_common(_TOP_FILES)
            told.append("most: " + ", ".join(f"{path} {count:,}" for path, count in most))
        return told
