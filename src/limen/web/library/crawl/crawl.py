"""A crawl: one round over the pages of a source. What was read is stored every few pages, and what is left goes on later."""

from collections.abc import Mapping, Sequence

import anyio
import msgspec

from limen.core.fault import Refusal
from limen.core.ports import Reader
from limen.kit.clock import Clock, wall_s
from limen.store.library import DocumentMark, KnownPage, LibrarySource
from limen.web.library.crawl.addresses import Scope, Traps, parsed
from limen.web.library.crawl.alike import Texts
from limen.web.library.crawl.front import Front
from limen.web.library.crawl.polite import Polite, is_busy, is_down
from limen.web.library.crawl.seeds import Seeds
from limen.web.library.crawl.settle import Settling
from limen.web.library.crawl.visit import Visit, Visitor
from limen.web.library.outside import Outside
from limen.web.library.report import Problem, Progress, Tally
from limen.web.library.stock import Stock

_BATCH = 8
# So many pages in a row that a host did not give end the crawl for now.
_MOST_SILENCE = 4
_LABEL_CHARS = 40


class Crawl:
    """Brings the pages of one source into a library."""

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
        self._failed_before = tally.failed
        self._silence = self._size = self._done = 0
        self._cut = ""

    async def run(self) -> None:
        """One round, or the rest of one. Raises StoreFault; what was stored before stays."""
        source, polite = self._source, Polite(self._outside.get, self._outside.rules)
        seeds = Seeds(polite, source)
        self._progress(0, 1, source.root)
        scope = await seeds.find()
        if isinstance(scope, Refusal):
            problem = Problem(source.root, scope.code, scope.reason, scope.mend, scope.gate, named=True)
            self._tally.fail(problem)
            self._tally.stale += source.documents
            await self._end(source)
            return
        begun = msgspec.structs.replace(source, kind=seeds.kind, round=source.round + source.finished, finished=False)
        await self._stock.store.put_source(self._stock.library, begun)
        front = await self._front(begun, scope)
        marks = await self._marks(front)
        texts = Texts({origin: mark.digest for origin, mark in marks.items()})
        await self._seed(front, seeds.pages, marks, begun.round)
        visitor = Visitor(polite, self._reader, source.root, scope, follows=begun.kind == "site")
        await self._visit(front, visitor, Settling(self._stock, source.root, front, texts, self._tally))
        await self._stock.settle(source.root)
        await self._end(msgspec.structs.replace(begun, finished=not self._cut))

    async def _front(self, source: LibrarySource, scope: Scope) -> Front:
        rules, follows = self._outside.rules, source.kind == "site"
        known = await self._stock.store.pages(self._stock.library, source.root)
        most_depth = (source.most_depth or rules.most_depth) if follows else 1
        return Front(known, source.round, scope, source.most_pages or rules.most_pages, most_depth, Traps() if follows else None)

    async def _marks(self, front: Front) -> dict[str, DocumentMark]:
        """What the index has of the source's pages, by origin."""
        marks = await self._stock.store.marks(self._stock.library, front.origins())
        return {origin: mark for origin, mark in marks.items() if not mark.removed}

    async def _seed(
        self, front: Front, listed: Sequence[tuple[str, int, str]], marks: Mapping[str, DocumentMark], round_: int
    ) -> None:
        """Take up what is listed. A page of which the list says that nothing changed since it was read is as it was."""
        for address, depth, changed in listed:
            url = parsed(address)
            page = front.get(url) if url is not None else None
            if page is not None and changed and page.listed == changed and page.origin in marks and page.round < round_:
                front.read(page)
                self._tally.unchanged += 1
            elif reason := front.add(address, depth, changed):
                self._tally.skipped.add(reason, address)
        await self._stock.store.put_pages(self._stock.library, self._source.root, front.changed())

    async def _visit(self, front: Front, visitor: Visitor, settling: Settling) -> None:
        while not self._cut and (batch := front.take(_BATCH)):
            visits: list[Visit] = []
            marks = await self._stock.store.marks(self._stock.library, [page.origin or page.url for page in batch])
            try:
                await self._look(batch, marks, visitor, visits, front)
            finally:
                with anyio.CancelScope(shield=True):  # what was read is kept, whatever ends the crawl
                    seen = {visit.page.url for visit in visits}
                    front.give_back([page for page in batch if page.url not in seen])
                    await settling.settle(visits, marks)
        if not self._cut and front.waiting:
            self._tally.skipped.add("over_limit", count=front.waiting)

    async def _look(
        self, batch: Sequence[KnownPage], marks: Mapping[str, DocumentMark], visitor: Visitor, visits: list[Visit], front: Front
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

    async def _end(self, source: LibrarySource) -> None:
        """Note how the round went."""
        problems = self._tally.problems
        failed = self._tally.failed - self._failed_before
        first = next((f"{one.reason} [{one.code}]" for one in problems[self._failed_before :]), "") if failed else ""
        if self._cut:
            self._tally.notes[source.root] = f"{self._cut}; the same command goes on from there"
        await self._stock.store.put_source(
            self._stock.library,
            msgspec.structs.replace(
                source, refreshed_at=self._clock() if source.finished else source.refreshed_at, failed=failed, problem=first,
                note=self._cut,
            ),
        )  # fmt: skip
