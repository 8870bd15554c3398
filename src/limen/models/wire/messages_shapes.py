"""The shapes of an Anthropic Messages answer: the events of a stream, and a whole message."""

from typing import Any

import msgspec


class UsageShape(msgspec.Struct, frozen=True):
    """`input_tokens` leaves out what was read from the cache or written to it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class ContentShape(msgspec.Struct, frozen=True):
    """A block of content, at its start or whole."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")


class DeltaShape(msgspec.Struct, frozen=True):
    """A piece of a block, or what a message says at its end."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class MessageShape(msgspec.Struct, frozen=True):
    """A message, at its start or whole; or an error in its place."""

    type: str = ""
    content: list[ContentShape] | None = None
    stop_reason: str | None = None
    usage: UsageShape | None = None
    error: Any = None


class EventShape(msgspec.Struct, frozen=True):
    """One event of a stream."""

    type: str = ""
    index: int | None = None
    message: MessageShape | None = None
    content_block: ContentShape | None = None
    delta: DeltaShape | None = None
    usage: UsageShape | None = None
    error: Any = None
