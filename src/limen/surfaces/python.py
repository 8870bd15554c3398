"""Limen from Python: three synchronous functions that are safe inside a running event loop, and two asynchronous names."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import wait
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import anyio
import msgspec
from anyio.from_thread import start_blocking_portal

from limen.agent.agent import TurnHandle, TurnOutcome
from limen.config.value import show_value
from limen.core.context import CallContext
from limen.core.web import ContextSize, ExtractAnswer, Extraction, PageFormat, SearchAnswer, SearchRequest, SearchType
from limen.kit.log import logger
from limen.runtime import Runtime, RuntimeOptions, open_runtime
from limen.web.library.index import DocumentIndex
from limen.web.tools.addresses import given
from limen.web.tools.char_limit import char_limit, noticed

T = TypeVar("T")
Settings = Mapping[str, Any]
"""Settings by dotted key, each a text as `limen config set` takes it, or the number, truth, list or None that it is."""

# How soon a wait in a running loop notices that it was cancelled.
_NOTICE_S = 0.1


class Agent:
    """Turns on one home: `async with Agent() as agent`, then `async with agent.turn(text) as events`.

    `settings` override the configuration by dotted key: `{"model.route": "ollama/llama3.2"}`. Entering raises ConfigFault or
    StoreFault where the home cannot be used; what is merely wrong in its settings is logged. Any number of turns may run at
    once, one at a time in each session.
    """

    def __init__(self, *, home: Path | str | None = None, profile: str | None = None, settings: Settings | None = None) -> None:
        self._options = msgspec.structs.replace(_options(home, profile, settings), goes_on=True)
        self._stack = AsyncExitStack()
        self._runtime: Runtime | None = None

    async def __aenter__(self) -> "Agent":
        self._runtime = await self._stack.enter_async_context(_opened(self._options))
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
        toolsets: Collection[str] | None = None,
        context: bool = True,
    ) -> AbstractAsyncContextManager[TurnHandle]:
        """One turn; its block is given a handle: iterate it for the turn's events, `steer` or `interrupt` it meanwhile.

        `outcome` of the handle is there once the events have ended, and behind the block in any case; leaving the block early
        interrupts the turn and keeps what was said. The parameters are those of `limen.ask`.
        """
        if self._runtime is None:
            raise RuntimeError("an Agent runs turns inside its own block: async with Agent() as agent")
        return self._runtime.agent.turn(
            _text(text), session=session, urls=_several(urls), model=model, tools=tools, toolsets=toolsets, context=context
        )


@asynccontextmanager
async def library(
    *, home: Path | str | None = None, profile: str | None = None, settings: Settings | None = None
) -> AsyncIterator[DocumentIndex]:
    """The private document index of a home, for the length of a block: `async with library() as index`, then
    `await index.add([folder])`, `await index.list()`, `await index.refresh()`."""
    async with _opened(_options(home, profile, settings)) as runtime:
        yield runtime.library


def ask(
    question: str,
    *,
    urls: Sequence[str] = (),
    model: str | None = None,
    session: str | None = None,
    tools: bool = True,
    toolsets: Collection[str] | None = None,
    context: bool = True,
    home: Path | str | None = None,
    profile: str | None = None,
    settings: Settings | None = None,
) -> TurnOutcome:
    """Ask, and wait for the whole answer: `limen.ask("…").answer`, with its `sources` and `entries` of the ledger beside it.

    `urls` are pages to read for it. `model` is who answers, as `provider/model`. `session` goes on with a conversation, or begins
    one of that key. `tools` False looks nothing up; `toolsets` names those that may be used (`["web"]`). `context` False leaves
    context files out. How the turn ended stands in `end`, also where it was refused or failed; ConfigFault and StoreFault are
    raised for a home that cannot be used.
    """

    async def run(runtime: Runtime) -> TurnOutcome:
        turn = runtime.agent.turn(
            _text(question), session=session, urls=_several(urls), model=model, tools=tools, toolsets=toolsets, context=context
        )
        async with turn as handle:
            async for _ in handle:
                pass
        return handle.outcome

    return _with_runtime(run, _options(home, profile, settings))


def search(
    query: str,
    *,
    limit: int = 5,
    provider: str = "",
    sites: Sequence[str] = (),
    not_sites: Sequence[str] = (),
    type: SearchType = "web",  # noqa: A002 - what every surface calls it
    recency_days: int | None = None,
    region: str = "",
    context_size: ContextSize | None = None,
    live: bool = False,
    max_chars: int | None = None,
    home: Path | str | None = None,
    profile: str | None = None,
    settings: Settings | None = None,
) -> SearchAnswer:
    """Hits for a query: `hits` of what comes back, best first; `refusal` says why there could be none.

    `sites` keeps to those domains, `not_sites` leaves them out; `provider` asks one search provider instead of those configured.
    `type` is `web`, `news` or `images`; `region` a country with or without a language (`br`, `br-pt`); `context_size` how much
    of each page (`low`, `medium`, `high`), of which `max_chars` are shown; `live` asks for pages as they are now. What the
    provider could not do of it is in `source.ignored`, what was read otherwise than written in `source.notices`.

    Raises ValueError
    for what no search can be asked.
    """
    wish = {
        "query": _text(query),
        "limit": limit,
        "allowed_domains": tuple(_several(sites)),
        "blocked_domains": tuple(_several(not_sites)),
        "provider": provider,
        "recency_days": recency_days,
        "type": type,
        "region": region,
        "context_size": context_size,
        "live": live,
        "max_chars": max_chars,
    }
    try:
        request = msgspec.convert(wish, SearchRequest)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    return _with_runtime(lambda runtime: runtime.web.search(request, CallContext()), _options(home, profile, settings))


def extract(
    urls: object,
    *,
    limit_chars: int | None = None,
    page_format: PageFormat = "markdown",
    provider: str = "",
    fresh: bool = False,
    home: Path | str | None = None,
    profile: str | None = None,
    settings: Settings | None = None,
) -> ExtractAnswer:
    """Pages as Markdown, text or HTML: one of `entries` for each URL, in order, each a page or the reason why there is none.

    `urls` is one URL or several; hits of `limen.search` are taken too, and what is no address costs its own entry alone.
    `limit_chars` caps what is shown of a page, the whole of which is stored; None takes the setting `web.extract_char_limit`.
    `fresh` passes by pages that were read before.
    """
    wanted = given(urls if isinstance(urls, str | Mapping) or not isinstance(urls, Iterable) else list(urls))

    async def run(runtime: Runtime) -> ExtractAnswer:
        limit = char_limit(limit_chars, runtime.loaded.config.web.extract_char_limit, least=1, most=None)
        wish = Extraction(wanted.urls, page_format, limit.chars, fresh, provider)
        return noticed(wanted.filled(await runtime.web.extract(wish, CallContext())), limit)

    return _with_runtime(run, _options(home, profile, settings))


def _options(home: Path | str | None, profile: str | None, settings: Settings | None) -> RuntimeOptions:
    flags = {name: show_value(value) for name, value in (settings or {}).items()}
    return RuntimeOptions(home=None if home is None else Path(home), profile=profile, flags=flags)


def _text(value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is wanted here, not {type(value).__name__}")
    return value


def _several(values: str | Sequence[str]) -> Sequence[str]:
    """One text where several are taken is a list of that one, not of its letters."""
    return (values,) if isinstance(values, str) else tuple(_text(value) for value in values)


@asynccontextmanager
async def _opened(options: RuntimeOptions) -> AsyncIterator[Runtime]:
    """A runtime; what is wrong with its settings without stopping it is logged, since nobody else would say it here."""
    async with open_runtime(options) as runtime:
        for problem in runtime.loaded.problems:
            if problem.level != "notice":
                logger.warning("%s: %s%s", problem.code, problem.text, f" ({problem.mend})" if problem.mend else "")
        yield runtime


def _with_runtime(job: Callable[[Runtime], Awaitable[T]], options: RuntimeOptions) -> T:
    """Run a job over a runtime of its own; in a thread of its own where this one already runs an event loop."""

    async def run() -> T:
        async with _opened(options) as runtime:
            return await job(runtime)

    try:
        task = asyncio.current_task()
    except RuntimeError:
        return anyio.run(run)
    with start_blocking_portal() as portal:
        future = portal.start_task_soon(run)
        try:
            # asyncio's own handler of Ctrl-C only cancels the task that waits here, which would not notice.
            while not wait([future], _NOTICE_S).done:
                if task is not None and task.cancelling():
                    raise asyncio.CancelledError
            return future.result()
        except BaseException:  # the turn in the other thread ends as well, and keeps what was said
            future.cancel()
            raise
