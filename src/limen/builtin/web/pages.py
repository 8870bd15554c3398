"""Pages from a vendor's answers: Markdown before HTML, one answer for each address, one failure costs itself alone."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import msgspec

from limen.builtin.web.dates import published
from limen.builtin.web.matching import by_url
from limen.builtin.web.refusing import quoted, refuse
from limen.builtin.web.waiting import interrupted
from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, Page

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

    async def pulled(self, requested: str, got: Got | Refusal | None, ignored: tuple[str, ...] = ()) -> Pulled:
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
            page = await self._page(requested, got)
        except Fault as fault:
            return Pulled(requested, refusal=Refusal(self._vendor, fault.code, fault.reason, fault.mend))
        return Pulled(requested, page, snapshot_at=got.snapshot_at, ignored=ignored)

    async def _page(self, requested: str, got: Got) -> Page:
        url = got.url or requested
        if got.markdown.strip():
            page = await self._reader.read(_utf8(got.markdown), url=url, content_type="text/markdown; charset=utf-8")
        elif got.html.strip():
            page = await self._reader.read(_utf8(got.html), url=url, content_type="text/html; charset=utf-8")
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
        limiter = anyio.CapacityLimiter(_AT_ONCE)
        pulled: dict[str, Pulled] = {}

        async def one(url: str) -> None:
            async with limiter:
                got = interrupted(self._vendor) if context.cancelled() else await read(url)
                pulled[url] = await self.pulled(url, got, ignored)

        await _all([partial(one, url) for url in dict.fromkeys(request.urls)])
        return list(pulled.values())

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
        limiter = anyio.CapacityLimiter(_AT_ONCE)
        pulled: dict[str, Pulled] = {}

        async def some(batch: tuple[str, ...]) -> None:
            async with limiter:
                got = interrupted(self._vendor) if context.cancelled() else await read(batch)
                matched = _matched(batch, got)
                for url in batch:
                    pulled[url] = await self.pulled(url, matched.get(url), ignored)

        batches = [urls[start : start + size] for start in range(0, len(urls), size)]
        await _all([partial(some, batch) for batch in batches])
        return [pulled[url] for url in urls]


def _matched(batch: tuple[str, ...], got: Sequence[tuple[str, Got]] | Refusal) -> Mapping[str, Got | Refusal]:
    if isinstance(got, Refusal):
        return dict.fromkeys(batch, got)
    return by_url(batch, sorted(got, key=lambda entry: bool(entry[1].problem)))


async def _all(work: Sequence[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    async with anyio.create_task_group() as group:
        for one in work:
            group.start_soon(one)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
