"""A connection as every thread here uses it, and what gives room back to the disk."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 10.0
# A log grows with what one transaction changes; afterwards it is cut to this.
_LOG_BYTES = 4 << 20
# So many pages (a megabyte) are given back in one step, and fit the log on a full disk.
_SHRINK_PAGES = 250


def connect(path: Path, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """A connection in WAL mode, with foreign keys, that waits `patience_s` for other processes. Raises sqlite3.Error, OSError."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=patience_s)
    try:
        _set_up(connection, path.stat().st_size == 0)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, new: bool) -> None:
    connection.execute("PRAGMA foreign_keys=ON")
    if new:
        # Only a new database takes this up: what is deleted can then be given back to the disk (see `shrink`).
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA journal_size_limit={_LOG_BYTES}")
    # Deleted rows are overwritten where that costs nothing. Whole pages go back to the disk; overwriting them would first take as
    # much room again, in the log.
    connection.execute("PRAGMA secure_delete=FAST")


def shrink(connection: sqlite3.Connection) -> int:
    """Give free pages back to the disk, some at a time; how many went. Part of a write job; the file is cut by `fold_log`."""
    before = _free_pages(connection)
    for _ in range(min(before, _SHRINK_PAGES)):  # sqlite3 takes one step of a statement without columns, which frees one page
        connection.execute("PRAGMA incremental_vacuum")
    return before - _free_pages(connection)  # none go from a database that was made without this, or is damaged


def fold_log(connection: sqlite3.Connection) -> None:
    """Write the log's pages into the database and empty it, as far as no reader needs it; outside any transaction."""
    with _impatient(connection):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _free_pages(connection: sqlite3.Connection) -> int:
    (pages,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(pages)


@contextlib.contextmanager
def _impatient(connection: sqlite3.Connection) -> Iterator[None]:
    (patience_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout=0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout={patience_ms}")
