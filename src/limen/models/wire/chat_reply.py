"""Chat Completions answers become replies: pieces are gathered until the provider says that the reply has ended."""

import hashlib
from collections.abc import Iterator
from typing import Any

from limen.core.exchange import Delta, ModelReply, Stop, TextDelta, ThinkingDelta, Usage
from limen.core.message import Block, Text, Thinking
from limen.core.route import Route
from limen.models.classify import fault, fault_of_error
from limen.models.wire.chat_calls import CallGathering
from limen.models.wire.chat_shapes import AnswerShape, CachedShape, ChoiceShape, PieceShape, UsageShape
from limen.models.wire.gathering import DONE, Room, cut, reply_of
from limen.models.wire.shapes import read_as

_STOPS: dict[str, Stop] = {
    "stop": "end", "end_turn": "end", "eos": "end", "tool_calls": "tools", "function_call": "tools", "length": "length",
    "max_tokens": "length", "model_length": "length", "content_filter": "filter", "safety": "filter",
}  # fmt: skip
_FAILED = frozenset({"error", "abort", "cancelled", "insufficient_system_resource"})


class ChatGathering:
    """Takes the chunks of one reply, gives their deltas, and in the end the reply. Missing call ids are made from `seed`."""

    def __init__(self, route: Route, seed: bytes) -> None:
        self._route = route
        self._seed = hashlib.sha256(seed).hexdigest()
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls = CallGathering()
        self._usage = Usage()
        self._finish: str | None = None
        self._room = Room()
        self.closed = False

    @property
    def ended(self) -> bool:
        """Whether the provider has said that the reply is over; what may follow is usage."""
        return self.closed or self._finish is not None

    def add(self, data: str) -> Iterator[Delta]:
        """Take one chunk, or the word that none follows."""
        if data.strip() == DONE:
            self.closed = True
        else:
            yield from self._answer(read_as(data, AnswerShape))

    def add_whole(self, body: bytes) -> Iterator[Delta]:
        """Take an answer in one piece, though it may have named no reason for its end."""
        yield from self._answer(read_as(body, AnswerShape))
        self.closed = True

    def _answer(self, answer: AnswerShape) -> Iterator[Delta]:
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
        self._room.take(len(thinking) + len(text))
        if thinking:
            self._thinking.append(thinking)
            yield ThinkingDelta(thinking)
        if text:
            self._text.append(text)
            yield TextDelta(text)
        for call in piece.tool_calls or ():
            self._room.take(self._calls.add(call))

    def finish(self) -> ModelReply:
        """The reply. Without a word about its end it counts as whole where the stream was closed and no call is cut."""
        if self._finish is None and not (self.closed and self._calls.whole):
            raise cut()
        if self._finish in _FAILED:
            raise fault("upstream", f"the provider gave up on the reply ({self._finish})")
        blocks: list[Block] = []
        if self._thinking:
            blocks.append(Thinking("".join(self._thinking), issuer=self._route.name))
        if self._text:
            blocks.append(Text("".join(self._text)))
        blocks += self._calls.finished(self._seed, self._route.name)
        return reply_of(self._route, blocks, _STOPS.get(self._finish or "stop", "end"), self._usage)


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
    details = shape.prompt_tokens_details or CachedShape()
    told = [
        tokens for tokens in (details.cached_tokens, shape.prompt_cache_hit_tokens, shape.cached_tokens) if tokens is not None
    ]
    return Usage(
        input_tokens=shape.prompt_tokens or 0,
        output_tokens=shape.completion_tokens or 0,
        cached_tokens=max(told, default=0),
        cache_write_tokens=details.cache_write_tokens or 0,
        cost_usd=shape.cost,
        tells_cache=bool(told),
    )
