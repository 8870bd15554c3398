"""Keenable: search and page reading (docs.keenable.ai, `/v1/search` and `/v1/fetch`); without a key on its public paths."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Row, answer, refused, snippet_chars
from limen.builtin.web.answers.pages import Got, PageMaker
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import Setup, link_of, no_key
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, SearchAnswer, SearchRequest

_ONE_SITE = Can(frozenset({"allowed_domains", "recency_days", "context_size"}), max_hits=20)
_MANY_SITES = Can(_ONE_SITE.options - {"allowed_domains"}, max_hits=20)
_PAGE_CHARS = 500_000
# The public paths want to know which program asks.
_TITLE: Mapping[str, str] = {"x-keenable-title": "Limen"}


class _Found(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]


class _Hit(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    snippet: str | None = None
    description: str | None = None
    published_at: str | None = None


class _PageRow(msgspec.Struct, frozen=True):
    content: str | None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    published_at: str | None = None
    acquired_at: str | None = None


class Keenable:
    """The provider `keenable`. With a key it reads pages live, without one from the vendor's index."""

    name = "keenable"
    vendor = vendor_table()[name]

    def __init__(self, setup: Setup, reader: Reader) -> None:
        self._setup = setup
        self._link = link_of(self.vendor, setup)
        self._pages = PageMaker(self.name, reader)
        self._public = "" if setup.key else "/public"

    def unavailable(self) -> Refusal | None:
        """A key is missing and nothing else is allowed."""
        return no_key(self.vendor, self._setup)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits, best first; the vendor decides how many there are."""
        can = _MANY_SITES if len(request.allowed_domains) > 1 else _ONE_SITE
        reply = can.refuse(request, self.name) or await self._link.send(
            Ask(f"/v1/search{self._public}", body=_wish(request), headers=_TITLE), "search", context
        )
        found = reply if isinstance(reply, Refusal) else decode(reply.body, _Found, "search", self.name)
        hits = found if isinstance(found, Refusal) else rows_of(found.results, _Hit, "search", self.name)
        if isinstance(hits, Refusal):
            return refused(self.name, hits)
        rows = [Row(hit.url, hit.title, hit.snippet or hit.description, hit.published_at) for hit in hits]
        return answer(self.name, rows, request, ignored=can.ignored(request, self._setup.location))

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """One request for each page."""

        async def read(url: str) -> Got | Refusal:
            query: dict[str, str | int] = {"url": url, "max_chars": _PAGE_CHARS}
            query |= {"live": "true"} if self._setup.key else {}
            reply = await self._link.send(Ask(f"/v1/fetch{self._public}", query, headers=_TITLE), "extract", context)
            page = reply if isinstance(reply, Refusal) else decode(reply.body, _PageRow, "extract", self.name)
            return page if isinstance(page, Refusal) else self._got(page)

        ignored = ("fresh",) if request.fresh and not self._setup.key else ()
        return await self._pages.each(request, read, context, ignored)

    def _got(self, page: _PageRow) -> Got:
        return Got(
            page.url or "",
            page.title or "",
            page.content or "",
            author=page.author or "",
            published=page.published_at or "",
            snapshot_at="" if self._setup.key else page.acquired_at or "",
        )


def _wish(request: SearchRequest) -> dict[str, Any]:
    wish: dict[str, Any] = {"query": request.query, "mode": "pro", "snippet_max_length": snippet_chars(request)}
    if len(request.allowed_domains) == 1:
        wish["site"] = request.allowed_domains[0]
    if request.recency_days is not None:
        wish["published_after"] = since(request.recency_days).isoformat()
    return wish
