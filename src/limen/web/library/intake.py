"""Reading what a library lacks, in batches: parse away from the event loop, then store each batch in one transaction.

Whatever ends it early, the index holds whole batches and nothing of a half one.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec

from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Reader
from limen.core.web import Page
from limen.kit.text import clip
from limen.store.ports import DocumentMark, LibraryRecord, LibraryStore
from limen.web.library.load import LeftOut, load
from limen.web.library.report import Problem, Progress, Tally
from limen.web.library.sections import sections
from limen.web.library.skipped import Reason
from limen.web.library.walk import Candidate

Fetch = Callable[[str], Awaitable[Page | Refusal]]

# Files of a folder that turn out to be none for us. A file that a person named gets the reader's own words instead.
_NO_DOCUMENT: dict[str, Reason] = {
    "reading.binary": "binary",
    "reading.unsupported": "unsupported",
    "reading.pdf_no_text": "no_text",
}
_BATCH_FILES = 48
_BATCH_BYTES = 4_000_000
_TITLE_CHARS = 300
# A text of this size is cut into sections in about 5 ms; handing it to a thread takes a page's worth of time for a short one.
_INLINE_CHARS = 100_000


class Work(msgspec.Struct, frozen=True):
    """A document to look at: a file, or a URL (then without `file`), the root it belongs to, and what is known of it."""

    origin: str
    root: str
    file: Candidate | None = None
    mark: DocumentMark | None = None


class Same(msgspec.Struct, frozen=True):
    """The content is what the index has; only the stamp is new."""

    stamp: tuple[int, int]


Outcome = LibraryRecord | Same | LeftOut | Problem


class Intake:
    """Brings documents into one library. `jobs` documents are read at a time."""

    def __init__(self, store: LibraryStore, reader: Reader, fetch: Fetch | None, library: str, jobs: int = 2) -> None:
        self._store = store
        self._reader = reader
        self._fetch = fetch
        self._library = library
        self._jobs = jobs

    async def run(self, work: Sequence[Work], tally: Tally, progress: Progress) -> None:
        """Read all of it and count what came of each. Raises StoreFault; what was stored before stays."""
        done = 0

        def tick(item: Work) -> None:
            nonlocal done
            done += 1
            progress(done, len(work), item.origin)

        for batch in _batches(work):
            wanted = await self._still_wanted(batch)
            left = {item.origin for item in wanted}
            for item in batch:
                if item.origin not in left:
                    tally.unchanged += 1
                    tick(item)
            await self._store_batch(wanted, await self._read_batch(wanted, tick), tally)

    async def _still_wanted(self, batch: Sequence[Work]) -> list[Work]:
        """What another process has not read in the meantime, each with the mark it has now."""
        marks = await self._store.marks(self._library, [item.origin for item in batch])
        wanted: list[Work] = []
        for item in batch:
            mark = marks.get(item.origin)
            if mark is None or mark.removed:
                wanted.append(item)
            elif item.file is None or mark.stamp != item.file.stamp:
                wanted.append(msgspec.structs.replace(item, mark=mark))
        return wanted

    async def _read_batch(self, batch: Sequence[Work], tick: Callable[[Work], None]) -> dict[str, Outcome]:
        waiting = iter(batch)
        outcomes: dict[str, Outcome] = {}

        async def reading() -> None:
            for item in waiting:
                outcomes[item.origin] = await self._look(item)
                tick(item)

        async with anyio.create_task_group() as group:
            for _ in range(min(self._jobs, len(batch))):
                group.start_soon(reading)
        return outcomes

    async def _look(self, item: Work) -> Outcome:
        try:
            return await (self._look_at_file(item, item.file) if item.file else self._look_at_url(item))
        except ToolFault as fault:
            named = item.origin == item.root
            reason = None if named else _NO_DOCUMENT.get(fault.code)
            return (
                LeftOut(reason, stale=True) if reason else Problem(item.origin, fault.code, fault.reason, fault.mend, named=named)
            )

    async def _look_at_file(self, item: Work, file: Candidate) -> Outcome:
        loaded = await anyio.to_thread.run_sync(load, file)
        if isinstance(loaded, LeftOut):
            return loaded
        if item.mark is not None and item.mark.digest == loaded.digest:
            return Same(loaded.stamp)
        page = await self._reader.read(loaded.data, url=Path(file.path).as_uri(), content_type=file.media_type or None)
        return await _recorded(item, page, loaded.digest, loaded.stamp)

    async def _look_at_url(self, item: Work) -> Outcome:
        assert self._fetch is not None, "URLs are refused where nothing fetches them"
        page = await self._fetch(item.origin)
        if isinstance(page, Refusal):
            return Problem(item.origin, page.code, page.reason, page.mend, page.gate, named=True)
        digest = hashlib.sha256(f"{page.title}\0{page.text}".encode("utf-8", "surrogatepass")).hexdigest()
        if item.mark is not None and item.mark.digest == digest:
            return Same(item.mark.stamp)
        return await _recorded(item, page, digest, (0, len(page.text)))

    async def _store_batch(self, batch: Sequence[Work], outcomes: dict[str, Outcome], tally: Tally) -> None:
        records: list[LibraryRecord] = []
        stamps: dict[str, tuple[int, int]] = {}
        stale: list[str] = []
        for item in batch:
            match outcomes[item.origin]:
                case LibraryRecord() as record:
                    records.append(record)
                case Same(stamp):
                    stamps[item.origin] = stamp
                case LeftOut(reason, is_stale):
                    tally.skipped.add(reason, item.origin)
                    if is_stale and item.mark is not None:
                        stale.append(item.origin)
                case Problem() as problem:
                    tally.fail(problem)
        added = await self._commit(records, stamps, stale)
        tally.added += added
        tally.updated += len(records) - added
        tally.unchanged += len(stamps)
        tally.removed += len(stale)

    async def _commit(self, records: list[LibraryRecord], stamps: dict[str, tuple[int, int]], stale: list[str]) -> int:
        """Store what was found; returns how many documents were not there before."""
        added = await self._store.put(self._library, records) if records else 0
        if stamps:
            await self._store.restamp(self._library, stamps)
        if stale:
            await self._store.drop(self._library, stale)
        return added


def _batches(work: Sequence[Work]) -> Iterator[list[Work]]:
    batch: list[Work] = []
    size = 0
    for item in work:
        batch.append(item)
        size += item.file.stamp[1] if item.file else 0
        if len(batch) == _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


async def _recorded(item: Work, page: Page, digest: str, stamp: tuple[int, int]) -> LibraryRecord | LeftOut:
    if len(page.text) <= _INLINE_CHARS:
        return _record(item, page, digest, stamp)
    return await anyio.to_thread.run_sync(_record, item, page, digest, stamp)


def _record(item: Work, page: Page, digest: str, stamp: tuple[int, int]) -> LibraryRecord | LeftOut:
    found = sections(page)
    if not found:
        return LeftOut("no_text", stale=True)
    title = clip(page.title, _TITLE_CHARS) or item.origin.rstrip("/").rpartition("/")[2]
    root = item.mark.root if item.mark and item.mark.root else item.root
    return LibraryRecord(item.origin, title, page.media_type, page.text, digest, stamp, root, found)
