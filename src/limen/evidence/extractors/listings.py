"""Listings of files: how many, how they spread over folders and kinds, which are large, new or unusual."""

import heapq
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from limen.evidence.extractor import Extractor, Told
from limen.evidence.extractors.access import AccessLog
from limen.evidence.extractors.commands import programs
from limen.evidence.extractors.diffs import Diff
from limen.evidence.extractors.documents import Document
from limen.evidence.extractors.hits import Hits
from limen.evidence.extractors.quoting import places, quote
from limen.evidence.findings import Findings, Quote, Tally

_MOST_COUNTED = 20_000
_MOST_STATES = 12
_MOST_PATHS = 400
_SHOWN = 12
_LARGEST = 8
_NEWEST = 4
_UNUSUAL = 12
_FEWEST_ALONE = 8
_SHARE = 0.8
_DEEPEST = 5
_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


class Style(NamedTuple):
    """One form of listing. `entry` finds a line's `path`, and its `size`, `mode`, `when` or `state` where the form has them;
    `other` are lines that such a listing has besides. `sums`: the size of a folder is that of all in it.
    `alone` is how surely lines of the form are it whatever the command, `least` the share of entries that there must be."""

    name: str
    programs: frozenset[str]
    entry: re.Pattern[str]
    other: re.Pattern[str]
    alone: float = 0.6
    sums: bool = False
    least: float = 0.3


_FAILED = r"(?:find|ls|du|tree|fd|git|grep|rg): .*"
_SIZE = r"(?P<size>[\d.,]+[KMGTP]?)"
_WHEN = r"(?P<when>[A-Z][a-z]{2}\s+\d{1,2}\s+(?:\d\d:\d\d|\d{4})|\d{4}-\d\d-\d\d[ T][\d:.]+(?: [+-]\d{4})?)"
_BRANCH = rf"(?P<bars>[│| \xa0]*)(?:[├└]──|[├└]─┬|[|`]--) (?:\[\s*{_SIZE}\]\s+)?(?P<path>.+)"
_GIT_ENDS = r" (?:\d+ files? changed.*|(?:create|delete) mode .*|rename .*|mode change .*)|\S.*"
_GIT_SAYS = r"(?:On branch|Your branch|HEAD detached|Changes|Untracked|Unmerged|no changes|nothing|##|You have|  \().*"


def _style(
    name: str, programs: str, entry: str, other: str = _FAILED, *, alone: float = 0.6, sums: bool = False, least: float = 0.3
) -> Style:
    return Style(name, frozenset(programs.split()), re.compile(entry), re.compile(other), alone, sums, least)


STYLES = (
    _style("ls", "ls dir exa eza",
           rf"(?P<mode>[-dlbcps][-rwxsStT]{{9}})[+.@]?\s+\d+\s+\S+\s+\S+\s+{_SIZE}\s+{_WHEN} (?P<path>.+)",
           rf"total \S+|(?P<folder>\S.*):|{_FAILED}"),
    _style("packages", "npm pnpm yarn cargo", _BRANCH, r"\S.*", alone=0),
    _style("tree", "tree eza", _BRANCH, r"\S.*"),
    _style("du", "du dust", rf"{_SIZE}i?B?\t(?P<path>.+)", sums=True),
    _style("git-stat", "git", r" (?P<path>\S.*?)\s+\|\s+(?:(?P<size>\d+)(?: \+*-*| bytes)?|Bin .*)", _GIT_ENDS),
    _style("git-status", "git",
           r"(?P<state>[ MADRCTU?!]{2}) (?P<path>\S.*)|\t(?:(?P<state2>[a-z ]+):\s+)?(?P<path2>\S.*)", _GIT_SAYS,
           alone=0, least=0.01),
    _style("paths", "find fd fdfind ls git rg grep locate tar unzip",
           r"(?P<path>(?:\.{0,2}/|[\w.@+-]+(?:/|\.\w+$|$))[^\t:;|<>]*)"),
)  # fmt: skip
_ERROR = re.compile(_FAILED + r"(?:denied|cannot|No such|not permitted|error|fail).*", re.IGNORECASE)
_STATES = {
    "??": "untracked", "!!": "ignored", "M": "modified", "A": "added", "D": "deleted", "R": "renamed", "C": "copied",
    "U": "unmerged", "T": "type changed",
}  # fmt: skip
_SECTION = re.compile(r"(?P<name>Changes to be committed|Changes not staged for commit|Untracked files|Unmerged paths)")
_OWN_COUNT = re.compile(
    r"\d+ director(?:y|ies)(?:, \d+ files?)?|\s*\d+ files? changed.*|On branch .*|Your branch .*|nothing .*|HEAD detached.*"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ODD_NAME = re.compile(r"[\x00-\x1f\x7f]|^ | $|^-")
_SECRET_NAME = re.compile(r"(?:^|/)(?:\.env(?:\.\w+)?|id_(?:rsa|ed25519|ecdsa)|\.netrc|\.npmrc|[^/]+\.(?:pem|key|p12|kdbx))$")


class Listing:
    """The extractor of one form of listing."""

    def __init__(self, style: Style) -> None:
        self._style = style

    @property
    def name(self) -> str:
        """The form's name."""
        return self._style.name

    def fits(self, told: Told) -> float:
        """By the program that lists, and by the share of lines that have the form."""
        lines = [line for line in told.head if line.strip()]
        entries = sum(1 for line in lines if self._style.entry.fullmatch(line))
        others = sum(1 for line in lines if self._style.other.fullmatch(line) and not self._style.entry.fullmatch(line))
        if not entries or entries + others < _SHARE * len(lines) or entries < self._style.least * len(lines):
            return 0.0
        if any(name in self._style.programs for name, _ in programs(told.command)):
            return 0.9 if entries >= _SHARE * len(lines) else 0.8
        return self._style.alone if entries >= max(_FEWEST_ALONE, _SHARE * len(lines)) else 0.0

    def read(self, told: Told) -> "ListingReading":
        """Begin to read an output."""
        return ListingReading(self._style)


class ListingReading:
    """One listing. Counts by folder and ending; holds the few lines that stand out."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._count = self._folders = self._links = self._bytes = self._empty = 0
        self._span = (0, 0)
        self._folder = ""
        self._stack: list[str] = []
        self._state = ""
        self._states: dict[str, list[str]] = {}
        self._state_counts: Counter[str] = Counter()
        self._places: Counter[str] = Counter()
        self._endings: Counter[str] = Counter()
        self._largest: list[tuple[float, int, str, str, str]] = []
        self._newest: list[tuple[tuple[int, ...], int, str]] = []
        self._unusual: list[Quote] = []
        self._errors: list[Quote] = []
        self._error_span = (0, 0, 0)
        self._own: list[Quote] = []

    def line(self, number: int, text: str) -> None:
        """Read one line: an entry, a folder's heading, the listing's own count, or a failure to list."""
        if (match := self._style.entry.fullmatch(text[:4000])) is not None:
            self._entry(number, text, match.groupdict())
        elif _ERROR.fullmatch(text[:2000]):
            count, first, _ = self._error_span
            self._error_span = (count + 1, first or number, number)
            if len(self._errors) < _UNUSUAL:
                self._errors.append(quote(number, text, "error"))
        elif _OWN_COUNT.fullmatch(text[:300]):
            self._own = [*self._own[-2:], quote(number, text, "summary")]
        elif (heading := self._style.other.fullmatch(text[:4000])) is not None:
            if folder := heading.groupdict().get("folder"):
                self._folder = folder
            elif section := _SECTION.match(text):
                self._state = section["name"].lower()

    def _entry(self, number: int, text: str, parts: dict[str, str | None]) -> None:
        path = self._path(parts)
        name = path.rsplit("/", 1)[-1]
        if name in (".", "..") and parts.get("mode"):
            return
        self._span = (self._span[0] or number, number)
        mode = parts.get("mode") or ""
        self._count += 1
        if self._style.name == "git-status":
            self._stated(parts, path)
            return
        self._links += mode[:1] == "l"
        is_folder = mode[:1] == "d" or path.endswith("/")
        self._folders += is_folder
        if not is_folder:
            self._file(path, name)
        if parts.get("size") and not (is_folder and not self._style.sums):
            self._sized(number, text, path, str(parts["size"]))
        if parts.get("when") and not is_folder:
            self._keep_newest(number, text, str(parts["when"]))
        if self._is_unusual(path, name, mode) and len(self._unusual) < _UNUSUAL:
            self._unusual.append(quote(number, text, "detail"))

    def _path(self, parts: dict[str, str | None]) -> str:
        path = parts.get("path") or parts.get("path2") or ""
        if "bars" in parts:
            depth = len(parts["bars"] or "") // (2 if "─┬" in path else 4)
            self._stack[depth:] = [path.split(" -> ")[0]]
            return "/".join(self._stack)
        if (parts.get("mode") or "")[:1] == "l":
            path = path.split(" -> ")[0]
        return f"{self._folder}/{path}" if self._folder else path

    def _stated(self, parts: dict[str, str | None], path: str) -> None:
        state = parts.get("state") or parts.get("state2")
        short = _STATES.get(state.strip()[:2]) or _STATES.get(state.strip()[:1]) if parts.get("state") and state else None
        name = short or (f"{state}, {self._state}" if state else self._state or "listed")
        if name in self._states or len(self._states) < _MOST_STATES:
            paths = self._states.setdefault(name, [])
            if len(paths) < _MOST_PATHS:
                paths.append(path)
        self._state_counts[name] += 1

    def _file(self, path: str, name: str) -> None:
        ending = name[name.rfind(".") :].lower() if "." in name[1:] else "no ending"
        if ending in self._endings or len(self._endings) < _MOST_COUNTED:
            self._endings[ending[:20]] += 1
        folder = path[: len(path) - len(name)].rstrip("/")
        if folder in self._places or len(self._places) < _MOST_COUNTED:
            self._places[folder] += 1
        else:
            self._places["other folders"] += 1

    def _sized(self, number: int, text: str, path: str, size: str) -> None:
        unit = size[-1] if size[-1] in _UNITS else ""
        digits = size.removesuffix(unit).replace(",", "")
        try:
            amount = float(digits) * _UNITS[unit]
        except ValueError:
            return
        self._bytes += int(amount)
        self._empty += amount == 0
        _keep(self._largest, (amount, -number, text, path, size), _LARGEST)

    def _keep_newest(self, number: int, text: str, when: str) -> None:
        _keep(self._newest, (_moment(when), -number, text), _NEWEST + 1)

    def _is_unusual(self, path: str, name: str, mode: str) -> bool:
        writable = mode[8:9] == "w" and mode[:1] == "-"
        return writable or "s" in mode[1:] or bool(_ODD_NAME.search(name)) or bool(_SECRET_NAME.search(path.split(" -> ")[0]))

    def findings(self) -> Findings:
        """Totals, the spread, and the lines that stand out."""
        large = [quote(-number, text, "detail") for _, number, text, _, _ in self._largest]
        # What is as old as the first that is not shown is not newer than it.
        oldest = self._newest[0][0] if len(self._newest) > _NEWEST else ()
        new = [quote(-number, text, "detail") for moment, number, text in self._newest if moment > oldest]
        quotes = {one.line: one for one in (*large, *new, *self._unusual, *self._errors, *self._own)}
        tallies = [Tally("entries of the listing", self._count, *self._span)] if self._count else []
        if self._error_span[0]:
            tallies.append(Tally("lines that tell of what could not be listed", *self._error_span, weight="error"))
        told = [one.text.strip() for one in self._own]
        told += self._stated_told() if self._states else self._told()
        return Findings(self._style.name, "\n".join(told), (), tuple(quotes[line] for line in sorted(quotes)), tuple(tallies))

    def _stated_told(self) -> Iterable[str]:
        for name, paths in self._states.items():
            yield f"{self._state_counts[name]} {name}: {places((path, None) for path in paths)}"

    def _told(self) -> Iterable[str]:
        kinds = [f"{self._count:,} entries"]
        if self._folders:
            kinds.append(f"{self._folders:,} folders")
        kinds += [f"{count:,} {name}" for name, count in (("links", self._links), ("empty files", self._empty)) if count]
        if self._bytes and self._style.name == "ls":
            kinds.append(f"{self._bytes:,} bytes in files")
        yield ", ".join(kinds)
        if self._style.name == "packages":
            return
        yield "by ending: " + _ranked(self._endings)
        root, spread = _spread(self._places)
        yield f"by folder{f' in {root}' if root else ''}: " + _ranked(spread)
        if self._largest:
            unit = "most lines changed" if self._style.name == "git-stat" else "largest"
            yield f"{unit}: " + ", ".join(f"{path} {size}" for _, _, _, path, size in sorted(self._largest, reverse=True)[:5])


def _keep(kept: list, entry: tuple, most: int) -> None:  # type: ignore[type-arg]
    """Hold the greatest entries, at most so many."""
    if len(kept) < most:
        heapq.heappush(kept, entry)
    elif entry > kept[0]:
        heapq.heapreplace(kept, entry)


def _moment(when: str) -> tuple[int, ...]:
    """A time of `ls` to compare by. One without a year is of the last months, hence after all that have one."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", when)[:6])
    if when[:3] not in _MONTHS:
        return (numbers[0], *numbers[1:])
    month = _MONTHS.index(when[:3])
    if ":" in when:
        return (9999, month, *numbers)
    return (numbers[-1], month, *numbers[:-1])


def _ranked(counts: Counter[str]) -> str:
    shown = ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN])
    rest = len(counts) - _SHOWN
    return shown + (f", {rest:,} others" if rest > 0 else "")


def _spread(folders: Counter[str]) -> tuple[str, Counter[str]]:
    """What all folders begin with, and how many files each folder below it holds: as deep as a line has room."""
    split = [(folder.split("/"), count) for folder, count in folders.items() if folder != "other folders"]
    shared = 0
    while split and all(len(parts) > shared and parts[shared] == split[0][0][shared] for parts, _ in split):
        shared += 1
    root = "/".join(split[0][0][:shared]) if split else ""
    spread: Counter[str] = Counter()
    for depth in range(1, _DEEPEST + 1):
        deeper: Counter[str] = Counter()
        for parts, count in split:
            deeper["/".join(parts[shared : shared + depth]) or "."] += count
        if depth > 1 and len(deeper) > 2 * _SHOWN:
            break
        spread = deeper
    return root, spread


LISTING_EXTRACTORS: tuple[Extractor, ...] = (*map(Listing, STYLES), Hits(), Diff(), AccessLog(), Document())
"""The extractors of listings, hits of a search, differences, logs of requests, and texts with headings."""
