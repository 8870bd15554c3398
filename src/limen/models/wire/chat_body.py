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
from limen.models.signatures import CALL, NO_REASONING, UNSIGNED_CALL, signs_call
from limen.models.wire.arguments import wrap
from limen.models.wire.canonical import data_url, to_json
from limen.models.wire.marks import mark_of

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
    if request.cache_key and quirks.CACHE_KEY in request.route.quirks:
        tail["prompt_cache_key"] = request.cache_key
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
    return to_json(head)[:-1] + b',"messages":[' + b",".join(to_json(message) for message in _marked(request))


def _tool(schema: ToolSchema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def _marked(request: ModelRequest) -> list[dict[str, Any]]:
    """The messages with marks for the prompt cache, four at most: where the prompt's tiers end, and at the very end."""
    messages = list(_messages(request))
    if quirks.CACHE_MARKS not in request.route.quirks:
        return messages
    mark = mark_of(request.route)
    parts = [(messages[0], place - 1) for place in sorted(request.prompt.ends)]
    parts += [(messages[-1], -1)] if request.messages else []
    for message, place in parts:
        if isinstance(message["content"], list):
            message["content"][place]["cache_control"] = mark
    return messages


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
                yield _assistant(message, request.route.quirks)
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


def _assistant(message: Message, kept: frozenset[str]) -> dict[str, Any]:
    thinking = [block.text for block in message.blocks if isinstance(block, Thinking) and not signs_call(block)]
    texts = [block for block in message.blocks if isinstance(block, Text)]
    calls = list(_calls(message, kept))
    shape: dict[str, Any] = {"role": "assistant"}
    if thinking or quirks.REPLAY_REASONING in kept:
        shape["reasoning_content"] = JOINT.join(thinking) or NO_REASONING
    shape["content"] = _content(texts, quirks.FLAT_CONTENT in kept) if texts else None
    if calls:
        shape["tool_calls"] = calls
    return shape


def _calls(message: Message, kept: frozenset[str]) -> Iterator[dict[str, Any]]:
    """A message's calls, each with its signature; of several calls side by side the model signs the first only."""
    missing = quirks.THOUGHT_SIGNATURES in kept and not any(map(signs_call, message.blocks))
    signature = UNSIGNED_CALL if missing else None
    for block in message.blocks:
        if isinstance(block, Thinking) and signs_call(block):
            signature = (block.signature or "").removeprefix(CALL)
        elif isinstance(block, ToolCall):
            function = {"name": block.name, "arguments": wrap(block.arguments)}
            signed = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
            yield {"id": block.call_id, "type": "function", "function": function, **signed}
            signature = None


def _result(result: ToolResult, flat: bool) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.call_id, "content": _content(result.blocks, flat)}
