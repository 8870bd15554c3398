"""The texts of sections as they are indexed, and others in their place."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

from limen.store.library import LibrarySection
from limen.store.sqlite.library_text import readable, searchable, storable
from limen.store.sqlite.library_whole import index_again, unindex

_ROUND = 500
_TEXTS = "SELECT DISTINCT s.text_id FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value"


def indexed(connection: sqlite3.Connection, library: str, origins: Sequence[str]) -> dict[str, dict[int, LibrarySection]]:
    """See `LibraryStore.indexed`."""
    found: dict[str, dict[int, LibrarySection]] = {}
    for start in range(0, len(origins), _ROUND):
        part = [storable(origin) for origin in origins[start : start + _ROUND]]
        rows = connection.execute(
            f"""
            SELECT d.origin, s.id, s.heading, s.anchor, s.line, i.body || i.listing, s.listing
            FROM library_documents d JOIN library_sections s ON s.text_id = d.text_id JOIN library_index i ON i.rowid = s.id
            WHERE d.library = ? AND d.origin IN ({", ".join("?" * len(part))}) ORDER BY s.id
            """,
            (library, *part),
        )
        for origin, number, heading, anchor, line, text, listing in rows:
            section = LibrarySection(heading, anchor, line, readable(text), bool(listing))
            found.setdefault(origin, {})[number] = section
    return found


def rewrite(connection: sqlite3.Connection, new: Mapping[int, str]) -> None:
    """See `LibraryStore.rewrite`."""
    connection.executemany("DELETE FROM library_vectors WHERE section_id = ?", [(number,) for number in new])
    rows = connection.execute(_TEXTS, (json.dumps(list(new)),))
    text_ids = [text_id for (text_id,) in rows.fetchall()]
    for text_id in text_ids:
        unindex(connection, text_id)
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
    index_again(connection, text_ids)
