"""The index of a documentation site as the site itself gives it: found, read within bounds, kept for a while."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from anyio import to_thread

from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.domains.page_list import Listed, page_of
from limen.builtin.web.domains.sphinx_inventory import read_inventory
from limen.core.fault import Refusal
from limen.kit.clock import Clock, monotonic_s
from limen.kit.log import failed_open
from limen.kit.plain_xml import BadXML
from limen.kit.sitemap import Sitemap, read_sitemap, sitemaps_in
from limen.net.host import lies_in

if TYPE_CHECKING:
    from limen.builtin.web.sites import FetchIndex
    from limen.net.fetch import Fetch

_FRONT_BYTES, _ROBOTS_BYTES = 2_000_000, 500_000
_FILE_BYTES, _UNPACKED_BYTES = 10_000_000, 20_000_000
# How many sitemaps of an index are read, and how many pages of a site are held.
_MOST_SITEMAPS = 4
_MOST_ENTRIES = 60_000
_KEPT_SITES, _KEPT_S = 4, 1_200.0
_SPHINX = re.compile(
    rb'_static/documentation_options\.js|name="generator" content="[^"]{0,60}Sphinx|objects\.inv|searchindex\.js', re.IGNORECASE
)


class SiteIndexes:
    """Indexes by host. `fetch` takes every address past the gates."""

    def __init__(self, fetch: "FetchIndex", clock: Clock = monotonic_s) -> None:
        self._fetch = fetch
        self._clock = clock
        self._kept: dict[str, tuple[float, tuple[Listed, ...]]] = {}

    async def of(self, host: str, question: Sequence[str]) -> tuple[Listed, ...] | Refusal:
        """What the site lists; of many sitemaps those that the question's words point to. Code: `search.no_index`."""
        until, entries = self._kept.get(host, (0.0, ()))
        if self._clock() < until:
            return entries
        found = await self._read(host, question)
        if isinstance(found, Refusal):
            return found
        entries, whole = found
        if whole:
            self._keep(host, entries)
        return entries

    def _keep(self, host: str, entries: tuple[Listed, ...]) -> None:
        self._kept.pop(host, None)
        while len(self._kept) >= _KEPT_SITES:
            self._kept.pop(next(iter(self._kept)))
        self._kept[host] = (self._clock() + _KEPT_S, entries)

    async def _read(self, host: str, question: Sequence[str]) -> tuple[tuple[Listed, ...], bool] | Refusal:
        front = await self._fetch(f"https://{host}/", _FRONT_BYTES)
        if isinstance(front, Refusal) and not _only_this_page(front):
            return front
        if not isinstance(front, Refusal) and _SPHINX.search(front.body):
            symbols = await self._symbols(front)
            if symbols:
                return symbols, True
        return await self._pages(host, question)

    async def _symbols(self, front: "Fetch") -> tuple[Listed, ...]:
        base = urljoin(front.final_url, ".")
        fetched = await self._fetch(urljoin(base, "objects.inv"), _FILE_BYTES)
        if isinstance(fetched, Refusal):
            return ()
        try:
            inventory = await to_thread.run_sync(read_inventory, fetched.body, urljoin(fetched.final_url, "."), _UNPACKED_BYTES)
        except BadXML as error:
            failed_open("search.bad_index", f"{fetched.final_url}: {error}")
            return ()
        of = f"{inventory.project} {inventory.version}".strip()
        home = urlsplit(fetched.final_url).hostname or ""
        return tuple(
            Listed(symbol.name, symbol.url, f"{symbol.role.replace(':', ' ')}, {of}")
            for symbol in inventory.symbols[:_MOST_ENTRIES]
            if _same_site(symbol.url, home)
        )

    async def _pages(self, host: str, question: Sequence[str]) -> tuple[tuple[Listed, ...], bool] | Refusal:
        robots = await self._fetch(f"https://{host}/robots.txt", _ROBOTS_BYTES)
        named = [] if isinstance(robots, Refusal) else sitemaps_in(robots.body)
        waiting = [url for url in named if _same_site(url, host)] or [f"https://{host}/sitemap.xml"]
        pages: dict[str, None] = {}
        refusal: Refusal | None = None
        seen: set[str] = set()
        while waiting and len(seen) < _MOST_SITEMAPS + 1 and len(pages) < _MOST_ENTRIES:
            waiting = [url for url in _pointed_to(waiting, question) if url not in seen]
            if not waiting:
                break
            url = waiting.pop(0)
            seen.add(url)
            found = await self._sitemap(url)
            if isinstance(found, Refusal):
                refusal = refusal or found
                continue
            pages |= dict.fromkeys(page for page in found.pages if _same_site(page, host))
            waiting += [one for one in found.sitemaps if _same_site(one, host)]
        if not pages:
            return refusal or Refusal("docs-sitemap", "search.no_index", f"{host} lists no pages.", "choose another provider")
        listed = [page for url in list(pages)[:_MOST_ENTRIES] if (page := page_of(url)) is not None]
        return tuple(listed), not waiting

    async def _sitemap(self, url: str) -> Sitemap | Refusal:
        fetched = await self._fetch(url, _FILE_BYTES)
        if isinstance(fetched, Refusal):
            return fetched if not _only_this_page(fetched) else _no_index(url, fetched.reason)
        try:
            return await to_thread.run_sync(read_sitemap, fetched.body, _UNPACKED_BYTES)
        except BadXML as error:
            return _no_index(url, quoted(str(error)))


def _no_index(url: str, why: str) -> Refusal:
    host = urlsplit(url).hostname or url
    reason = f"{host} has no index that can be read: {why}."
    return Refusal("docs-sitemap", "search.no_index", reason, "choose another provider", {"host": host})


def _only_this_page(refusal: Refusal) -> bool:
    """Whether another page of the same site may be there all the same."""
    status = refusal.detail.get("status")
    return refusal.code in ("network.too_large", "network.encoding") or (
        isinstance(status, int) and status in (403, 404, 406, 410)
    )


def _same_site(url: str, host: str) -> bool:
    try:
        other = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    return lies_in(other, host) or lies_in(host, other) or other == f"www.{host}"


def _pointed_to(sitemaps: Sequence[str], question: Sequence[str]) -> list[str]:
    """Sitemaps whose addresses hold more of the question's words first, the others in their order."""
    asked = [word.lower() for word in question]
    return sorted(sitemaps, key=lambda url: -sum(word in url.lower() for word in asked))
