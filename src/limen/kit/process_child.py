"""The other end of `limen.kit.process.Worker`: reads calls from stdin, answers on what was stdout.

Imports nothing but the standard library, since its start is what the first call waits for.
"""

import contextlib
import ctypes
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO, Any

try:
    import resource
except ImportError:  # not a POSIX system: no limits there
    resource = None  # type: ignore[assignment]

# Of a call its length and its limit of memory in bytes; of an answer its length, and whether its process is to be replaced.
HEADER = struct.Struct("<QQ")
# How a process ends that has found itself beyond its limit.
OUT_OF_MEMORY = 86
# What is never given back stays within what the next call may use.
_SPENT_BYTES = 256 << 20
_WATCH_S = 0.02
RETURNED, RAISED, FAILED = "returned", "raised", "failed"
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(parent: int) -> None:
    """Answer calls until stdin ends. A call is a pickled (function, arguments), an answer a pickled (outcome, value)."""
    answers = _private_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit = _Limit()
    _die_with(parent)
    calls = sys.stdin.buffer
    while True:
        header = calls.read(HEADER.size)
        if len(header) < HEADER.size:
            return
        length, limit_bytes = HEADER.unpack(header)
        limit.set(limit_bytes)
        call = calls.read(length)
        if len(call) < length:
            return
        answer = _answer(call)
        answers.write(HEADER.pack(len(answer), peak_bytes() > _SPENT_BYTES))
        answers.write(answer)
        answers.flush()
        del call, answer


def _private_stdout() -> IO[bytes]:
    """Keep the answers' pipe to ourselves and point stdout at stderr, so that a `print` cannot spoil an answer."""
    kept = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(kept, "wb")


class _Limit:
    """The memory that a call may use: held by the system where it can, else by a look at it every now and then."""

    def __init__(self) -> None:
        self._watched_bytes = 0
        self._watched = sys.platform != "linux" and resource is not None

    def set(self, limit_bytes: int) -> None:
        if self._watched:
            if not self._watched_bytes:
                threading.Thread(target=watch, args=(lambda: self._watched_bytes,), daemon=True).start()
            self._watched_bytes = limit_bytes
        elif resource is not None:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            stricter = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
            resource.setrlimit(resource.RLIMIT_AS, (stricter, hard))


def watch(limit_bytes: Callable[[], int]) -> None:
    """End this process when it has used more memory than it may: for systems that do not hold a limit themselves (macOS)."""
    while peak_bytes() <= limit_bytes():
        time.sleep(_WATCH_S)
    os._exit(OUT_OF_MEMORY)


def peak_bytes() -> int:
    """The most memory that this process has had, 0 where the system does not tell."""
    if sys.platform == "linux":  # its getrusage counts what the parent had at the fork; pathlib takes long to load
        with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)
    most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if resource is not None else 0
    return most * (1 if sys.platform == "darwin" else 1024)


def _die_with(parent: int) -> None:
    """Have the kernel end this process with its parent, also in the middle of a call; elsewhere the pipe's end does it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            raise SystemExit(0)


def _answer(call: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(call)  # noqa: S301 - from our own parent
        return pickle.dumps((RETURNED, function(*arguments)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - whatever a call raises belongs to its caller
        return _raised(error)


def _raised(error: Exception) -> bytes:
    """The exception itself where it survives pickling, else its description."""
    try:
        packed = pickle.dumps((RAISED, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(packed)  # noqa: S301 - what was packed just now
    except Exception:  # noqa: BLE001 - an exception's own pickling may raise anything
        described: tuple[str, Any] = (FAILED, "".join(traceback.format_exception_only(error)).strip())
        return pickle.dumps(described, pickle.HIGHEST_PROTOCOL)
    return packed
