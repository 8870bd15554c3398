"""`objects.inv`: the index of symbols and pages that Sphinx puts beside a manual (version 2 of its format)."""

import re
from typing import NamedTuple
from urllib.parse import urljoin

from limen.kit.plain_xml import BadXML
from limen.kit.sitemap import unpack

_HEAD = b"# Sphinx inventory version 2\n"
_HEAD_BYTES = 4_096
# name, domain:role, priority, address, shown name; the name may hold blanks.
_LINE = re.compile(r"(.+?)\s+([\w-]+:[\w-]+)\s+(-?\d+)\s+(\S+)\s+(.*)")
_MOST_LINES = 200_000


class Symbol(NamedTuple):
    """An entry: what it is called, its role (`py:function`, `std:doc`), its address."""

    name: str
    role: str
    url: str


class Inventory(NamedTuple):
    """A manual's symbols and pages, of a project in a version."""

    project: str
    version: str
    symbols: tuple[Symbol, ...]


def read_inventory(data: bytes, base: str, max_bytes: int) -> Inventory:
    """An inventory that was found in the folder `base`. Raises BadXML for what is none; lines that are none are left out."""
    if not data.startswith(_HEAD):
        raise BadXML("it is no inventory of Sphinx")
    start, head = 0, []
    for _ in range(4):
        end = data.find(b"\n", start, _HEAD_BYTES)
        if end < 0:
            raise BadXML("its head is cut off")
        head.append(data[start:end].decode("utf-8", "replace"))
        start = end + 1
    lines = unpack(data[start:], max_bytes).decode("utf-8", "replace").splitlines()[:_MOST_LINES]
    symbols = (_symbol(line, base) for line in lines)
    return Inventory(_after(head[1]), _after(head[2]), tuple(symbol for symbol in symbols if symbol is not None))


def _after(line: str) -> str:
    return line.partition(":")[2].strip()[:80]


def _symbol(line: str, base: str) -> Symbol | None:
    match = _LINE.fullmatch(line.strip())
    if match is None or match[3] == "-1" or len(line) > 2_000:  # of priority -1 is what no search shows
        return None
    name, address = match[1], match[4]
    if address.endswith("$"):
        address = address[:-1] + name
    shown = match[5].strip()
    try:
        return Symbol(name if shown in ("", "-") else shown, match[2], urljoin(base, address))
    except ValueError:
        return None
