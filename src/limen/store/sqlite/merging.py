"""A full-text index keeps what was taken out of it, and only says that it was, until it is written anew."""

import sqlite3

from limen.core.fault import StoreFault
from limen.kit.log import failed_open
from limen.store.sqlite.database import Database

# Merging so many pages takes about ten milliseconds. FTS5 says how a merge ends: by fewer than two changed rows.
_MERGE_PAGES, _IDLE_CHANGES = 100, 1
# The pages of four gigabytes; an index that is not merged then is damaged.
_MOST_MERGES = 10_000


async def merge_away(database: Database, index: str) -> None:
    """Write an FTS5 index anew, in slices."""

    def begin(connection: sqlite3.Connection) -> None:
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (-_MERGE_PAGES,))

    def merge_some(connection: sqlite3.Connection) -> int:
        before = connection.total_changes
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (_MERGE_PAGES,))
        done = connection.total_changes - before
        return done if done > _IDLE_CHANGES else 0

    try:
        await database.write(begin, frees=True)
        await database.write_slices(merge_some, most=_MOST_MERGES)
    except StoreFault as fault:  # an index needs room to be written anew; without it the words go with a later merge
        failed_open("store.words_left", fault)
