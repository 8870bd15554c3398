"""Chat Completions answers become replies: pieces are gathered until the provider says that the reply has ended."""

import hashlib
from collections.abc import Iterator
from typing import Any

from limen.core.exchange import Delta, ModelReply, Stop, TextDelta, ThinkingDelta, Usage
from limen.core.message import Block, Text, Thinking, ToolCall
from limen.core.route import Route
from limen.models.classify import fault, fault_of_error
from limen.models.wire.chat_calls import CallGathering
from limen.models.wire.chat_shapes import AnswerShape, ChoiceShape, PieceShape, UsageShape

# A server caught in a loop must end somewhere; no model writes a reply this long.
REPLY_LIMIT_CHARS = 8_000_000

_STOPS: dict[str, Stop] = {
    "stop": "end", "end_turn": "end", "eos": "end", "tool_calls": "tools", "function_call": "tools", "length": "length",
    "max_tokens": "length", "model_length": "length", "content_filter": "filter", "safety": "filter",
}  # fmt: skip
_FAILED = frozenset({"error", "abort", "cancelled", "insufficient_system_resource"})


class ReplyGathering:
    """Takes the chunks of one reply, gives their deltas, and in the end the reply. Missing call ids are made from `seed`."""

    def __init__(self, route: Route, seed: bytes) -> None:
        self._route = route
        self._seed = hashlib.sha256(seed).hexdigest()
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls = CallGathering()
        self._usage = Usage()
        self._finish: str | None = None
        self._closed = False
        self._chars = 0

    @property
    def ended(self) -> bool:
        """Whether the provider has said that the reply is over; what may follow is usage."""
        return self._closed or self._finish is not None

    def close(self) -> None:
        """Note that the answer came whole, though it may have named no reason for its end."""
        self._closed = True

    def add(self, answer: AnswerShape) -> Iterator[Delta]:
        """Take one chunk. Raises ModelFault when it carries an error or makes the reply too long."""
        if answer.error:
            raise fault_of_error(answer.error)
        if answer.usage is not None:
            self._usage = _usage(answer.usage)
        for choice in answer.choices or ():
            if choice.index in (0, None):
                yield from self._choice(choice)

    def _choice(self, choice: ChoiceShape) -> Iterator[Delta]:
        if choice.error:
            raise fault_of_error(choice.error)
        piece = choice.delta or choice.message
        if piece is not None:
            yield from self._piece(piece)
        if choice.finish_reason:
            self._finish = choice.finish_reason.lower()

    def _piece(self, piece: PieceShape) -> Iterator[Delta]:
        thinking = piece.reasoning_content or (piece.reasoning if isinstance(piece.reasoning, str) else "")
        text, inner = _content(piece.content)
        thinking += inner
        text += piece.refusal or ""
        self._grow(len(thinking) + len(text))
        if thinking:
            self._thinking.append(thinking)
            yield ThinkingDelta(thinking)
        if text:
            self._text.append(text)
            yield TextDelta(text)
        for call in piece.tool_calls or ():
            self._grow(self._calls.add(call))

    def _grow(self, chars: int) -> None:
        self._chars += chars
        if self._chars > REPLY_LIMIT_CHARS:
            raise fault("upstream", f"the reply grew over {REPLY_LIMIT_CHARS:,} characters and was broken off")

    def finish(self) -> ModelReply:
        """The reply.

        Raises ModelFault: network when it was cut, upstream when it is empty or failed, filter when nothing was let through.
        """
        if self._finish is None and not (self._closed and self._calls.whole):
            raise fault("network", "the connection ended in the middle of the reply")
        if self._finish in _FAILED:
            raise fault("upstream", f"the provider gave up on the reply ({self._finish})")
        calls = self._calls.finished(self._seed)
        stop = self._stop(calls)
        blocks = self._blocks(calls)
        if not any(isinstance(block, Text | ToolCall) for block in blocks) and stop != "length":
            if stop == "filter":
                raise fault("filter", "the provider's filter held back the whole reply")
            raise fault("upstream", "the reply is empty")
        return ModelReply(blocks=blocks, stop=stop, usage=self._usage, route=self._route)

    def _blocks(self, calls: tuple[ToolCall, ...]) -> tuple[Block, ...]:
        blocks: list[Block] = []
        if self._thinking:
            blocks.append(Thinking("".join(self._thinking), issuer=self._route.name))
        if self._text:
            blocks.append(Text("".join(self._text)))
        return (*blocks, *calls)

    def _stop(self, calls: tuple[ToolCall, ...]) -> Stop:
        stop = _STOPS.get(self._finish or "stop", "end")
        if stop in ("end", "tools"):
            return "tools" if calls else "end"
        return stop


def _content(content: str | list[Any] | None) -> tuple[str, str]:
    """Text and thinking in a piece's content; parts of other types are not for us."""
    if content is None or isinstance(content, str):
        return content or "", ""
    text: list[str] = []
    thinking: list[str] = []
    for part in content:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            text.append(part["text"])
        elif isinstance(part, dict) and part.get("type") == "thinking":
            inner = part.get("thinking")
            thinking.append(inner if isinstance(inner, str) else _content(inner if isinstance(inner, list) else None)[0])
    return "".join(text), "".join(thinking)


def _usage(shape: UsageShape) -> Usage:
    cached = shape.prompt_tokens_details.cached_tokens if shape.prompt_tokens_details else None
    return Usage(
        input_tokens=shape.prompt_tokens or 0,
        output_tokens=shape.completion_tokens or 0,
        cached_tokens=cached or shape.prompt_cache_hit_tokens or 0,
        cost_usd=shape.cost,
    )
