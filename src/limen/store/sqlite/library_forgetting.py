"""How a library's texts are forgotten: in steps that hold up no one, since a text may have ten thousand sections."""

import sqlite3
from collections.abc import Iterable, Sequence

from limen.store.sqlite.forgetting import delete_all
from limen.store.sqlite.library_whole import unindex

# Forgetting so many sections takes about ten milliseconds.
_STEP = 100
# SQLite allows 250,000 parameters in a statement; a smaller round keeps statements cheap to prepare.
_ROUND = 500


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


def forget_some(connection: sqlite3.Connection, text_ids: Sequence[int]) -> int:
    """Delete some of the sections of texts that were let go, and texts that have none left; how many rows went, 0 at the end."""
    done = 0
    for start in range(0, len(text_ids), _ROUND):
        some = text_ids[start : start + _ROUND]
        places = ", ".join("?" * len(some))
        gone = f"SELECT id FROM library_texts WHERE id IN ({places}) AND content_key GLOB 'gone *'"
        for (text_id,) in connection.execute(gone, some).fetchall():
            done += _forget(connection, text_id, _STEP - done)
            if done >= _STEP:
                return done
    return done


def _forget(connection: sqlite3.Connection, text_id: int, most: int) -> int:
    unindex(connection, text_id)
    sections = connection.execute("SELECT id FROM library_sections WHERE text_id = ? LIMIT ?", (text_id, most)).fetchall()
    connection.executemany("DELETE FROM library_index WHERE rowid = ?", sections)
    delete_all(connection, "library_sections", sections)
    if len(sections) < most:
        delete_all(connection, "library_texts", [(text_id,)])
        return len(sections) + 1
    return len(sections)


def forget_texts(connection: sqlite3.Connection, text_ids: Iterable[int]) -> None:
    """Delete at once those texts that no document has any more."""
    text_ids = list(set(text_ids))
    let_go(connection, text_ids)
    while forget_some(connection, text_ids):
        pass
