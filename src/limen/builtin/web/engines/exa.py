"""Exa: search and page reading (exa.ai/docs, the endpoints `/search` and `/contents`); without a key through its public MCP.

The public endpoint gives text, not JSON. Of several hits in one text a page's own words could imitate the next hit's head; what
comes of it is one more candidate that a stranger named, and candidates are strangers' anyway.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row, joined, snippet_chars
from limen.builtin.web.answers.pages import Got
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.mcp_call import call_tool
from limen.builtin.web.calling.provider import PublicReader
from limen.builtin.web.calling.refusing import refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled
from limen.core.web import Extraction, SearchRequest

PUBLIC_URL = "https://mcp.exa.ai/mcp"
_KEYED = Can(
    frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "context_size", "live", "location"}),
    types=frozenset({"web", "news"}),
)
_BATCH = 100
_PAGE_CHARS = 500_000
_BLOCKS = re.compile(r"\n-{3,}\s*\n(?=Title:)")
_HEAD = re.compile(r"(Title|URL|Published(?: Date)?|Author):\s*(.*)")
_BODY = re.compile(r"(?:Highlights|Text|Content|Summary):\s*(.*)")
_NONE = re.compile(r"no (?:search )?results found|no content found", re.IGNORECASE)
_MISSED = re.compile(r"\AError fetching (?:URL\(s\): )?")


class _Hit(msgspec.Struct, frozen=True, rename="camel"):
    url: str
    title: str | None = None
    published_date: str | None = None
    score: float | None = None
    highlights: tuple[str, ...] | None = None
    text: str | None = None


class _Read(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]
    statuses: list[msgspec.Raw] = []


class _PageRow(msgspec.Struct, frozen=True, rename="camel"):
    url: str
    id: str = ""
    title: str | None = None
    author: str | None = None
    published_date: str | None = None
    text: str | None = None


class _Cause(msgspec.Struct, frozen=True, rename="camel"):
    tag: str = ""
    http_status_code: int | None = None


class _Status(msgspec.Struct, frozen=True):
    id: str
    status: str = ""
    error: _Cause | None = None


class Exa(PublicReader):
    """The provider `exa`."""

    name = "exa"
    public_url = PUBLIC_URL
    can = _KEYED

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        if not self._setup.key:
            return await self._keyless(request, context)
        hits = await self._link.results(Ask("/search", body=self._wish(request)), _Hit, "search", context)
        if isinstance(hits, Refusal):
            return hits
        return Found(
            Row(hit.url, hit.title, hit.text or joined(hit.highlights or ()), hit.published_date, hit.score) for hit in hits
        )

    async def _keyless(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        wish = {"query": request.query, "numResults": request.limit}
        got = await call_tool(self._public, "web_search_exa", wish, "search", context)
        if isinstance(got, Refusal):
            return got
        rows = [_row(block) for block in _BLOCKS.split(got.text)]
        known = [row for row in rows if row is not None]
        if not known and not _NONE.search(got.text[:200]):
            return refuse("search", "malformed", self.name, f"{self.name} answered in a form that is not known here.")
        return Found(known)

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """Pages read now; an older copy is not asked for."""
        if self._setup.key:
            return await self._pages.batched(request, lambda urls: self._contents(urls, context), context, size=_BATCH)
        ignored = ("fresh",) if request.fresh else ()
        return await self._pages.each(request, lambda url: self._fetched(url, context), context, ignored)

    async def _contents(self, urls: tuple[str, ...], context: CallContext) -> Sequence[tuple[str, Got]] | Refusal:
        wish = {"urls": urls, "text": True, "maxAgeHours": 0, "livecrawlTimeout": int(self._setup.patience_s * 1_000)}
        read = await self._link.ask(Ask("/contents", body=wish), _Read, "extract", context)
        if isinstance(read, Refusal):
            return read
        pages = rows_of(read.results, _PageRow, "extract", self.name)
        statuses = rows_of(read.statuses, _Status, "extract", self.name)
        failed = [] if isinstance(statuses, Refusal) else [_lost(one) for one in statuses if one.status == "error"]
        if isinstance(pages, Refusal):
            return failed or pages
        return [*_addressed(pages), *failed]

    async def _fetched(self, url: str, context: CallContext) -> Got | Refusal:
        wish = {"urls": [url], "maxCharacters": _PAGE_CHARS}
        got = await call_tool(self._public, "web_fetch_exa", wish, "extract", context)
        return got if isinstance(got, Refusal) else _page(got.text)

    def _wish(self, request: SearchRequest) -> dict[str, Any]:
        chars = snippet_chars(request)
        contents: dict[str, Any] = {"highlights": {"maxCharacters": chars}}
        if request.context_size == "high":
            contents = {"text": {"maxCharacters": chars}}
        if request.live:
            contents["maxAgeHours"] = 0
        wish: dict[str, Any] = {"query": request.query, "type": "auto", "numResults": request.limit, "contents": contents}
        country = region_of(request, self._setup.location).country
        wish |= {"userLocation": country.upper()} if country else {}
        wish |= {"category": "news"} if request.type == "news" else {}
        wish |= {"includeDomains": request.allowed_domains} if request.allowed_domains else {}
        wish |= {"excludeDomains": request.blocked_domains} if request.blocked_domains else {}
        if request.recency_days is not None:
            wish["startPublishedDate"] = f"{since(request.recency_days).isoformat()}T00:00:00.000Z"
        return wish


def _addressed(pages: Sequence[_PageRow]) -> list[tuple[str, Got]]:
    """Each page under the address that was asked for; the vendor calls it `id` and gives the final one as `url`."""
    return [
        (page.id or page.url, Got(page.url, page.title or "", page.text or "", "", page.author or "", page.published_date or ""))
        for page in pages
    ]


def _lost(one: _Status) -> tuple[str, Got]:
    cause = one.error or _Cause()
    return one.id, Got(problem=cause.tag or "no reason given", status=cause.http_status_code)


def _row(block: str) -> Row | None:
    """A hit from a block of `Name: value` lines, whose text begins behind the last of them."""
    fields: dict[str, str] = {}
    lines = block.strip().split("\n")
    body: list[str] = []
    for at, line in enumerate(lines):
        head = _HEAD.fullmatch(line)
        start = None if head else _BODY.fullmatch(line)
        if head:
            fields.setdefault(head[1].split()[0], head[2].strip())
        elif start or line.strip():
            body = [start[1] if start else line, *lines[at + 1 :]]
            break
    if "URL" not in fields:
        return None
    return Row(fields["URL"], fields.get("Title"), "\n".join(body).strip().removesuffix("---").strip(), fields.get("Published"))


def _page(text: str) -> Got:
    """One page: `# title`, then `Name: value` lines up to an empty one, then its text."""
    if _MISSED.match(text) or _NONE.match(text):
        return Got(problem=_MISSED.sub("", text))
    head, _, body = text.partition("\n\n")
    title, *lines = head.split("\n")
    fields = {found[1].split()[0]: found[2].strip() for line in lines if (found := _HEAD.fullmatch(line))}
    if not title.startswith("# ") or "URL" not in fields:
        return Got(markdown=text)
    published, author = fields.get("Published", ""), fields.get("Author", "")
    return Got(fields["URL"], title[2:].strip(), body, "", author, published)
