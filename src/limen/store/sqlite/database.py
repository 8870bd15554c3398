"""One SQLite file: a writer thread that commits what waits together, a few readers, and migrations that cannot half happen."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import anyio

from limen.core.fault import StoreFault
from limen.kit.atomic import make_private_dir
from limen.store.sqlite.faults import as_store_fault
from limen.store.sqlite.migrate import migrate

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], Any]

_READERS = 3
_BUSY_TIMEOUT_MS = 10_000
# So many waiting jobs share a transaction at most: enough to pay the commit once, few enough to keep it short.
_BATCH_JOBS = 64
# Giving back so many pages (400 MB) takes about two seconds, in which no one else can write; the rest waits for the next time.
_SHRINK_PAGES = 100_000


class Database:
    """An open database. Jobs are plain functions over a connection; they run in threads and must not keep the connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._jobs: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="limen-read")
        self._local = threading.local()
        self._read_connections: list[sqlite3.Connection] = []
        self._closed = False
        self._writer = threading.Thread(target=self._write_all, name="limen-write", daemon=True)
        self._started: Future[None] = Future()

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or make the database, private to its owner, and bring it to this program's version.

        Raises StoreFault: `store.newer`, `store.corrupt`, `store.read_only`, `store.full`, `store.busy`, `store.failed`.
        """
        database = cls(path)
        await asyncio.get_running_loop().run_in_executor(database._readers, database._prepare)
        database._writer.start()
        await asyncio.wrap_future(database._started)
        return database

    def _prepare(self) -> None:
        try:
            make_private_dir(self.path.parent)
            if self.path.is_symlink():
                raise StoreFault("store.link", f"{self.path} is a symbolic link.", "Put the database itself there.")
            if not self.path.exists():
                self.path.touch(mode=0o600)
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
        except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
            raise as_store_fault(error, self.path) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self.path)
            connection.execute("PRAGMA query_only=ON")
            self._local.connection = connection
            self._read_connections.append(connection)
        return connection

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run a job that writes; returns after its transaction is committed. Its failure undoes its own changes alone.

        A job runs a second time when the transaction it shared with others broke, so it changes nothing but the database.
        """
        if self._closed:
            raise self._is_closed()
        done: Future[T] = Future()
        self._jobs.put((job, done))
        return await asyncio.wrap_future(done)

    def _write_all(self) -> None:
        """The writer thread: everything that waits shares one transaction, each job in a savepoint of its own."""
        try:
            connection = connect(self.path)
            migrate(connection, self.path)
        except (StoreFault, sqlite3.Error, OSError) as error:
            self._started.set_exception(as_store_fault(error, self.path))
            return
        self._started.set_result(None)
        while (first := self._jobs.get()) is not None:
            batch = [first]
            stop = False
            while len(batch) < _BATCH_JOBS:
                try:
                    waiting = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if waiting is None:
                    stop = True
                    break
                batch.append(waiting)
            self._commit(connection, batch)
            if stop:
                break
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[tuple[Job, Future[Any]]]) -> None:
        """Settle a batch in one transaction; when that breaks as a whole, each job in a transaction of its own."""
        running = [(job, done) for job, done in batch if done.set_running_or_notify_cancel()]
        outcomes = self._together(connection, [job for job, _ in running])
        if any(isinstance(failure, _Broken) for _, failure in outcomes) and len(running) > 1:
            outcomes = [self._together(connection, [job])[0] for job, _ in running]
        for (_, done), (value, failure) in zip(running, outcomes, strict=True):
            if failure is None:
                done.set_result(value)
            else:
                done.set_exception(as_store_fault(failure.cause if isinstance(failure, _Broken) else failure, self.path))

    def _together(self, connection: sqlite3.Connection, jobs: list[Job]) -> list[tuple[Any, Exception | None]]:
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [_in_savepoint(connection, job) for job in jobs]
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            return [(None, _Broken(error))] * len(jobs)
        return outcomes

    async def close(self) -> None:
        """Finish what waits, then close every connection."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        loop = asyncio.get_running_loop()
        with anyio.CancelScope(shield=True):
            await loop.run_in_executor(None, self._writer.join)
            await loop.run_in_executor(None, self._readers.shutdown)
        for connection in self._read_connections:
            connection.close()

    def _is_closed(self) -> StoreFault:
        return StoreFault("store.closed", f"The database {self.path} is closed.", "Start again: its process is about to end.")


def connect(path: Path) -> sqlite3.Connection:
    """A connection as every thread here uses it: WAL, foreign keys, and patience with other processes."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_BUSY_TIMEOUT_MS / 1_000)
    connection.execute("PRAGMA foreign_keys=ON")
    if path.stat().st_size == 0:
        # Only a new database takes this up: what is deleted can then be given back to the disk (see `shrink`).
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def shrink(connection: sqlite3.Connection) -> None:
    """Give the room of deleted rows back to the disk; part of a write job."""
    (pages,) = connection.execute("PRAGMA freelist_count").fetchone()
    for _ in range(min(pages, _SHRINK_PAGES)):  # sqlite3 takes one step of a statement without columns, which frees one page
        connection.execute("PRAGMA incremental_vacuum")


class _Broken(Exception):
    """The transaction as a whole is void, whatever its jobs had done; `cause` says why."""

    def __init__(self, cause: sqlite3.Error) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _in_savepoint(connection: sqlite3.Connection, job: Job) -> tuple[Any, Exception | None]:
    """A job's value, or its failure with its changes undone. Raises sqlite3.Error when the whole transaction went with it."""
    connection.execute("SAVEPOINT job")
    try:
        value = job(connection)
    except Exception as error:
        # On a full or broken disk SQLite drops the whole transaction by itself; then there is no savepoint to go back to.
        if not connection.in_transaction:
            raise error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error)) from error
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        return None, error
    connection.execute("RELEASE job")
    return value, None
