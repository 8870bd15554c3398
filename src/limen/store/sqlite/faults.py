"""What SQLite and the disk say, as faults that tell an operator what to do."""

import errno
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from limen.core.fault import StoreFault
from limen.kit.text import clip

# On a disk with less than this, a failure to write is for want of room: the log's shared memory alone takes 32 kB.
_SCANT_BYTES = 1 << 16


# What sqlite3 raises: its own errors, one for what should be text and is damaged, one for a size that no memory has.
FAILURES = (sqlite3.Error, UnicodeDecodeError, MemoryError)


def as_store_fault(error: BaseException, path: Path) -> BaseException:
    """A StoreFault for a failure of the database or its disk; any other exception as it is."""
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error, path)
    if isinstance(error, OSError):
        return _of_disk(error, path)
    if isinstance(error, UnicodeDecodeError):
        return corrupt(path, "what should be text is none")
    if isinstance(error, MemoryError):
        return StoreFault("store.failed", f"There is not enough memory for what {path} holds.", "limen doctor looks into it.")
    if isinstance(error, UnicodeEncodeError):
        return StoreFault("store.text", f"{clip(repr(error.object), 60)} is no valid text.", "Type it anew, in UTF-8.")
    return error


def _of_sqlite(error: sqlite3.Error, path: Path) -> StoreFault:
    text = str(error)
    name = getattr(error, "sqlite_errorname", "")
    if no_room(error, path):
        return full(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM")) or (name.startswith("SQLITE_CANTOPEN") and not _writable(path)):
        return read_only(path, text)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        mend = "Another process holds it for long; see which with `lsof`, and try again."
        return StoreFault("store.busy", f"{path} is locked by another process.", mend)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")):
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
    if no_room(error, path):
        return full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(path, error.strerror or str(error))
    return StoreFault("store.failed", f"{path} cannot be used: {error.strerror or error}.", "limen doctor looks into it.")


def full(path: Path) -> StoreFault:
    """The disk has no room. What frees some still works, out of the reserve."""
    return StoreFault(
        "store.full",
        f"The disk under {path.parent} is full; what was being written is not there, what was stored before is.",
        "Free some room and try again; `limen evidence purge --all`, `limen sessions delete KEY` and `limen library remove ID` "
        "work on a full disk too.",
    )


def read_only(path: Path, said: str) -> StoreFault:
    """The database or its folder cannot be written."""
    mend = f"Make {path.parent} writable for you, or name another home: --home DIR."
    return StoreFault("store.read_only", f"{path} cannot be written ({said}).", mend)


def corrupt(path: Path, said: str) -> StoreFault:
    """The file is no sound database. It is left as it is."""
    log = f"; mv '{path}-wal' '{path}.broken-wal'" if Path(f"{path}-wal").exists() else ""
    mend = (
        f"Move it aside (mv '{path}' '{path}.broken'{log}) and restore a copy; {path.name}.v*.bak beside it are copies made by "
        "upgrades. Without a copy, a new one begins empty."
    )
    return StoreFault("store.corrupt", f"{path} is damaged or is no database ({said}).", mend)


def put_back(path: Path, copies: Sequence[Path]) -> str:
    """How to mend a database whose content is gone."""
    anew = " ".join(f"'{file}'" for file in (path, Path(f"{path}-wal")) if file.exists())
    if not copies:
        return f"Put a copy of it back, or begin anew: rm {anew}"
    return f"Put a copy back: cp '{copies[-1]}' '{path}'; or begin anew: rm {anew}"


def upgrade_failed(path: Path, error: sqlite3.Error, version: int) -> StoreFault:
    """A database of an earlier version that this program could not bring up."""
    reason = f"{path} (version {version}) could not be upgraded and is as it was: {error}."
    return StoreFault("store.upgrade_failed", reason, "Use the Limen that wrote it, or another home: --home DIR.")


def no_room(error: BaseException, path: Path) -> bool:
    """Whether a failure says that the disk is full, or the disk says so and SQLite only that it could not write."""
    if isinstance(error, StoreFault):
        return error.code == "store.full"
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL" or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        return True
    return name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and _free_bytes(path.parent) < _SCANT_BYTES


def _free_bytes(folder: Path) -> int:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return _SCANT_BYTES
    return disk.f_bavail * disk.f_frsize
