"""The page cache: one file a page, named by its key, so that a look-up is one small read and there is no index to break.

A file is a line of JSON (the key, where the text came from, its digest), then the text. Whatever does not fit its name, key or
digest is no hit and goes away. Files are private, written whole or not at all, and safe among several processes.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from limen.core.web import Page, Validators
from limen.kit.atomic import read_private, write_private
from limen.kit.clock import Clock, wall_s
from limen.kit.log import failed_open

SUFFIX = ".cache.md"
# A page longer than this is stored cut by the shelf and is not worth keeping whole twice.
MAX_PAGE_CHARS = 2_000_000
_MAX_FILE_BYTES = 16 << 20


class PageKey(msgspec.Struct, frozen=True):
    """What a cached page is the answer to: another format or another reader is another page.

    `variant` is what else alters a reader's page: the languages it asks for, the instance of a vendor's software it is.
    """

    url: str
    format: str
    provider: str
    variant: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the key, 64 hex digits."""
        parts = (self.url, self.format, self.provider, *((self.variant,) if self.variant else ()))
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Kept(msgspec.Struct, frozen=True):
    """A page with when it was fetched (seconds since 1970) and what its server said to recognise it by.

    `snapshot_at` and `ignored` are what its reader said of it.
    """

    page: Page
    fetched_at_s: float
    validators: Validators = Validators()
    snapshot_at: str = ""
    ignored: tuple[str, ...] = ()


class _Header(msgspec.Struct, frozen=True):
    key: PageKey
    kept: Kept
    digest: str


class PageCache:
    """Pages below `folder`. Every method does file work: call it off the loop. Trouble with a file is a miss, never an error.

    `max_bytes` bounds them together with the files of `stored`, where whole pages lie that were shown in part.
    """

    def __init__(
        self,
        folder: Path,
        max_entries: int = 500,
        max_bytes: int = 100_000_000,
        clock: Clock = wall_s,
        stored: Path | None = None,
    ) -> None:
        self._folder = folder
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._clock = clock
        self._stored = stored

    def path(self, key: PageKey) -> Path:
        """Where a page of this key lies: `<host>-<16 hex digits of the key>.cache.md`."""
        return self._folder / f"{host_slug(key.url)}-{key.digest[:16]}{SUFFIX}"

    def get(self, key: PageKey) -> Kept | None:
        """The page, however old, or None. A file that is broken, foreign or not ours to read is removed."""
        path = self.path(key)
        try:
            header_line, newline, body = read_private(path, limit_bytes=_MAX_FILE_BYTES).partition(b"\n")
            header = msgspec.json.decode(header_line, type=_Header)
            text = body.decode()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
            self._drop(path, error)
            return None
        if not newline or header.key != key or _digest(text) != header.digest or not self._plausible(header.kept):
            self._drop(path, "the file does not match its key")
            return None
        return msgspec.structs.replace(header.kept, page=msgspec.structs.replace(header.kept.page, text=text))

    def put(self, key: PageKey, kept: Kept) -> Path | None:
        """Keep a page and make room for it; the file, or None when it is too long or cannot be written."""
        return self.put_all({key: kept}).get(key)

    def put_all(self, pages: Mapping[PageKey, Kept]) -> dict[PageKey, Path]:
        """Keep pages and make room for them; the files of those that could be kept."""
        paths = {key: self._written(key, kept) for key, kept in pages.items()}
        if any(paths.values()):
            self.make_room()
        return {key: path for key, path in paths.items() if path is not None}

    def _written(self, key: PageKey, kept: Kept) -> Path | None:
        text = kept.page.text
        if len(text) > MAX_PAGE_CHARS:
            return None
        bare = msgspec.structs.replace(kept, page=msgspec.structs.replace(kept.page, text=""))
        path = self.path(key)
        try:
            header = msgspec.json.encode(_Header(key, bare, _digest(text)))
            write_private(path, header + b"\n" + text.encode(), durable=False)
            os.utime(path, (kept.fetched_at_s, kept.fetched_at_s))
        except (OSError, UnicodeEncodeError) as error:
            failed_open("cache.not_written", error)
            return None
        return path

    def _plausible(self, kept: Kept) -> bool:
        return 0 < kept.fetched_at_s <= self._clock() + 1

    def _drop(self, path: Path, why: object) -> None:
        failed_open("cache.dropped", f"{path.name}: {why}")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            failed_open("cache.not_dropped", error)

    def make_room(self) -> None:
        """Remove the pages fetched longest ago until count and size fit. A file that cannot go is said, and stays."""
        try:
            kept = list(_files(self._folder, SUFFIX))
            stored = list(_files(self._stored, "")) if self._stored is not None else []
        except OSError as error:
            failed_open("cache.not_counted", error)
            return
        total = count = 0
        for file in sorted((*kept, *stored), key=lambda file: file.changed_s, reverse=True):
            total += file.size
            count += file.path.endswith(SUFFIX)
            if total > self._max_bytes or (count > self._max_entries and file.path.endswith(SUFFIX)):
                self._remove(file)

    def _remove(self, file: "_File") -> None:
        try:
            Path(file.path).unlink(missing_ok=True)
        except OSError as error:
            failed_open("cache.not_dropped", error)


class _File(NamedTuple):
    changed_s: float
    size: int
    path: str


def _files(folder: Path, suffix: str) -> Iterator[_File]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(suffix) and not entry.name.startswith("."):
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # another process made room meanwhile
                yield _File(facts.st_mtime, facts.st_size, entry.path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def host_slug(url: str) -> str:
    """The host as part of a file's name: at most 60 letters, digits, dots, hyphens and underscores; `page` for none."""
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].lower()
    slug = re.sub(r"[^A-Za-z0-9._-]", "-", host.replace(":", "_"))[:60].strip("-.")
    return slug or "page"
