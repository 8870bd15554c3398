"""What the blocks of a session tell: the texts that its tools have read, with their lines, and everything that was said."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from limen.agent.sources import ReadText
from limen.core.message import Text, leaves
from limen.core.untrusted import unfence
from limen.kit.cut_page import stretches
from limen.kit.link_numbers import without_link_numbers
from limen.store.ports import StoredBlock

# More of a session is not looked through for one answer.
_MOST_CHARS = 4_000_000
# The leaves of one document are its entries: before the first stands its beginning.
_DOCUMENT = '{"results": ['
_NUMBERED = re.compile(r"(\d{1,9})[:-] ?(.*)")


def read_in(blocks: Sequence[StoredBlock]) -> Iterator[ReadText]:
    """The numbered sources that tools have answered with, as the model saw them; latest first."""
    for text in _latest(block for block in blocks if block.place == "tool"):
        body = _body(text)
        if body is not None and isinstance(body.get("n"), int) and isinstance(body.get("content"), str):
            yield from _texts(body["n"], unfence(body["content"]), body)


def told_by(blocks: Sequence[StoredBlock]) -> Iterator[str]:
    """Every text of the session but the model's, JSON as the words that it holds; latest first."""
    for text in _latest(block for block in blocks if block.place != "assistant"):
        body = _body(text)
        yield text if body is None else "\n\n".join(_strings(body))


def _latest(blocks: Iterator[StoredBlock]) -> Iterator[str]:
    room = _MOST_CHARS
    for block in reversed(list(blocks)):
        for leaf in leaves(block.block):
            if isinstance(leaf, Text) and room > 0:
                room -= len(leaf.text)
                yield leaf.text


def _body(text: str) -> dict[str, Any] | None:
    """The JSON object of a leaf; None where it is none."""
    try:
        body, _ = json.JSONDecoder().raw_decode(text.removeprefix(_DOCUMENT))
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting += reversed(list(one.values()) if isinstance(one, dict) else one)


def _texts(n: int, content: str, body: dict[str, Any]) -> Iterator[ReadText]:
    if "command" in body:  # browsing shows lines behind their numbers
        yield from _numbered(n, content)
        return
    if isinstance(body.get("start_line"), int):
        yield ReadText(n, content, body["start_line"])
        return
    source = body.get("source")
    next_line = source.get("next_line") if isinstance(source, dict) else None
    for stretch in stretches(content, next_line if isinstance(next_line, int) else None):
        yield ReadText(n, stretch.text, stretch.first_line)


def _numbered(n: int, content: str) -> Iterator[ReadText]:
    """Stretches of numbered lines; numbers left out are empty lines, where they are few."""
    held: list[str] = []
    first = 0
    for match in filter(None, map(_NUMBERED.fullmatch, content.split("\n"))):
        gap = int(match[1]) - (first + len(held))
        if held and 0 <= gap <= len(held) + 100:
            held += [""] * gap
        elif held:
            yield ReadText(n, without_link_numbers("\n".join(held)), first)
            held = []
        first = first if held else int(match[1])
        held.append(match[2])
    if held:
        yield ReadText(n, without_link_numbers("\n".join(held)), first)
