"""What a doctor looks at in the database: it takes what is written, searches words, is sound, and who else has it open."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import connect
from limen.store.sqlite.faults import as_store_fault
from limen.surfaces.cli.finding import Finding

# Another process may be in the middle of a commit; longer than this it holds the lock.
_PATIENCE_S = 2.0
# More than a few cached pages hold, so that it must be written to the log before the transaction is undone.
_PROBE_BYTES = 400_000
# Looking through so much takes about a second.
_SOUND_BYTES = 500_000_000
_SHOWN_HOLDERS = 5


async def database(path: Path) -> list[Finding]:
    """Look at a database that exists and can be opened."""
    return await anyio.to_thread.run_sync(_look, path)


def _look(path: Path) -> list[Finding]:
    findings = []
    try:
        connection = connect(path, _PATIENCE_S)
        try:
            findings = [*_word_search(connection), *_soundness(connection, path), _writable(connection)]
        finally:
            connection.close()
    except (sqlite3.Error, OSError) as error:
        findings.append(_of_error(error, path))
    return [*findings, *holders(path, busy=any(finding.code == "store.busy" for finding in findings))]


def _writable(connection: sqlite3.Connection) -> Finding:
    """Write what does not fit the cache, and take it back."""
    connection.execute("PRAGMA cache_size=2")
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("CREATE TABLE doctor_probe(content)")
        for _ in range(4):
            connection.execute("INSERT INTO doctor_probe VALUES (zeroblob(?))", (_PROBE_BYTES // 4,))
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return Finding("store", "ok", "the database takes what is written")


def _word_search(connection: sqlite3.Connection) -> list[Finding]:
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.doctor_words USING fts5(word)")
    except sqlite3.Error:
        text = f"this Python's SQLite {sqlite3.sqlite_version} has no FTS5, so words cannot be searched"
        return [Finding("store", "broken", text, "use a Python whose sqlite3 has FTS5", "store.no_words")]
    connection.execute("DROP TABLE temp.doctor_words")
    return []


def _soundness(connection: sqlite3.Connection, path: Path) -> list[Finding]:
    size = path.stat().st_size
    if size > _SOUND_BYTES:
        return [Finding("store", "ok", f"{size // 1_000_000:,} MB, too many to look through here")]
    (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if said == "ok":
        return []
    mend = f"move it aside and restore a copy: mv '{path}' '{path}.broken'"
    return [Finding("store", "broken", f"{path} is damaged: {' '.join(str(said).split())}", mend, "store.corrupt")]


def _of_error(error: sqlite3.Error | OSError, path: Path) -> Finding:
    fault = as_store_fault(error, path)
    if isinstance(fault, StoreFault):
        return Finding.of_fault("store", fault)
    return Finding("store", "broken", str(error), "", "store.failed")


def holders(path: Path, *, busy: bool) -> list[Finding]:
    """The other processes that have the database open, where the system tells; a worry only where one of them keeps it."""
    found = list(_open_elsewhere(path))
    if not found:
        return []
    shown = ", ".join(f"{process} ({name})" for process, name in found[:_SHOWN_HOLDERS])
    more = f" and {len(found) - _SHOWN_HOLDERS} more" if len(found) > _SHOWN_HOLDERS else ""
    mend = f"wait for it, or end it: kill {found[0][0]}" if busy else ""
    return [Finding("store", "warn" if busy else "ok", f"also open in process {shown}{more}", mend)]


def _open_elsewhere(path: Path) -> Iterator[tuple[int, str]]:
    wanted = os.path.realpath(path)
    own = os.getpid()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != own and any(os.path.realpath(link) == wanted for link in (folder / "fd").iterdir()):
                yield int(folder.name), (folder / "comm").read_text(errors="replace").strip()
        except OSError:
            continue  # it has just ended, or belongs to somebody else
