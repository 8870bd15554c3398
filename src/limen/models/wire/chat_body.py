"""Chat Completions requests as bytes.

Bytes are canonical: what stays the same during a session stands first and messages only grow, so that each request starts
with the bytes of the one before it and a vendor's prompt cache can hold.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from limen.core.exchange import ModelRequest
from limen.core.message import Block, Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.tool import ToolSchema
from limen.models import quirks
from limen.models.wire.arguments import wrap
from limen.models.wire.canonical import data_url, to_json

JOINT = "\n\n"
"""What stands between leaves where a server takes one string only."""


def encode(request: ModelRequest) -> bytes:
    """The body of a request, whose messages must already be in an order the protocol takes."""
    tail: dict[str, Any] = {}
    if quirks.MAX_COMPLETION_TOKENS in request.route.quirks:
        tail["max_completion_tokens"] = request.output_tokens
    else:
        tail["max_tokens"] = request.output_tokens
    if request.tools and not request.may_call:
        tail["tool_choice"] = "none"
    if quirks.NO_STREAM not in request.route.quirks:
        tail["stream"] = True
        if quirks.NO_STREAM_OPTIONS not in request.route.quirks:
            tail["stream_options"] = {"include_usage": True}
    return stem(request) + b"]," + to_json(tail)[1:]


def stem(request: ModelRequest) -> bytes:
    """The body up to its last message: within a session, until a fold, each request's stem starts with the one before."""
    head: dict[str, Any] = {"model": request.route.model}
    if request.tools:
        head["tools"] = [_tool(schema) for schema in request.tools]
    return to_json(head)[:-1] + b',"messages":[' + b",".join(to_json(message) for message in _messages(request))


def _tool(schema: ToolSchema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def _messages(request: ModelRequest) -> Iterator[dict[str, Any]]:
    flat = quirks.FLAT_CONTENT in request.route.quirks
    system = [part.block for part in request.prompt.parts]
    if system:
        yield {"role": "system", "content": _content(system, flat)}
    for message in request.messages:
        match message.role:
            case "user":
                yield {"role": "user", "content": _content(message.blocks, flat)}
            case "assistant":
                yield _assistant(message, flat)
            case "tool":
                yield from (_result(block, flat) for block in message.blocks if isinstance(block, ToolResult))


def _content(blocks: Sequence[Block], flat: bool) -> str | list[dict[str, Any]]:
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if flat and len(texts) == len(blocks):
        return JOINT.join(texts)
    return [_part(block) for block in blocks]


def _part(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Image():
            return {"type": "image_url", "image_url": {"url": data_url(block)}}
        case _:
            raise AssertionError(f"{type(block).__name__} cannot stand among words; history puts it elsewhere")


def _assistant(message: Message, flat: bool) -> dict[str, Any]:
    thinking = [block.text for block in message.blocks if isinstance(block, Thinking)]
    texts = [block for block in message.blocks if isinstance(block, Text)]
    calls = [_call(block) for block in message.blocks if isinstance(block, ToolCall)]
    shape: dict[str, Any] = {"role": "assistant"}
    if thinking:
        shape["reasoning_content"] = JOINT.join(thinking)
    shape["content"] = _content(texts, flat) if texts else None
    if calls:
        shape["tool_calls"] = calls
    return shape


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": wrap(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _result(result: ToolResult, flat: bool) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.call_id, "content": _content(result.blocks, flat)}
