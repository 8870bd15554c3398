"""Stand-ins for ports that are filled when they are first called, so that a process loads only what it uses."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from typing import Generic, TypeVar

from limen.core.context import CallContext
from limen.core.exchange import Alive, Delta, ModelReply, ModelRequest
from limen.core.fault import Refusal
from limen.core.ports import ExtractProvider, Painter, Picture, Pulled, Quoted, Quoter, Reader, SearchProvider, Wire
from limen.core.web import Extraction, Page, PageFormat, SearchAnswer, SearchRequest

P = TypeVar("P")


class LateReader:
    """A `Reader` made at the first document."""

    def __init__(self, make: Callable[[], Reader]) -> None:
        self._reader = cache(make)

    async def read(
        self, data: bytes, *, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown"
    ) -> Page:
        return await self._reader().read(data, url=url, content_type=content_type, page_format=page_format)


class LatePainter:
    """A `Painter` made at the first picture."""

    def __init__(self, make: Callable[[], Painter]) -> None:
        self._painter = cache(make)

    async def paint(self, data: bytes, page: int) -> Picture | Refusal:
        return await self._painter().paint(data, page)


class LateWire:
    """A `Wire` made at the first request."""

    def __init__(self, make: Callable[[], Wire]) -> None:
        self._wire = cache(make)

    def send(self, request: ModelRequest) -> AsyncIterator[Delta | Alive | ModelReply]:
        return self._wire().send(request)


class LateQuoter:
    """A `Quoter` made at the first question."""

    def __init__(self, name: str, make: Callable[[], Quoter]) -> None:
        self.name = name
        self._quoter = cache(make)

    async def quote(self, question: str, text: str, *, title: str = "") -> Quoted:
        return await self._quoter().quote(question, text, title=title)


def _nothing_missing() -> Refusal | None:
    return None


class _LateProvider(Generic[P]):
    """A provider made at its first use; `missing` tells what it lacks without making it."""

    def __init__(self, name: str, make: Callable[[], P], missing: Callable[[], Refusal | None] = _nothing_missing) -> None:
        self.name = name
        self._provider = cache(make)
        self._missing = missing

    def unavailable(self) -> Refusal | None:
        """What it lacks, or None."""
        return self._missing()


class LateExtractProvider(_LateProvider[ExtractProvider]):
    """An `ExtractProvider` made at the first page."""

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        return await self._provider().extract(request, context)


class LateSearchProvider(_LateProvider[SearchProvider]):
    """A `SearchProvider` made at the first search."""

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        return await self._provider().search(request, context)
