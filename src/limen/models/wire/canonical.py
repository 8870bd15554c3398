"""JSON as it is sent: canonical, and never failing over a character."""

import json
from collections.abc import Iterable
from typing import Any

import msgspec


def to_json(value: Any) -> bytes:
    """Compact JSON of plain values."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form, but JSON can spell it
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def array(items: Iterable[bytes]) -> bytes:
    """A JSON array of values that are JSON already."""
    return b"[" + b",".join(items) + b"]"
