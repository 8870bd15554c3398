"""The page cache: one file a page, named by its key, so that a look-up is one small read and there is no index to break.

A file is a line of JSON (the key, where the text came from, its digest), then the text. Whatever does not fit its name, key or
digest is no hit and goes away. Files are private, written whole or not at all, and safe among several processes.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from limen.core.web import Page, Validators
from limen.kit.atomic import TooLarge, UnsafePath, read_private, write_private
from limen.kit.clock import Clock, wall_s
from limen.kit.log import failed_open

SUFFIX = ".cache.md"
# A page longer than this is stored cut by the shelf and is not worth keeping whole twice.
MAX_PAGE_CHARS = 2_000_000
_MAX_FILE_BYTES = 16 << 20


class PageKey(msgspec.Struct, frozen=True):
    """What a cached page is the answer to: another format or another reader is another page."""

    url: str
    format: str
    provider: str

    @property
    def digest(self) -> str:
        """SHA-256 of the key, 64 hex digits."""
        return hashlib.sha256(f"{self.url}\n{self.format}\n{self.provider}".encode()).hexdigest()


class Kept(msgspec.Struct, frozen=True):
    """A page with when it was fetched (seconds since 1970) and what its server said to recognise it by."""

    page: Page
    fetched_at_s: float
    validators: Validators = Validators()


class _Header(msgspec.Struct, frozen=True):
    key: PageKey
    kept: Kept
    digest: str


class PageCache:
    """Pages below `folder`. Every method does file work: call it off the loop. Trouble with a file is a miss, never an error."""

    def __init__(self, folder: Path, max_entries: int = 500, max_bytes: int = 100_000_000, clock: Clock = wall_s) -> None:
        self._folder = folder
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._clock = clock

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
        except (OSError, UnicodeDecodeError, msgspec.DecodeError, UnsafePath, TooLarge) as error:
            self._drop(path, error)
            return None
        if not newline or header.key != key or _digest(text) != header.digest or not self._plausible(header.kept):
            self._drop(path, "the file does not match its key")
            return None
        return msgspec.structs.replace(header.kept, page=msgspec.structs.replace(header.kept.page, text=text))

    def put(self, key: PageKey, kept: Kept) -> Path | None:
        """Keep a page and make room for it; the file, or None when it is too long or cannot be written."""
        text = kept.page.text
        if len(text) > MAX_PAGE_CHARS:
            return None
        bare = msgspec.structs.replace(kept, page=msgspec.structs.replace(kept.page, text=""))
        header = msgspec.json.encode(_Header(key, bare, _digest(text)))
        path = self.path(key)
        try:
            write_private(path, header + b"\n" + text.encode())
            os.utime(path, (kept.fetched_at_s, kept.fetched_at_s))
            self._make_room()
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

    def _make_room(self) -> None:
        """Remove the pages fetched longest ago until count and size fit."""
        files = sorted(self._files(), key=lambda file: -file[0])
        total = 0
        for position, (_, size, path) in enumerate(files, 1):
            total += size
            if position > self._max_entries or total > self._max_bytes:
                Path(path).unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[float, int, str]]:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    try:
                        facts = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # another process made room meanwhile
                    yield facts.st_mtime, facts.st_size, entry.path


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def host_slug(url: str) -> str:
    """The host as part of a file's name: at most 60 letters, digits, dots, hyphens and underscores; `page` for none."""
    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].lower()
    slug = re.sub(r"[^A-Za-z0-9._-]", "-", host.replace(":", "_"))[:60].strip("-.")
    return slug or "page"
