"""Scripted replies in the documented Anthropic Messages format: as the events of a stream, or as one document."""

import json
from collections.abc import Iterator
from typing import Any

from limen.core.message import ToolCall
from limen.testing.scripted_model import Reply, pieces

SIGNATURE = "c2lnbmVk"
"""What every scripted thought is signed with."""

_FIELDS = {"thinking_delta": "thinking", "text_delta": "text", "input_json_delta": "partial_json"}
_STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "filter": "refusal", "interrupted": "end_turn"}


def events(reply: Reply, model: str) -> Iterator[bytes]:
    """A reply as the events of a stream."""
    usage = {**_usage(reply), "output_tokens": 1}
    yield _event("message_start", message=_message(model, [], None, usage))
    yield _event("ping")
    for index, (block, cut, kind) in enumerate(_blocks(reply)):
        yield _event("content_block_start", index=index, content_block=block)
        for piece in cut:
            yield _event("content_block_delta", index=index, delta={"type": kind, _FIELDS[kind]: piece})
        if kind == "thinking_delta":
            yield _event("content_block_delta", index=index, delta={"type": "signature_delta", "signature": SIGNATURE})
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": _STOPS[reply.ends], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": reply.usage.output_tokens})
    yield _event("message_stop")


def whole(reply: Reply, model: str) -> dict[str, Any]:
    """A reply as one document."""
    content: list[dict[str, Any]] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": SIGNATURE})
    if reply.text:
        content.append({"type": "text", "text": reply.text, "citations": None})
    content += [_used(call) for call in reply.calls]
    return _message(model, content, _STOPS[reply.ends], _usage(reply))


def _blocks(reply: Reply) -> Iterator[tuple[dict[str, Any], Iterator[str], str]]:
    size = reply.piece_chars
    if reply.thinking:
        yield {"type": "thinking", "thinking": "", "signature": ""}, pieces(reply.thinking, size), "thinking_delta"
    if reply.text:
        yield {"type": "text", "text": "", "citations": None}, pieces(reply.text, size), "text_delta"
    for call in reply.calls:
        begun = {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}}
        yield begun, pieces(call.arguments, size), "input_json_delta"


def _used(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.call_id, "name": call.name, "input": json.loads(call.arguments)}


def _event(kind: str, **fields: Any) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return f"event: {kind}\ndata: ".encode() + data + b"\n\n"


def _message(model: str, content: list[dict[str, Any]], stop: str | None, usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": stop,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _usage(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "input_tokens": usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
    }
