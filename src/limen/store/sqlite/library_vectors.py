"""What sections mean, as vectors of a byte a dimension, and which are nearest to a question.

All are compared by the signs of their dimensions, in memory; the nearest of these by their bytes.
"""

import json
import math
import sqlite3
import sys
from array import array
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from operator import mul

from limen.store.library import Near
from limen.store.sqlite.library_text import readable

_STATE = "SELECT count(*), max(id) FROM library_vectors"
_LARGEST = 127
# So many are compared by their bytes for each that is wanted.
_CLOSER_LOOK = 3
_TEXT_CHARS = 2_000
_WITHOUT = f"""
SELECT s.id, i.title || char(10) || s.heading || char(10) || substr(i.body || i.listing, 1, {_TEXT_CHARS})
FROM library_texts t CROSS JOIN library_sections s ON s.text_id = t.id CROSS JOIN library_index i ON i.rowid = s.id
WHERE t.library = ? AND t.content_key NOT GLOB 'gone *' AND i.body || i.listing != ''
AND NOT EXISTS (SELECT 1 FROM library_vectors v WHERE v.section_id = s.id AND v.embedder = ?)
LIMIT ?
"""
_BYTES = "SELECT v.section_id, v.vector FROM json_each(?) n CROSS JOIN library_vectors v ON v.section_id = n.value"


def without_vector(connection: sqlite3.Connection, library: str, embedder: str, limit: int) -> dict[int, str]:
    """See `LibraryStore.unembedded`."""
    rows = connection.execute(_WITHOUT, (library, embedder, limit))
    return {number: readable(text).strip() for number, text in rows}


def put_vectors(connection: sqlite3.Connection, embedder: str, vectors: Mapping[int, Sequence[float]]) -> None:
    """See `LibraryStore.embed`."""
    rows = [(number, embedder, pack(vector), number) for number, vector in vectors.items()]
    connection.executemany(
        "INSERT OR REPLACE INTO library_vectors (section_id, embedder, vector) "
        "SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM library_sections WHERE id = ?)",
        rows,
    )


def pack(vector: Sequence[float]) -> bytes:
    """A byte a dimension, the largest of them 127 or -127. What is no number counts as 0."""
    finite = [value if math.isfinite(value) else 0.0 for value in vector]
    # By more than this nothing can be multiplied, and what is so small is none.
    scale = min(_LARGEST / (max(map(abs, finite), default=0.0) or 1.0), sys.float_info.max)
    return array("b", (round(value * scale) for value in finite)).tobytes()


class Vectors:
    """The signs of one embedder's vectors, in memory as long as they are the database's."""

    def __init__(self) -> None:
        self._state: tuple[int, int | None, str] | None = None
        self._signs: list[tuple[int, int, int]] = []

    def nearest(self, connection: sqlite3.Connection, near: Near, limit: int) -> dict[int, float]:
        """Sections whose meaning is nearest, each with how near (-1 to 1)."""
        packed = pack(near.vector)
        signs, dimensions = _signs(packed), len(packed)
        known = self._read(connection, near.embedder)
        apart = (((one ^ signs).bit_count(), number) for number, length, one in known if length == dimensions)
        by_signs = nsmallest(_CLOSER_LOOK * limit, apart)
        rows = connection.execute(_BYTES, (json.dumps([number for _, number in by_signs]),))
        close = {number: _cosine(packed, vector) for number, vector in rows}
        best = nsmallest(limit, close, key=lambda number: (-close[number], number))
        return {number: close[number] for number in best}

    def _read(self, connection: sqlite3.Connection, embedder: str) -> list[tuple[int, int, int]]:
        state = (*connection.execute(_STATE).fetchone(), embedder)
        if state != self._state:
            rows = connection.execute("SELECT section_id, vector FROM library_vectors WHERE embedder = ?", (embedder,))
            self._signs = [(number, len(vector), _signs(vector)) for number, vector in rows]
            self._state = state
        return self._signs


def _signs(packed: bytes) -> int:
    """The highest bit of every byte, which is its sign."""
    return int.from_bytes(packed) & int.from_bytes(b"\x80" * len(packed))


def _cosine(one: bytes, other: bytes) -> float:
    left, right = array("b", one), array("b", other)
    lengths = math.sqrt(sum(map(mul, left, left)) * sum(map(mul, right, right)))
    return sum(map(mul, left, right)) / lengths if lengths else 0.0
