"""The one thread that writes: it commits together what waits together, and on a full disk lets through only what frees room."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import connect, fold_log
from limen.store.sqlite.faults import FAILURES, as_store_fault, full, no_room
from limen.store.sqlite.migrate import migrate
from limen.store.sqlite.reserve import Reserve

Act = Callable[[sqlite3.Connection], Any]

# So many waiting jobs share a transaction at most: enough to pay the commit once, few enough to keep it short.
_BATCH_JOBS = 64


class Job(NamedTuple):
    """Something to do with the connection. `frees`: it deletes, so it may use the reserve. `alone`: not inside a transaction.

    One whose `done` is cancelled before it began is not done.
    """

    act: Act
    done: asyncio.Future[Any]
    frees: bool = False
    alone: bool = False

    def settle(self, value: Any, failure: BaseException | None) -> None:
        """Hand the outcome to the loop that waits for it; one that has closed meanwhile waits no more."""
        with contextlib.suppress(RuntimeError):
            self.done.get_loop().call_soon_threadsafe(_settle, self.done, value, failure)


class Writer:
    """The thread and its queue. `start` returns once the database is open and of this program's version."""

    def __init__(self, path: Path, patience_s: float) -> None:
        self._path = path
        self._patience_s = patience_s
        self._reserve = Reserve(path)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="limen-write", daemon=True)
        self._tight = False
        self._death: BaseException | None = None
        self.started: Future[None] = Future()

    def start(self) -> None:
        """Begin; `started` says when the database is open, or why it is not."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job; its future is set when it is committed, or with its failure."""
        self._jobs.put(job)
        if self._death is not None:
            self._abandon([], self._death)

    def stop(self) -> None:
        """Finish what waits, then end. May be asked before `start`."""
        self._jobs.put(None)

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        try:
            connection = self._open()
        except (StoreFault, OSError, *FAILURES) as error:
            self.started.set_exception(as_store_fault(error, self._path))
            return
        except BaseException as error:
            self.started.set_exception(error)
            raise
        self.started.set_result(None)
        with contextlib.closing(connection):
            self._serve(connection)
        if self._tight:
            self._reserve.keep()

    def _open(self) -> sqlite3.Connection:
        try:
            connection = self._connect()
        except (StoreFault, OSError, *FAILURES) as error:
            if not (no_room(error, self._path) and self._reserve.spend()):
                raise
            connection = self._connect()
        self._tight = not self._reserve.keep()
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = connect(self._path, self._patience_s)
        try:
            migrate(connection, self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _serve(self, connection: sqlite3.Connection) -> None:
        while (first := self._jobs.get()) is not None:
            batch = [first]
            stop = False
            while len(batch) < _BATCH_JOBS and not batch[-1].alone:
                try:
                    waiting = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if waiting is None:
                    stop = True
                    break
                batch.append(waiting)
            try:
                self._run_batch(connection, batch)
            except BaseException as error:
                self._abandon(batch, error)
                raise
            if stop:
                return

    def _abandon(self, batch: list[Job], error: BaseException) -> None:
        """Nobody waits for a thread that has died: whoever asks it for something is told why."""
        self._death = error
        with contextlib.suppress(queue.Empty):
            while waiting := self._jobs.get_nowait():
                batch.append(waiting)
        for job in batch:
            job.settle(None, RuntimeError(f"the writer has died of {error!r}"))

    def _run_batch(self, connection: sqlite3.Connection, batch: list[Job]) -> None:
        """Run a batch; only its last job can be one that runs alone."""
        running = [job for job in batch if not job.done.cancelled()]
        shared = [job for job in running if not job.alone]
        for job, outcome in zip(shared, self._outcomes(connection, shared), strict=True):
            self._tell(job, *outcome)
        for job in running[len(shared) :]:
            outcome = alone(connection, job.act)
            if self._is_full(outcome[1]) and self._spend():
                outcome = alone(connection, job.act)
                self._tight = not self._reserve.keep()
            self._tell(job, *outcome)

    def _outcomes(self, connection: sqlite3.Connection, jobs: list[Job]) -> "list[_Outcome]":
        """Settle jobs in one transaction; when that breaks as a whole, each in a transaction of its own."""
        if self._tight and not self._reserve.keep():
            return [self._freeing(connection, job) if job.frees else (None, full(self._path)) for job in jobs]
        self._tight = False
        outcomes = together(connection, [job.act for job in jobs])
        if any(isinstance(failure, Broken) for _, failure in outcomes) and len(jobs) > 1:
            outcomes = [together(connection, [job.act])[0] for job in jobs]
        return [
            self._freeing(connection, job) if job.frees and self._is_full(failure) else (value, failure)
            for job, (value, failure) in zip(jobs, outcomes, strict=True)
        ]

    def _freeing(self, connection: sqlite3.Connection, job: Job) -> "_Outcome":
        """A job that deletes, on a full disk: by itself, out of the reserve, and with the log emptied behind it."""
        self._tight = True
        alone(connection, fold_log)
        (outcome,) = together(connection, [job.act])
        if self._is_full(outcome[1]) and self._spend():
            alone(connection, fold_log)
            (outcome,) = together(connection, [job.act])
        alone(connection, fold_log)
        return outcome

    def _spend(self) -> bool:
        self._tight = True
        return self._reserve.spend()

    def _is_full(self, failure: Exception | None) -> bool:
        cause = failure.cause if isinstance(failure, Broken) else failure
        return cause is not None and no_room(cause, self._path)

    def _tell(self, job: Job, value: Any, failure: Exception | None) -> None:
        cause = failure.cause if isinstance(failure, Broken) else failure
        job.settle(value, None if cause is None else as_store_fault(cause, self._path))


def _settle(done: asyncio.Future[Any], value: Any, failure: BaseException | None) -> None:
    """In the loop that waits, unless it was told already or waits no more."""
    if done.done():
        return
    if failure is None:
        done.set_result(value)
    else:
        done.set_exception(failure)


_Outcome = tuple[Any, Exception | None]


class Broken(Exception):
    """The transaction as a whole is void, whatever its jobs had done; `cause` says why."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def together(connection: sqlite3.Connection, acts: list[Act]) -> list[_Outcome]:
    """Each act's value or failure, all in one transaction, each in a savepoint of its own."""
    if not acts:
        return []
    try:
        connection.execute("BEGIN IMMEDIATE")
        outcomes = [_in_savepoint(connection, act) for act in acts]
        connection.execute("COMMIT")
    except FAILURES as error:
        with contextlib.suppress(*FAILURES):
            connection.execute("ROLLBACK")
        return [(None, Broken(error))] * len(acts)
    return outcomes


def alone(connection: sqlite3.Connection, act: Act) -> _Outcome:
    """An act's value or failure, outside any transaction."""
    try:
        return act(connection), None
    except FAILURES as error:
        return None, error


def _in_savepoint(connection: sqlite3.Connection, act: Act) -> _Outcome:
    """An act's value, or its failure with its changes undone. Raises sqlite3.Error when the whole transaction went with it."""
    connection.execute("SAVEPOINT job")
    try:
        value = act(connection)
    except Exception as error:
        # On a full or broken disk SQLite drops the whole transaction by itself; then there is no savepoint to go back to.
        if not connection.in_transaction:
            raise error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error)) from error
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        return None, error
    connection.execute("RELEASE job")
    return value, None
