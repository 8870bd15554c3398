"""Tavily: search and page reading (docs.tavily.com, the endpoints `/search` and `/extract`)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Row, answer, refused
from limen.builtin.web.answers.pages import Got, PageMaker
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import Setup, link_of, no_key
from limen.builtin.web.calling.region import COUNTRY_NAMES, region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, SearchAnswer, SearchRequest

_CAN = Can(
    frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "context_size", "location"}),
    max_hits=20,
    types=frozenset({"web", "news"}),
)
_BATCH = 20
# The vendor is to give up before we do, so that the pages it has are kept.
_MARGIN_S = 5.0
_KEYLESS = {"x-tavily-access-mode": "keyless"}


class _Found(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]


class _Hit(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    content: str | None = None
    score: float | None = None
    published_date: str | None = None


class _Read(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]
    failed_results: list[msgspec.Raw] = []


class _PageRow(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    raw_content: str | None = None
    content: str | None = None


class _FailedRow(msgspec.Struct, frozen=True):
    url: str
    error: str | None = None


class Tavily:
    """The provider `tavily`. Without a key it asks only where `keyless` was chosen, and says so in a header."""

    name = "tavily"
    vendor = vendor_table()[name]

    def __init__(self, setup: Setup, reader: Reader) -> None:
        self._setup = setup
        self._link = link_of(self.vendor, setup)
        self._pages = PageMaker(self.name, reader)

    def unavailable(self) -> Refusal | None:
        """A key is missing."""
        return no_key(self.vendor, self._setup)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits, best first; news only where news was asked for."""
        unfit = _CAN.refuse(request, self.name)
        if unfit is not None:
            return refused(self.name, unfit)
        country = COUNTRY_NAMES.get(region_of(request, self._setup.location).country, "")
        reply = await self._link.send(self._ask("/search", self._wish(request, country)), "search", context)
        found = reply if isinstance(reply, Refusal) else decode(reply.body, _Found, "search", self.name)
        hits = found if isinstance(found, Refusal) else rows_of(found.results, _Hit, "search", self.name)
        if isinstance(hits, Refusal):
            return refused(self.name, hits)
        rows = [Row(hit.url, hit.title, hit.content, hit.published_date, hit.score) for hit in hits]
        return answer(self.name, rows, request, ignored=self._ignored(request, country))

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """Pages as the vendor reads them now."""

        async def read(urls: tuple[str, ...]) -> Sequence[tuple[str, Got]] | Refusal:
            timeout_s = max(1.0, min(60.0, self._link.limits.timeout_s - _MARGIN_S))
            wish = {"urls": urls, "format": "markdown", "extract_depth": "basic", "include_images": False, "timeout": timeout_s}
            reply = await self._link.send(self._ask("/extract", wish), "extract", context)
            got = reply if isinstance(reply, Refusal) else decode(reply.body, _Read, "extract", self.name)
            return got if isinstance(got, Refusal) else self._got(got)

        return await self._pages.batched(request, read, context, size=_BATCH)

    def _got(self, read: _Read) -> Sequence[tuple[str, Got]] | Refusal:
        pages = rows_of(read.results, _PageRow, "extract", self.name)
        failed = rows_of(read.failed_results, _FailedRow, "extract", self.name)
        if isinstance(pages, Refusal):
            return pages
        got = [(page.url, Got(page.url, page.title or "", page.raw_content or page.content or "")) for page in pages]
        lost = [] if isinstance(failed, Refusal) else [(one.url, Got(problem=one.error or "no reason given")) for one in failed]
        return [*got, *lost]

    def _ask(self, path: str, wish: dict[str, Any]) -> Ask:
        return Ask(path, body=wish, headers={} if self._setup.key else _KEYLESS)

    def _wish(self, request: SearchRequest, country: str) -> dict[str, Any]:
        deep = request.context_size == "high"
        news = request.type == "news"
        wish: dict[str, Any] = {
            "query": request.query,
            "max_results": min(request.limit, _CAN.max_hits),
            "search_depth": "advanced" if deep else "basic",
            "topic": "news" if news else "general",
            "include_raw_content": False,
            "include_images": False,
        }
        if deep:
            wish["chunks_per_source"] = 3
        if request.recency_days is not None:
            wish["start_date"] = since(request.recency_days).isoformat()
        if country and not news:
            wish["country"] = country
        wish |= {"include_domains": request.allowed_domains} if request.allowed_domains else {}
        wish |= {"exclude_domains": request.blocked_domains} if request.blocked_domains else {}
        return wish

    def _ignored(self, request: SearchRequest, country: str) -> tuple[str, ...]:
        left = _CAN.ignored(request, self._setup.location)
        if country and request.type != "news":
            return left
        asked = {"region": bool(request.region), "location": bool(self._setup.location)}
        return (*left, *(name for name, wanted in asked.items() if wanted))
