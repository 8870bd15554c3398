"""What SQLite and the disk say, as faults that tell an operator what to do."""

import errno
import sqlite3
from pathlib import Path

from limen.core.fault import StoreFault


def as_store_fault(error: BaseException, path: Path) -> BaseException:
    """A StoreFault for a failure of the database or its disk; any other exception as it is."""
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error, path)
    if isinstance(error, OSError):
        return _of_disk(error, path)
    return error


def _of_sqlite(error: sqlite3.Error, path: Path) -> StoreFault:
    text = str(error)
    lower = text.lower()
    if "disk is full" in lower or "database or disk is full" in lower:
        return full(path)
    if "readonly" in lower or "unable to open" in lower:
        return read_only(path, text)
    if "locked" in lower or "busy" in lower:
        mend = "Another process holds it for long; see which with `lsof`, and try again."
        return StoreFault("store.busy", f"{path} is locked by another process.", mend)
    if "malformed" in lower or "not a database" in lower or "corrupt" in lower:
        return corrupt(path, text)
    if "disk i/o" in lower:
        return StoreFault("store.failed", f"The disk under {path} reports an error: {text}.", "Check the disk; see `dmesg`.")
    return StoreFault("store.failed", f"The database {path} refused: {text}.", "limen doctor looks into it.")


def _of_disk(error: OSError, path: Path) -> StoreFault:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(path, error.strerror or str(error))
    return StoreFault("store.failed", f"{path} cannot be used: {error.strerror or error}.", "limen doctor looks into it.")


def full(path: Path) -> StoreFault:
    """The disk has no room."""
    return StoreFault(
        "store.full", f"The disk under {path.parent} is full; nothing was written.", "Free some room and try again."
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
