"""What a reply is gathered in while it streams, whatever protocol it comes over."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from limen.core.exchange import Delta, ModelReply, Stop, Usage
from limen.core.fault import ModelFault
from limen.core.message import Block, Text, ToolCall
from limen.core.route import Route
from limen.models.classify import fault, no_reply
from limen.models.wire.arguments import is_object

# A server caught in a loop must end somewhere; no model writes a reply this long.
REPLY_LIMIT_CHARS = 8_000_000

DONE = "[DONE]"
"""What ends a stream of Chat Completions, and what some servers put behind any stream."""


class Gathering(Protocol):
    """Takes the answer to one request piece by piece.

    Each way in raises ModelFault when what came carries an error, cannot be read, or makes the reply too long.
    """

    @property
    def ended(self) -> bool:
        """Whether the provider has said that the reply is over, though more may follow, such as usage."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing more follows."""
        ...

    def add(self, data: str) -> Iterator[Delta]:
        """Take one event's data."""
        ...

    def add_whole(self, body: bytes) -> Iterator[Delta]:
        """Take an answer that came in one piece."""
        ...

    def finish(self) -> ModelReply:
        """The reply.

        Raises ModelFault: network when it was cut, of the class reply when it is empty, upstream when it failed, filter when
        nothing was let through.
        """
        ...


class Room:
    """How much a reply may still grow."""

    def __init__(self) -> None:
        self._chars = 0

    def take(self, chars: int) -> None:
        """Note that the reply has grown. Raises ModelFault of the class `reply` when it is over its limit."""
        self._chars += chars
        if self._chars > REPLY_LIMIT_CHARS:
            raise no_reply(f"the reply grew over {REPLY_LIMIT_CHARS:,} characters and was broken off")


def nothing_said() -> ModelFault:
    """The fault of an answer that came whole and holds no reply."""
    return no_reply("the reply is empty")


def cut() -> Exception:
    """The fault of a reply whose end never came."""
    return fault("network", "the connection ended in the middle of the reply")


def reply_of(route: Route, blocks: Sequence[Block], stop: Stop, usage: Usage) -> ModelReply:
    """A reply, which says something or was cut at its limit. Raises ModelFault when it is empty: `filter`, or class `reply`."""
    calls = any(isinstance(block, ToolCall) for block in blocks)
    if stop in ("end", "tools"):
        stop = "tools" if calls else "end"
    if not calls and not any(isinstance(block, Text) for block in blocks) and stop != "length":
        if stop == "filter":
            raise fault("filter", "the provider's filter held back the whole reply")
        raise nothing_said()
    return ModelReply(blocks=tuple(blocks), stop=stop, usage=usage, route=route)


def at_its_cap(reply: ModelReply, output_tokens: int) -> ModelReply:
    """A reply that its server calls complete though it used up every token it had was cut; llama.cpp says so over Responses.

    Calls whose arguments are whole ended before that, and stay.
    """
    calls = [block for block in reply.blocks if isinstance(block, ToolCall)]
    whole = bool(calls) and reply.blocks[-1] is calls[-1] and all(is_object(call.arguments) for call in calls)
    if reply.stop not in ("end", "tools") or reply.usage.output_tokens < output_tokens or whole:
        return reply
    return msgspec.structs.replace(reply, stop="length")
