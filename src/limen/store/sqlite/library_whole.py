"""The words of whole texts, as they are written: which of them hold a query's words best."""

import sqlite3
from collections.abc import Iterable

from limen.store.sqlite.library_demands import Scope

_WORDS = """
SELECT max(title) || char(10) || group_concat(words, char(10)) FROM (
    SELECT i.title, i.body || i.listing AS words
    FROM library_sections s CROSS JOIN library_index i ON i.rowid = s.id WHERE s.text_id = ? ORDER BY s.id
)
"""
_KNOWN = "SELECT 1 FROM library_whole_docsize WHERE id = ?"
# Weighed first and then looked up in the scope, one by one until there are enough: a limit keeps the parts apart.
_BEST = """
SELECT rowid FROM (
    SELECT rowid FROM library_whole WHERE library_whole MATCH ? ORDER BY bm25(library_whole) LIMIT -1
) AS best WHERE EXISTS (SELECT 1 FROM library_documents d WHERE d.text_id = best.rowid AND {}) LIMIT ?
"""


def best_texts(connection: sqlite3.Connection, scope: Scope, expression: str, limit: int) -> list[int]:
    """The texts in a scope that answer an FTS5 expression best, by BM25."""
    if not expression:
        return []
    rows = connection.execute(_BEST.format(scope.condition), (expression, *scope.parameters, limit))
    return [text_id for (text_id,) in rows]


def index_whole(connection: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Index texts by their number and words: those of the title, then of each section, a line break between two of these."""
    connection.executemany("INSERT INTO library_whole (rowid, words) VALUES (?, ?)", texts)


def index_again(connection: sqlite3.Connection, text_ids: Iterable[int]) -> None:
    """Index texts by what their sections are now."""
    index_whole(connection, [(text_id, _words(connection, text_id)) for text_id in text_ids])


def unindex(connection: sqlite3.Connection, text_id: int) -> None:
    """Take a text out, while its sections are what they were when it came in; one that is not there stays out."""
    if connection.execute(_KNOWN, (text_id,)).fetchone() is not None:
        connection.execute(
            "INSERT INTO library_whole (library_whole, rowid, words) VALUES ('delete', ?, ?)",
            (text_id, _words(connection, text_id)),
        )


def _words(connection: sqlite3.Connection, text_id: int) -> str:
    (words,) = connection.execute(_WORDS, (text_id,)).fetchone()
    return words or ""
