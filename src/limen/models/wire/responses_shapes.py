"""The shapes of an OpenAI Responses answer: the events of a stream, and a whole response."""

from typing import Any

import msgspec


class PartShape(msgspec.Struct, frozen=True):
    """A part of an item's content or summary."""

    type: str = ""
    text: str | None = None
    refusal: str | None = None


class ItemShape(msgspec.Struct, frozen=True):
    """An item of the output: a message, a call, a piece of reasoning."""

    type: str = ""
    id: str | None = None
    content: list[PartShape] | None = None
    summary: list[PartShape] | None = None
    encrypted_content: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class InputDetailsShape(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class UsageShape(msgspec.Struct, frozen=True):
    """`input_tokens` counts all input. `cost` is US dollars, as OpenRouter says it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: InputDetailsShape | None = None
    cost: float | None = None


class IncompleteShape(msgspec.Struct, frozen=True):
    reason: str | None = None


class ResponseShape(msgspec.Struct, frozen=True):
    """A response, while it is made or whole."""

    status: str | None = None
    output: list[ItemShape] | None = None
    usage: UsageShape | None = None
    error: Any = None
    incomplete_details: IncompleteShape | None = None


class EventShape(msgspec.Struct, frozen=True):
    """One event of a stream. An error's code and message may stand in the event itself."""

    type: str = ""
    output_index: int | None = None
    item: ItemShape | None = None
    delta: str | None = None
    response: ResponseShape | None = None
    error: Any = None
    code: str | None = None
    message: str | None = None
