"""JSON as it is sent: canonical, and never failing over a character."""

import base64
import json
from collections.abc import Iterable
from typing import Any

import msgspec

from limen.core.message import Image


def to_json(value: Any) -> bytes:
    """Compact JSON of plain values."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form, but JSON can spell it
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def base64_of(data: bytes) -> str:
    """Bytes as JSON can carry them."""
    return base64.b64encode(data).decode("ascii")


def data_url(image: Image) -> str:
    """A picture as an address that holds it."""
    return f"data:{image.media_type};base64,{base64_of(image.data)}"


def array(items: Iterable[bytes]) -> bytes:
    """A JSON array of values that are JSON already."""
    return b"[" + b",".join(items) + b"]"
