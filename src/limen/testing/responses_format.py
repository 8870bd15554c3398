"""Scripted replies in the documented OpenAI Responses format: as the events of a stream, or as one document."""

import json
from collections.abc import Iterator
from typing import Any

from limen.testing.chat_format import CREATED
from limen.testing.scripted_model import Reply, pieces

SEALED = "c2VhbGVk"
"""What every scripted thought is sealed as."""

_PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "output_text": ("content_part", {"type": "output_text", "text": "", "annotations": []}),
    "reasoning_summary_text": ("reasoning_summary_part", {"type": "summary_text", "text": ""}),
}


def events(reply: Reply, model: str) -> Iterator[bytes]:
    """A reply as the events of a stream."""
    count = iter(range(10**9))
    yield _event("response.created", next(count), response=_frame(reply, model, "in_progress", []))
    items = list(_items(reply))
    for index, item in enumerate(items):
        yield _event("response.output_item.added", next(count), output_index=index, item=_begun(item))
        for kind, fields, text in _texts(item):
            place = {"output_index": index, "item_id": item["id"], **fields}
            if kind in _PARTS:
                begins, part = _PARTS[kind]
                yield _event(f"response.{begins}.added", next(count), **place, part=part)
            for piece in pieces(text, reply.piece_chars):
                yield _event(f"response.{kind}.delta", next(count), **place, delta=piece)
        yield _event("response.output_item.done", next(count), output_index=index, item=item)
    last = whole(reply, model)
    yield _event(f"response.{last['status']}", next(count), response=last)


def whole(reply: Reply, model: str) -> dict[str, Any]:
    """A reply as one document."""
    stop = reply.stop or "end"
    status = "incomplete" if stop in ("length", "filter") else "completed"
    shape = _frame(reply, model, status, list(_items(reply)))
    if status == "incomplete":
        shape["incomplete_details"] = {"reason": "max_output_tokens" if stop == "length" else "content_filter"}
    return shape


def _items(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        yield {"type": "reasoning", "id": "rs_scripted", "summary": summary, "encrypted_content": SEALED}
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        yield {"type": "message", "id": "msg_scripted", "role": "assistant", "status": "completed", "content": content}
    for number, call in enumerate(reply.calls):
        yield {
            "type": "function_call", "id": f"fc_{number}", "call_id": call.call_id, "name": call.name,
            "arguments": call.arguments, "status": "completed",
        }  # fmt: skip


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {"content": [], "summary": [], "arguments": "", "encrypted_content": None}
    return {**item, **{name: value for name, value in empty.items() if name in item}}


def _texts(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, int], str]]:
    match item["type"]:
        case "reasoning":
            yield "reasoning_summary_text", {"summary_index": 0}, item["summary"][0]["text"]
        case "message":
            yield "output_text", {"content_index": 0}, item["content"][0]["text"]
        case "function_call":
            yield "function_call_arguments", {}, item["arguments"]


def _event(kind: str, number: int, **fields: Any) -> bytes:
    extra: dict[str, Any] = {"logprobs": []} if kind == "response.output_text.delta" else {}
    shape = {"type": kind, "sequence_number": number, **fields, **extra}
    data = json.dumps(shape, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return f"event: {kind}\ndata: ".encode() + data + b"\n\n"


def _frame(reply: Reply, model: str, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    usage = reply.usage
    return {
        "id": "resp_scripted", "object": "response", "created_at": CREATED, "status": status, "model": model,
        "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "output": output,
        "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input_tokens + usage.output_tokens,
        },
    }  # fmt: skip
