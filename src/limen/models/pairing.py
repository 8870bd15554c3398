"""Which result answers which call. Vendors reuse call ids, so an id alone does not say."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from limen.core.message import Message, ToolCall, ToolResult

Place = tuple[int, int]
"""A block's place in a history: its message, and its position in that."""


class Pairing(NamedTuple):
    """Results by the place of their call, and the places of results that answer no call."""

    result_of: dict[Place, ToolResult]
    orphans: frozenset[Place]


def pair(messages: Sequence[Message]) -> Pairing:
    """Give each result to the latest message before it that made a call of its id, to the first such call still open."""
    open_calls: dict[str, deque[Place]] = {}
    result_of: dict[Place, ToolResult] = {}
    orphans: set[Place] = set()
    for number, message in enumerate(messages):
        if message.role == "user":
            continue
        blocks = list(enumerate(message.blocks))
        made = [(index, block) for index, block in blocks if isinstance(block, ToolCall)]
        for _, call in made:
            open_calls[call.call_id] = deque()
        for index, call in made:
            open_calls[call.call_id].append((number, index))
        for index, block in blocks:
            if isinstance(block, ToolResult):
                waiting = open_calls.get(block.call_id)
                if waiting:
                    result_of[waiting.popleft()] = block
                else:
                    orphans.add((number, index))
    return Pairing(result_of, frozenset(orphans))
