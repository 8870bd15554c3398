"""What SQLite and the disk say, as faults that tell an operator what to do."""

import errno
import os
import sqlite3
from pathlib import Path

from limen.core.fault import StoreFault
from limen.kit.text import clip


def as_store_fault(error: BaseException, path: Path) -> BaseException:
    """A StoreFault for a failure of the database or its disk; any other exception as it is."""
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error, path)
    if isinstance(error, OSError):
        return _of_disk(error, path)
    if isinstance(error, UnicodeEncodeError):
        return StoreFault("store.text", f"{clip(repr(error.object), 60)} is no valid text.", "Type it anew, in UTF-8.")
    return error


def _of_sqlite(error: sqlite3.Error, path: Path) -> StoreFault:
    text = str(error)
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return full(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM")) or (name.startswith("SQLITE_CANTOPEN") and not _writable(path)):
        return read_only(path, text)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        mend = "Another process holds it for long; see which with `lsof`, and try again."
        return StoreFault("store.busy", f"{path} is locked by another process.", mend)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return corrupt(path, text)
    if name.startswith("SQLITE_IOERR"):
        mend = "Check the disk, its quota and limits on file size (`ulimit -f`); see `dmesg`."
        return StoreFault("store.failed", f"The disk under {path} reports an error: {text}.", mend)
    if name == "SQLITE_TOOBIG":
        return StoreFault("store.failed", f"{path} cannot hold a text of more than a gigabyte.", "Store it in parts.")
    return StoreFault("store.failed", f"The database {path} refused: {text}.", "limen doctor looks into it.")


def _writable(path: Path) -> bool:
    return os.access(path.parent, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def _of_disk(error: OSError, path: Path) -> StoreFault:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(path, error.strerror or str(error))
    return StoreFault("store.failed", f"{path} cannot be used: {error.strerror or error}.", "limen doctor looks into it.")


def full(path: Path) -> StoreFault:
    """The disk has no room."""
    return StoreFault(
        "store.full",
        f"The disk under {path.parent} is full; what was being written is not there, what was stored before is.",
        "Free some room and try again.",
    )


def read_only(path: Path, said: str) -> StoreFault:
    """The database or its folder cannot be written."""
    mend = f"Make {path.parent} writable for you, or name another home: --home DIR."
    return StoreFault("store.read_only", f"{path} cannot be written ({said}).", mend)


def corrupt(path: Path, said: str) -> StoreFault:
    """The file is no sound database. It is left as it is."""
    mend = (
        f"Move it aside (mv {path} {path}.broken) and restore a copy; {path.name}.v*.bak beside it are copies made by upgrades."
    )
    return StoreFault("store.corrupt", f"{path} is damaged or is no database ({said}).", mend)
