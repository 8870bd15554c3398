"""Firecrawl: search and page reading (docs.firecrawl.dev, the v2 endpoints).

At the vendor with or without a key, at an instance of one's own, or through a managed gateway.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import published, since
from limen.builtin.web.answers.hits import Can, Found, Row, joined
from limen.builtin.web.answers.pages import Got
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, VendorReader, link_of
from limen.builtin.web.calling.refusing import Kind, refuse, said_in
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, Location, SearchRequest


class _Groups(msgspec.Struct, frozen=True):
    web: list[msgspec.Raw] | None = None
    news: list[msgspec.Raw] | None = None
    images: list[msgspec.Raw] | None = None


class _Found(msgspec.Struct, frozen=True):
    data: _Groups | list[msgspec.Raw]
    success: bool = True


class _Hit(msgspec.Struct, frozen=True, rename="camel"):
    url: str
    title: str | None = None
    description: str | None = None
    snippet: str | None = None
    date: str | None = None
    markdown: str | None = None
    image_url: str | None = None
    image_width: int | None = None
    image_height: int | None = None


class _About(msgspec.Struct, frozen=True, rename="camel"):
    title: str | list[str] | None = None
    url: str | None = None
    status_code: int | None = None
    error: str | None = None
    cached_at: str | None = None
    published_time: str | list[str] | None = None


class _Document(msgspec.Struct, frozen=True):
    markdown: str | None = None
    html: str | None = None
    metadata: _About = _About()


class _Read(msgspec.Struct, frozen=True):
    data: _Document
    success: bool = True


class _Mistake(msgspec.Struct, frozen=True):
    code: str = ""


class Firecrawl(VendorReader):
    """The provider `firecrawl`. For an instance or gateway give its `base_url`, and its token as a key bound to that address."""

    name = "firecrawl"
    can = Can(
        frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "context_size", "location"}),
        types=frozenset({"web", "news", "images"}),
        operators=True,
        max_chars=500,
    )

    def __init__(self, setup: Setup, reader: Reader) -> None:
        super().__init__(setup, reader)
        self._scraper = link_of(self.vendor, setup, _of_a_page)

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """With `context_size` high the vendor reads each page as well."""
        found = await self._link.ask(Ask("/v2/search", body=self._wish(request)), _Found, "search", context)
        hits = found if isinstance(found, Refusal) else self._hits(found, request)
        return hits if isinstance(hits, Refusal) else Found(map(_row, hits))

    def _hits(self, found: _Found, request: SearchRequest) -> list[_Hit] | Refusal:
        """Older instances give one list, newer ones a list for each type, and leave out those that are empty."""
        if not found.success:
            return refuse("search", "failed", self.name, f"{self.name} answered that it did not succeed.")
        groups = found.data if isinstance(found.data, _Groups) else _Groups(found.data, found.data, found.data)
        rows = {"web": groups.web, "news": groups.news, "images": groups.images}[request.type]
        return rows_of(rows or [], _Hit, "search", self.name)

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """One request for each page, read now rather than from the vendor's store."""
        formats = ["html" if request.format == "html" else "markdown"]
        wish = {"formats": formats, "onlyMainContent": True, "maxAge": 0, "timeout": int(self._setup.patience_s * 1_000)}

        async def read(url: str) -> Got | Refusal:
            page = await self._scraper.ask(Ask("/v2/scrape", body={"url": url, **wish}), _Read, "extract", context)
            if isinstance(page, Refusal):
                return page
            if not page.success:
                return refuse("extract", "failed", self.name, f"{self.name} answered that it did not succeed.")
            return _got(page.data)

        return await self._pages.each(request, read, context)

    def _wish(self, request: SearchRequest) -> dict[str, Any]:
        wish: dict[str, Any] = {
            "query": self.can.query(request),
            "limit": min(request.limit, self.can.max_hits),
            "sources": [{"type": request.type}],
        }
        country = region_of(request, self._setup.location).country
        wish |= {"country": country.upper()} if country else {}
        place = _place(self._setup.location)
        wish |= {"location": place} if place and not request.region else {}
        if request.recency_days is not None:
            first, last = since(request.recency_days), datetime.now(UTC).date()
            wish["tbs"] = f"cdr:1,cd_min:{first:%m/%d/%Y},cd_max:{last:%m/%d/%Y}"
        if request.context_size == "high" and request.type != "images":
            wish["scrapeOptions"] = {"formats": ["markdown"], "onlyMainContent": True}
        return wish


def _of_a_page(reply: Reply) -> Kind | None:
    """Some statuses speak of the page, not of the key: a site that is not served, a page that could not be read."""
    try:
        code = msgspec.json.decode(reply.body, type=_Mistake).code
    except (msgspec.DecodeError, RecursionError):
        code = ""
    unsupported = reply.status == 403 and "support" in said_in(reply.body).lower()
    return "page_failed" if unsupported or code.startswith("SCRAPE_") else None


def _row(hit: _Hit) -> Row:
    text = hit.markdown or joined([hit.description or hit.snippet or ""])
    return Row(hit.url, hit.title, text, hit.date, image_url=hit.image_url, width=hit.image_width, height=hit.image_height)


def _got(document: _Document) -> Got:
    about = document.metadata
    return Got(
        about.url or "",
        _first(about.title),
        document.markdown or "",
        document.html or "",
        published=_first(about.published_time),
        status=about.status_code,
        problem=about.error or "",
        snapshot_at=published(about.cached_at),
    )


def _first(value: str | list[str] | None) -> str:
    return (value[0] if value else "") if isinstance(value, list) else value or ""


def _place(location: Location) -> str:
    return ",".join(part for part in (location.city, location.region) if part)
