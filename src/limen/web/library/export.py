"""Exports: files of one document a line, as crawlers and wikis write them. Which field is what is told by their usual names."""

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import anyio.to_thread
import msgspec

from limen.core.fault import ToolFault
from limen.core.ports import Reader
from limen.kit.text import writable
from limen.store.library import LibraryRecord, LibrarySource
from limen.web.library.intake import NO_DOCUMENT, Work, recorded
from limen.web.library.load import LeftOut
from limen.web.library.places import is_url
from limen.web.library.report import Problem, Progress, Tally
from limen.web.library.skipped import LARGEST_BYTES
from limen.web.library.stock import Stock
from limen.web.library.walk import stamp_of

ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_PEEKED_LINES = 5
_BATCH = 48
_URL = ("url", "final_url", "link", "source_url", "sourceURL", "href", "permalink", "source", "id")
_TITLE = ("title", "name", "headline")
_TEXT = ("markdown", "text", "content", "page_content", "body", "raw_content")
_HTML = ("html", "raw_html", "content_html")


class Row(msgspec.Struct, frozen=True):
    """A line's document: its address where it has one, else empty; `line` counts from 1."""

    line: int
    url: str
    title: str
    text: str
    media_type: str


def row_of(line: int, data: bytes) -> Row | None:
    """The document of a line, or None where it holds none."""
    fields = _decoded(data)
    if not isinstance(fields, dict):
        return None
    about = fields.get("metadata")
    places = (fields, about) if isinstance(about, dict) else (fields,)
    url = next((value for value in _values(places, _URL) if is_url(value)), "")
    title = next(_values(places, _TITLE), "")
    if text := next(_values((fields,), _TEXT), ""):
        looks = text.lstrip()[:1] == "<" and "</" in text
        return Row(line, url.partition("#")[0], title, text, "text/html" if looks else "text/markdown")
    html = next(_values((fields,), _HTML), "")
    return Row(line, url.partition("#")[0], title, html, "text/html") if html else None


def _decoded(data: bytes) -> object:
    """The value of a line. What JSON forbids is no reason to lose a document: a byte order mark, bytes that are no UTF-8, half of
    a surrogate pair, a line feed within a text."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(data.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def _values(places: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[str]:
    for place in places:
        for name in names:
            value = place.get(name)
            if isinstance(value, str) and value.strip():
                yield writable(value.strip())


def is_export(path: Path) -> bool:
    """Whether a file of that name holds documents, by its first lines. Raises OSError."""
    if not path.name.lower().endswith(ENDINGS) or not path.is_file():
        return False
    with _opened(path) as file:
        lines = [file.readline(LARGEST_BYTES) for _ in range(_PEEKED_LINES)]
    return any(row_of(1, line) is not None for line in lines if line.strip())


def _opened(path: Path) -> IO[bytes]:
    packed = path.name.lower().endswith(".gz")
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


class ExportRound:
    """Brings the documents of one export into a library."""

    def __init__(self, stock: Stock, reader: Reader, tally: Tally, progress: Progress) -> None:
        self._stock = stock
        self._reader = reader
        self._tally = tally
        self._progress = progress

    async def run(self, source: LibrarySource, *, named: bool) -> None:
        """Read what is new in the file, drop what is gone from it. Raises StoreFault; what was stored before stays."""
        path, store = Path(source.root), self._stock.store
        known = await store.stamps(self._stock.library, source.root)
        try:
            stamp = await anyio.to_thread.run_sync(stamp_of, source.root)
            if source.finished and known and set(known.values()) == {stamp}:
                self._tally.unchanged += len(known)
                return
            await store.put_source(self._stock.library, msgspec.structs.replace(source, finished=False))
            seen = await self._read(path, source.root, stamp, named=named)
        except FileNotFoundError:
            self._tally.missing.append(source.root)
            self._tally.unchanged += len(known)
            return
        except (OSError, EOFError) as error:  # what a cut archive raises
            self._tally.fail(Problem(source.root, "library.unreadable", str(error), f"check the file: ls -l {path}", named=named))
            return
        self._tally.removed += await store.drop(self._stock.library, [origin for origin in known if origin not in seen])
        await self._stock.settle(source.root)

    async def _read(self, path: Path, root: str, stamp: tuple[int, int], *, named: bool) -> set[str]:
        seen: set[str] = set()
        with _opened(path) as file:
            lines = enumerate(file, 1)
            done = 0
            while rows := await anyio.to_thread.run_sync(partial(_next_rows, lines, self._tally)):
                await self._keep(rows, root, stamp, seen)
                done += len(rows)
                share = max(_position(file), 1) / max(stamp[1], 1)
                self._progress(done, max(done, int(done / share)), _origin(rows[-1], root))
        return seen

    async def _keep(self, rows: Sequence[Row], root: str, stamp: tuple[int, int], seen: set[str]) -> None:
        marks = await self._stock.store.marks(self._stock.library, [_origin(row, root) for row in rows])
        records: dict[str, LibraryRecord] = {}
        same: dict[str, tuple[int, int]] = {}
        for row in rows:
            origin = _origin(row, root)
            mark = marks.get(origin)
            if mark is not None and mark.removed:
                self._tally.skipped.add("removed_by_hand")
                continue
            seen.add(origin)
            digest = hashlib.sha256(f"{row.media_type}\0{row.title}\0{row.text}".encode("utf-8", "surrogatepass")).hexdigest()
            if mark is not None and mark.digest == digest and origin not in records:
                same[origin] = stamp
                continue
            record = await self._record(row, Work(origin, root, None, mark), digest, stamp)
            if record is not None:
                records[origin] = record
        added = await self._stock.keep(list(records.values()), same)
        self._tally.added += added
        self._tally.updated += len(records) - added
        self._tally.unchanged += len(same)

    async def _record(self, row: Row, work: Work, digest: str, stamp: tuple[int, int]) -> LibraryRecord | None:
        try:
            data = row.text.encode("utf-8", "replace")
            page = await self._reader.read(
                data, url=row.url or Path(work.root).as_uri(), content_type=f"{row.media_type}; charset=utf-8"
            )
        except ToolFault as fault:
            if reason := NO_DOCUMENT.get(fault.code):
                self._tally.skipped.add(reason, work.origin)
            else:
                self._tally.fail(Problem(work.origin, fault.code, fault.reason, fault.mend, kept=work.mark is not None))
            return None
        if row.title:
            page = msgspec.structs.replace(page, title=row.title)
        found = await recorded(work, page, digest, stamp)
        if isinstance(found, LeftOut):
            self._tally.skipped.add(found.reason, work.origin)
            return None
        return found


def _origin(row: Row, root: str) -> str:
    return row.url or f"{root}#{row.line}"


def _next_rows(lines: Iterator[tuple[int, bytes]], tally: Tally) -> list[Row]:
    """The documents of the next lines; a line without one is counted."""
    rows: list[Row] = []
    for line, data in lines:
        if not data.strip():
            continue
        row = row_of(line, data) if len(data) <= LARGEST_BYTES else None
        if row is None:
            tally.skipped.add("damaged")
        else:
            rows.append(row)
        if len(rows) == _BATCH:
            break
    return rows


def _position(file: IO[bytes]) -> int:
    """How far a file has been read, as it lies on the disk."""
    raw = getattr(file, "fileobj", None)
    return os.lseek((raw or file).fileno(), 0, os.SEEK_CUR)
