"""Scripted replies in the documented Chat Completions format: as the events of a stream, or as one document."""

import json
from collections.abc import Iterator
from typing import Any

from limen.testing.scripted_model import Reply, pieces

CREATED = 1_700_000_000
"""The moment every scripted thing was made, in Unix seconds."""


def events(reply: Reply, model: str, *, usage: bool = True) -> Iterator[bytes]:
    """A reply as the events of a stream."""
    yield _event(model, {"role": "assistant", "content": ""})
    for piece in pieces(reply.thinking, reply.piece_chars):
        yield _event(model, {"reasoning_content": piece})
    for piece in pieces(reply.text, reply.piece_chars):
        yield _event(model, {"content": piece})
    for index, call in enumerate(reply.calls):
        function = {"name": call.name, "arguments": ""}
        yield _event(model, {"tool_calls": [{"index": index, "id": call.call_id, "type": "function", "function": function}]})
        for piece in pieces(call.arguments, reply.piece_chars):
            yield _event(model, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _event(model, {}, finish=_finish(reply))
    if usage:
        yield _data({**_frame(model, "chat.completion.chunk"), "choices": [], "usage": _usage(reply)})
    yield b"data: [DONE]\n\n"


def whole(reply: Reply, model: str) -> dict[str, Any]:
    """A reply as one document."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    return {**_frame(model, "chat.completion"), "choices": [choice], "usage": _usage(reply)}


def _event(model: str, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return _data({**_frame(model, "chat.completion.chunk"), "choices": [choice]})


def _data(shape: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(shape, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"


def _frame(model: str, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": CREATED, "model": model}


def _usage(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        **({} if usage.cost_usd is None else {"cost": usage.cost_usd}),
    }


def _finish(reply: Reply) -> str:
    named = {"end": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter", "interrupted": "stop"}
    return named[reply.ends]
