"""What a request's bytes hold, whatever protocol they are written in."""

from collections.abc import Sequence

import msgspec

from limen.core.message import Leaf, payload
from limen.core.tool import ToolSchema


class Carried(msgspec.Struct, frozen=True):
    """Leaves in order, tool schemas, and how many bytes are neither."""

    leaves: tuple[Leaf, ...]
    tools: tuple[ToolSchema, ...]
    framing_bytes: int


def carried(body: bytes, leaves: Sequence[Leaf], tools: Sequence[ToolSchema]) -> Carried:
    """Leaves and schemas found in `body`, with what is left of it."""
    held = sum(len(payload(leaf)) for leaf in leaves) + sum(len(msgspec.json.encode(schema)) for schema in tools)
    return Carried(tuple(leaves), tuple(tools), len(body) - held)
