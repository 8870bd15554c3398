"""What came of visited pages, put into the library: new documents, those that go, and pages that are one."""

from collections.abc import Mapping, Sequence

import msgspec

from limen.store.library import DocumentMark, KnownPage, LibraryRecord
from limen.web.library.crawl.addresses import page_key, parsed
from limen.web.library.crawl.alike import Texts, alike
from limen.web.library.crawl.front import Front
from limen.web.library.crawl.polite import is_busy, is_down
from limen.web.library.crawl.visit import Visit, page_key_of
from limen.web.library.report import Problem, Tally
from limen.web.library.skipped import Reason
from limen.web.library.stock import Stock

# What may be so for an hour does not make a document wrong: it is kept as it was.
_PASSING: tuple[Reason, ...] = ("robots", "elsewhere", "duplicate", "needs_browser", "no_service", "wall")


class Settling:
    """Settles the visits of one source. `texts` are those that its documents have."""

    def __init__(self, stock: Stock, root: str, front: Front, texts: Texts, tally: Tally) -> None:
        self._stock = stock
        self._root = root
        self._front = front
        self._texts = texts
        self._tally = tally
        self._records: dict[str, LibraryRecord] = {}
        self._stale: list[str] = []
        # Pages that said to be one which has not been read, by the key of that one.
        self._claims: dict[str, list[KnownPage]] = {}

    async def settle(self, visits: Sequence[Visit], marks: Mapping[str, DocumentMark]) -> None:
        """Store what a few visits brought, in one go. `marks` are what the index had of their documents."""
        self._records, self._stale = {}, []
        for visit in visits:
            await self._take(visit, marks)
        records = list(self._records.values())
        stale = [origin for origin in dict.fromkeys(self._stale) if origin not in self._records]
        added = await self._stock.keep(records, stale=stale)
        self._tally.added += added
        self._tally.updated += len(records) - added
        await self._stock.store.put_pages(self._stock.library, self._root, self._front.changed())

    async def _take(self, visit: Visit, marks: Mapping[str, DocumentMark]) -> None:
        before = self._front.known(visit.page)
        mark = marks.get(before.origin or before.url)
        has = before.origin if mark is not None and not mark.removed else ""
        if visit.refusal is not None:
            self._fail(visit, before, has)
            return
        for address in visit.links:
            reason = self._front.add(address, visit.page.depth + 1)
            if reason is not None and reason not in ("elsewhere", "unsupported"):
                self._tally.skipped.add(reason, address)
        left = visit.left or await self._why_not(visit, has)
        drawn = left == "needs_browser" and not has and mark is not None and not mark.removed  # as a source of its own
        if left is not None and not drawn:
            self._tally.skipped.add(left, before.url)
        if left in _PASSING and has:
            self._tally.stale += 1
            self._front.read(before)
        elif left is not None or visit.gone:
            self._let_go(visit, before, has)
        else:
            await self._keep(visit, has)

    def _fail(self, visit: Visit, before: KnownPage, has: str) -> None:
        refusal = visit.refusal
        assert refusal is not None
        if not is_busy(refusal) and not is_down(refusal):  # those are asked again when the crawl goes on
            self._front.read(before)
        named, kept = before.url == self._root, bool(has)
        self._tally.fail(Problem(before.url, refusal.code, refusal.reason, refusal.mend, refusal.gate, named, kept))

    def _let_go(self, visit: Visit, before: KnownPage, has: str) -> None:
        if visit.gone and has:
            self._tally.gone.append(has)
        elif visit.gone:
            self._tally.skipped.add("not_there", before.url)
        self._drop(has)
        self._front.read(_bare(visit.page))

    def _drop(self, origin: str) -> None:
        if origin:
            self._tally.removed += 1
            self._stale.append(origin)
            self._texts.forget(origin)

    async def _keep(self, visit: Visit, has: str) -> None:
        """A page that is a document: under where its address led in the end, so that each address stands for one page."""
        page, record = visit.page, visit.record
        if has and has != page.origin:
            await self._follow(has, page.origin, visit)
        final = parsed(page.origin)
        if final is not None and page_key(final) != page_key_of(page):
            self._front.read(_bare(page))
            page = msgspec.structs.replace(page, url=page.origin)
        self._front.read(page)
        if visit.partial:
            self._tally.partial.append(page.origin)
        if record is None:
            self._tally.unchanged += 1
            return
        self._records[page.origin] = record
        self._texts.note(page.origin, record.digest)
        await self._take_over(page, record)

    async def _follow(self, has: str, origin: str, visit: Visit) -> None:
        """A page that is now found at another address: its document goes along."""
        if await self._stock.store.rename(self._stock.library, has, origin):
            self._texts.forget(has)
            if visit.moved_to:
                self._tally.moved[has] = origin
        else:
            self._drop(has)

    async def _why_not(self, visit: Visit, has: str) -> Reason | None:
        """Whether the page is another one, which is or will be read: by where it led, by its text, or by its own word."""
        if visit.gone:
            return None
        page, record = visit.page, visit.record
        url = parsed(page.origin)
        if url is not None and page_key(url) != page_key_of(page):
            if has and not visit.moved_to:  # it led elsewhere for now: to a log-in, or a notice of repairs
                return "elsewhere"
            if self._front.expects(url):
                return "duplicate"
        if record is None:
            return None
        twin = self._texts.twin(page.origin, record.digest)
        if twin:
            claims = self._claims.get(page_key_of(page), ())
            return None if any(claimant.origin == twin for claimant in claims) else "duplicate"
        return "duplicate" if await self._is_claimed(visit, record) else None

    async def _is_claimed(self, visit: Visit, record: LibraryRecord) -> bool:
        """Whether the page names another as the real one, truly; where that has not been read, it will be, and judged then."""
        page = visit.page
        canonical = parsed(visit.canonical) if visit.canonical else None
        if canonical is None or page_key(canonical) in (page_key_of(page), _key_of(page.origin)):
            return False
        target = self._front.get(canonical)
        if target is None or not target.origin:
            self._front.add(visit.canonical, page.depth)
            self._claims.setdefault(page_key(canonical), []).append(page)
            return False
        return alike(record.text, await self._text(target.origin))

    async def _take_over(self, page: KnownPage, record: LibraryRecord) -> None:
        """Drop the pages that had said before that this one is what they are, where it is true."""
        for claimant in self._claims.pop(page_key_of(page), ()):
            if alike(record.text, await self._text(claimant.origin)):
                if self._records.pop(claimant.origin, None) is None:  # it was stored a moment ago
                    self._stale.append(claimant.origin)
                    self._tally.added -= 1
                self._tally.skipped.add("duplicate", claimant.url)
                self._front.read(_bare(claimant))

    async def _text(self, origin: str) -> str:
        if origin in self._records:
            return self._records[origin].text
        found = await self._stock.store.by_origin(self._stock.library, origin)
        return found[1] if found is not None else ""


def _bare(page: KnownPage) -> KnownPage:
    """An address of which no document came."""
    return msgspec.structs.replace(page, origin="", etag="", last_modified="")


def _key_of(address: str) -> str:
    url = parsed(address)
    return page_key(url) if url is not None else address
