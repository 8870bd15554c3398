"""Finding the documents under a path: which files can be read, which were left out, and why."""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from limen.core.endings import ending_type
from limen.web.library.git import Ignored
from limen.web.library.skipped import LARGEST_BYTES, Reason, Skipped

# Written by tools, not for people: installed packages, builds, caches.
SKIPPED_FOLDERS = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages", "venv", "virtualenv", "CVS"})
# Documentation builders keep a copy of their input in these, beside the pages made from it.
_SOURCE_FOLDER = re.compile(r"/_sources/")
_RENDERED = (".html", ".htm", ".xhtml")
_SOURCES = (".txt", ".text", ".rst", ".md", ".markdown", ".mdown")
_VENV_MARK = "pyvenv.cfg"
# By custom, names in capitals are for people to read (README, NOTES, NEWS.Debian); what the file holds says what it is.
_FOR_PEOPLE = re.compile(r"[A-Z][A-Z_-]{2,}(?:\.[A-Z]?[a-z]{5,})?|copyright|changelog")

# So many files of one folder beside pages of their own names are no accident.
_MADE_TOGETHER = 10


class Candidate(msgspec.Struct, frozen=True):
    """A file that may be a document. `stamp` is its modification time in nanoseconds and its size in bytes.

    `media_type` is empty where the name of a file speaks for no type: it is for people to read, or a person named it.
    """

    path: str
    stamp: tuple[int, int]
    media_type: str


class Walk(msgspec.Struct, frozen=True):
    """The files under `root`, in order of path, and what was left out.

    `entries` counts everything that was seen: 0 means an empty folder, or a disk that is not mounted. `unread` are folders
    that could not be looked into: nothing is known of what lies under them.
    """

    root: str
    files: tuple[Candidate, ...]
    skipped: Skipped
    entries: int
    unread: tuple[str, ...] = ()


def media_type_of(name: str) -> str | None:
    """The media type that a file's name speaks for; empty where its text has to, None when it speaks for nothing we read."""
    return ending_type(name) or ("" if _FOR_PEOPLE.fullmatch(name.rpartition("/")[2]) else None)


def stamp_of(path: str) -> tuple[int, int]:
    """What tells whether a file changed: its modification time in nanoseconds and its size. Raises OSError."""
    status = os.stat(path)  # noqa: PTH116 - the string is what is looked at
    return (status.st_mtime_ns, status.st_size)


def _split_name(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    return (stem, dot + suffix) if stem and "/" not in suffix else (name, "")


def walk(root: Path) -> Walk:
    """Look through a folder, or take a single file as it is: who names a file means it, whatever its name ends in.

    Raises OSError when `root` itself cannot be looked at.
    """
    status = root.stat()
    if stat.S_ISDIR(status.st_mode):
        return _Search(root).run()
    skipped = Skipped()
    found = _judge(str(root), status, media_type_of(root.name) or "", skipped)
    return Walk(str(root), (found,) if found else (), skipped, 1)


def _judge(path: str, status: os.stat_result, media_type: str | None, skipped: Skipped) -> Candidate | None:
    reason: Reason | None = None
    if not stat.S_ISREG(status.st_mode):
        reason = "not_a_file"
    elif media_type is None:
        reason = "unsupported"
    elif status.st_size > LARGEST_BYTES:
        reason = "too_large"
    elif status.st_size == 0:
        reason = "empty"
    elif not _is_unicode(path):
        reason = "name_not_unicode"
    if reason is not None:
        skipped.add(reason, path)
        return None
    return Candidate(path, (status.st_mtime_ns, status.st_size), media_type or "")


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Search:
    """One look through a folder. Links are not followed, except to a file of the tree that is not found otherwise."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._skipped = Skipped()
        self._entries = 0
        self._unread: list[str] = []

    def run(self) -> Walk:
        files = list(self._files(self._root, Ignored.around(self._root)))
        rendered = {_split_name(file.path)[0] for file in files if file.path.lower().endswith(_RENDERED)}
        beside = Counter(os.path.dirname(file.path) for file in files if self._stands_beside(file, rendered))  # noqa: PTH120
        kept = [file for file in files if not self._is_source(file, rendered, beside)]
        self._skipped.add("source_of_page", count=len(files) - len(kept))
        kept.sort(key=lambda file: file.path)
        return Walk(self._root, tuple(kept), self._skipped, self._entries, tuple(self._unread))

    def _files(self, folder: str, ignored: Ignored | None) -> Iterator[Candidate]:
        pending = [(folder, ignored)]
        while pending:
            folder, ignored = pending.pop()
            try:
                with os.scandir(folder) as entries:
                    listing = list(entries)
            except OSError:
                if folder == self._root:
                    raise
                self._skipped.add("unreadable", folder)
                self._unread.append(folder)
                continue
            self._entries += len(listing)
            if folder != self._root and any(entry.name == _VENV_MARK for entry in listing):
                self._skipped.add("folder")
                continue
            if folder != self._root:
                ignored = _rules_in(folder, {entry.name for entry in listing}, ignored)
            for entry in listing:
                found = self._entry(entry, pending, ignored)
                if found is not None:
                    yield found

    def _entry(
        self, entry: os.DirEntry[str], pending: list[tuple[str, Ignored | None]], ignored: Ignored | None
    ) -> Candidate | None:
        try:
            if entry.name.startswith("."):
                self._skipped.add("hidden")
            elif ignored is not None and ignored.holds(entry.path, is_folder=entry.is_dir(follow_symlinks=False)):
                self._skipped.add("ignored")
            elif entry.is_symlink():
                return self._link(entry)
            elif entry.is_dir():
                if entry.name in SKIPPED_FOLDERS:
                    self._skipped.add("folder")
                else:
                    pending.append((entry.path, ignored))
            else:
                return _judge(entry.path, entry.stat(), media_type_of(entry.name), self._skipped)
        except OSError:
            self._skipped.add("unreadable", entry.path)
            self._unread.append(entry.path)
        return None

    def _link(self, entry: os.DirEntry[str]) -> Candidate | None:
        """A linked file counts where its target lies in the tree under a name the search passes by."""
        target = os.path.realpath(entry.path)
        below = Path(target[len(self._root) :]).parts
        if not os.path.exists(target):  # noqa: PTH110 - the string is what is judged
            self._skipped.add("broken_link", entry.path)
        elif target != self._root and not target.startswith(self._root.rstrip(os.sep) + os.sep):
            self._skipped.add("link_outside")
        elif entry.is_file() and any(self._passed_by(part) for part in below):
            return _judge(entry.path, entry.stat(), media_type_of(entry.name), self._skipped)
        else:
            self._skipped.add("link")
        return None

    def _passed_by(self, name: str) -> bool:
        return name.startswith(".") or name in SKIPPED_FOLDERS

    def _is_source(self, file: Candidate, rendered: set[str], beside: Counter[str]) -> bool:
        """Whether a page made from this file is there as well; the page has the anchors that an answer can point to.

        A copy below `_sources` is one. A file of the same name beside a page is one only where a whole folder is made so: a
        single pair may be two documents.
        """
        if self._stands_beside(file, rendered) and beside[os.path.dirname(file.path)] >= _MADE_TOGETHER:  # noqa: PTH120
            return True
        return any(self._root + copied in rendered for copied in self._copied_stems(file))

    def _stands_beside(self, file: Candidate, rendered: set[str]) -> bool:
        return any(stem in rendered for stem in _stems(file))

    def _copied_stems(self, file: Candidate) -> Iterator[str]:
        for stem in _stems(file):
            below = stem[len(self._root) :]
            copied = _SOURCE_FOLDER.sub("/", below)
            if copied != below:
                yield copied


def _rules_in(folder: str, names: set[str], ignored: Ignored | None) -> Ignored | None:
    """What Git ignores in a folder: a repository has rules of its own, and goes by none of what lies around it."""
    if ".git" in names:
        return Ignored.at(folder)
    return ignored.below(folder) if ignored is not None and ".gitignore" in names else ignored


def _stems(file: Candidate) -> Iterator[str]:
    stem = file.path
    while stem.lower().endswith(_SOURCES):
        stem = _split_name(stem)[0]
        yield stem
