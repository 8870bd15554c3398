"""Tavily: search and page reading (docs.tavily.com, the endpoints `/search` and `/extract`)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row
from limen.builtin.web.answers.pages import Got
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import VendorReader
from limen.builtin.web.calling.region import COUNTRY_NAMES, region_of
from limen.builtin.web.calling.reply import rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled
from limen.core.web import Extraction, SearchRequest

# The most pages of one request, and the most seconds it may take.
_BATCH, _LONGEST_S = 20, 60.0
_KEYLESS = {"x-tavily-access-mode": "keyless"}


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


class Tavily(VendorReader):
    """The provider `tavily`. Without a key it asks only where `keyless` was chosen, and says so in a header."""

    name = "tavily"
    can = Can(
        frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "context_size", "location"}),
        max_hits=20,
        types=frozenset({"web", "news"}),
        max_chars=400,
    )

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """News only where news was asked for."""
        hits = await self._link.results(self._ask("/search", self._wish(request)), _Hit, "search", context)
        if isinstance(hits, Refusal):
            return hits
        return Found(Row(hit.url, hit.title, hit.content, hit.published_date, hit.score) for hit in hits)

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """Pages as the vendor reads them now."""

        async def read(urls: tuple[str, ...]) -> Sequence[tuple[str, Got]] | Refusal:
            wish = {
                "urls": urls, "format": "markdown", "extract_depth": "basic", "include_images": False,
                "timeout": min(_LONGEST_S, self._setup.patience_s),
            }  # fmt: skip
            got = await self._link.ask(self._ask("/extract", wish), _Read, "extract", context)
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

    def _wish(self, request: SearchRequest) -> dict[str, Any]:
        deep = request.context_size == "high"
        wish: dict[str, Any] = {
            "query": self.can.query(request),
            "max_results": min(request.limit, self.can.max_hits),
            "search_depth": "advanced" if deep else "basic",
            "topic": "news" if request.type == "news" else "general",
            "include_raw_content": False,
            "include_images": False,
        }
        country = self._country(request)
        wish |= {"country": country} if country else {}
        wish |= {"chunks_per_source": 3} if deep else {}
        wish |= {"start_date": since(request.recency_days).isoformat()} if request.recency_days is not None else {}
        wish |= {"include_domains": request.allowed_domains} if request.allowed_domains else {}
        wish |= {"exclude_domains": request.blocked_domains} if request.blocked_domains else {}
        return wish

    def _country(self, request: SearchRequest) -> str:
        """The country as the vendor spells it; news has none."""
        return "" if request.type == "news" else COUNTRY_NAMES.get(region_of(request, self._setup.location).country, "")

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        asked = {} if self._country(request) else {"region": bool(request.region), "location": bool(self._setup.location)}
        return (*super()._ignored(request), *(name for name, wanted in asked.items() if wanted))
