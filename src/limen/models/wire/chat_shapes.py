"""The shapes of a Chat Completions answer, as loosely as servers really send them."""

from typing import Any

import msgspec


class FunctionShape(msgspec.Struct, frozen=True):
    """`arguments` is a piece of JSON text; some servers send the parsed object at once."""

    name: str | None = None
    arguments: Any = None


class CallShape(msgspec.Struct, frozen=True):
    """A piece of a call. `extra_content` is where Google puts the signature of the thought that led to it."""

    index: int | None = None
    id: str | None = None
    function: FunctionShape | None = None
    extra_content: Any = None

    @property
    def signature(self) -> str:
        """Google's signature, or nothing."""
        google = self.extra_content.get("google") if isinstance(self.extra_content, dict) else None
        signature = google.get("thought_signature") if isinstance(google, dict) else None
        return signature if isinstance(signature, str) else ""


class PieceShape(msgspec.Struct, frozen=True):
    """A delta of a stream, or a whole message. `content` is text, or a list of parts."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    refusal: str | None = None
    tool_calls: list[CallShape] | None = None


class ChoiceShape(msgspec.Struct, frozen=True):
    index: int | None = None
    delta: PieceShape | None = None
    message: PieceShape | None = None
    finish_reason: str | None = None
    error: Any = None


class CachedShape(msgspec.Struct, frozen=True):
    """`cache_write_tokens` is OpenRouter's."""

    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class UsageShape(msgspec.Struct, frozen=True):
    """`cost` is US dollars, as OpenRouter says it; `prompt_cache_hit_tokens` is DeepSeek's name for cached tokens, and
    `cached_tokens` at this place Kimi's."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: CachedShape | None = None
    prompt_cache_hit_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None


class AnswerShape(msgspec.Struct, frozen=True):
    """A chunk of a stream or a whole answer: both have choices, usage, or an error."""

    choices: list[ChoiceShape] | None = None
    usage: UsageShape | None = None
    error: Any = None
