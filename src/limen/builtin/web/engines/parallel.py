"""Parallel: search and page reading (docs.parallel.ai, the v1 endpoints); without a key through its public MCP."""

import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row, joined, snippet_chars
from limen.builtin.web.answers.pages import Got
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.mcp_call import ToolText, call_tool
from limen.builtin.web.calling.provider import PublicReader
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode, results_of, rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled
from limen.core.web import Extraction, SearchRequest
from limen.kit.text import clip

PUBLIC_URL = "https://search.parallel.ai/mcp"
# The question is told whole as the goal of a search, and in short as the query.
_GOAL_CHARS, _QUERY_CHARS = 5_000, 200
_KEYED = Can(
    frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "context_size", "live", "location"}),
    max_hits=40,
    max_chars=_GOAL_CHARS,
)
_KEYLESS = Can(max_hits=10, max_chars=_GOAL_CHARS)
_BATCH = 20
# The youngest copy that may be asked for.
_LIVE_S = 600


class _Hit(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    publish_date: str | None = None
    excerpts: tuple[str, ...] | None = None
    full_content: str | None = None


class _Read(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]
    errors: list[msgspec.Raw] | None = None


class _Lost(msgspec.Struct, frozen=True):
    url: str
    error_type: str | None = None
    http_status_code: int | None = None
    content: str | None = None


class Parallel(PublicReader):
    """The provider `parallel`."""

    name = "parallel"
    public_url = PUBLIC_URL
    can = _KEYED
    can_without_key = _KEYLESS

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """Each with the excerpts that answer the query."""
        goal = {"objective": self._can(request).query(request), "search_queries": [clip(request.query, _QUERY_CHARS)]}
        if self._setup.key:
            ask = Ask("/v1/search", body={**goal, **self._wish(request)})
            hits = await self._link.results(ask, _Hit, "search", context)
        else:
            got = await call_tool(self._public, "web_search", {**goal, "session_id": _session()}, "search", context)
            hits = got if isinstance(got, Refusal) else results_of(got.json, _Hit, "search", self.name)
        if isinstance(hits, Refusal):
            return hits
        return Found(Row(hit.url, hit.title, joined(hit.excerpts or ()), hit.publish_date) for hit in hits)

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """Whole pages, no older than the vendor can be asked for."""
        if self._setup.key:
            return await self._pages.batched(request, lambda urls: self._read(urls, context), context, size=_BATCH)
        ignored = ("fresh",) if request.fresh else ()
        return await self._pages.each(request, lambda url: self._fetched(url, context), context, ignored)

    async def _read(self, urls: tuple[str, ...], context: CallContext) -> Sequence[tuple[str, Got]] | Refusal:
        policy = {"max_age_seconds": _LIVE_S, "timeout_seconds": self._setup.patience_s}
        settings = {"full_content": True, "fetch_policy": policy}
        reply = await self._link.send(Ask("/v1/extract", body={"urls": urls, "advanced_settings": settings}), "extract", context)
        return reply if isinstance(reply, Refusal) else self._got(reply.body)

    async def _fetched(self, url: str, context: CallContext) -> Got | Refusal:
        wish = {"urls": [url], "objective": "Read the whole page.", "session_id": _session()}
        got = await call_tool(self._public, "web_fetch", wish, "extract", context)
        if isinstance(got, Refusal):
            return got
        if not _is_json(got):
            return Got(markdown=got.text)
        pages = self._got(got.json)
        if isinstance(pages, Refusal):
            return pages
        # One address was asked for, so whatever came back is about it.
        return next((page for _, page in pages if not page.problem), pages[0][1] if pages else Got(problem="no result"))

    def _got(self, body: bytes) -> Sequence[tuple[str, Got]] | Refusal:
        read = decode(body, _Read, "extract", self.name)
        if isinstance(read, Refusal):
            return read
        pages = rows_of(read.results, _Hit, "extract", self.name)
        lost = rows_of(read.errors or [], _Lost, "extract", self.name)
        failed = [] if isinstance(lost, Refusal) else [_failure(one) for one in lost]
        if isinstance(pages, Refusal):
            return failed or pages
        return [*((page.url, _page(page)) for page in pages), *failed]

    def _wish(self, request: SearchRequest) -> dict[str, Any]:
        source: dict[str, Any] = {}
        source |= {"include_domains": request.allowed_domains} if request.allowed_domains else {}
        source |= {"exclude_domains": request.blocked_domains} if request.blocked_domains else {}
        source |= {"after_date": since(request.recency_days).isoformat()} if request.recency_days is not None else {}
        settings: dict[str, Any] = {
            "max_results": min(request.limit, _KEYED.max_hits),
            "excerpt_settings": {"max_chars_per_result": snippet_chars(request)},
        }
        country = region_of(request, self._setup.location).country
        settings |= {"location": country} if country else {}
        settings |= {"source_policy": source} if source else {}
        settings |= {"fetch_policy": {"max_age_seconds": _LIVE_S}} if request.live else {}
        return {"mode": "advanced" if request.context_size == "high" else "basic", "advanced_settings": settings}


def _session() -> str:
    """The vendor groups calls by this; a new one each time groups none."""
    return secrets.token_hex(16)


def _is_json(got: ToolText) -> bool:
    return bool(got.structured) or got.text.lstrip()[:1] == "{"


def _page(row: _Hit) -> Got:
    text = row.full_content or joined(row.excerpts or ())
    return Got(row.url, row.title or "", text, published=row.publish_date or "")


def _failure(one: _Lost) -> tuple[str, Got]:
    return one.url, Got(problem=one.error_type or one.content or "no reason given", status=one.http_status_code)
