"""What every wire must do, as checks that a plug-in's author runs over a wire of their own.

A check takes a `WireCase` and raises AssertionError. With pytest: parametrize a test over `WIRE_CHECKS` and await each.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import anyio

from limen.core.exchange import Alive, Delta, ModelReply, ModelRequest, TextDelta, ThinkingDelta, Usage
from limen.core.fault import ModelFault
from limen.core.message import Text, Thinking, ToolCall
from limen.core.ports import Wire
from limen.testing.scripted_model import Reply, call

_WORDS = 'Grüße, 世界 👋🏽.\n\n\tTwo  spaces, a \\ and a " quote, and the end: \u2028.'
_CALLS = (call("find", "call_a", pattern='é "quoted" \\ 世'), call("read_file", "call_b", path="a b.md", lines=[1, 2]))


class WireCase(Protocol):
    """Stages a far side for the wire under test. Each gives a wire and a request whose answer will be what was asked for."""

    def answering(self, reply: Reply, times: int = 1) -> AbstractAsyncContextManager[tuple[Wire, ModelRequest]]:
        """The far side gives this reply, `times` times."""
        ...

    def breaking(self, text: str) -> AbstractAsyncContextManager[tuple[Wire, ModelRequest]]:
        """The far side says `text` and breaks off; nothing is promised of how much of it arrives."""
        ...

    def silent(self, text: str) -> AbstractAsyncContextManager[tuple[Wire, ModelRequest]]:
        """The far side says `text`, then nothing more, without an end."""
        ...


WireCheck = Callable[[WireCase], Awaitable[None]]


async def _collect(wire: Wire, request: ModelRequest) -> tuple[list[Delta], ModelReply]:
    items = [item async for item in wire.send(request)]
    replies = [item for item in items if isinstance(item, ModelReply)]
    assert len(replies) == 1, f"{len(replies)} replies in one stream"
    assert items[-1] is replies[0], "something came behind the reply"
    return [item for item in items if not isinstance(item, ModelReply | Alive)], replies[0]


async def deltas_are_the_reply(case: WireCase) -> None:
    """What was streamed is, put together, the text and the thinking of the reply, to the letter."""
    async with case.answering(Reply(text=_WORDS, thinking="Let me think.", piece_chars=3)) as (wire, request):
        deltas, reply = await _collect(wire, request)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == _WORDS
    thought = "".join(block.text for block in reply.blocks if isinstance(block, Thinking))
    assert "".join(delta.text for delta in deltas if isinstance(delta, ThinkingDelta)) == thought
    assert [block for block in reply.blocks if isinstance(block, Text)] == [Text(_WORDS)]
    assert all(block.issuer == request.route.name for block in reply.blocks if isinstance(block, Thinking))


async def a_reply_says_how_it_went(case: WireCase) -> None:
    """The route is the request's, usage is the far side's, and an end is an end."""
    async with case.answering(Reply(text="yes", usage=Usage(120, 7, 100))) as (wire, request):
        _, reply = await _collect(wire, request)
    assert reply.route == request.route
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (120, 7, 100)
    assert reply.complete


async def calls_arrive_whole_and_in_order(case: WireCase) -> None:
    """Several calls in one reply keep their ids, names, order and the letters of their arguments."""
    async with case.answering(Reply(text="Let me see.", calls=_CALLS, piece_chars=2)) as (wire, request):
        _, reply = await _collect(wire, request)
    assert reply.stop == "tools"
    assert reply.tool_calls == _CALLS


async def a_reply_at_its_limit_runs_nothing(case: WireCase) -> None:
    """Where the token limit cut the reply, it is not complete and its calls do not run."""
    async with case.answering(Reply(text="and then", calls=_CALLS[:1], stop="length")) as (wire, request):
        _, reply = await _collect(wire, request)
    assert reply.stop == "length"
    assert not reply.complete
    assert reply.tool_calls == ()


async def a_break_is_a_fault(case: WireCase) -> None:
    """A stream that breaks off raises ModelFault and gives no reply."""
    async with case.breaking("half") as (wire, request):
        replies = []
        try:
            async for item in wire.send(request):
                replies += [item] if isinstance(item, ModelReply) else []
        except ModelFault:
            assert not replies, "a reply came before the fault"
            return
    raise AssertionError("no fault was raised")


async def a_stream_can_be_left(case: WireCase) -> None:
    """Whoever has heard enough closes the stream, or is cancelled, and nothing hangs or complains."""
    async with case.silent("enough") as (wire, request):
        stream = wire.send(request)
        await anext(stream)
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    async with case.silent("enough") as (wire, request), anyio.create_task_group() as group:

        async def listen() -> None:
            async for _ in wire.send(request):
                heard.set()

        heard = anyio.Event()
        group.start_soon(listen)
        await heard.wait()
        group.cancel_scope.cancel()


async def one_wire_serves_many(case: WireCase) -> None:
    """Requests at the same time do not mix."""
    async with case.answering(Reply(text=_WORDS, calls=_CALLS, piece_chars=1), times=8) as (wire, request):
        replies: list[ModelReply] = []

        async def ask() -> None:
            replies.append((await _collect(wire, request))[1])

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(ask)
    assert len(replies) == 8
    for reply in replies:
        assert [block for block in reply.blocks if isinstance(block, Text | ToolCall)] == [Text(_WORDS), *_CALLS]


WIRE_CHECKS: tuple[WireCheck, ...] = (
    deltas_are_the_reply,
    a_reply_says_how_it_went,
    calls_arrive_whole_and_in_order,
    a_reply_at_its_limit_runs_nothing,
    a_break_is_a_fault,
    a_stream_can_be_left,
    one_wire_serves_many,
)
