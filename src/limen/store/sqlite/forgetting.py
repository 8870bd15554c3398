"""How a session is forgotten: from the first step on it is not there, and what it held goes in steps that hold up no one."""

import sqlite3
from collections.abc import Sequence

from limen.core.fault import StoreFault
from limen.store.packing import BLOCK_BYTES
from limen.store.sqlite.block_words import forget_words
from limen.store.sqlite.evidence_words import forget_words as forget_evidence_words

# A step of so many rows takes about ten milliseconds, and its pages in the log about a megabyte.
_BLOCKS, _ROWS = 200, 1_000
_TEXTS, _BLOCKS_OF_TEXTS = 20, 16


def mark_forgotten(connection: sqlite3.Connection, key: str) -> None:
    """The first step: nobody finds, opens or claims the session any more. Raises StoreFault `store.no_session`."""
    marked = connection.execute(
        "UPDATE sessions SET deleted = 1, title = '', owner = NULL, owned_until = NULL WHERE key = ? AND deleted = 0", (key,)
    )
    if not marked.rowcount:
        raise unknown_session(key)


def forgotten_sessions(connection: sqlite3.Connection) -> list[str]:
    """Sessions whose forgetting has not ended."""
    return [key for (key,) in connection.execute("SELECT key FROM sessions WHERE deleted <> 0")]


def forget_some(connection: sqlite3.Connection, key: str) -> int:
    """Delete some of what a marked session holds, at last the session; how many rows went, 0 when there was nothing left."""
    blocks = connection.execute("SELECT id, words, body FROM blocks WHERE session = ? LIMIT ?", (key, _BLOCKS)).fetchall()
    if blocks:
        # Rows first: the pages that they leave are what the index grows into on a full disk.
        delete_all(connection, "blocks", [(number,) for number, _, _ in blocks])
        for number, words, body in blocks:
            _forget_words(connection, number if words is None else words, body)
        return len(blocks)
    for statement in _REST:
        gone = connection.execute(statement, {"key": key, "most": _ROWS}).rowcount
        if gone:
            return gone
    return 0


# A table without row numbers takes no LIMIT, so the last row that goes is looked up first.
_REST = (
    "DELETE FROM events WHERE session = :key AND seq < "
    "(SELECT MIN(seq) FROM events WHERE session = :key) + :most",
    "DELETE FROM sources WHERE session = :key AND n < (SELECT MIN(n) FROM sources WHERE session = :key) + :most",
    "DELETE FROM refs WHERE id IN (SELECT id FROM refs WHERE session = :key LIMIT :most)",
    "DELETE FROM evidence_links WHERE session = :key AND id <= COALESCE("
    "(SELECT id FROM evidence_links WHERE session = :key ORDER BY id LIMIT 1 OFFSET :most), char(1114111))",
    "DELETE FROM sessions WHERE key = :key AND deleted <> 0",
)  # fmt: skip


def finish_forgetting(connection: sqlite3.Connection, key: str) -> None:
    """Delete at once all that is left of a session of that key, if one was marked; its key is then free."""
    if connection.execute("SELECT 1 FROM sessions WHERE key = ? AND deleted <> 0", (key,)).fetchone():
        while forget_some(connection, key):
            pass


def _forget_words(connection: sqlite3.Connection, entry: int, body: bytes) -> None:
    """Take a deleted block's words out of the index, unless a block that shares them is left."""
    if not connection.execute("SELECT 1 FROM blocks WHERE id = :entry OR words = :entry LIMIT 1", {"entry": entry}).fetchone():
        forget_words(connection, entry, body)


_UNHELD = "FROM evidence_texts t WHERE NOT EXISTS (SELECT 1 FROM evidence_links l WHERE l.id = t.id)"


def holds_unheld(connection: sqlite3.Connection) -> bool:
    """Whether there is a kept text that no session holds."""
    return connection.execute(f"SELECT 1 {_UNHELD} LIMIT 1").fetchone() is not None


def forget_unheld(connection: sqlite3.Connection) -> int:
    """Delete some of the kept texts that no session holds; how many rows went. One that goes in several steps is not found by
    whoever keeps the same text meanwhile."""
    room, gone = _BLOCKS_OF_TEXTS, 0
    for evidence_id, size in connection.execute(f"SELECT id, bytes {_UNHELD} LIMIT ?", (_TEXTS,)).fetchall():
        blocks = connection.execute(
            "SELECT id, packed, whole, body FROM evidence_blocks WHERE text = ? ORDER BY id DESC LIMIT ?", (evidence_id, room + 1)
        ).fetchall()
        going = blocks[:room]
        # Rows first: the pages that they leave are what the index grows into on a full disk.
        delete_all(connection, "evidence_blocks", [(number,) for number, *_ in going])
        for block in going:
            forget_evidence_words(connection, *block)
        gone += len(going)
        if len(blocks) > room:
            connection.execute("UPDATE evidence_texts SET digest = '' WHERE id = ?", (evidence_id,))
            break
        delete_all(connection, "evidence_texts", [(evidence_id,)])
        gone += 1
        room -= len(going) or size // BLOCK_BYTES
        if room <= 0:
            break
    return gone


def count_unheld(connection: sqlite3.Connection) -> int:
    """How many kept texts no session holds."""
    return int(connection.execute(f"SELECT COUNT(*) {_UNHELD}").fetchone()[0])


def delete_all(connection: sqlite3.Connection, table: str, ids: Sequence[tuple[int | str]]) -> None:
    """Delete rows that were just read. In a damaged database they may stay, and whoever deletes until none is left never ends."""
    gone = connection.executemany(f"DELETE FROM {table} WHERE id = ?", ids).rowcount
    if ids and not gone:
        raise sqlite3.DatabaseError(f"rows of {table} cannot be deleted")


def unknown_session(key: str) -> StoreFault:
    """The fault for a key that names no session."""
    return StoreFault("store.no_session", f"There is no session {key}.", "limen sessions list shows them.")
