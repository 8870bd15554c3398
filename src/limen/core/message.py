"""Blocks: the smallest things a window holds. Values without identity; the store and the ledger number them."""

import hashlib
from collections.abc import Iterator
from typing import Literal

import msgspec

Role = Literal["user", "assistant", "tool"]


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Plain text, exactly as the model sees it."""

    text: str


class Thinking(msgspec.Struct, frozen=True, tag="thinking"):
    """A model's reasoning. `signature` proves it to its `issuer` and is worthless to any other vendor."""

    text: str
    signature: str | None = None
    issuer: str | None = None


class Image(msgspec.Struct, frozen=True, tag="image"):
    """Picture bytes with their media type; `alt` is what a model without eyes is given."""

    media_type: str
    data: bytes
    alt: str = ""


class ToolCall(msgspec.Struct, frozen=True, tag="call"):
    """A model's wish to run a tool. `arguments` is the JSON text as the model wrote it, valid or not."""

    call_id: str
    name: str
    arguments: str


class ToolResult(msgspec.Struct, frozen=True, tag="result"):
    """What came back for one call: leaves in order, and where the whole lies when the leaves are a cut."""

    call_id: str
    blocks: tuple[Text | Image, ...]
    is_error: bool = False
    evidence_id: str | None = None


Leaf = Text | Thinking | Image | ToolCall
Block = Text | Thinking | Image | ToolCall | ToolResult


class Message(msgspec.Struct, frozen=True):
    """Blocks that one party said in a row."""

    role: Role
    blocks: tuple[Block, ...]


def leaves(block: Block) -> tuple[Leaf, ...]:
    """The ledger's units: a tool result is the sum of its leaves, every other block is one leaf."""
    return block.blocks if isinstance(block, ToolResult) else (block,)


def message_leaves(message: Message) -> Iterator[Leaf]:
    """Every leaf of a message, in order."""
    for block in message.blocks:
        yield from leaves(block)


def payload(leaf: Leaf) -> bytes:
    """The bytes of a leaf that any wire must carry unchanged, whatever it frames them with."""
    match leaf:
        case Text(text) | Thinking(text):
            return text.encode("utf-8", "surrogatepass")
        case ToolCall(_, name, arguments):
            return f"{name}\0{arguments}".encode("utf-8", "surrogatepass")
        case Image(media_type, data):
            return media_type.encode() + b"\0" + data


def digest(leaf: Leaf) -> str:
    """SHA-256 of a leaf's kind and payload, in hex: its identity in the ledger and on the wire."""
    kind = type(leaf).__name__.lower()
    return hashlib.sha256(kind.encode() + b"\0" + payload(leaf)).hexdigest()


def text_of(blocks: tuple[Block, ...]) -> str:
    """The visible text of blocks, joined by newlines; thinking, calls and pictures left out."""
    return "\n".join(leaf.text for block in blocks for leaf in leaves(block) if isinstance(leaf, Text))
