"""The inverse of `chat_body.encode`: bytes that went to a vendor, split again into the leaves they were made of."""

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any

from limen.core.message import Image, Leaf, Text, Thinking, ToolCall
from limen.core.tool import ToolSchema
from limen.models.signatures import CALL, NO_REASONING, UNSIGNED_CALL
from limen.models.wire.arguments import unwrap
from limen.models.wire.chat_body import JOINT
from limen.testing.carried.body import Carried, carried


def split(body: bytes, sizes: Iterable[int] | None = None) -> Carried:
    """The leaves and tool schemas in a body that `encode` made.

    Where content is one string (quirk `flat_content`) the bytes do not say where its leaves end: `sizes` does, the
    characters of every leaf in order, as the ledger has them; without it such a string counts as one leaf.
    Raises ValueError when the body is none of ours or does not have those sizes.
    """
    try:
        shape = json.loads(body)
        tools = tuple(_schema(tool["function"]) for tool in shape.get("tools", ()))
        leaves = tuple(_leaves(shape["messages"], _Sizes(sizes)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no body of a chat completions request: {error!r}") from error
    return carried(body, leaves, tools)


def _schema(function: dict[str, Any]) -> ToolSchema:
    return ToolSchema(function["name"], function["description"], function["parameters"])


class _Sizes:
    """How long each leaf is, where that is known; None where a string has to count as one leaf."""

    def __init__(self, sizes: Iterable[int] | None) -> None:
        self._sizes = None if sizes is None else iter(sizes)

    def skip(self) -> None:
        """Pass over the size of a leaf whose end the bytes show."""
        if self._sizes is not None and next(self._sizes, None) is None:
            raise ValueError("the body holds more leaves than were announced")

    def cut(self, text: str) -> Iterator[str]:
        """The leaves that were joined into `text`."""
        if self._sizes is None:
            yield text
            return
        at = 0
        while True:
            size = next(self._sizes, None)
            if size is None or at + size > len(text):
                raise ValueError("a string of the body is not made of leaves of these sizes")
            yield text[at : at + size]
            at += size
            if at == len(text):
                return
            if not text.startswith(JOINT, at):
                raise ValueError("a string of the body is not made of leaves of these sizes")
            at += len(JOINT)


def _leaves(messages: list[dict[str, Any]], sizes: _Sizes) -> Iterator[Leaf]:
    for message in messages:
        reasoning = message.get("reasoning_content", NO_REASONING)
        for text in sizes.cut(reasoning) if reasoning != NO_REASONING else ():
            yield Thinking(text)
        yield from _content_leaves(message["content"], sizes)
        for call in message.get("tool_calls", ()):
            signature = call.get("extra_content", {}).get("google", {}).get("thought_signature", UNSIGNED_CALL)
            if signature != UNSIGNED_CALL:
                sizes.skip()
                yield Thinking("", CALL + signature)
            sizes.skip()
            yield ToolCall(call["id"], call["function"]["name"], unwrap(call["function"]["arguments"]))


def _content_leaves(content: str | list[dict[str, Any]] | None, sizes: _Sizes) -> Iterator[Leaf]:
    if content is None:
        return
    if isinstance(content, str):
        yield from (Text(text) for text in sizes.cut(content))
        return
    for part in content:
        sizes.skip()
        yield Text(part["text"]) if part["type"] == "text" else _image(part["image_url"]["url"])


def _image(url: str) -> Image:
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    return Image(media_type, base64.b64decode(data, validate=True))
