"""A model that plays a script: a `Wire` for tests of turns, loops and plug-ins, without a network or a vendor."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any

import anyio
import msgspec

from limen.core.exchange import Delta, ModelReply, ModelRequest, Stop, TextDelta, ThinkingDelta, Usage
from limen.core.fault import ModelFault
from limen.core.message import Block, Text, Thinking, ToolCall

_PIECE_CHARS = 7


class Reply(msgspec.Struct, frozen=True):
    """One scripted reply. `stop` None means "tools" when there are calls, else "end"; deltas come `piece_chars` at a time."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    stop: Stop | None = None
    usage: Usage = Usage(input_tokens=10, output_tokens=5)
    piece_chars: int = _PIECE_CHARS

    @property
    def ends(self) -> Stop:
        """How it stops, whether that was said or not."""
        return self.stop or ("tools" if self.calls else "end")


class Stall(msgspec.Struct, frozen=True):
    """Streams `text`, then says nothing for `for_s` seconds (for ever by default), then breaks off as a network fault."""

    text: str = ""
    for_s: float = float("inf")


class Broken(msgspec.Struct, frozen=True):
    """Streams `text`, then fails."""

    text: str
    fault: ModelFault


Played = Reply | Stall | Broken | ModelFault
Step = Played | Callable[[ModelRequest], Played | Awaitable[Played]]


def say(text: str, **fields: Any) -> Reply:
    """A reply of text that ends the turn."""
    return Reply(text=text, **fields)


def call(name: str, call_id: str = "call_1", /, **arguments: Any) -> ToolCall:
    """A tool call with its arguments as JSON."""
    return ToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def use(*calls: ToolCall, text: str = "") -> Reply:
    """A reply that asks for tools."""
    return Reply(text=text, calls=calls)


class ScriptedModel:
    """Plays `steps` in order, one for each send, and keeps every request it was given in `requests`.

    `then` answers when the steps have run out; without it that is an AssertionError, since a script too short is a wrong test.
    `waiting` is set while a `Stall` stalls, so that a test can cancel at that very moment.
    """

    def __init__(self, steps: Iterable[Step] = (), *, then: Step | None = None) -> None:
        self._steps = list(steps)
        self._then = then
        self.requests: list[ModelRequest] = []
        self.waiting = anyio.Event()

    @property
    def left(self) -> int:
        """How many steps have not been played."""
        return len(self._steps)

    async def send(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """Play the next step."""
        self.requests.append(request)
        step = await self._next(request)
        if isinstance(step, ModelFault):
            raise step
        if isinstance(step, Reply):
            for delta in _deltas(step):
                yield delta
                await anyio.lowlevel.checkpoint()
            yield _finished(step, request)
            return
        for piece in pieces(step.text, _PIECE_CHARS):
            yield TextDelta(piece)
        if isinstance(step, Broken):
            raise step.fault
        self.waiting.set()
        await anyio.sleep(step.for_s)
        raise ModelFault("network", "the scripted stream stalled and broke off")

    async def _next(self, request: ModelRequest) -> Played:
        step = self._steps.pop(0) if self._steps else self._then
        if step is None:
            raise AssertionError(f"the script has no step for request {len(self.requests)}")
        if not callable(step):
            return step
        played = step(request)
        return await played if isinstance(played, Awaitable) else played


def _deltas(reply: Reply) -> Iterable[Delta]:
    for piece in pieces(reply.thinking, reply.piece_chars):
        yield ThinkingDelta(piece)
    for piece in pieces(reply.text, reply.piece_chars):
        yield TextDelta(piece)


def pieces(text: str, size: int) -> Iterator[str]:
    """A text cut into pieces of so many characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _finished(reply: Reply, request: ModelRequest) -> ModelReply:
    blocks: list[Block] = []
    if reply.thinking:
        blocks.append(Thinking(reply.thinking, issuer=request.route.name))
    if reply.text:
        blocks.append(Text(reply.text))
    blocks.extend(reply.calls)
    return ModelReply(blocks=tuple(blocks), stop=reply.ends, usage=reply.usage, route=request.route)
