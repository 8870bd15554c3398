"""Lines typed into a chat, remembered in a private file: one JSON string a line, the latest last."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from limen.kit.atomic import UnsafePath, write_private
from limen.kit.log import failed_open

_MODE = 0o600


class PrivateHistory(History):
    """At most `limit` lines. A file that cannot be read or written costs the memory, never the chat."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__()
        self._path = path
        self._limit = limit

    def load_history_strings(self) -> Iterable[str]:
        try:
            raw = self._path.read_bytes().splitlines() if self._path.is_file() else []
        except OSError as error:
            failed_open("chat.history", error)
            return []
        lines = [text for line in raw if (text := _read_line(line)) is not None]
        if len(raw) > 2 * self._limit:
            self._rewrite(lines[-self._limit :])
        return lines[: -self._limit - 1 : -1]

    def store_string(self, string: str) -> None:
        line = json.dumps(string) + "\n"
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
            with os.fdopen(descriptor, "ab") as file:
                file.write(line.encode())
        except OSError as error:
            failed_open("chat.history", error)

    def _rewrite(self, lines: list[str]) -> None:
        try:
            write_private(self._path, "".join(json.dumps(line) + "\n" for line in lines))
        except (OSError, UnsafePath) as error:
            failed_open("chat.history", error)


def _read_line(line: bytes) -> str | None:
    try:
        text = json.loads(line)
    except ValueError:
        return None
    return text if isinstance(text, str) else None
