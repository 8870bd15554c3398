"""Keenable: search and page reading (docs.keenable.ai, `/v1/search` and `/v1/fetch`); without a key on its public paths."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row, snippet_chars
from limen.builtin.web.answers.pages import Got
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import Setup, VendorReader
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, SearchRequest

_ONE_SITE = Can(frozenset({"allowed_domains", "recency_days", "context_size"}), max_hits=20)
_MANY_SITES = Can(_ONE_SITE.options - {"allowed_domains"}, max_hits=20)
_PAGE_CHARS = 500_000
# The public paths want to know which program asks.
_TITLE: Mapping[str, str] = {"x-keenable-title": "Limen"}


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


class Keenable(VendorReader):
    """The provider `keenable`. With a key it reads pages live, without one from the vendor's index.

    The vendor decides how many hits there are.
    """

    name = "keenable"

    def __init__(self, setup: Setup, reader: Reader) -> None:
        super().__init__(setup, reader)
        self._public = "" if setup.key else "/public"

    def _can(self, request: SearchRequest) -> Can:
        return _MANY_SITES if len(request.allowed_domains) > 1 else _ONE_SITE

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        ask = Ask(f"/v1/search{self._public}", body=_wish(request), headers=_TITLE)
        hits = await self._link.results(ask, _Hit, "search", context)
        if isinstance(hits, Refusal):
            return hits
        return Found(Row(hit.url, hit.title, hit.snippet or hit.description, hit.published_at) for hit in hits)

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """One request for each page."""

        async def read(url: str) -> Got | Refusal:
            query: dict[str, str | int] = {"url": url, "max_chars": _PAGE_CHARS}
            query |= {"live": "true"} if self._setup.key else {}
            ask = Ask(f"/v1/fetch{self._public}", query, headers=_TITLE)
            page = await self._link.ask(ask, _PageRow, "extract", context)
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
