"""What came of adding to or refreshing a library."""

from collections.abc import Callable, Sequence
from shlex import quote

import msgspec

from limen.core.fault import Refusal
from limen.web.library.places import is_url
from limen.web.library.skipped import Skipped, words_of

# (documents done, documents in all, the path or URL that was just done)
Progress = Callable[[int, int, str], None]

_MOST_PROBLEMS = 50
_SHOWN_ADDRESSES = 3


def unseen(_done: int, _total: int, _origin: str) -> None:
    """A `Progress` that nobody watches."""


class Problem(msgspec.Struct, frozen=True):
    """A document that could not be read, why, and how to change that. `gate` is who refused an address; `named` says that a
    person named this very file or address, `kept` that the index still has what it was before."""

    origin: str
    code: str
    reason: str
    mend: str = ""
    gate: str = ""
    named: bool = False
    kept: bool = False

    @property
    def refusal(self) -> Refusal:
        """The problem as a refusal of its own."""
        return Refusal(self.gate or "library", self.code, f"{self.origin}: {self.reason}", self.mend)


class LeftOutLine(msgspec.Struct, frozen=True):
    """How many were left out, why in words (behind the count), and up to three of their paths."""

    count: int
    words: str
    names: tuple[str, ...]


class AddReport(msgspec.Struct, frozen=True):
    """Counts of documents. `skipped` is what was left out, by reason; `missing` are roots that are gone and were kept.

    `names` are up to three paths for some of the reasons. `problems` lists at most fifty of the `failed`. `gone` are addresses
    whose server says so and that were dropped, `moved` what is now known by another address, `stale` counts documents that stay
    as they were since they could not be read anew. `notes` say what there is to know of a source. `partial` are documents of
    which only a part could be read: scripts draw the rest, or a wall stands before it. With a `refusal` nothing was changed but
    what the counts say.
    """

    library: str
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0
    skipped: dict[str, int] = {}
    problems: tuple[Problem, ...] = ()
    missing: tuple[str, ...] = ()
    refusal: Refusal | None = None
    names: dict[str, tuple[str, ...]] = {}
    gone: tuple[str, ...] = ()
    moved: dict[str, str] = {}
    stale: int = 0
    notes: dict[str, str] = {}
    partial: tuple[str, ...] = ()

    def left_out(self) -> tuple[LeftOutLine, ...]:
        """What was left out in words, the most first."""
        counts = sorted(self.skipped.items(), key=lambda pair: -pair[1])
        return tuple(LeftOutLine(count, words_of(reason), self.names.get(reason, ())) for reason, count in counts)

    def undrawn(self) -> str:
        """How to read the pages that scripts draw; empty where there are none."""
        pages = (*self.names.get("needs_browser", ()), *self.partial)[:_SHOWN_ADDRESSES]
        return drawing(pages, self.library) if pages else ""


class Tally:
    """Counts while the work goes on."""

    def __init__(self) -> None:
        self.added = self.updated = self.unchanged = self.removed = self.failed = 0
        self.skipped = Skipped()
        self.missing: list[str] = []
        self.gone: list[str] = []
        self.moved: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.partial: list[str] = []
        self.stale = 0
        self.problems: list[Problem] = []

    @property
    def held(self) -> int:
        """Documents that are in the index now."""
        return self.added + self.updated + self.unchanged + self.stale

    def fail(self, problem: Problem) -> None:
        self.failed += 1
        self.stale += problem.kept
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def report(self, library: str, refusal: Refusal | None = None) -> AddReport:
        skipped = dict(sorted(self.skipped.counts.items()))
        names = {reason: tuple(paths) for reason, paths in sorted(self.skipped.names.items())}
        return AddReport(
            library, self.added, self.updated, self.unchanged, self.removed, self.failed, skipped, tuple(self.problems),
            tuple(self.missing), refusal, names, tuple(self.gone[:_MOST_PROBLEMS]),
            dict(list(self.moved.items())[:_MOST_PROBLEMS]), self.stale, self.notes, tuple(self.partial),
        )  # fmt: skip


def drawing(origins: Sequence[str], library: str) -> str:
    """How to read pages that scripts draw: a browser draws an address that is named; it has to show a file to a person."""
    addresses = [quote(origin) for origin in origins if is_url(origin)]
    if not addresses:
        return "open them in a browser, save what it shows, and add those files"
    named = "" if library == "default" else f" --library {quote(library)}"
    return f"named by itself, a page is drawn in a browser: limen library add{named} {' '.join(addresses)}"


def is_gone(refusal: Refusal) -> bool:
    """Whether a server says that there is no such page."""
    return refusal.code == "network.http_status" and refusal.detail.get("status") in (404, 410)
