"""Calls of one reply, each with an id of its own."""

import hashlib

from limen.core.message import ToolCall


class CallsNamed:
    """Makes calls. An id that is missing or stands twice is made from `seed`, the same each time."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._taken: set[str] = set()
        self._count = 0

    def call(self, call_id: str | None, name: str | None, arguments: str) -> ToolCall:
        """The next call."""
        if not call_id or call_id in self._taken:
            call_id = "call_" + hashlib.sha256(f"{self._seed} {self._count}".encode()).hexdigest()[:16]
        self._taken.add(call_id)
        self._count += 1
        return ToolCall(call_id, name or "", arguments)
