"""Texts of evidence in blocks: what is asked of one is read without the rest."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

from limen.core.fault import StoreFault
from limen.store.packing import Packed, unpack

# What `evidence_texts.packed` says of a text in blocks; before there were any, it was 0 or 1.
IN_BLOCKS = 2
# A search takes so many at once: enough that the statement costs nothing, few enough to stop soon.
_BATCH = 16


class Stretch(NamedTuple):
    """Some lines of a text, in bytes, the first of which has the number `first`. The last has no end, but for the text's."""

    first: int
    data: bytes


class _Row(NamedTuple):
    number: int
    first: int
    last: int


def insert_blocks(connection: sqlite3.Connection, evidence_id: str, packed: Packed) -> None:
    """Store the blocks of a text whose row is there. Part of a write job, which may run twice."""
    packed.data.seek(0)
    connection.executemany(
        "INSERT INTO evidence_blocks (text, first, last, packed, whole, body) VALUES (?, ?, ?, ?, ?, ?)",
        (
            (evidence_id, block.first, block.last, block.is_packed, block.is_whole, packed.data.read(block.size))
            for block in packed.blocks
        ),
    )


def lines_of(connection: sqlite3.Connection, evidence_id: str, first: int, last: int) -> bytes:
    """Lines `first` to `last` of a text that is there, as far as it has them, without the end of the last."""
    rows = connection.execute(
        "SELECT first, last, packed, body FROM evidence_blocks WHERE text = :id AND first <= :last AND last >= :first "
        "AND first >= COALESCE((SELECT MAX(first) FROM evidence_blocks WHERE text = :id AND first < :first), 0) "
        "ORDER BY first, id",
        {"id": evidence_id, "first": first, "last": last},
    ).fetchall()
    with damage(evidence_id):
        if not rows:
            data = _whole(connection, evidence_id)
            return _cut_lines(data, first - 1, data.count(b"\n") + 1 - last)
        data = b"".join(unpack(packed, body) for _, _, packed, body in rows)
    end = int(rows[-1][1])
    if last <= end:
        data = data.removesuffix(b"\n")
    return _cut_lines(data, first - int(rows[0][0]), end - last)


def stretches(connection: sqlite3.Connection, evidence_id: str, wanted: Callable[[int], bool] | None) -> Iterator[Stretch]:
    """A text from its beginning in stretches of whole lines; of its blocks only those whose number is `wanted`, where that is
    known."""
    rows = [
        _Row(*row)
        for row in connection.execute(
            "SELECT id, first, last FROM evidence_blocks WHERE text = ? ORDER BY first, id", (evidence_id,)
        )
    ]
    if not rows:
        with damage(evidence_id):
            whole = Stretch(1, _whole(connection, evidence_id))
        yield whole
        return
    chosen = rows if wanted is None else [row for row in rows if wanted(row.number)]
    end = rows[-1].number
    for batch in _batches(chosen):
        yield Stretch(batch[0].first, _joined(connection, evidence_id, batch, end))


def _batches(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Rows that follow one another, cut where a line ends."""
    for _, group in groupby(enumerate(rows), lambda pair: pair[1].number - pair[0]):
        batch: list[_Row] = []
        for _, row in group:
            if len(batch) >= _BATCH and row.first > batch[-1].last:
                yield batch
                batch = []
            batch.append(row)
        yield batch


def _joined(connection: sqlite3.Connection, evidence_id: str, batch: Sequence[_Row], end: int) -> bytes:
    bodies = connection.execute(
        "SELECT packed, body FROM evidence_blocks WHERE id BETWEEN ? AND ? ORDER BY id", (batch[0].number, batch[-1].number)
    )
    with damage(evidence_id):
        parts = [unpack(*row) for row in bodies]
    if batch[-1].number != end:
        parts[-1] = parts[-1].removesuffix(b"\n")
    return b"".join(parts)


def _whole(connection: sqlite3.Connection, evidence_id: str) -> bytes:
    """A text that was kept before there were blocks; nothing of one that has some."""
    packed, data = connection.execute("SELECT packed, text FROM evidence_texts WHERE id = ?", (evidence_id,)).fetchone()
    return b"" if packed == IN_BLOCKS else unpack(packed, data)


def _cut_lines(data: bytes, before: int, after: int) -> bytes:
    """Lines without the first `before` and the last `after` of them."""
    at, end = 0, len(data)
    for _ in range(before):
        at = data.find(b"\n", at) + 1
        if not at:
            return b""
    for _ in range(after):
        end = data.rfind(b"\n", at, end)
    return data[at:end]


@contextmanager
def damage(evidence_id: str) -> Iterator[None]:
    """What of a damaged text cannot be read is a StoreFault `store.unreadable`."""
    try:
        yield
    except (zlib.error, UnicodeDecodeError) as error:
        mend = "`limen evidence purge` drops stored texts; the database's disk may be failing."
        raise StoreFault("store.unreadable", f"The stored text {evidence_id} is damaged: {error}.", mend) from error
