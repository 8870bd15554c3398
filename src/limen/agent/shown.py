"""Which addresses the window has shown: in what the user wrote, in search results, in pages and outputs.

What the model wrote shows nothing, since it may have been told what to write.
"""

import re
from collections.abc import Iterable

from limen.core.ledger import LedgerEntry
from limen.core.message import Block, Text, ToolResult
from limen.net.url import comparable

_ADDRESS = re.compile(r"https?://(?:[^\s<>\"'()\[\]{}\\`]|\([^\s<>\"'()]*\))+", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?<![\w@/.:-])((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?::\d{1,5})?(?:/[^\s<>\"'()\[\]{}]*)?)", re.IGNORECASE)
_AFTER = ".,;:!?*_~|"


class ShownAddresses:
    """A container of addresses; texts are searched only when somebody asks. `in` compares as `net.url.comparable` spells."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._waiting: list[tuple[str, bool]] = []

    def add(self, block: Block, entries: Iterable[LedgerEntry]) -> None:
        """Note a block that entered the window. People write `example.org` and mean an address; machines do not."""
        kinds = {entry.kind for entry in entries}
        if "model" not in kinds:
            self._waiting += [(text, bool(kinds & {"user", "steering"})) for text in _texts(block)]

    def __contains__(self, address: object) -> bool:
        for text, by_a_person in self._waiting:
            self._known.update(addresses(text, by_a_person=by_a_person))
        self._waiting.clear()
        return address in self._known


def _texts(block: Block) -> Iterable[str]:
    if isinstance(block, Text):
        yield block.text
    elif isinstance(block, ToolResult):
        yield from (inner.text for inner in block.blocks if isinstance(inner, Text))


def addresses(text: str, *, by_a_person: bool = False) -> Iterable[str]:
    """The addresses in a text, as `comparable` spells them; a person's bare `host/path` counts under both schemes."""
    for match in _ADDRESS.finditer(text):
        yield comparable(match[0].rstrip(_AFTER))
    if by_a_person:
        for match in _BARE_HOST.finditer(text):
            name = match[1].rstrip(_AFTER)
            yield comparable(f"https://{name}")
            yield comparable(f"http://{name}")
