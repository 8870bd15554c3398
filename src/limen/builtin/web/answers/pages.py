"""Pages from a vendor's answers: Markdown before HTML, one answer for each address, one failure costs itself alone."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import msgspec

from limen.builtin.web.answers.dates import published
from limen.builtin.web.answers.matching import by_url
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ports import Pulled, Reader
from limen.core.waiting import Stopped, each_within, unfinished
from limen.core.web import Extraction, Page, PageFormat

# Requests of one call that are under way at a time; vendors limit how many they take.
_AT_ONCE = 4


class Got(msgspec.Struct, frozen=True):
    """What a vendor gave for one address. `status` is the page's own; `problem` says why there is no text.

    `url` is where the page was found in the end; `snapshot_at` when the vendor's copy was made, empty for a live reading.
    """

    url: str = ""
    title: str = ""
    markdown: str = ""
    html: str = ""
    author: str = ""
    published: str = ""
    status: int | None = None
    problem: str = ""
    snapshot_at: str = ""


class PageMaker:
    """Makes `Pulled` of what a vendor gave."""

    def __init__(self, vendor: str, reader: Reader) -> None:
        self._vendor = vendor
        self._reader = reader

    async def pulled(
        self, requested: str, got: Got | Refusal | None, ignored: tuple[str, ...] = (), page_format: PageFormat = "markdown"
    ) -> Pulled:
        """The page, or why there is none. A page that is an error page of its site is none."""
        if got is None:
            reason = f"{self._vendor} gave no answer for this page."
            return Pulled(requested, refusal=Refusal(self._vendor, "web.no_answer", reason))
        if isinstance(got, Refusal):
            return Pulled(requested, refusal=got)
        if got.status is not None and got.status >= 400:
            reason = f"The site answered {self._vendor} with status {got.status}."
            return Pulled(
                requested, refusal=refuse("extract", "page_status", self._vendor, reason, detail={"status": got.status})
            )
        if got.problem and not got.markdown.strip() and not got.html.strip():
            reason = f"{self._vendor} could not read this page: {quoted(got.problem)}."
            return Pulled(requested, refusal=refuse("extract", "page_failed", self._vendor, reason))
        try:
            page = await self._page(requested, got, page_format)
        except Fault as fault:
            return Pulled(requested, refusal=Refusal(self._vendor, fault.code, fault.reason, fault.mend))
        return Pulled(requested, page, snapshot_at=got.snapshot_at, ignored=ignored)

    async def _page(self, requested: str, got: Got, page_format: PageFormat) -> Page:
        url = got.url or requested
        source, kind = got.markdown, "text/markdown"
        if got.html.strip() and (page_format == "html" or not source.strip()):
            source, kind = got.html, "text/html"
        if source.strip():
            page = await self._reader.read(_utf8(source), url=url, content_type=f"{kind}; charset=utf-8", page_format=page_format)
        else:
            page = Page(media_type="text/markdown")
        return msgspec.structs.replace(
            page,
            url=url,
            title=got.title.strip() or page.title,
            author=got.author or page.author,
            published=published(got.published) or page.published,
        )

    async def each(
        self,
        request: Extraction,
        read: Callable[[str], Awaitable[Got | Refusal]],
        context: CallContext,
        ignored: tuple[str, ...] = (),
    ) -> list[Pulled]:
        """One request for each address, some at a time, each with its own deadline: what finished is kept."""

        async def one(url: str) -> Pulled:
            return await self.pulled(url, await read(url), ignored, request.format)

        pulled = await each_within({url: partial(one, url) for url in dict.fromkeys(request.urls)}, context, at_once=_AT_ONCE)
        return [self._or_unfinished(url, result) for url, result in pulled.items()]

    async def batched(
        self,
        request: Extraction,
        read: Callable[[tuple[str, ...]], Awaitable[Sequence[tuple[str, Got]] | Refusal]],
        context: CallContext,
        *,
        size: int,
        ignored: tuple[str, ...] = (),
    ) -> list[Pulled]:
        """One request for each `size` addresses. What comes back is matched by address, a page before a failure."""
        urls = tuple(dict.fromkeys(request.urls))

        async def some(batch: tuple[str, ...]) -> Mapping[str, Pulled]:
            matched = _matched(batch, await read(batch))
            return {url: await self.pulled(url, matched.get(url), ignored, request.format) for url in batch}

        batches = [urls[start : start + size] for start in range(0, len(urls), size)]
        read_batches = await each_within({batch: partial(some, batch) for batch in batches}, context, at_once=_AT_ONCE)
        return [
            self._or_unfinished(url, got if isinstance(got, Stopped) else got[url])
            for batch, got in read_batches.items()
            for url in batch
        ]

    def _or_unfinished(self, url: str, got: Pulled | Stopped) -> Pulled:
        return Pulled(url, refusal=unfinished(self._vendor, got)) if isinstance(got, Stopped) else got


def _matched(batch: tuple[str, ...], got: Sequence[tuple[str, Got]] | Refusal) -> Mapping[str, Got | Refusal]:
    if isinstance(got, Refusal):
        return dict.fromkeys(batch, got)
    return by_url(batch, sorted(got, key=lambda entry: bool(entry[1].problem)))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
