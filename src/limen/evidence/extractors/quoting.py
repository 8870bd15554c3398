"""How the extractors for builds, data and listings word what they found: quotes, shapes of messages, places."""

import re
from collections.abc import Iterable

from limen.evidence.findings import Quote, Weight

# A longer line is quoted by a window of so many characters around what was found in it.
QUOTE_CHARS = 320


def quote(line: int, text: str, weight: Weight, group: int = 0, at: int = 0) -> Quote:
    """A line word for word; of a long one the window in which the character `at` stands."""
    if len(text) <= QUOTE_CHARS:
        return Quote(line, text, weight, group=group)
    start = max(0, min(at - QUOTE_CHARS // 4, len(text) - QUOTE_CHARS))
    return Quote(line, text[start : start + QUOTE_CHARS], weight, start, start + QUOTE_CHARS, group)


# Two ends that differ, or a pair that no letter stands before: an apostrophe opens nothing.
_NAMED = re.compile(r"‘[^’]*’|“[^”]*”|(?<!\w)'[^']*'|\"[^\"]*\"|`[^`]*`|\b0x[0-9a-fA-F]+\b|\b\d[\d.,:]*")


def shape_of(message: str) -> str:
    """What messages of one kind share: names in quotation marks and numbers are left out. At most 160 characters."""
    return _NAMED.sub("…", message[:400])[:160].strip()


def places(found: Iterable[tuple[str, int | None]], limit_chars: int = 1200) -> str:
    """Files and lines, what all paths begin with said once: `src/: a.rs:3,9; b.rs:4`. What does not fit is counted."""
    lines_of: dict[str, dict[int, None]] = {}
    for file, line in found:
        lines = lines_of.setdefault(file, {})
        if line is not None:
            lines[line] = None
    folder = shared_folder(list(lines_of))
    said: list[str] = []
    used = 0
    for file, lines in lines_of.items():
        entry = file[len(folder) :] + (":" + ",".join(map(str, lines)) if lines else "")
        used += len(entry) + 2
        if used > limit_chars and said:
            said.append(f"{len(lines_of) - len(said)} more files")
            break
        said.append(entry if len(entry) <= limit_chars else entry[:limit_chars] + "…")
    return (f"{folder}: " if folder else "") + "; ".join(said)


def shared_folder(paths: list[str]) -> str:
    """The folder that all paths begin with, with its last slash; empty for one path alone."""
    if len(paths) < 2:
        return ""
    low, high = min(paths), max(paths)
    differs = next((index for index, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return low[: max(low.rfind("/", 0, differs), low.rfind("\\", 0, differs)) + 1]
