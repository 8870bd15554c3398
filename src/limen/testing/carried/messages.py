"""What an Anthropic Messages request carries."""

import base64
from collections.abc import Iterator
from typing import Any

import msgspec

from limen.core.message import Image, Leaf, Text, Thinking, ToolCall
from limen.core.tool import ToolSchema
from limen.models.wire.arguments import unwrap
from limen.models.wire.messages_body import REDACTED
from limen.testing.carried.body import Carried, carried


class _Block(msgspec.Struct):
    """`input` stays the JSON text it was sent as."""

    type: str
    text: str = ""
    thinking: str = ""
    data: str = ""
    source: dict[str, str] = {}
    id: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")
    content: list["_Block"] = []


class _Message(msgspec.Struct):
    role: str
    content: list[_Block]


class _Body(msgspec.Struct):
    messages: list[_Message]
    system: list[_Block] = []
    tools: list[dict[str, Any]] = []


def split(body: bytes) -> Carried:
    """The leaves and tool schemas in a body. Raises ValueError when it is none of ours."""
    try:
        shape = msgspec.json.decode(body, type=_Body)
        tools = [ToolSchema(tool["name"], tool["description"], tool["input_schema"]) for tool in shape.tools]
    except (msgspec.DecodeError, KeyError) as error:
        raise ValueError(f"no body of a messages request: {error!r}") from error
    blocks = [*shape.system, *(block for message in shape.messages for block in message.content)]
    return carried(body, [leaf for block in blocks for leaf in _leaves(block)], tools)


def _leaves(block: _Block) -> Iterator[Leaf]:
    match block.type:
        case "text":
            yield Text(block.text)
        case "image":
            yield Image(block.source["media_type"], base64.b64decode(block.source["data"], validate=True))
        case "thinking":
            yield Thinking(block.thinking)
        case "redacted_thinking":
            yield Thinking("", REDACTED + block.data)
        case "tool_use":
            yield ToolCall(block.id, block.name, unwrap(bytes(block.input).decode()))
        case "tool_result":
            for inner in block.content:
                yield from _leaves(inner)
        case kind:
            raise ValueError(f"no block of ours: {kind}")
