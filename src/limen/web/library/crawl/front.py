"""The front of a crawl: which addresses are known, which are to be looked at next, and which stay out."""

from collections.abc import Iterable
from heapq import heappop, heappush

import msgspec

from limen.net.url import SafeUrl
from limen.store.library import KnownPage
from limen.web.library.crawl.addresses import Scope, Traps, cleaned, is_no_document, page_key, parsed
from limen.web.library.skipped import Reason

# So many addresses are kept in mind for each page that may be read.
_MOST_KNOWN = 5
# Kept in any case: a higher limit later goes on with them, and a page that is not sent again tells its links to nobody.
_LEAST_KNOWN = 10_000


class Front:
    """Addresses by what they have in common, nearest first; `traps` judges those that only pages lead to.

    A page that has a document may always be looked at again; others as long as there are fewer than `most_pages` documents,
    however many of them are looked at in vain. `round` is the one under way: what was looked at in it is done.
    """

    def __init__(
        self, known: Iterable[KnownPage], round_: int, scope: Scope, most_pages: int, most_depth: int, traps: Traps | None
    ) -> None:
        self._round = round_
        self._scope = scope
        self._most_pages = most_pages
        self._most_depth = most_depth
        self._traps = traps
        self._listed: dict[str, str] = {}
        self._pages: dict[str, KnownPage] = {}
        self._left: set[str] = set()
        self._turn = 0
        self._again: list[tuple[int, int, str]] = []
        self._new: list[tuple[int, int, str]] = []
        self._changed: set[str] = set()
        for page in known:
            if (url := parsed(page.url)) is not None:
                self._pages[page_key(url)] = page
        for key, page in self._pages.items():
            if page.round < round_:
                self._wait(key, page)
        self.held = sum(bool(page.origin) for page in self._pages.values())

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def waiting(self) -> int:
        """How many addresses have not been looked at."""
        return len(self._new) + len(self._again)

    @property
    def total(self) -> int:
        """How many addresses there may be to look at, as far as is known."""
        return min(len(self._pages), max(self._most_pages, self.held))

    def get(self, url: SafeUrl) -> KnownPage | None:
        """What is known of the page behind an address."""
        return self._pages.get(page_key(url))

    def known(self, page: KnownPage) -> KnownPage:
        """What was known of a page before it was looked at."""
        return self._pages[self._key(page)]

    def origins(self) -> list[str]:
        """The documents that came of the pages."""
        return [page.origin for page in self._pages.values() if page.origin]

    def expects(self, url: SafeUrl) -> bool:
        """Whether the page behind an address has been read, or will be."""
        page = self.get(url)
        return page is not None and (bool(page.origin) or page.round < self._round)

    def add(self, address: str, depth: int, listed: str = "") -> Reason | None:
        """Take up an address, or say once why not."""
        url = parsed(address)
        if url is None:
            return None
        key = page_key(url)
        known = self._pages.get(key)
        if known is not None:
            self._listed[key] = listed or known.listed
            if depth < known.depth:
                self.put(msgspec.structs.replace(known, depth=depth))
            return None
        if key in self._left:
            return None
        reason = self._why_not(url, depth)
        if reason is not None:
            self._left.add(key)
            return reason
        page = KnownPage(cleaned(self._scope.spelled(url)), depth=depth, listed=listed)
        self.put(page)
        self._wait(key, page)
        return None

    def _wait(self, key: str, page: KnownPage) -> None:
        self._turn += 1
        heappush(self._again if page.origin else self._new, (page.depth, self._turn, key))

    def _why_not(self, url: SafeUrl, depth: int) -> Reason | None:
        if not self._scope.holds(url):
            return "elsewhere"
        if is_no_document(url):
            return "unsupported"
        if depth > self._most_depth:
            return "too_deep"
        if self._traps is not None and self._traps.holds(url):
            return "trap"
        return "over_limit" if len(self._pages) >= max(self._most_pages * _MOST_KNOWN, _LEAST_KNOWN) else None

    def read(self, page: KnownPage) -> None:
        """Note that an address was looked at, as it is listed now."""
        listed = self._listed.get(self._key(page), page.listed)
        self.put(msgspec.structs.replace(page, round=self._round, listed=listed))

    def put(self, page: KnownPage) -> None:
        """Note what became of an address."""
        key = self._key(page)
        before = self._pages.get(key)
        self.held += bool(page.origin) - (before is not None and bool(before.origin))
        self._pages[key] = page
        self._changed.add(key)

    def take(self, most: int) -> list[KnownPage]:
        """The next addresses to look at, what has a document first; none when the rest is beyond the limit."""
        taken: list[KnownPage] = []
        room = self._most_pages - self.held
        while len(taken) < most:
            if self._again:
                waiting = self._again
            elif self._new and room > 0:
                waiting = self._new
            else:
                break
            page = self._pages[heappop(waiting)[2]]
            if page.round < self._round:
                room -= not page.origin
                taken.append(page)
        return taken

    def give_back(self, pages: Iterable[KnownPage]) -> None:
        """Pages that were taken and not looked at."""
        for page in pages:
            self._wait(self._key(page), page)

    def changed(self) -> list[KnownPage]:
        """What is to be stored, once."""
        pages = [self._pages[key] for key in self._changed]
        self._changed.clear()
        return pages

    def _key(self, page: KnownPage) -> str:
        url = parsed(page.url)
        assert url is not None, "what is known was an address when it was taken up"
        return page_key(url)
