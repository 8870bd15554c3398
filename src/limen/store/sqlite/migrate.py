"""Brings a database to this program's version: numbered scripts, all in one transaction, with a copy made before."""

import re
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from limen.core.fault import StoreFault
from limen.store.sqlite.faults import upgrade_failed

# What SQLite says to a statement, or to a constraint, that a database of another making does not fit.
_MISFITS = ("SQLITE_ERROR", "SQLITE_MISMATCH", "SQLITE_CONSTRAINT")
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


def scripts() -> list[tuple[int, str]]:
    """Number and text of every migration, in order."""
    folder = files("limen.store.sqlite") / "migrations"
    found = [(int(match[1]), entry) for entry in folder.iterdir() if (match := _NAME.fullmatch(entry.name))]
    return [(number, entry.read_text(encoding="utf-8")) for number, entry in sorted(found, key=lambda pair: pair[0])]


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply what is missing, all or nothing.

    Raises StoreFault `store.newer` when a newer program wrote the database, and `store.upgrade_failed` when a script does not fit
    what it holds; sqlite3.Error when it is the disk or another process.
    """
    (current,) = connection.execute("PRAGMA user_version").fetchone()
    todo = scripts()
    newest = todo[-1][0]
    if current == newest:
        return
    if current > newest:
        reason = f"{path} was written by a newer Limen (version {current}; this one knows {newest})."
        raise StoreFault("store.newer", reason, "Upgrade Limen, or use another home: --home DIR.")
    connection.execute("BEGIN IMMEDIATE")
    try:
        (current,) = connection.execute("PRAGMA user_version").fetchone()  # another process may have come first
        if 0 < current < newest:
            _back_up(path, path.with_name(f"{path.name}.v{current}.bak"))
        for number, text in todo:
            if number > current:
                for statement in statements(text):
                    connection.execute(statement)
        connection.execute(f"PRAGMA user_version={max(newest, current)}")
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:  # a full disk ends it by itself
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorname", "").startswith(_MISFITS) and current:
            raise upgrade_failed(path, error, current) from error
        raise


def statements(text: str) -> list[str]:
    """The statements of a script; a trigger with its inner semicolons is one."""
    found: list[str] = []
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if pending.strip():
        raise AssertionError(f"a migration ends inside a statement: {pending.strip()[:60]}")
    return [statement for statement in found if statement.strip(" ;\n")]


def _back_up(path: Path, copy: Path) -> None:
    """Copy the database through a connection of its own, while the caller's holds the write lock: one that writes cannot be
    copied from, and without the lock another process's upgrade could end up in the copy."""
    partial = copy.with_name(f"{copy.name}.part")
    partial.unlink(missing_ok=True)  # from a killed upgrade; only one process at a time gets here
    partial.touch(mode=0o600, exist_ok=False)
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(partial)) as target:
            source.backup(target)
        partial.replace(copy)
    finally:
        partial.unlink(missing_ok=True)
