"""Anthropic Messages requests as bytes: tools first, then the system's blocks, then messages that only grow.

Marks for the prompt cache stand where the prompt's tiers end, which never moves within a session, and at the top of the
request, where the vendor itself lets the mark of the conversation wander: no byte of a message depends on its place.
"""

from collections.abc import Iterator
from typing import Any

from limen.core.exchange import ModelRequest
from limen.core.message import Block, Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.models import quirks
from limen.models.wire.arguments import wrap
from limen.models.wire.canonical import array, base64_of, to_json
from limen.models.wire.marks import mark_of

REDACTED = "redacted:"
"""How a signature begins that is a whole redacted block: what follows is its data."""


def encode(request: ModelRequest) -> bytes:
    """The body of a request, whose messages must already be in an order the protocol takes."""
    route = request.route
    tail: dict[str, Any] = {"max_tokens": request.output_tokens}
    if request.tools and not request.may_call:
        tail["tool_choice"] = {"type": "none"}
    if route.effort:
        tail["thinking"] = {"type": "adaptive"}
        tail["output_config"] = {"effort": route.effort}
    if quirks.NO_CACHE_MARKS not in route.quirks:
        tail["cache_control"] = mark_of(route)
    if quirks.NO_STREAM not in route.quirks:
        tail["stream"] = True
    return stem(request) + b"]," + to_json(tail)[1:]


def stem(request: ModelRequest) -> bytes:
    """The body up to its last message: within a session, until a fold, each request's stem starts with the one before."""
    head: dict[str, Any] = {"model": request.route.model}
    if request.tools:
        head["tools"] = [_tool(schema) for schema in request.tools]
    if request.prompt.parts:
        head["system"] = list(_system(request.prompt, request.route))
    return to_json(head)[:-1] + b',"messages":[' + b",".join(_message(message) for message in request.messages)


def _tool(schema: ToolSchema) -> dict[str, Any]:
    return {"name": schema.name, "description": schema.description, "input_schema": schema.parameters}


def _system(prompt: Prompt, route: Route) -> Iterator[dict[str, Any]]:
    marked = prompt.ends if quirks.NO_CACHE_MARKS not in route.quirks else ()
    for place, part in enumerate(prompt.parts, 1):
        block = {"type": "text", "text": part.block.text}
        yield {**block, "cache_control": mark_of(route)} if place in marked else block


def _message(message: Message) -> bytes:
    role = b"assistant" if message.role == "assistant" else b"user"
    return b'{"role":"' + role + b'","content":' + array(_block(block) for block in message.blocks) + b"}"


def _block(block: Block) -> bytes:
    match block:
        case Text(text):
            return to_json({"type": "text", "text": text})
        case Image(media_type, data):
            source = {"type": "base64", "media_type": media_type, "data": base64_of(data)}
            return to_json({"type": "image", "source": source})
        case Thinking(text, signature):
            if signature is not None and signature.startswith(REDACTED):
                return to_json({"type": "redacted_thinking", "data": signature.removeprefix(REDACTED)})
            return to_json({"type": "thinking", "thinking": text, "signature": signature or ""})
        case ToolCall(call_id, name, arguments):
            head = to_json({"type": "tool_use", "id": call_id, "name": name})
            return head[:-1] + b',"input":' + wrap(arguments).encode() + b"}"
        case ToolResult(call_id, blocks, is_error):
            head = to_json({"type": "tool_result", "tool_use_id": call_id, **({"is_error": True} if is_error else {})})
            return head[:-1] + b',"content":' + array(_block(leaf) for leaf in blocks) + b"}"
