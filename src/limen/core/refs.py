"""Refs: short handles such as `turn0search1` for what a session was shown, so that it can be opened again without its address."""

import re
from typing import Literal, NamedTuple

import msgspec

from limen.core.web import Link

RefKind = Literal["search", "image", "view", "fetch"]

# The session of commands that belong to no conversation.
COMMAND_LINE = ""

_NAME = re.compile(r"turn(\d{1,6})(search|image|view|fetch)(\d{1,6})", re.IGNORECASE | re.ASCII)


class Ref(msgspec.Struct, frozen=True):
    """What a handle stands for. `name` is empty until a table has given one.

    `opens` is the address or reference that was asked for, `url` where it led in the end. `text_id` names the kept text of a
    view, empty where none is kept; `links` are numbered as the view showed them. `line` is where a hit's snippet stands.
    """

    kind: RefKind
    url: str
    opens: str = ""
    title: str = ""
    name: str = ""
    line: int | None = None
    text_id: str = ""
    links: tuple[Link, ...] = ()


class RefName(NamedTuple):
    """A handle taken apart: the session's turn, what was shown, and its number among those; both count from 0."""

    turn: int
    kind: str
    number: int

    def __str__(self) -> str:
        return f"turn{self.turn}{self.kind}{self.number}"


def ref_name(text: str) -> RefName | None:
    """The handle that a text is, whatever its case, brackets and leading zeros; None for any other text."""
    match = _NAME.fullmatch(text.strip().strip("[]【】 "))
    return RefName(int(match[1]), match[2].lower(), int(match[3])) if match else None
