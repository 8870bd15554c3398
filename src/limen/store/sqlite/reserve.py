"""A little room that a database holds on its disk, so that on a full one it can still be opened, read, and things deleted."""

import errno
import os
from pathlib import Path

from limen.kit.atomic import FILE_MODE
from limen.kit.log import failed_open

# What deletes needs a log of the pages it changes, about a megabyte for each step, and 32 kB of memory that is shared by a file.
RESERVE_BYTES = 4 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)
_PIECE = bytes(1 << 16)


class Reserve:
    """The file beside a database that takes up the room. Nothing is in it; once spent it is empty, and says that one was here."""

    def __init__(self, database: Path, size_bytes: int = RESERVE_BYTES) -> None:
        self.path = database.with_name(f"{database.name}.reserve")
        self._size_bytes = size_bytes

    def keep(self) -> bool:
        """Make sure of the room; False when the disk has not got it. Where it can be had in no other way, it is gone without."""
        try:
            if self.path.lstat().st_size >= self._size_bytes:
                return True
        except OSError:
            pass
        try:
            self._make()
        except OSError as error:
            self.spend()
            if error.errno in _FULL:
                return False
            failed_open("store.no_reserve", error)
        return True

    def spend(self) -> bool:
        """Give the room to whoever needs it now; False when there was none."""
        try:
            if self.path.lstat().st_size == 0:
                return False
            os.truncate(self.path, 0)
        except OSError:
            return False
        return True

    def _make(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.path, flags, FILE_MODE)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, 0, self._size_bytes)
            else:
                for start in range(0, self._size_bytes, len(_PIECE)):
                    os.pwrite(descriptor, _PIECE, start)
        finally:
            os.close(descriptor)
