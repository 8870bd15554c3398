"""What is due from time to time in a home, done by one process of all that use it."""

import sqlite3

# What was begun and not ended, its process having gone, is due again after this.
_AGAIN_S = 60.0


def is_due(connection: sqlite3.Connection, name: str, now: float, every_s: float) -> bool:
    """Whether nobody has taken it up within `every_s`. A moment in the future, left by a wrong clock, counts as never."""
    row = connection.execute("SELECT at FROM upkeep WHERE name = ?", (name,)).fetchone()
    return row is None or not now - every_s < row[0] <= now


def take_up(connection: sqlite3.Connection, name: str, now: float, every_s: float) -> bool:
    """Take it up, if it is due; of several processes one gets it. Until it is `done` it counts as due again in a minute.

    Part of a write job.
    """
    due = is_due(connection, name, now, every_s)
    if due:
        done(connection, name, now - max(every_s - _AGAIN_S, 0.0))
    return due


def done(connection: sqlite3.Connection, name: str, at: float) -> None:
    """Note when it was done. Part of a write job."""
    connection.execute("INSERT OR REPLACE INTO upkeep (name, at) VALUES (?, ?)", (name, at))
