"""One SQLite file: a writer thread, a few readers, and deletions in slices that let others write in between."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import anyio

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import PATIENCE_S, connect, fold_log, shrink
from limen.store.sqlite.faults import FAILURES, as_store_fault
from limen.store.sqlite.soundness import prepare
from limen.store.sqlite.writer import Job, Writer

T = TypeVar("T")

_READERS = 3
# Between two slices others write: as long as a slice took, since a process that waits looks only now and then, but no longer.
_LONGEST_PAUSE_S = 0.05


class Database:
    """An open database. Jobs are plain functions over a connection; they run in threads and must not keep the connection."""

    def __init__(self, path: Path, patience_s: float = PATIENCE_S) -> None:
        self.path = path
        self._patience_s = patience_s
        self._writer = Writer(path, patience_s)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="limen-read")
        self._local = threading.local()
        self._read_connections: list[sqlite3.Connection] = []
        self._closed = False

    @classmethod
    async def open(cls, path: Path, *, patience_s: float = PATIENCE_S) -> "Database":
        """Open or make the database, private to its owner, and bring it to this program's version.

        Other processes' locks are waited for, up to `patience_s`. Raises StoreFault: `store.newer`, `store.corrupt`,
        `store.emptied`, `store.link`, `store.not_a_file`, `store.read_only`, `store.full`, `store.busy`, `store.upgrade_failed`,
        `store.failed`.
        """
        database = cls(path, patience_s)
        try:
            await asyncio.get_running_loop().run_in_executor(database._readers, database._prepare)
            database._writer.start()
            await asyncio.wrap_future(database._writer.started)
        except BaseException:
            database._closed = True
            database._writer.stop()
            database._readers.shutdown(wait=False)
            raise
        return database

    def _prepare(self) -> None:
        try:
            prepare(self.path)
        except OSError as error:
            raise as_store_fault(error, self.path) from error

    async def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job that only reads, on one snapshot of the database. Raises StoreFault."""
        if self._closed:
            raise self._is_closed()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, job)

    def _read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                return job(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except (*FAILURES, OSError, UnicodeEncodeError) as error:
            raise as_store_fault(error, self.path) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self.path, self._patience_s)
            connection.execute("PRAGMA query_only=ON")
            self._local.connection = connection
            self._read_connections.append(connection)
        return connection

    async def write(self, job: Callable[[sqlite3.Connection], T], *, frees: bool = False) -> T:
        """Run a job that writes; returns after its transaction is committed. Its failure undoes its own changes alone.

        A job runs a second time when the transaction it shared with others broke, so it changes nothing but the database. One
        that `frees` room by deleting goes through on a full disk, if it is small. Raises StoreFault.
        """
        return await self._put(job, frees=frees)

    async def write_slices(self, step: Callable[[sqlite3.Connection], int], *, most: int = 1_000_000, frees: bool = True) -> int:
        """Run a step that does a little, and says how much, until it finds nothing; others write in between. The sum.

        Steps delete, unless `frees` is False. After `most` steps it ends, whatever is left. When cancelled, the steps that were
        done stay done. Raises StoreFault.
        """
        total = 0
        took_s = 0.0

        def timed(connection: sqlite3.Connection) -> int:
            nonlocal took_s
            started = time.monotonic()
            done = step(connection)
            took_s = time.monotonic() - started
            return done

        for _ in range(most):
            done = await self._put(timed, frees=frees)
            if not done:
                break
            total += done
            await anyio.sleep(min(took_s, _LONGEST_PAUSE_S))
        return total

    async def give_back(self) -> None:
        """Give the room of what was deleted back to the disk. Raises StoreFault."""
        await self.write_slices(shrink)
        await self._put(fold_log, alone=True)

    async def _put(self, act: Callable[[sqlite3.Connection], T], *, frees: bool = False, alone: bool = False) -> T:
        if self._closed:
            raise self._is_closed()
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._writer.put(Job(act, done, frees, alone))
        return await done

    async def close(self) -> None:
        """Finish what waits, then close every connection."""
        if self._closed:
            return
        self._closed = True
        self._writer.stop()
        loop = asyncio.get_running_loop()
        with anyio.CancelScope(shield=True):
            await loop.run_in_executor(None, self._writer.join)
            await loop.run_in_executor(None, self._readers.shutdown)
        for connection in self._read_connections:
            connection.close()

    def _is_closed(self) -> StoreFault:
        return StoreFault("store.closed", f"The database {self.path} is closed.", "Start again: its process is about to end.")
