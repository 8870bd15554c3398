"""Reading one file of a library: its bytes, or why it is no document after all."""

import hashlib
import os
import stat
from typing import IO

import msgspec

from limen.web.library.skipped import LARGEST_BYTES, Reason
from limen.web.library.walk import Candidate


class Loaded(msgspec.Struct, frozen=True):
    """A file's bytes with the stamp they were read at and the digest that tells whether they changed."""

    data: bytes
    stamp: tuple[int, int]
    digest: str


class LeftOut(msgspec.Struct, frozen=True):
    """Why nothing was read. `stale`: what the index had of it before is wrong now; else the file may come back."""

    reason: Reason
    stale: bool = False


def load(candidate: Candidate) -> Loaded | LeftOut:
    """Read a file that was found a moment ago, and may since have vanished, grown, or become something else."""
    try:
        # Without O_NONBLOCK a path that has become a pipe would wait for a writer.
        descriptor = os.open(candidate.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return LeftOut("vanished", stale=True)
    except OSError:
        return LeftOut("unreadable")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return LeftOut("not_a_file", stale=True)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = _up_to_limit(file, status.st_size)
    except OSError:
        return LeftOut("unreadable")
    finally:
        os.close(descriptor)
    return _judged(data, (status.st_mtime_ns, status.st_size), candidate.media_type)


def _up_to_limit(file: IO[bytes], expected: int) -> bytes:
    """All of a file, or one byte more than the limit. Asking for the limit at once would claim that much memory for each file."""
    data = file.read(min(expected, LARGEST_BYTES) + 1)
    return data if len(data) <= expected else data + file.read(LARGEST_BYTES + 1 - len(data))


def _judged(data: bytes, stamp: tuple[int, int], media_type: str) -> Loaded | LeftOut:
    if len(data) > LARGEST_BYTES:
        return LeftOut("too_large", stale=True)
    if not data or data.isspace():
        return LeftOut("empty", stale=True)
    return Loaded(data, stamp, hashlib.sha256(media_type.encode() + b"\0" + data).hexdigest())
