"""A lock that two processes (or two threads) can hold only one after the other."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

from limen.kit.atomic import FILE_MODE, make_private_dir

# How often a waiting process looks again. flock has no deadline of its own.
_POLL_S = 0.02


class LockBusy(OSError):
    """Another process held the lock for all of `waited_s`."""

    def __init__(self, path: Path, waited_s: float) -> None:
        super().__init__(f"another process has held {path} for {waited_s:g} s")
        self.path = path
        self.waited_s = waited_s


class FileLock:
    """An exclusive lock on a file of its own, which stays; freed by the kernel when its holder dies. Not re-entrant.

    Entering waits up to `timeout_s` (0 does not wait) and raises LockBusy, or OSError when the file cannot be made.
    """

    def __init__(self, path: Path, timeout_s: float = 10.0) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._descriptor: int | None = None

    def __enter__(self) -> "FileLock":
        if self._descriptor is not None:
            raise RuntimeError(f"{self._path} is held by this object already")
        make_private_dir(self._path.parent)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            self._wait(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def _wait(self, descriptor: int) -> None:
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise LockBusy(self._path, self._timeout_s) from None
                time.sleep(_POLL_S)
            else:
                return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
