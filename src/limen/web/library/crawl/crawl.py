"""A crawl: one round over the pages of a source. What was read is stored every few pages, and what is left goes on later."""

from collections.abc import Sequence

import anyio
import msgspec

from limen.core.fault import Refusal
from limen.core.ports import Reader
from limen.kit.clock import Clock, wall_s
from limen.store.ports import DocumentMark, KnownPage, LibraryRecord, LibrarySource
from limen.web.library.crawl.addresses import Traps, page_key, parsed
from limen.web.library.crawl.alike import alike
from limen.web.library.crawl.front import Front
from limen.web.library.crawl.polite import Polite, is_busy, is_down
from limen.web.library.crawl.seeds import Seeds
from limen.web.library.crawl.visit import Visit, Visitor, page_key_of
from limen.web.library.outside import Outside
from limen.web.library.report import Problem, Progress, Tally
from limen.web.library.stock import Stock

_BATCH = 8
# So many pages in a row that a host did not give end the crawl for now.
_MOST_SILENCE = 4
_LABEL_CHARS = 40
# What keeps a page from being looked at does not make its document wrong.
_KEPT = ("robots", "elsewhere")
# How long storing what was read may hold up the end of a crawl that was interrupted.
_LAST_S = 10.0


class Crawl:
    """Brings the pages of one source into a library. `named`: a person named it, so what was taken out by hand comes back."""

    def __init__(
        self, outside: Outside, reader: Reader, stock: Stock, source: LibrarySource, tally: Tally, progress: Progress,
        clock: Clock = wall_s,
    ) -> None:  # fmt: skip
        self._outside = outside
        self._reader = reader
        self._stock = stock
        self._source = source
        self._tally = tally
        self._progress = progress
        self._clock = clock
        self._silence = self._size = self._done = 0
        self._cut = ""
        self._digests: dict[str, str] = {}
        self._claims: dict[str, list[KnownPage]] = {}

    async def run(self) -> None:
        """One round, or the rest of one. Raises StoreFault; what was stored before stays."""
        rules, store, source = self._outside.rules, self._stock.store, self._source
        begun = msgspec.structs.replace(source, round=source.round + source.finished, finished=False)
        known = await store.pages(self._stock.library, source.root)
        polite = Polite(self._outside.get, rules)
        seeds = Seeds(polite, begun)
        scope = await seeds.find()
        failed_before = self._tally.failed
        if isinstance(scope, Refusal):
            self._refuse(source.root, scope, named=True, kept=False)
            self._tally.stale += source.documents
            await self._end(source, failed_before)
            return
        self._source = begun = msgspec.structs.replace(begun, kind=seeds.kind)
        await store.put_source(self._stock.library, begun)
        follows = source.kind == "site"
        traps = Traps() if follows else None
        front = Front(known, begun.round, scope, source.most_pages or rules.most_pages, self._depth(), traps)
        visitor = Visitor(polite, self._reader, source.root, scope, follows)
        await self._seed(front, seeds.pages)
        await self._rounds(front, visitor)
        await self._stock.settle(source.root)
        await self._end(msgspec.structs.replace(begun, finished=not self._cut), failed_before)

    def _depth(self) -> int:
        return (self._source.most_depth or self._outside.rules.most_depth) if self._source.kind == "site" else 1

    async def _seed(self, front: Front, listed: Sequence[tuple[str, int, str]]) -> None:
        """Take up what is listed. A page of which the list says that nothing changed since it was read is as it was."""
        marks = await self._marks(front)
        for address, depth, changed in listed:
            url = parsed(address)
            page = front.get(url) if url is not None else None
            if (
                page is not None
                and changed
                and page.listed == changed
                and page.origin in marks
                and page.round < self._source.round
            ):
                front.read(page)
                self._tally.unchanged += 1
            elif reason := front.add(address, depth, changed):
                self._tally.skipped.add(reason, address)
        await self._stock.store.put_pages(self._stock.library, self._source.root, front.changed())

    async def _marks(self, front: Front) -> dict[str, DocumentMark]:
        """What the index has of the source's pages, by origin; also remembers their texts, to know them again."""
        marks = await self._stock.store.marks(self._stock.library, front.origins())
        held = {origin: mark for origin, mark in marks.items() if not mark.removed}
        self._digests = {mark.digest: origin for origin, mark in held.items()}
        return held

    async def _rounds(self, front: Front, visitor: Visitor) -> None:
        while not self._cut and (batch := front.take(_BATCH)):
            visits: list[Visit] = []
            marks = await self._stock.store.marks(self._stock.library, [page.origin or page.url for page in batch])
            try:
                await self._look(batch, marks, visitor, visits, front)
            finally:
                with anyio.move_on_after(_LAST_S, shield=True):
                    front.give_back([page for page in batch if page.url not in {visit.page.url for visit in visits}])
                    await self._settle(visits, marks, front)
        if not self._cut and front.waiting:
            self._tally.skipped.add("over_limit", count=front.waiting)

    async def _look(
        self, batch: Sequence[KnownPage], marks: dict[str, DocumentMark], visitor: Visitor, visits: list[Visit], front: Front
    ) -> None:
        waiting = iter(batch)

        async def looking() -> None:
            for page in waiting:
                if self._cut:
                    return
                mark = marks.get(page.origin or page.url)
                if mark is not None and mark.removed:
                    visits.append(Visit(page, left="removed_by_hand"))
                else:
                    visits.append(await visitor.look(page, mark))
                self._done += 1
                self._tell(page.url, front)
                self._weigh(visits[-1])

        async with anyio.create_task_group() as group:
            for _ in range(min(self._outside.rules.connections, len(batch))):
                group.start_soon(looking)

    def _weigh(self, visit: Visit) -> None:
        """See whether this page ends the crawl for now."""
        self._size += visit.size
        refusal = visit.refusal
        self._silence = self._silence + 1 if refusal is not None and is_down(refusal) else 0
        if refusal is not None and is_busy(refusal):
            wait = refusal.detail.get("retry_after")
            self._cut = f"the host is busy{f' and wants to be asked again in {wait} s' if wait else ''}"
        elif self._silence >= _MOST_SILENCE:
            self._cut = "the host does not answer"
        elif self._size > self._outside.rules.most_bytes:
            self._cut = f"{self._size:,} bytes were fetched, which is the limit for one go"

    def _tell(self, url: str, front: Front) -> None:
        skipped = sum(self._tally.skipped.counts.values()) + self._tally.failed
        label = url if len(url) <= _LABEL_CHARS else f"…{url[1 - _LABEL_CHARS :]}"
        self._progress(self._done, max(front.total, self._done), f"{skipped:,} left out · {label}" if skipped else url)

    async def _settle(self, visits: Sequence[Visit], marks: dict[str, DocumentMark], front: Front) -> None:
        """Store what a batch brought, in one go."""
        records: dict[str, LibraryRecord] = {}
        stale: list[str] = []
        for visit in visits:
            await self._take(visit, marks, front, records, stale)
        added = await self._stock.keep(list(records.values()), stale=[one for one in dict.fromkeys(stale) if one not in records])
        self._tally.added += added
        self._tally.updated += len(records) - added
        await self._stock.store.put_pages(self._stock.library, self._source.root, front.changed())

    async def _take(
        self, visit: Visit, marks: dict[str, DocumentMark], front: Front, records: dict[str, LibraryRecord], stale: list[str]
    ) -> None:
        before = front.known(visit.page)
        mark = marks.get(before.origin or before.url)
        has = before.origin if mark is not None and not mark.removed else ""
        if visit.refusal is not None:
            if not is_busy(visit.refusal) and not is_down(visit.refusal):  # those are asked again when the crawl goes on
                front.read(before)
            self._refuse(before.url, visit.refusal, named=before.url == self._source.root, kept=bool(has))
            return
        page = visit.page
        for address in visit.links:
            reason = front.add(address, page.depth + 1)
            if reason is not None and reason not in ("elsewhere", "unsupported"):
                self._tally.skipped.add(reason, address)
        left = visit.left or ("duplicate" if await self._is_double(visit, page, front, records) else None)
        if left is not None:
            self._tally.skipped.add(left, before.url)
        if left in _KEPT and has:
            self._tally.stale += 1
            front.read(before)
        elif left is not None or visit.gone:
            if visit.gone and has:
                self._tally.gone.append(has)
            elif visit.gone:
                self._tally.skipped.add("not_there", before.url)
            self._drop(has, stale)
            front.read(_bare(page))
        else:
            await self._keep(visit, has, front, records, stale)

    def _drop(self, origin: str, stale: list[str]) -> None:
        if origin:
            self._tally.removed += 1
            stale.append(origin)
            self._digests = {digest: other for digest, other in self._digests.items() if other != origin}

    async def _keep(self, visit: Visit, has: str, front: Front, records: dict[str, LibraryRecord], stale: list[str]) -> None:
        """A page that is a document: under where its address led in the end, so that each address stands for one page."""
        page = visit.page
        if has and has != page.origin:
            await self._follow(has, page.origin, visit, stale)
        final = parsed(page.origin)
        if final is not None and page_key(final) != page_key_of(page):
            front.read(_bare(page))
            page = msgspec.structs.replace(page, url=page.origin)
        front.read(page)
        if visit.record is None:
            self._tally.unchanged += 1
        else:
            records[page.origin] = visit.record
            self._digests = {digest: other for digest, other in self._digests.items() if other != page.origin}
            self._digests[visit.record.digest] = page.origin
            await self._take_over(page, visit.record, front, records, stale)

    async def _follow(self, has: str, origin: str, visit: Visit, stale: list[str]) -> None:
        """A page that is now found at another address: its document goes along."""
        if await self._stock.store.rename(self._stock.library, has, origin):
            if visit.moved_to:
                self._tally.moved[has] = origin
        else:
            self._drop(has, stale)

    async def _is_double(self, visit: Visit, page: KnownPage, front: Front, records: dict[str, LibraryRecord]) -> bool:
        """Whether another page of this source has been read that is the same: by where it led, by its text, or by its word."""
        url, record = parsed(page.origin), visit.record
        if url is not None and page_key(url) != page_key_of(page):
            target = front.get(url)
            if target is not None and (target.origin or target.round < self._source.round):
                return True
        if record is None:
            return False
        twin = self._digests.get(record.digest, page.origin)
        if twin != page.origin:
            return all(claimant.origin != twin for claimant in self._claims.get(page_key_of(page), ()))
        canonical = parsed(visit.canonical) if visit.canonical else None
        if canonical is None or page_key(canonical) == page_key_of(page):
            return False
        target = front.get(canonical)
        if target is None or not target.origin:
            front.add(visit.canonical, page.depth)
            self._claims.setdefault(page_key(canonical), []).append(page)
            return False
        return alike(record.text, await self._text(target.origin, records))

    async def _take_over(
        self, page: KnownPage, record: LibraryRecord, front: Front, records: dict[str, LibraryRecord], stale: list[str]
    ) -> None:
        """Drop the pages that had said before that this one is what they are, where it is true."""
        for claimant in self._claims.pop(page_key_of(page), ()):
            if alike(record.text, await self._text(claimant.origin, records)):
                if records.pop(claimant.origin, None) is None:  # it was stored a moment ago
                    stale.append(claimant.origin)
                    self._tally.added -= 1
                self._tally.skipped.add("duplicate", claimant.url)
                front.read(_bare(claimant))

    async def _text(self, origin: str, records: dict[str, LibraryRecord]) -> str:
        if origin in records:
            return records[origin].text
        found = await self._stock.store.by_origin(self._stock.library, origin)
        return found[1] if found is not None else ""

    def _refuse(self, url: str, refusal: Refusal, *, named: bool, kept: bool) -> None:
        self._tally.fail(Problem(url, refusal.code, refusal.reason, refusal.mend, refusal.gate, named, kept))

    async def _end(self, source: LibrarySource, failed_before: int) -> None:
        """Note how the round went."""
        problems = self._tally.problems
        failed = self._tally.failed - failed_before
        first = next((f"{one.reason} [{one.code}]" for one in problems[failed_before:]), "") if failed else ""
        if self._cut:
            self._tally.notes[source.root] = f"{self._cut}; the same command goes on from there"
        await self._stock.store.put_source(
            self._stock.library,
            msgspec.structs.replace(
                source, refreshed_at=self._clock() if source.finished else source.refreshed_at, failed=failed, problem=first,
                note=self._cut,
            ),
        )  # fmt: skip


def _bare(page: KnownPage) -> KnownPage:
    """An address of which no document came."""
    return msgspec.structs.replace(page, origin="", etag="", last_modified="")
