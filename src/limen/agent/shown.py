"""Which addresses the window has shown: in what the user wrote, in search results, in pages and outputs.

What the model wrote shows nothing, since it may have been told what to write.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from limen.core.ledger import LedgerEntry, OriginKind
from limen.core.message import Block, Image, Text, ToolCall, ToolResult
from limen.net.url import comparable

_ADDRESS = re.compile(r"https?://(?:[^\s<>\"'()\[\]{}\\`]|\([^\s<>\"'()]*\))+", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?<![\w@/.:-])((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?::\d{1,5})?(?:/[^\s<>\"'()\[\]{}]*)?)", re.IGNORECASE)
_AFTER = ".,;:!?*_~|"


class ShownAddresses:
    """A container of addresses; texts are searched only when somebody asks. `in` compares as `net.url.comparable` spells.

    A tool that repeats what it was called with, as a refusal does, shows nothing by that.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._said: set[str] = set()
        self._waiting: list[tuple[Block, Sequence[LedgerEntry]]] = []

    def add(self, block: Block, entries: Sequence[LedgerEntry]) -> None:
        """Note a block that entered the window. People write `example.org` and mean an address; machines do not."""
        self._waiting.append((block, entries))

    def __contains__(self, address: object) -> bool:
        for text, kind in (said for block, entries in self._waiting for said in _said(block, entries)):
            found = addresses(text, by_a_person=kind in ("user", "steering"))
            match kind:
                case "model":
                    self._said.update(found)
                case "tool":
                    self._known.update(set(found) - self._said)
                case _:
                    self._known.update(found)
        self._waiting.clear()
        return address in self._known


def _said(block: Block, entries: Sequence[LedgerEntry]) -> Iterable[tuple[str, OriginKind]]:
    """The texts of a block, each with the kind of its origin."""
    kinds = [entry.kind for entry in entries]
    leaves = list(block.blocks) if isinstance(block, ToolResult) else [block]
    if len(kinds) != len(leaves):
        kinds = ["model" if "model" in kinds else "tool" if "tool" in kinds else kind for kind in kinds[:1]] * len(leaves)
    for leaf, kind in zip(leaves, kinds, strict=True):
        for text in _texts(leaf):
            yield text, kind


def _texts(leaf: Block | Image) -> Iterable[str]:
    if isinstance(leaf, Text):
        yield leaf.text
    elif isinstance(leaf, ToolCall):
        yield from _strings(leaf.arguments)


def _strings(arguments: str) -> Iterable[str]:
    """The texts among a call's arguments, as the tool gets them; of what is no JSON the whole."""
    try:
        waiting: list[Any] = [msgspec.json.decode(arguments)]
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def addresses(text: str, *, by_a_person: bool = False) -> Iterable[str]:
    """The addresses in a text, as `comparable` spells them; a person's bare `host/path` counts under both schemes."""
    for match in _ADDRESS.finditer(text):
        yield comparable(match[0].rstrip(_AFTER))
    if by_a_person:
        for match in _BARE_HOST.finditer(text):
            name = match[1].rstrip(_AFTER)
            yield comparable(f"https://{name}")
            yield comparable(f"http://{name}")
