"""CPU work outside this process: warm, limited, replaceable child processes that run one function call at a time."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import anyio
import anyio.abc

from limen.kit.process_child import HEADER, OUT_OF_MEMORY, RAISED, RETURNED

Result = TypeVar("Result")

_START = "import sys; sys.path[:] = sys.argv[2:]; from limen.kit.process_child import serve; serve(int(sys.argv[1]))"
# What a Python process needs to start. Nothing else crosses: a parser of hostile bytes must not hold our keys.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHASHSEED")
_CHUNK_BYTES = 1 << 20
# What 20 MB of HTML that is all tags, or 100 MB of text in 4 bytes a character, need and no more.
MEMORY_LIMIT_BYTES = 1200 << 20
# Between a process's last sign, its closed pipe, and its end.
_EXIT_S = 2.0


class WorkerFailed(Exception):
    """A call got no answer of its own; the next call gets a fresh process."""


class WorkerCrashed(WorkerFailed):
    """The process ended during the call: a crash in native code, `os._exit`. `status` is its exit status."""

    def __init__(self, status: int | None) -> None:
        super().__init__(f"the worker process ended with status {status} during a call")
        self.status = status


class WorkerOutOfMemory(WorkerCrashed):
    """The process aborted, as native code does that is given no more memory, or ended itself beyond its limit."""


class WorkerTimedOut(WorkerFailed):
    """The call took longer than `timeout_s`; its process was killed."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"the call was stopped after {timeout_s:g} s")
        self.timeout_s = timeout_s


class WorkerCallFailed(WorkerFailed):
    """The call raised an exception that cannot be carried between processes; the message describes it."""


class Worker:
    """Runs module-level functions in up to `size` child processes, started at first use and kept warm.

    A child is replaced after `recycle_after` calls, one that took much memory, a crash, a timeout or a cancelled call.
    `memory_limit_bytes` bounds its address space, or its resident memory where the system does not. Children ignore Ctrl-C,
    hold none of our environment's secrets, print to nowhere, and end with this process. Further calls wait their turn.
    """

    def __init__(self, *, size: int = 1, recycle_after: int = 500, memory_limit_bytes: int = MEMORY_LIMIT_BYTES) -> None:
        self._turns = anyio.Semaphore(size)
        self._recycle_after = recycle_after
        self._memory_limit_bytes = memory_limit_bytes
        self._idle: list[_Child] = []
        self._open = False

    async def __aenter__(self) -> "Worker":
        self._open = True
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open = False
        while self._idle:
            await self._idle.pop().end()

    async def run(
        self, function: Callable[..., Result], *args: Any, timeout_s: float | None = None, memory_limit_bytes: int = 0
    ) -> Result:
        """Call `function(*args)` in a child; arguments and result are pickled.

        Raises what the function raised, WorkerTimedOut after `timeout_s` of running (waiting for a turn does not count),
        MemoryError or WorkerOutOfMemory beyond the worker's limit of memory, or this call's own where that is less,
        WorkerCrashed where the child died otherwise, and TypeError for a function that another process cannot find.
        """
        call = _packed(function, args)
        limit_bytes = min(memory_limit_bytes or self._memory_limit_bytes, self._memory_limit_bytes)
        if not self._open:
            raise RuntimeError("the worker is not open: use it inside its `async with`")
        async with self._turns:
            child = await self._take()
            spent = True
            try:
                answer, spent = await child.ask(call, limit_bytes, timeout_s)
            finally:
                if not spent and self._open and child.calls < self._recycle_after:
                    self._idle.append(child)
                else:
                    await child.end()
        result: Result = _unpacked(answer)
        return result

    async def _take(self) -> "_Child":
        """A child that is alive: one that is idle, else a new one."""
        while self._idle:
            child = self._idle.pop()
            if child.alive:
                return child
            await child.end()
        return await _Child.start()


class _Child:
    def __init__(self, process: anyio.abc.Process) -> None:
        self._process = process
        self.calls = 0

    @classmethod
    async def start(cls) -> "_Child":
        search = [path for path in sys.path if path]
        command = [sys.executable, "-P", "-c", _START, str(os.getpid()), *search]
        process = await anyio.open_process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            start_new_session=True,
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, call: bytes, limit_bytes: int, timeout_s: float | None) -> tuple[bytes, bool]:
        """The answer, and whether this child is to be replaced."""
        self.calls += 1
        try:
            with anyio.fail_after(timeout_s):
                return await self._exchange(call, limit_bytes)
        except TimeoutError as error:
            raise WorkerTimedOut(timeout_s or 0.0) from error
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            with anyio.move_on_after(_EXIT_S):
                await self._process.wait()
            status = self._process.returncode
            raise (WorkerOutOfMemory if status in (-signal.SIGABRT, OUT_OF_MEMORY) else WorkerCrashed)(status) from error

    async def _exchange(self, call: bytes, limit_bytes: int) -> tuple[bytes, bool]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise anyio.ClosedResourceError
        await stdin.send(HEADER.pack(len(call), limit_bytes))
        await stdin.send(call)
        received = bytearray()
        wanted, spent = HEADER.size, False
        while len(received) < wanted:
            received += await stdout.receive(_CHUNK_BYTES)
            if wanted == HEADER.size and len(received) >= wanted:
                length, spent = HEADER.unpack_from(received)
                wanted += length
        return bytes(memoryview(received)[HEADER.size : wanted]), bool(spent)

    async def end(self) -> None:
        """Kill the process, whatever it does, and reap it; also when this task is being cancelled."""
        with anyio.CancelScope(shield=True):
            if self.alive:
                # Not `Process.kill`: it reaps the child, and asyncio's own watcher then finds no status.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process.pid, signal.SIGKILL)
            await self._process.aclose()


def _packed(function: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    name = getattr(function, "__qualname__", "")
    if not name or "<" in name or getattr(function, "__module__", "__main__") == "__main__":
        raise TypeError(f"{function!r} is no module-level function that another process could import")
    return pickle.dumps((function, args), pickle.HIGHEST_PROTOCOL)


def _unpacked(answer: bytes) -> Any:
    outcome, value = pickle.loads(answer)  # noqa: S301 - from our own child
    if outcome == RETURNED:
        return value
    if outcome == RAISED:
        raise value
    raise WorkerCallFailed(value)
