"""Anthropic Messages answers become replies. Blocks keep the order they were said in: a signature holds in its place only."""

import hashlib
from collections.abc import Iterator

import msgspec

from limen.core.exchange import Delta, ModelReply, Stop, TextDelta, ThinkingDelta, Usage
from limen.core.message import Block, Text, Thinking
from limen.core.route import Route
from limen.models.classify import fault_of_error
from limen.models.wire.calls import CallsNamed
from limen.models.wire.gathering import DONE, Room, cut, nothing_said, reply_of
from limen.models.wire.messages_body import REDACTED
from limen.models.wire.messages_shapes import ContentShape, DeltaShape, EventShape, MessageShape, UsageShape
from limen.models.wire.shapes import read_as

_STOPS: dict[str, Stop] = {
    "end_turn": "end", "stop_sequence": "end", "pause_turn": "end", "tool_use": "tools", "max_tokens": "length",
    "model_context_window_exceeded": "length", "refusal": "filter",
}  # fmt: skip


class _Piece:
    """One block in the making. `given` is what stood in it when it began, `written` what was added to it since."""

    def __init__(self, given: ContentShape) -> None:
        self.given = given
        self.signature = given.signature or ""
        self.written: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self.written)


class MessagesGathering:
    """Takes the events of one reply, gives their deltas, and in the end the reply. Missing call ids are made from `seed`."""

    def __init__(self, route: Route, seed: bytes) -> None:
        self._route = route
        self._seed = hashlib.sha256(seed).hexdigest()
        self._pieces: dict[int, _Piece] = {}
        self._usage = UsageShape()
        self._stop: str | None = None
        self._room = Room()
        self.closed = False

    @property
    def ended(self) -> bool:
        """Whether the provider has said why the reply is over."""
        return self.closed or self._stop is not None

    def add(self, data: str) -> Iterator[Delta]:
        """Take one event."""
        if data.strip() == DONE:
            return
        event = read_as(data, EventShape)
        if event.error:
            raise fault_of_error(event.error)
        if event.message is not None:
            self._count(event.message.usage)
        self._count(event.usage)
        if event.content_block is not None:
            yield from self._begin(event.index, event.content_block)
        if event.delta is not None:
            yield from self._go_on(event.index, event.delta)
        self.closed = self.closed or event.type == "message_stop"

    def add_whole(self, body: bytes) -> Iterator[Delta]:
        """Take a message in one piece."""
        message = read_as(body, MessageShape)
        if message.error:
            raise fault_of_error(message.error)
        if message.content is None:
            raise nothing_said()
        for content in message.content or ():
            yield from self._begin(len(self._pieces), content)
        self._count(message.usage)
        self._stop = message.stop_reason
        self.closed = True

    def _count(self, usage: UsageShape | None) -> None:
        """Later figures replace earlier ones; what is not said again stays."""
        if usage is not None:
            said = {name: value for name in usage.__struct_fields__ if (value := getattr(usage, name)) is not None}
            self._usage = msgspec.structs.replace(self._usage, **said)

    def _begin(self, index: int | None, content: ContentShape) -> Iterator[Delta]:
        piece = _Piece(content)
        self._pieces[len(self._pieces) if index is None else index] = piece
        yield from self._say(piece, content.text, content.thinking)

    def _go_on(self, index: int | None, delta: DeltaShape) -> Iterator[Delta]:
        self._stop = delta.stop_reason or self._stop
        piece = self._pieces.get(index) if index is not None else None
        if piece is None:
            return
        piece.signature += delta.signature or ""
        if delta.partial_json:
            self._room.take(len(delta.partial_json))
            piece.written.append(delta.partial_json)
        yield from self._say(piece, delta.text, delta.thinking)

    def _say(self, piece: _Piece, text: str | None, thinking: str | None) -> Iterator[Delta]:
        said = text or thinking
        if said:
            self._room.take(len(said))
            piece.written.append(said)
            yield TextDelta(said) if text else ThinkingDelta(said)

    def finish(self) -> ModelReply:
        """The reply, which must have named its end."""
        if not self.ended:
            raise cut()
        calls = CallsNamed(self._seed)
        blocks: list[Block] = []
        for place in sorted(self._pieces):
            piece = self._pieces[place]
            match piece.given.type:
                case "text" if piece.text:
                    blocks.append(Text(piece.text))
                case "thinking" if piece.text or piece.signature:
                    blocks.append(Thinking(piece.text, piece.signature or None, self._route.name))
                case "redacted_thinking":
                    blocks.append(Thinking("", REDACTED + (piece.given.data or ""), self._route.name))
                case "tool_use":
                    arguments = piece.text.strip() or bytes(piece.given.input).decode() or "{}"
                    blocks.append(calls.call(piece.given.id, piece.given.name, arguments))
        return reply_of(self._route, blocks, _STOPS.get(self._stop or "end_turn", "end"), _counted(self._usage))


def _counted(usage: UsageShape) -> Usage:
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Usage(
        input_tokens=(usage.input_tokens or 0) + cached + written,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=cached,
        cache_write_tokens=written,
        tells_cache=usage.cache_read_input_tokens is not None,
    )
