"""OpenAI Responses requests as bytes: nothing is stored at the vendor, so each request carries the whole conversation.

A message becomes as many items as it has pieces, in their order: what was thought, said and called keeps its place.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from limen.core.exchange import ModelRequest
from limen.core.message import Block, Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.tool import ToolSchema
from limen.models import quirks
from limen.models.wire.arguments import wrap
from limen.models.wire.canonical import data_url, to_json
from limen.models.wire.chat_body import JOINT


class Sealed(msgspec.Struct, frozen=True):
    """What a signature holds of a piece of reasoning: its id, and the part only the vendor can read."""

    id: str
    encrypted_content: str | None = None


def encode(request: ModelRequest) -> bytes:
    """The body of a request, whose messages must already be in an order the protocol takes."""
    route = request.route
    tail: dict[str, Any] = {"store": False, "include": ["reasoning.encrypted_content"]}
    if quirks.NO_OUTPUT_LIMIT not in route.quirks:
        tail["max_output_tokens"] = request.output_tokens
    if request.tools and not request.may_call:
        tail["tool_choice"] = "none"
    if route.effort:
        tail["reasoning"] = {"effort": route.effort, "summary": "auto"}
    if request.cache_key and quirks.CACHE_KEY in route.quirks:
        tail["prompt_cache_key"] = request.cache_key
    if quirks.NO_STREAM not in route.quirks:
        tail["stream"] = True
    return stem(request) + b"]," + to_json(tail)[1:]


def stem(request: ModelRequest) -> bytes:
    """The body up to its last item: within a session, until a fold, each request's stem starts with the one before."""
    head: dict[str, Any] = {"model": request.route.model}
    if request.tools:
        head["tools"] = [_tool(schema) for schema in request.tools]
    texts = [part.block.text for part in request.prompt.parts]
    if texts and quirks.INSTRUCTIONS in request.route.quirks:
        head["instructions"] = JOINT.join(texts)
    return to_json(head)[:-1] + b',"input":[' + b",".join(to_json(item) for item in _items(request))


def _tool(schema: ToolSchema) -> dict[str, Any]:
    return {
        "type": "function", "name": schema.name, "description": schema.description, "parameters": schema.parameters,
        "strict": False,
    }  # fmt: skip


def _items(request: ModelRequest) -> Iterator[dict[str, Any]]:
    kept = request.route.quirks
    if request.prompt.parts and quirks.INSTRUCTIONS not in kept:
        yield {"type": "message", "role": "system", "content": _content([part.block for part in request.prompt.parts])}
    for message in request.messages:
        match message.role:
            case "user":
                yield {"type": "message", "role": "user", "content": _content(message.blocks)}
            case "assistant":
                yield from _said(message, phases=quirks.PHASES in kept)
            case "tool":
                yield from (_output(block, kept) for block in message.blocks if isinstance(block, ToolResult))


def _content(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    return [_part(block) for block in blocks]


def _part(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "input_text", "text": text}
        case Image():
            return {"type": "input_image", "image_url": data_url(block), "detail": "auto"}
        case _:
            raise AssertionError(f"{type(block).__name__} cannot stand among words; history puts it elsewhere")


def _said(message: Message, *, phases: bool) -> Iterator[dict[str, Any]]:
    """A model's own words come back as plain messages, since an item's id means nothing where items are not stored."""
    calls = any(isinstance(block, ToolCall) for block in message.blocks)
    phase = {"phase": "commentary" if calls else "final_answer"} if phases else {}
    for block in message.blocks:
        match block:
            case Text(text):
                yield {"type": "message", "role": "assistant", "content": text, **phase}
            case Thinking(text, signature):
                sealed = msgspec.json.decode(signature or "{}", type=Sealed)
                summary = [{"type": "summary_text", "text": text}] if text else []
                yield {"type": "reasoning", "id": sealed.id, "summary": summary, "encrypted_content": sealed.encrypted_content}
            case ToolCall(call_id, name, arguments):
                yield {"type": "function_call", "call_id": call_id, "name": name, "arguments": wrap(arguments)}


def _output(result: ToolResult, kept: frozenset[str]) -> dict[str, Any]:
    texts = [block.text for block in result.blocks if isinstance(block, Text)]
    flat = quirks.FLAT_CONTENT in kept and len(texts) == len(result.blocks)
    output = JOINT.join(texts) if flat else _content(result.blocks)
    return {"type": "function_call_output", "call_id": result.call_id, "output": output}
