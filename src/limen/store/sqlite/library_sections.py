"""The texts of sections as they are indexed, and others in their place."""

import sqlite3
from collections.abc import Mapping, Sequence

from limen.store.sqlite.library_text import readable, searchable, storable

_ROUND = 500


def texts(connection: sqlite3.Connection, library: str, origins: Sequence[str]) -> dict[int, str]:
    """See `LibraryStore.section_texts`."""
    found: dict[int, str] = {}
    for start in range(0, len(origins), _ROUND):
        part = [storable(origin) for origin in origins[start : start + _ROUND]]
        rows = connection.execute(
            f"""
            SELECT s.id, i.body || i.listing
            FROM library_documents d JOIN library_sections s ON s.text_id = d.text_id JOIN library_index i ON i.rowid = s.id
            WHERE d.library = ? AND d.origin IN ({", ".join("?" * len(part))})
            """,
            (library, *part),
        )
        found |= {number: readable(text) for number, text in rows}
    return found


def rewrite(connection: sqlite3.Connection, new: Mapping[int, str]) -> None:
    """See `LibraryStore.rewrite`."""
    for number, text in new.items():
        words = searchable(storable(text))
        if words.strip():
            connection.execute(
                """
                UPDATE library_index SET body = CASE WHEN listing = '' THEN :words ELSE '' END,
                                         listing = CASE WHEN listing = '' THEN '' ELSE :words END WHERE rowid = :number
                """,
                {"words": words, "number": number},
            )
        else:
            connection.execute(
                "UPDATE library_index SET title = '', heading = '', body = '', listing = '' WHERE rowid = ?", (number,)
            )
