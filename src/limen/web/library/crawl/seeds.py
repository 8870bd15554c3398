"""Where a crawl begins: what a source lists of its own pages, or its first page and what `robots.txt` names."""

from functools import partial

import anyio.to_thread

from limen.core.fault import Refusal
from limen.net.same_host import same_host
from limen.net.url import SafeUrl, parse
from limen.store.library import LibrarySource
from limen.web.download import Downloaded
from limen.web.library.crawl.addresses import Scope
from limen.web.library.crawl.lists import LIMIT_BYTES, BadXML, Listing, read_listing
from limen.web.library.crawl.polite import Polite

_MOST_LISTS = 500


class Seeds:
    """The addresses that a source begins with, found by asking it. `pages` has address, depth, and when it says it changed;
    `kind` is what the source turned out to be: one that lists nothing is a page."""

    def __init__(self, polite: Polite, source: LibrarySource) -> None:
        self._polite = polite
        self._source = source
        self.kind = source.kind
        self.pages: list[tuple[str, int, str]] = []

    async def find(self) -> Scope | Refusal:
        """Where the source's addresses lie, with `pages` filled; or why its list cannot be had.

        Codes beside those of fetching: `library.bad_list`.
        """
        root = parse(self._source.root)
        if isinstance(root, Refusal):
            return root
        if self._source.kind == "site":
            return await self._site(root)
        found = await self._listing(root)
        if isinstance(found, Refusal):
            return found
        self.kind = found.kind if found is not None else "page"
        if self.kind in ("llms", "page"):
            self.pages.append((self._source.root, 0, ""))
        if found is not None:
            await self._take(found, root, 1)
        return Scope(root, any_host=self.kind == "feed")

    async def _site(self, root: SafeUrl) -> Scope | Refusal:
        """The first page, wherever on its host it leads, and what the site's sitemaps have below it."""
        robots = await self._polite.robots(root)
        if isinstance(robots, Refusal):
            return robots
        scope = Scope.below(root)
        self.pages.append((self._source.root, 0, ""))
        for name in robots.sitemaps or (f"{root.origin}/sitemap.xml",):
            url = parse(name)
            if isinstance(url, SafeUrl) and same_host(root, url):
                found = await self._listing(url)
                if isinstance(found, Listing):  # a site need not have one, and its links lead on
                    await self._take(found, root, 1, scope)
        return scope

    async def _listing(self, url: SafeUrl) -> Listing | Refusal | None:
        got = await self._polite.get(url, LIMIT_BYTES)
        if isinstance(got, Refusal):
            return got
        return await _read(got)

    async def _take(self, listing: Listing, root: SafeUrl, depth: int, within: Scope | None = None) -> None:
        """Its pages, and those of the lists that it names on its own host."""
        further = [listing]
        asked: set[str] = set()
        waiting: list[str] = []
        while further:
            one = further.pop()
            self.pages += [(url, depth, changed) for url, changed in one.pages if within is None or _lies_in(url, within)]
            waiting += one.further
            while waiting and not further and len(asked) < _MOST_LISTS:
                url = parse(waiting.pop(0))
                if isinstance(url, Refusal) or not same_host(root, url) or str(url) in asked:
                    continue
                asked.add(str(url))
                found = await self._listing(url)
                if isinstance(found, Listing):
                    further.append(found)


async def _read(got: Downloaded) -> Listing | Refusal | None:
    try:
        return await anyio.to_thread.run_sync(partial(read_listing, got.body, got.url))
    except BadXML as error:
        reason = f"{got.url} cannot be read as a list of pages: {error}"
        return Refusal("library", "library.bad_list", reason, "add its pages, or the site: limen library add --crawl URL")


def _lies_in(address: str, scope: Scope) -> bool:
    url = parse(address)
    return isinstance(url, SafeUrl) and scope.holds(url)
