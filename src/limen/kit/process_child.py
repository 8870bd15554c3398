"""The other end of `limen.kit.process.Worker`: reads calls from stdin, answers on what was stdout.

Imports nothing but the standard library, since its start is what the first call waits for.
"""

import ctypes
import os
import pickle
import signal
import struct
import sys
import traceback
from typing import IO, Any

try:
    import resource
except ImportError:  # not a POSIX system: no limits there
    resource = None  # type: ignore[assignment]

LENGTH = struct.Struct("<Q")
RETURNED, RAISED, FAILED = "returned", "raised", "failed"
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(memory_limit_bytes: int, parent: int) -> None:
    """Answer calls until stdin ends. A call is a pickled (function, arguments), an answer a pickled (outcome, value)."""
    answers = _private_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory_limit_bytes)
    _die_with(parent)
    calls = sys.stdin.buffer
    while True:
        call = _receive(calls)
        if call is None:
            return
        answer = _answer(call)
        answers.write(LENGTH.pack(len(answer)))
        answers.write(answer)
        answers.flush()
        del call, answer


def _private_stdout() -> IO[bytes]:
    """Keep the answers' pipe to ourselves and point stdout at stderr, so that a `print` cannot spoil an answer."""
    kept = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(kept, "wb")


def _limit_memory(limit_bytes: int) -> None:
    if limit_bytes <= 0 or resource is None:
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    except (OSError, ValueError):
        return  # a system that cannot limit it (macOS), or a stricter limit that already holds


def _die_with(parent: int) -> None:
    """Have the kernel end this process with its parent, also in the middle of a call; elsewhere the pipe's end does it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            raise SystemExit(0)


def _receive(calls: IO[bytes]) -> bytes | None:
    header = calls.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    call = calls.read(length)
    return call if len(call) == length else None


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
