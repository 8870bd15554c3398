"""What an OpenAI Responses request carries."""

import base64
from collections.abc import Iterator
from typing import Any

import msgspec

from limen.core.message import Image, Leaf, Text, Thinking, ToolCall
from limen.core.tool import ToolSchema
from limen.models.wire.arguments import unwrap
from limen.testing.carried.body import Carried, carried


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    image_url: str = ""


class _Item(msgspec.Struct):
    type: str
    content: str | list[_Part] = ""
    summary: list[_Part] = []
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    output: str | list[_Part] = ""


class _Body(msgspec.Struct):
    input: list[_Item]
    instructions: str | None = None
    tools: list[dict[str, Any]] = []


def split(body: bytes) -> Carried:
    """The leaves and tool schemas in a body; a string that stands for several leaves counts as one.

    Raises ValueError when it is none of ours.
    """
    try:
        shape = msgspec.json.decode(body, type=_Body)
        tools = [ToolSchema(tool["name"], tool["description"], tool["parameters"]) for tool in shape.tools]
    except (msgspec.DecodeError, KeyError) as error:
        raise ValueError(f"no body of a responses request: {error!r}") from error
    leaves: list[Leaf] = [] if shape.instructions is None else [Text(shape.instructions)]
    return carried(body, [*leaves, *(leaf for item in shape.input for leaf in _leaves(item))], tools)


def _leaves(item: _Item) -> Iterator[Leaf]:
    match item.type:
        case "message":
            yield from _parts(item.content)
        case "reasoning":
            yield Thinking("".join(part.text for part in item.summary))
        case "function_call":
            yield ToolCall(item.call_id, item.name, unwrap(item.arguments))
        case "function_call_output":
            yield from _parts(item.output)
        case kind:
            raise ValueError(f"no item of ours: {kind}")


def _parts(content: str | list[_Part]) -> Iterator[Leaf]:
    if isinstance(content, str):
        yield Text(content)
        return
    for part in content:
        if part.type == "input_image":
            media_type, _, data = part.image_url.removeprefix("data:").partition(";base64,")
            yield Image(media_type, base64.b64decode(data, validate=True))
        else:
            yield Text(part.text)
