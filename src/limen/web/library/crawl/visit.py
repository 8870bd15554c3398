"""One page of a crawl: asked for, read, and what came of it."""

from functools import partial
from shlex import quote
from typing import NamedTuple

import anyio.to_thread
import msgspec

from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Reader
from limen.core.web import Page
from limen.net.url import SafeUrl
from limen.store.library import DocumentMark, KnownPage, LibraryRecord
from limen.web.download import Downloaded
from limen.web.library.crawl.addresses import Scope, cleaned, page_key, parsed
from limen.web.library.crawl.links import links_of
from limen.web.library.crawl.polite import Polite
from limen.web.library.intake import NO_DOCUMENT, Work, digest_of, is_partial, judged, recorded
from limen.web.library.load import LeftOut
from limen.web.library.report import is_gone
from limen.web.library.skipped import LARGEST_BYTES, Reason

_MAX_CHARS = 500
_HTML = frozenset({"text/html", "application/xhtml+xml", ""})


class Visit(msgspec.Struct, frozen=True):
    """What came of a page that was asked for: a `record` of what is new, `same` where it is what the index has, `gone`, the
    reason why it is `left` out, or the `refusal` of who was asked. `page` is what is known of it now, `size` its bytes; only a
    part of it could be read where it is `partial`."""

    page: KnownPage
    record: LibraryRecord | None = None
    links: tuple[str, ...] = ()
    canonical: str = ""
    moved_to: str = ""
    same: bool = False
    gone: bool = False
    left: Reason | None = None
    partial: bool = False
    refusal: Refusal | None = None
    size: int = 0


class Visitor(NamedTuple):
    """Looks at pages of the source `root`, whose addresses lie in a scope; with `follows`, says where they lead."""

    polite: Polite
    reader: Reader
    root: str
    scope: Scope
    follows: bool

    async def look(self, page: KnownPage, mark: DocumentMark | None) -> Visit:
        """Ask for a page, by what its server said of it where the index has it (`mark`)."""
        url = parsed(page.url)
        if url is None:
            return Visit(page, left="elsewhere")
        robots = await self.polite.robots(url)
        if isinstance(robots, Refusal):
            return Visit(page, refusal=robots)
        if not robots.allows(url.request_url.removeprefix(url.origin)):
            return Visit(page, left="robots")
        got = await self.polite.get(url, LARGEST_BYTES, _conditions(page) if mark is not None and mark.digest else {})
        if isinstance(got, Refusal):
            return Visit(page, gone=True) if is_gone(got) else Visit(page, refusal=got)
        if got.unchanged:
            return Visit(page, same=True)
        final = parsed(got.url)
        if final is None or not self.scope.holds(final):
            return Visit(page, left="elsewhere") if page.url != self.root else Visit(page, refusal=_leads_away(page.url, got.url))
        return await self._read(page, final, got, mark)

    async def _read(self, page: KnownPage, final: SafeUrl, got: Downloaded, mark: DocumentMark | None) -> Visit:
        seen = msgspec.structs.replace(
            page,
            origin=cleaned(final),
            etag=got.headers.get("etag", "")[:_MAX_CHARS],
            last_modified=got.headers.get("last-modified", "")[:_MAX_CHARS],
        )
        moved = got.moved_to if page_key(final) != page_key_of(page) else ""
        visit, onward = Visit(seen, moved_to=moved, size=len(got.body)), False
        if self.follows and got.media_type in _HTML:
            tag = got.headers.get("x-robots-tag", "")
            links = await anyio.to_thread.run_sync(partial(links_of, got.body, str(final), tag))
            visit, onward = msgspec.structs.replace(visit, links=links.urls), not links.nofollow
        if len(got.body) > LARGEST_BYTES:
            return msgspec.structs.replace(visit, left="too_large")
        try:
            read = await self.reader.read(got.body, url=got.url, content_type=got.headers.get("content-type") or None)
            if onward and read.shell is not None:  # where it sends its readers, links or none
                visit = msgspec.structs.replace(visit, links=(*visit.links, *read.shell.targets))
            judged(read)
        except ToolFault as fault:
            reason = NO_DOCUMENT.get(fault.code)
            refusal = None if reason else Refusal("library", fault.code, fault.reason, fault.mend)
            return msgspec.structs.replace(visit, left=reason, refusal=refusal)
        return await self._recorded(visit, read, mark)

    async def _recorded(self, visit: Visit, read: Page, mark: DocumentMark | None) -> Visit:
        visit = msgspec.structs.replace(visit, canonical=read.canonical_url, partial=is_partial(read))
        digest = digest_of(read)
        if mark is not None and mark.digest == digest:
            return msgspec.structs.replace(visit, same=True)
        work = Work(visit.page.origin, self.root, None, mark)
        record = await recorded(work, read, digest, (0, len(read.text)))
        if isinstance(record, LeftOut):
            return msgspec.structs.replace(visit, left=record.reason)
        return msgspec.structs.replace(visit, record=record)


def page_key_of(page: KnownPage) -> str:
    """What the addresses of a known page have in common."""
    url = parsed(page.url)
    return page_key(url) if url is not None else page.url


def _leads_away(url: str, final: str) -> Refusal:
    return Refusal("library", "library.leads_away", f"{url} leads to {final}", f"limen library add --crawl {quote(final)}")


def _conditions(page: KnownPage) -> dict[str, str]:
    said = {"if-none-match": page.etag, "if-modified-since": page.last_modified}
    return {name: value for name, value in said.items() if value}
