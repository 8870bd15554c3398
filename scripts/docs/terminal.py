"""A program at a terminal of 110 columns, and what stands there when it has ended."""

import fcntl
import os
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

COLUMNS = 110
_ROWS = 40
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\r")


def at_terminal(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> str:
    """Both streams of a command, without colours and without blanks at the ends of lines."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=env):  # noqa: S603
        os.close(slave)
        said = b"".join(_chunks(master))
    os.close(master)
    return "\n".join(line.rstrip(" ") for line in _ESCAPES.sub("", said.decode()).split("\n"))


def _chunks(descriptor: int) -> Iterator[bytes]:
    """Everything until the last writer is gone, which some systems report as an error."""
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:
            return
        if not chunk:
            return
        yield chunk
