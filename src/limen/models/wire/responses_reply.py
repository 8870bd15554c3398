"""OpenAI Responses answers become replies. An item as it stands when it is done is what counts; deltas only show it coming."""

import hashlib
from collections.abc import Iterator

import msgspec

from limen.core.exchange import Delta, ModelReply, Stop, TextDelta, ThinkingDelta, Usage
from limen.core.message import Block, Text, Thinking
from limen.core.route import Route
from limen.models.classify import fault, fault_of_error
from limen.models.wire.calls import CallsNamed
from limen.models.wire.chat_body import JOINT
from limen.models.wire.gathering import DONE, Room, cut, nothing_said, reply_of
from limen.models.wire.responses_body import Sealed
from limen.models.wire.responses_shapes import EventShape, ItemShape, ResponseShape, UsageShape
from limen.models.wire.shapes import read_as

_TEXT = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THINKING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_NEXT_SUMMARY = "response.reasoning_summary_part.added"
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.done"})
_REASONS: dict[str, Stop] = {"max_output_tokens": "length", "max_tokens": "length", "content_filter": "filter"}
_BROKEN = frozenset({"failed", "cancelled"})


class ResponsesGathering:
    """Takes the events of one reply, gives their deltas, and in the end the reply. Missing call ids are made from `seed`."""

    def __init__(self, route: Route, seed: bytes) -> None:
        self._route = route
        self._seed = hashlib.sha256(seed).hexdigest()
        self._items: dict[int, ItemShape] = {}
        self._said: dict[int, list[Delta]] = {}
        self._last: ResponseShape | None = None
        self._room = Room()

    @property
    def ended(self) -> bool:
        """Whether the provider has said how the response ended."""
        return self._last is not None

    @property
    def closed(self) -> bool:
        """The same: nothing of interest follows."""
        return self.ended

    def add(self, data: str) -> Iterator[Delta]:
        """Take one event."""
        if data.strip() == DONE:
            return
        event = read_as(data, EventShape)
        if event.type == "error" or event.error:
            raise fault_of_error(event.error or {"code": event.code, "message": event.message})
        at = len(self._items) if event.output_index is None else event.output_index
        if event.item is not None and event.type == "response.output_item.done":
            yield from self._done(at, event.item)
        elif event.delta and (event.type in _TEXT or event.type in _THINKING):
            yield self._note(at, TextDelta(event.delta) if event.type in _TEXT else ThinkingDelta(event.delta))
        elif event.type == _NEXT_SUMMARY and self._said.get(at):
            yield self._note(at, ThinkingDelta(JOINT))
        elif event.delta:
            self._room.take(len(event.delta))
        if event.response is not None and event.type in _ENDS:
            yield from self._end(event.response)

    def add_whole(self, body: bytes) -> Iterator[Delta]:
        """Take a response in one piece."""
        response = read_as(body, ResponseShape)
        if not response.error and response.output is None:
            raise nothing_said()
        yield from self._end(response)

    def _note(self, at: int, delta: Delta) -> Delta:
        self._room.take(len(delta.text))
        self._said.setdefault(at, []).append(delta)
        return delta

    def _done(self, at: int, item: ItemShape) -> Iterator[Delta]:
        """Keep an item, and give what of its text no delta has shown."""
        self._items[at] = item
        if at not in self._said:
            text, thinking = _text_of(item), _thinking_of(item)
            if thinking:
                yield self._note(at, ThinkingDelta(thinking))
            if text:
                yield self._note(at, TextDelta(text))

    def _end(self, response: ResponseShape) -> Iterator[Delta]:
        if response.error:
            raise fault_of_error(response.error)
        if response.status in _BROKEN:
            raise fault("upstream", f"the provider gave up on the reply ({response.status})")
        self._last = response
        if not self._items:
            for at, item in enumerate(response.output or ()):
                yield from self._done(at, item)

    def finish(self) -> ModelReply:
        """The reply, which must have named its end."""
        if self._last is None:
            raise cut()
        calls = CallsNamed(self._seed)
        blocks: list[Block] = []
        for at in sorted(self._items.keys() | self._said.keys()):
            item = self._items.get(at)
            if item is None:
                blocks += _shown(self._said[at])
            elif item.type == "function_call":
                blocks.append(calls.call(item.call_id or item.id, item.name, (item.arguments or "").strip() or "{}"))
            elif item.type == "reasoning":
                blocks += self._thinking(item)
            elif text := _text_of(item):
                blocks.append(Text(text))
        reason = self._last.incomplete_details.reason if self._last.incomplete_details is not None else None
        stop = _REASONS.get(reason or "", "length" if self._last.status == "incomplete" else "end")
        return reply_of(self._route, blocks, stop, _counted(self._last.usage))

    def _thinking(self, item: ItemShape) -> list[Block]:
        """Reasoning can be given back only whole: with its id and what only the vendor can read of it."""
        text = _thinking_of(item)
        if item.id and item.encrypted_content:
            seal = msgspec.json.encode(Sealed(item.id, item.encrypted_content)).decode()
            return [Thinking(text, seal, self._route.name)]
        return [Thinking(text, None, self._route.name)] if text else []


def _text_of(item: ItemShape) -> str:
    return "".join(part.text or part.refusal or "" for part in item.content or () if part.type != "reasoning_text")


def _thinking_of(item: ItemShape) -> str:
    told = item.summary or [part for part in item.content or () if part.type == "reasoning_text"]
    return JOINT.join(part.text for part in told if part.text) if item.type == "reasoning" else ""


def _shown(deltas: list[Delta]) -> list[Block]:
    """The blocks of an item that was never said to be done."""
    text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    return [Text(text)] if text else []


def _counted(usage: UsageShape | None) -> Usage:
    if usage is None:
        return Usage()
    details = usage.input_tokens_details
    return Usage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=(details.cached_tokens if details else None) or 0,
        cache_write_tokens=(details.cache_write_tokens if details else None) or 0,
        cost_usd=usage.cost,
        tells_cache=details is not None and details.cached_tokens is not None,
    )
