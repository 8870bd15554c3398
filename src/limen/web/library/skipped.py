"""What is left out of a library, by reason: counted, with a few names where a person can do something about it."""

from collections import Counter
from typing import Literal

Reason = Literal[
    "binary", "broken_link", "damaged", "duplicate", "elsewhere", "empty", "folder", "hidden", "ignored", "link",
    "leads_on", "link_outside", "name_not_unicode", "needs_browser", "no_fetcher", "no_service", "no_text", "not_a_file",
    "not_there", "over_limit", "removed_by_hand", "robots", "source_of_page", "too_deep", "too_large", "trap", "unreadable",
    "unsupported", "vanished", "wall",
]  # fmt: skip
LARGEST_BYTES = 16_000_000

# Behind a count, be it one or many: `3 binary`, `1 empty`.
_WORDS: dict[str, str] = {
    "binary": "binary",
    "broken_link": "linked to nothing",
    "damaged": "no records (broken lines, or without a text)",
    "duplicate": "the same as another page",
    "elsewhere": "on another host or outside of the path",
    "empty": "empty",
    "folder": "of packages or caches (whole folders)",
    "hidden": "hidden",
    "ignored": "ignored by Git",
    "leads_on": "that only lead on to other pages",
    "link": "linked to what is found anyway",
    "link_outside": "linked to outside the folder",
    "name_not_unicode": "with a name that is not Unicode (rename it)",
    "needs_browser": "drawn by scripts alone, which need a browser",
    "no_fetcher": "that nothing can fetch",
    "no_service": "out of service, or parked",
    "no_text": "without text",
    "not_a_file": "no ordinary file (pipe, socket or device)",
    "not_there": "that are not there (404)",
    "over_limit": "beyond the limit of the source (more with --max-pages)",
    "removed_by_hand": "removed by hand before (add the file itself to have it back)",
    "robots": "that robots.txt keeps out",
    "source_of_page": "made into pages that were read",
    "too_deep": "too many links away (more with --depth)",
    "too_large": f"larger than {LARGEST_BYTES // 1_000_000} MB",
    "trap": "that lead on without an end",
    "unreadable": "not readable (check the permissions)",
    "unsupported": "of other kinds",
    "vanished": "gone or moved while reading",
    "wall": "behind a wall (log-in, consent, subscription)",
}
_NAMED: tuple[Reason, ...] = (
    "binary", "broken_link", "empty", "name_not_unicode", "needs_browser", "no_service", "no_text", "not_a_file", "not_there",
    "too_large", "trap", "unreadable", "unsupported", "vanished", "wall",
)  # fmt: skip
_MOST_NAMES = 3


def words_of(reason: str) -> str:
    """A reason in words that stand behind a count."""
    return _WORDS.get(reason, reason)


class Skipped:
    """Counts what is left out. `names` are up to three paths for a reason, as text that can be printed and encoded."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.names: dict[str, list[str]] = {}

    def add(self, reason: Reason, path: str = "", count: int = 1) -> None:
        """Count what was left out for a reason; `path` is one of it."""
        if count:
            self.counts[reason] += count
        if path and reason in _NAMED:
            names = self.names.setdefault(reason, [])
            if len(names) < _MOST_NAMES:
                names.append(path.encode("utf-8", "backslashreplace").decode())

    def take(self, other: "Skipped") -> None:
        """Count what another look left out."""
        self.counts.update(other.counts)
        for reason, names in other.names.items():
            mine = self.names.setdefault(reason, [])
            mine += names[: _MOST_NAMES - len(mine)]
