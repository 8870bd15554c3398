"""Brave Search: web, news, images and the LLM-context endpoint (api-dashboard.search.brave.com).

`brave-free` uses the web search alone.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Row, answer, joined, refused, site_query, snippet_chars
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, link_of, no_key
from limen.builtin.web.calling.refusing import Kind
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Location, SearchAnswer, SearchRequest

_COMMON = frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "location"})
_FREE = Can(_COMMON, max_hits=20)
_PAID = Can(_COMMON | {"context_size"}, max_hits=20, types=frozenset({"web", "news", "images"}))
_CONTEXT = Can(_PAID.options, max_hits=50, types=_PAID.types)
_QUERY_CHARS = 400
_QUERY_WORDS = 50
# About four characters a token, in English; the endpoint takes 8,192 at most for one page.
_CHARS_PER_TOKEN = 4
_PAGE_TOKENS = 8_192
_CODES: Mapping[str, Kind] = {
    "SUBSCRIPTION_TOKEN_INVALID": "auth", "SUBSCRIPTION_NOT_FOUND": "auth", "RESOURCE_NOT_ALLOWED": "billing",
    "OPTION_NOT_IN_PLAN": "billing", "QUOTA_LIMITED": "quota", "RATE_LIMITED": "rate_limited",
}  # fmt: skip


class _Row(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    description: str | None = None
    age: str | None = None
    page_age: str | None = None
    extra_snippets: tuple[str, ...] | None = None


class _Size(msgspec.Struct, frozen=True):
    url: str | None = None
    width: int | None = None
    height: int | None = None


class _Image(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    properties: _Size = _Size()


class _Rows(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]


class _WebAnswer(msgspec.Struct, frozen=True):
    """`web` is left out when nothing was found; `type` tells a search's answer from an error's."""

    type: Literal["search"]
    web: _Rows | None = None


class _Passages(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    snippets: tuple[str, ...] = ()


class _Grounding(msgspec.Struct, frozen=True):
    generic: list[msgspec.Raw] = []


class _Source(msgspec.Struct, frozen=True):
    title: str | None = None
    age: tuple[str, ...] | None = None


class _ContextAnswer(msgspec.Struct, frozen=True):
    grounding: _Grounding
    sources: dict[str, _Source] = {}


class _Mistake(msgspec.Struct, frozen=True):
    code: str = ""


class _ErrorAnswer(msgspec.Struct, frozen=True):
    error: _Mistake


class Brave:
    """The providers `brave` and `brave-free`."""

    def __init__(self, setup: Setup, *, free: bool = False) -> None:
        self.name = "brave-free" if free else "brave"
        self.vendor = vendor_table()[self.name]
        self._free = free
        self._setup = setup
        self._link = link_of(self.vendor, setup, _classify)

    def unavailable(self) -> Refusal | None:
        """A key is missing."""
        return no_key(self.vendor, self._setup)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits, best first; with `context_size` high, passages of each page from the LLM-context endpoint."""
        whole = not self._free and request.context_size == "high" and request.type == "web"
        can = _FREE if self._free else _CONTEXT if whole else _PAID
        rows = can.refuse(request, self.name) or await self._found(request, context, can, whole=whole)
        if isinstance(rows, Refusal):
            return refused(self.name, rows)
        return answer(self.name, rows, request, ignored=can.ignored(request, self._setup.location))

    async def _found(self, request: SearchRequest, context: CallContext, can: Can, *, whole: bool) -> list[Row] | Refusal:
        reply = await self._link.send(self._ask(request, can, whole=whole), "search", context)
        return reply if isinstance(reply, Refusal) else self._rows(reply.body, request, whole=whole)

    def _rows(self, body: bytes, request: SearchRequest, *, whole: bool) -> list[Row] | Refusal:
        if whole:
            return self._passages(body)
        if request.type == "images":
            return self._images(body)
        if request.type == "news" and not self._free:
            rows = decode(body, _Rows, "search", self.name)
        else:
            found = decode(body, _WebAnswer, "search", self.name)
            rows = found if isinstance(found, Refusal) else found.web or _Rows([])
        hits = rows if isinstance(rows, Refusal) else rows_of(rows.results, _Row, "search", self.name)
        return hits if isinstance(hits, Refusal) else [_row(hit) for hit in hits]

    def _images(self, body: bytes) -> list[Row] | Refusal:
        found = decode(body, _Rows, "search", self.name)
        images = found if isinstance(found, Refusal) else rows_of(found.results, _Image, "search", self.name)
        if isinstance(images, Refusal):
            return images
        return [
            Row(one.url, one.title, image_url=one.properties.url, width=one.properties.width, height=one.properties.height)
            for one in images
        ]

    def _passages(self, body: bytes) -> list[Row] | Refusal:
        found = decode(body, _ContextAnswer, "search", self.name)
        if isinstance(found, Refusal):
            return found
        pages = rows_of(found.grounding.generic, _Passages, "search", self.name)
        if isinstance(pages, Refusal):
            return pages
        rows: list[Row] = []
        for page in pages:
            source = found.sources.get(page.url, _Source())
            rows.append(Row(page.url, page.title or source.title, joined(page.snippets), _day(source.age)))
        return rows

    def _ask(self, request: SearchRequest, can: Can, *, whole: bool) -> Ask:
        region = region_of(request, self._setup.location)
        count = min(request.limit, can.max_hits)
        query: dict[str, str | int] = {"q": _short(site_query(request)), "count": count}
        query |= {"country": region.country.upper()} if region.country else {}
        query |= {"search_lang": region.language} if region.language else {}
        if request.recency_days is not None:
            query["freshness"] = f"{since(request.recency_days).isoformat()}to{datetime.now(UTC).date().isoformat()}"
        path = "/web/search"
        if whole:
            path = "/llm/context"
            tokens = max(256, min(_PAGE_TOKENS, snippet_chars(request) // _CHARS_PER_TOKEN))
            query |= {"maximum_number_of_urls": count, "maximum_number_of_tokens_per_url": tokens}
        elif request.type != "web" and not self._free:
            path = f"/{request.type}/search"
        else:
            query |= {"result_filter": "web", "text_decorations": "false"}
            query |= {"extra_snippets": "true"} if request.context_size == "medium" and not self._free else {}
        return Ask(path, query, headers=_place(self._setup.location))


def _row(hit: _Row) -> Row:
    return Row(
        hit.url, hit.title, joined([hit.description or "", *(hit.extra_snippets or ())]), hit.page_age or hit.age, markup=True
    )


def _day(ages: tuple[str, ...] | None) -> str:
    """The vendor gives a source's age in several ways; one of them is a date."""
    given = ages or ()
    return next((age for age in given if len(age) >= 10 and age[:4].isdigit()), given[0] if given else "")


def _short(query: str) -> str:
    """As much of a query as the vendor takes."""
    return " ".join(query.split()[:_QUERY_WORDS])[:_QUERY_CHARS]


def _place(location: Location) -> dict[str, str]:
    """The person's place in the vendor's headers, as far as a header can say it."""
    said = {
        "x-loc-country": location.country.upper(),
        "x-loc-state-name": location.region,
        "x-loc-city": location.city,
        "x-loc-timezone": location.timezone,
    }
    return {name: value for name, value in said.items() if value and value.isascii() and value.isprintable()}


def _classify(reply: Reply) -> Kind | None:
    """The vendor's own code says more than its status: a wrong key is a 422."""
    try:
        code = msgspec.json.decode(reply.body, type=_ErrorAnswer).error.code
    except (msgspec.DecodeError, RecursionError):
        return None
    return _CODES.get(code)
