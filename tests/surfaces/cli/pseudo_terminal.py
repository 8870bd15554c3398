"""A program at a pseudo-terminal: what a person types, and what they can read."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

_ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]|\r")

# A program asks where the cursor is; a terminal answers.
_WHERE = b"\x1b[6n"
_AT_THE_TOP = b"\x1b[1;1R"


class PseudoTerminal:
    """A child whose three streams are one terminal of 100 by 40."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self._before = termios.tcgetattr(slave)
        self._slave = slave
        self.raw = b""
        self.child = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=environment,
        )

    @property
    def text(self) -> str:
        """All that was written so far, without escape sequences."""
        return _ESCAPES.sub(b"", self.raw).decode("utf-8", "replace")

    @property
    def restored(self) -> bool:
        """Whether the terminal is in the mode it was found in."""
        return termios.tcgetattr(self._slave)[3] == self._before[3]

    @property
    def echoes(self) -> bool:
        """Whether the terminal itself shows what is typed."""
        return bool(termios.tcgetattr(self._slave)[3] & termios.ECHO)

    def type(self, text: str | bytes) -> None:
        os.write(self._master, text if isinstance(text, bytes) else text.encode())

    def resize(self, rows: int, columns: int) -> None:
        """Change the terminal's size, which its programs are told."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def expect(self, text: str, *, after: int = 0, timeout_s: float = 15.0) -> int:
        """Wait until `text` can be read behind position `after`; where it ends."""
        until = time.monotonic() + timeout_s
        while text not in self.text[after:]:
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} never came; the screen says:\n{self.text[after:]}")
            self._read(0.2)
        return self.text.index(text, after) + len(text)

    def read(self, wait_s: float) -> None:
        """Take in what is written within that time."""
        self._read(wait_s)

    def wait(self) -> int:
        """The exit status; everything written until then is read."""
        until = time.monotonic() + 30
        while self.child.poll() is None and time.monotonic() < until:
            self._read(0.05)
        self._read(0.05)
        return self.child.wait(timeout=1)

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()
        os.close(self._master)
        os.close(self._slave)

    def _read(self, wait_s: float) -> None:
        while select.select([self._master], [], [], wait_s)[0]:
            said = os.read(self._master, 65_536)
            self.raw += said
            for _ in range(said.count(_WHERE)):
                os.write(self._master, _AT_THE_TOP)
            wait_s = 0.0
