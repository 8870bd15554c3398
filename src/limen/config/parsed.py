"""A settings file's values as they stand in it, without the parser that read them."""

from typing import Any

import msgspec

# Far beyond any settings file; the pure Python scanner needs seconds for a megabyte.
LIMIT_BYTES = 1_000_000

Path = tuple[str, ...]


class Parsed(msgspec.Struct, frozen=True):
    """A settings file's values, and the line (from 1) of each key and list entry by its path."""

    values: dict[str, Any] = {}
    lines: dict[Path, int] = {}
