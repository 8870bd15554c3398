"""How a library's texts are forgotten: in steps that hold up no one, since a text may have ten thousand sections."""

import sqlite3
from collections.abc import Iterable

from limen.store.sqlite.forgetting import delete_all

# Forgetting so many sections takes about ten milliseconds.
_STEP = 100


def let_go(connection: sqlite3.Connection, text_ids: Iterable[int]) -> None:
    """Mark those texts that no document has any more, so that none gets them again, not even one of the same content."""
    for text_id in set(text_ids):
        connection.execute(
            "UPDATE library_texts SET content_key = 'gone ' || id WHERE id = :text_id "
            "AND NOT EXISTS (SELECT 1 FROM library_documents WHERE text_id = :text_id)",
            {"text_id": text_id},
        )


def texts_let_go(connection: sqlite3.Connection) -> list[int]:
    """The texts whose forgetting has not ended."""
    return [text_id for (text_id,) in connection.execute("SELECT id FROM library_texts WHERE content_key GLOB 'gone *'")]


def forget_some(connection: sqlite3.Connection, text_id: int) -> int:
    """Delete some sections of a text that was let go, at last the text; how many rows went, 0 when there was nothing left."""
    gone = "SELECT 1 FROM library_texts WHERE id = ? AND content_key GLOB 'gone *'"
    if connection.execute(gone, (text_id,)).fetchone() is None:
        return 0
    sections = connection.execute("SELECT id FROM library_sections WHERE text_id = ? LIMIT ?", (text_id, _STEP)).fetchall()
    if not sections:
        return connection.execute("DELETE FROM library_texts WHERE id = ?", (text_id,)).rowcount
    connection.executemany("DELETE FROM library_index WHERE rowid = ?", sections)
    delete_all(connection, "library_sections", sections)
    return len(sections)


def forget_texts(connection: sqlite3.Connection, text_ids: Iterable[int]) -> None:
    """Delete at once those texts that no document has any more."""
    text_ids = set(text_ids)
    let_go(connection, text_ids)
    for text_id in text_ids:
        while forget_some(connection, text_id):
            pass
