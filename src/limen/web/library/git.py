"""What Git says of a folder: the patterns of what it ignores, and the commit that is checked out. Git itself is never run: a
repository's own settings could have it run anything."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import re2

_MOST_BYTES = 1_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class _Pattern(NamedTuple):
    """A line of an ignore file: what it fits, whether below its folder at any depth, folders alone, or to take in again."""

    fits: Any
    folders: bool
    again: bool


class Ignored:
    """What the ignore files from a repository's top down to one folder say. Immutable; each folder below makes its own."""

    def __init__(self, top: str, patterns: Sequence[_Pattern] = ()) -> None:
        self._top = top
        self._patterns = tuple(patterns)

    @classmethod
    def at(cls, top: str) -> "Ignored":
        """What holds at the top of a repository, its own list of exclusions included."""
        return cls(top, _patterns(Path(top) / ".git" / "info" / "exclude", "")).below(top)

    @classmethod
    def around(cls, folder: str) -> "Ignored | None":
        """What holds in a folder by the repository that it lies in; None where it lies in none, or is itself ignored there:
        who names it means it."""
        for top in (Path(folder), *Path(folder).parents):
            if (top / ".git").exists():
                rules = cls.at(str(top))
                steps = [Path(folder), *Path(folder).parents]
                for step in reversed(steps[: steps.index(top)]):
                    if rules.holds(str(step), is_folder=True):
                        return None
                    rules = rules.below(str(step))
                return rules
        return None

    def below(self, folder: str) -> "Ignored":
        """What holds in a folder of the repository, whose own ignore file counts most."""
        own = _patterns(Path(folder) / ".gitignore", _relative(self._top, folder))
        return Ignored(self._top, (*self._patterns, *own)) if own else self

    def holds(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored: the last pattern that fits decides."""
        relative = _relative(self._top, path)
        for pattern in reversed(self._patterns):
            if (is_folder or not pattern.folders) and pattern.fits.fullmatch(relative):
                return not pattern.again
        return False


def _relative(top: str, path: str) -> str:
    return "" if path == top else path[len(top.rstrip(os.sep)) + 1 :].encode("utf-8", "replace").decode()


def _patterns(file: Path, below: str) -> list[_Pattern]:
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    return [pattern for line in text.split("\n") if (pattern := _pattern(line.rstrip("\r"), below)) is not None]


def _pattern(line: str, below: str) -> _Pattern | None:
    """A line of an ignore file in the folder `below`, as gitignore(5) has it."""
    if line.startswith("#"):
        return None
    line = re.sub(r"(?<!\\) +$", "", line)
    again = line.startswith("!")
    line = line[1:] if again else line
    folders = line.endswith("/")
    line = line.rstrip("/") if folders else line
    if not line:
        return None
    anchored = "/" in line
    base = f"{re.escape(below)}/" if below else ""
    shape = f"(?s){base}{'' if anchored else '(?:.*/)?'}{_glob(line.lstrip('/'))}"
    options = re2.Options()
    options.log_errors = False
    try:  # linear in time, whatever a stranger's file says
        return _Pattern(re2.compile(shape, options), folders, again)
    except re2.error:
        return None


def _glob(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append("(?:.*/)?")
            at += 3
            continue
        if pattern.startswith("**", at):
            parts.append(".*")
            at += 2
            continue
        end = pattern.find("]", at + 2) if char == "[" else -1
        if char == "[" and end > 0:
            inside = pattern[at + 1 : end].replace("\\", "\\\\")
            parts.append(f"[{'^' if inside[0] in '!^' else ''}{inside.lstrip('!^')}]")
            at = end + 1
            continue
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            char = pattern[at]
            parts.append(re.escape(char))
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        at += 1
    return "".join(parts)


def commit_of(folder: str) -> str:
    """The commit of the checkout that a folder lies in, with its branch: `3f2a90c1d4b7 (main)`; empty where it lies in none."""
    top = next((one for one in (Path(folder), *Path(folder).parents) if (one / ".git").exists()), None)
    try:
        place = _git_folder(top / ".git") if top is not None else None
        head = (place / "HEAD").read_text("utf-8", "replace").strip() if place else ""
        if place is None or not head.startswith("ref: "):
            return head[:12] if _COMMIT.fullmatch(head) else ""
        name = head.removeprefix("ref: ")
        commit = _commit_of(place, name)
    except OSError:
        return ""
    return f"{commit[:12]} ({name.removeprefix('refs/heads/')})" if commit else ""


def _git_folder(place: Path) -> Path | None:
    """Where Git keeps its own; a file `.git` of a submodule or work tree names it."""
    if place.is_dir():
        return place
    if not place.is_file():
        return None
    named = place.read_text("utf-8", "replace").strip().removeprefix("gitdir: ")
    return place.parent / named


def _commit_of(place: Path, name: str) -> str:
    shared = place / "commondir"
    common = place / shared.read_text("utf-8", "replace").strip() if shared.is_file() else place
    for root in (place, common):
        if (root / name).is_file():
            found = (root / name).read_text("utf-8", "replace").strip()
            return found if _COMMIT.fullmatch(found) else ""
    packed = common / "packed-refs"
    for line in packed.read_text("utf-8", "replace").splitlines() if packed.is_file() else ():
        commit, _, of = line.partition(" ")
        if of == name and _COMMIT.fullmatch(commit):
            return commit
    return ""
