"""The gate `history`: a route is told what was said so far in the form that it takes, and its reply comes back in ours."""

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from limen.core.event import Notice
from limen.core.exchange import ModelReply, ModelRequest
from limen.core.fault import ModelFault
from limen.core.message import Block, Message, Thinking, ToolCall
from limen.models.asking import Asking, ProceedAsking
from limen.models.history import render
from limen.models.signatures import refuses_thoughts
from limen.models.tool_faces import faces, renamed

# So many refused thoughts are remembered; a session has few of them.
_MOST_REFUSED = 10_000


class History:
    """Tells the past. Where a vendor does not take back thoughts of its own, it is asked once more without them, and is not given
    those again while this process lives."""

    def __init__(self) -> None:
        self._refused: dict[bytes, None] = {}

    def told(self, request: ModelRequest) -> ModelRequest:
        """The request as its route takes it."""
        messages = self._without_refused(request.messages) if self._refused else request.messages
        rendered = render(messages, request.route)
        return msgspec.structs.replace(request, messages=rendered.messages, tools=faces(request.tools))

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """Raises ModelFault as what is behind it does."""
        told = self.told(asking.request)
        try:
            reply = await proceed(msgspec.structs.replace(asking, request=told))
        except ModelFault as fault:
            thoughts = list(_thoughts(told.messages))
            if not thoughts or not refuses_thoughts(fault) or asking.heard.anything or not asking.request.course.patient:
                raise
            self._remember(thoughts)
            text = f"{told.route.name} does not take its earlier reasoning back ({fault.reason}). Asking again without it."
            await asking.emit(Notice("model.thoughts_refused", text))
            again = msgspec.structs.replace(asking, request=self.told(asking.request))
            reply = await proceed(again)
        return _in_our_names(reply, asking.request)

    def _without_refused(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        return tuple(
            msgspec.structs.replace(message, blocks=tuple(block for block in message.blocks if not self._is_refused(block)))
            if any(isinstance(block, Thinking) for block in message.blocks)
            else message
            for message in messages
        )

    def _is_refused(self, block: Block) -> bool:
        return isinstance(block, Thinking) and _mark(block) in self._refused

    def _remember(self, thoughts: Iterable[Thinking]) -> None:
        for thought in thoughts:
            self._refused[_mark(thought)] = None
        while len(self._refused) > _MOST_REFUSED:
            del self._refused[next(iter(self._refused))]


def _in_our_names(reply: ModelReply, request: ModelRequest) -> ModelReply:
    blocks = tuple(renamed(block, request.tools) if isinstance(block, ToolCall) else block for block in reply.blocks)
    return reply if blocks == reply.blocks else msgspec.structs.replace(reply, blocks=blocks)


def _thoughts(messages: Iterable[Message]) -> Iterator[Thinking]:
    return (block for message in messages for block in message.blocks if isinstance(block, Thinking))


def _mark(thought: Thinking) -> bytes:
    named = f"{thought.issuer}\0{thought.signature}\0{thought.text}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest()
