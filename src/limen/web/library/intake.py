"""Reading what a library lacks, in batches: parse away from the event loop, then store each batch in one transaction.

Whatever ends it early, the index holds whole batches and nothing of a half one.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec

from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Reader
from limen.core.web import Held, Page, Validators
from limen.kit.text import clip
from limen.store.library import DocumentMark, KnownPage, LibraryRecord
from limen.web.library.load import LeftOut, load
from limen.web.library.outside import Outside, WebPage
from limen.web.library.report import Problem, Progress, Tally, is_gone
from limen.web.library.sections import sections
from limen.web.library.skipped import Reason
from limen.web.library.stock import Stock
from limen.web.library.walk import Candidate
from limen.web.substance import without_text

# Files of a folder that turn out to be none for us. A file that a person named gets the reader's own words instead.
NO_DOCUMENT: dict[str, Reason] = {
    "reading.binary": "binary",
    "reading.unsupported": "unsupported",
    "reading.pdf_no_text": "no_text",
    "reader.empty_page": "no_text",
    "reader.frames": "leads_on",
    "reader.needs_browser": "needs_browser",
    "reader.not_found": "not_there",
    "reader.parked": "no_service",
    "reader.redirect": "leads_on",
    "reader.unavailable": "no_service",
    "reader.wall": "wall",
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


class Gone(msgspec.Struct, frozen=True):
    """A page that its server says is no longer there."""


Outcome = LibraryRecord | Same | LeftOut | Gone | Problem


class Intake:
    """Brings files and single pages into one library. `jobs` documents are read at a time."""

    def __init__(self, stock: Stock, reader: Reader, outside: Outside | None, jobs: int = 2) -> None:
        self._stock = stock
        self._store, self._library = stock.store, stock.library
        self._reader = reader
        self._outside = outside
        self._jobs = jobs
        self._moves: dict[str, str] = {}
        self._partial: list[str] = []

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
        for root in {item.root for item in work}:
            await self._stock.settle(root)
        tally.moved |= self._moves
        tally.partial += self._partial

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
            reason = None if named else NO_DOCUMENT.get(fault.code)
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
        if is_partial(judged(page)):
            self._partial.append(item.origin)
        return await recorded(item, page, loaded.digest, loaded.stamp)

    async def _look_at_url(self, item: Work) -> Outcome:
        """A page that a person named. It is asked for anew only if it changed; where it moved for good its document follows."""
        assert self._outside is not None, "URLs are refused where nothing fetches them"
        read = await self._outside.page(item.origin, await self._held(item))
        if isinstance(read, Refusal):
            if item.mark is not None and is_gone(read):
                return Gone()
            return Problem(item.origin, read.code, read.reason, read.mend, read.gate, named=True, kept=item.mark is not None)
        if item.mark is not None and read.moved_to not in ("", item.origin):
            moved = await self._moved(item, item.mark, read.moved_to)
            if moved is None:
                return LeftOut("duplicate", stale=True)
            item = moved
        await self._note(item, read)
        if is_partial(read.page):
            self._partial.append(item.origin)
        digest = digest_of(read.page)
        if item.mark is not None and item.mark.digest == digest:
            return Same(item.mark.stamp)
        return await recorded(item, read.page, digest, (0, len(read.page.text)))

    async def _moved(self, item: Work, mark: DocumentMark, to: str) -> Work | None:
        """The same document under the address it has moved to for good; None where the library has that one already."""
        if not await self._store.rename(self._library, item.origin, to):
            await self._store.drop_source(self._library, item.root)
            return None
        self._moves[item.origin] = to
        return Work(to, to, None, msgspec.structs.replace(mark, root=to))

    async def _held(self, item: Work) -> Held | None:
        """What the index has of a page, with what its server said of it the last time."""
        found = await self._store.by_origin(self._library, item.origin) if item.mark is not None else None
        if found is None:
            return None
        document, text = found
        pages = await self._store.pages(self._library, item.root)
        known = pages[0] if pages else KnownPage(item.origin, item.origin)
        page = Page(known.origin, document.title, text, document.media_type)
        return Held(item.origin, page, Validators(known.etag, known.last_modified))

    async def _note(self, item: Work, read: WebPage) -> None:
        said = read.validators
        page = KnownPage(item.origin, read.page.url or item.origin, etag=said.etag, last_modified=said.last_modified)
        await self._store.put_pages(self._library, item.root, [page])

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
                case Gone():
                    tally.gone.append(item.origin)
                    stale.append(item.origin)
                case Problem() as problem:
                    tally.fail(problem)
        added = await self._stock.keep(records, stamps, stale)
        tally.added += added
        tally.updated += len(records) - added
        tally.unchanged += len(stamps)
        tally.removed += len(stale)


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


def digest_of(page: Page) -> str:
    """What tells whether a page from the web changed: its title and its text, since its markup changes at each visit."""
    return hashlib.sha256(f"{page.title}\0{page.text}".encode("utf-8", "surrogatepass")).hexdigest()


def judged(page: Page) -> Page:
    """The page, where it is one. Raises ToolFault with the code of what stands in its place (`reader.*`, `reading.binary`)."""
    if page.is_file and page.shell is not None:
        raise ToolFault("reading.binary", page.shell.reason, "name a file that holds text")
    if page.shell is not None and (refusal := without_text(page, "library")):
        raise ToolFault(refusal.code, refusal.reason, refusal.mend)
    return page


def is_partial(page: Page) -> bool:
    """Whether scripts draw the rest of the page, or a wall stands before it."""
    return page.shell is not None and page.shell.partly and not page.is_file


async def recorded(item: Work, page: Page, digest: str, stamp: tuple[int, int]) -> LibraryRecord | LeftOut:
    """The page as it is put into the index; a long one is cut into sections away from the event loop."""
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
