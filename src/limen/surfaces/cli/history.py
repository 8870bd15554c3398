"""Lines typed into a chat, remembered in a private file: one JSON string a line, the latest last."""

import errno
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from limen.kit.atomic import FILE_MODE, UnsafePath, write_private
from limen.kit.log import failed_open

_OPEN = os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Whatever became of the file, no more than its end is read.
_MOST_BYTES = 16_000_000
# A pasted document is nothing that anyone would leaf back to.
_LONGEST_CHARS = 20_000


class PrivateHistory(History):
    """At most `limit` lines. A file that cannot be read or written costs the memory, never the chat, and is said once."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__()
        self._path = path
        self._limit = limit
        self._is_torn = False
        self._told = False

    def load_history_strings(self) -> Iterable[str]:
        """The lines, latest first. A file that has grown to twice its size is cut."""
        try:
            raw = self._end_of_file().splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            self._tell(error)
            return []
        lines = [text for line in raw if (text := _read_line(line)) is not None]
        if len(raw) > 2 * self._limit:
            self._rewrite(lines[-self._limit :])
        return lines[: -self._limit - 1 : -1]

    def store_string(self, string: str) -> None:
        """Put a line behind the others."""
        if len(string) > _LONGEST_CHARS:
            return
        line = json.dumps(string) + "\n"
        try:
            with os.fdopen(self._open(os.O_WRONLY | _OPEN), "ab", buffering=0) as file:
                os.fchmod(file.fileno(), FILE_MODE)
                data = (("\n" if self._is_torn else "") + line).encode()
                self._is_torn = file.write(data) != len(data)
        except OSError as error:
            self._is_torn = True
            self._tell(error)

    def _end_of_file(self) -> bytes:
        with os.fdopen(self._open(os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _MOST_BYTES, 0))
            return file.read(_MOST_BYTES)

    def _open(self, flags: int) -> int:
        """A descriptor of the file; a link or a pipe in its place raises OSError."""
        try:
            descriptor = os.open(self._path, flags, FILE_MODE)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise UnsafePath(self._path, "is a symbolic link") from error
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnsafePath(self._path, "is not an ordinary file")
        return descriptor

    def _rewrite(self, lines: list[str]) -> None:
        try:
            write_private(self._path, "".join(json.dumps(line) + "\n" for line in lines))
        except OSError as error:
            self._tell(error)

    def _tell(self, error: OSError) -> None:
        if not self._told:
            reason = f"{self._path}: {error.strerror or error}"
            failed_open("chat.history", f"{reason}; what you type is remembered only until you leave")
        self._told = True


def _read_line(line: bytes) -> str | None:
    try:
        text = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return text if isinstance(text, str) else None
