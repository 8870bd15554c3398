"""Limen from Python: three synchronous functions that are safe inside a running event loop, and two asynchronous names."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import anyio

from limen.agent.agent import TurnHandle, TurnOutcome
from limen.core.context import CallContext
from limen.core.web import ExtractAnswer, Extraction, PageFormat, SearchAnswer, SearchRequest
from limen.runtime import Runtime, RuntimeOptions, open_runtime
from limen.web.library.index import DocumentIndex

T = TypeVar("T")


class Agent:
    """Turns on one home: `async with Agent() as agent`, then `async with agent.turn(text) as events`.

    `settings` override the configuration by dotted key. Entering raises ConfigFault or StoreFault where the home cannot be used.
    """

    def __init__(
        self, *, home: Path | str | None = None, profile: str | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self._options = _options(home, profile, settings)
        self._stack = AsyncExitStack()
        self._runtime: Runtime | None = None

    async def __aenter__(self) -> "Agent":
        self._runtime = await self._stack.enter_async_context(open_runtime(self._options))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._runtime = None
        return await self._stack.__aexit__(kind, error, trace)

    def turn(
        self,
        text: str,
        *,
        session: str | None = None,
        urls: Sequence[str] = (),
        model: str | None = None,
        tools: bool = True,
        context: bool = True,
    ) -> AbstractAsyncContextManager[TurnHandle]:
        """One turn: iterate what the block is given for its events; `outcome` of it is there once they have ended."""
        if self._runtime is None:
            raise RuntimeError("an Agent runs turns inside its own block: async with Agent() as agent")
        return self._runtime.agent.turn(text, session=session, urls=urls, model=model, tools=tools, context=context)


@asynccontextmanager
async def library(*, home: Path | str | None = None, profile: str | None = None) -> AsyncIterator[DocumentIndex]:
    """The private document index of a home, for the length of a block: `async with library() as index`."""
    async with open_runtime(_options(home, profile, None)) as runtime:
        yield runtime.library


def ask(
    question: str,
    *,
    urls: Sequence[str] = (),
    model: str | None = None,
    session: str | None = None,
    tools: bool = True,
    context: bool = True,
    home: Path | str | None = None,
) -> TurnOutcome:
    """One turn, to its end. How it ended stands in `end` of what comes back, also where it was refused or failed."""

    async def run(runtime: Runtime) -> TurnOutcome:
        turn = runtime.agent.turn(question, session=session, urls=urls, model=model, tools=tools, context=context)
        async with turn as handle:
            async for _ in handle:
                pass
        return handle.outcome

    return _with_runtime(run, home)


def search(
    query: str,
    *,
    limit: int = 5,
    provider: str = "",
    sites: Sequence[str] = (),
    not_sites: Sequence[str] = (),
    home: Path | str | None = None,
) -> SearchAnswer:
    """Hits for a query; `refusal` of what comes back says why there could be none."""
    wish = SearchRequest(query, limit, tuple(sites), tuple(not_sites), provider)
    return _with_runtime(lambda runtime: runtime.web.search(wish, CallContext()), home)


def extract(
    urls: str | Sequence[str],
    *,
    limit_chars: int = 15_000,
    page_format: PageFormat = "markdown",
    provider: str = "",
    fresh: bool = False,
    home: Path | str | None = None,
) -> ExtractAnswer:
    """Pages as Markdown: one entry for each URL, in order, each a page or the reason why there is none."""
    asked = (urls,) if isinstance(urls, str) else tuple(urls)
    wish = Extraction(asked, page_format, limit_chars, fresh, provider)
    return _with_runtime(lambda runtime: runtime.web.extract(wish, CallContext()), home)


def _options(home: Path | str | None, profile: str | None, settings: Mapping[str, str] | None) -> RuntimeOptions:
    return RuntimeOptions(home=None if home is None else Path(home), profile=profile, flags=settings or {})


def _with_runtime(job: Callable[[Runtime], Awaitable[T]], home: Path | str | None) -> T:
    """Run a job over a runtime of its own; in a thread of its own where this one already runs an event loop."""

    async def run() -> T:
        async with open_runtime(_options(home, None, None)) as runtime:
            return await job(runtime)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(run)
    with ThreadPoolExecutor(1, thread_name_prefix="limen") as thread:
        return thread.submit(anyio.run, run).result()
