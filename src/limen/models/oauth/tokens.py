"""Tokens of a log-in, in a private file that all processes of a home share."""

from pathlib import Path

import msgspec

from limen.core.fault import ModelFault
from limen.kit.atomic import UnsafePath, read_private, write_private
from limen.kit.filelock import FileLock

_FILE_BYTES = 256 * 1024
_LOCK_S = 30.0


class Tokens(msgspec.Struct, frozen=True):
    """What a log-in gave. `expires_at` is Unix time, `life_s` how long the token held when it was new; `ended` says that the
    service takes the refresh token no more."""

    access_token: str
    refresh_token: str
    expires_at: float
    account: str = ""
    ended: bool = False
    life_s: float = 3_600.0

    def __repr__(self) -> str:
        return f"Tokens(…, expires_at={self.expires_at})"


class TokenFile:
    """The tokens of the log-in `name`. Writers take `lock` first."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.path = folder / f"{name}.json"
        self._lock = folder / f"{name}.lock"
        self._seen: tuple[int, int, int] | None = None
        self._tokens: Tokens | None = None

    def lock(self) -> FileLock:
        """A lock that lets one process renew while the others wait. Blocks: enter it in a thread."""
        return FileLock(self._lock, _LOCK_S)

    def load(self) -> Tokens | None:
        """What the file says, read again only where it changed; None where there was no log-in. Raises ModelFault auth."""
        try:
            found = self.path.stat()
            seen = (found.st_mtime_ns, found.st_size, found.st_ino)
            if seen != self._seen:
                self._tokens = msgspec.json.decode(read_private(self.path, limit_bytes=_FILE_BYTES), type=Tokens)
                self._seen = seen
        except FileNotFoundError:
            self._seen = self._tokens = None
        except (msgspec.DecodeError, UnicodeError, UnsafePath):
            raise ModelFault("auth", f"{self.path} holds no log-in", again(self.name)) from None
        except OSError as error:
            raise ModelFault("auth", f"{self.path} cannot be read: {error.strerror}", again(self.name)) from error
        return self._tokens

    def save(self, tokens: Tokens) -> None:
        """Put `tokens` in the place of what was there, wholly, for their owner alone. Raises OSError."""
        write_private(self.path, msgspec.json.format(msgspec.json.encode(tokens)) + b"\n")
        self._seen, self._tokens = None, tokens

    def remove(self) -> bool:
        """Forget the log-in; whether there was one. Raises OSError."""
        there = self.path.exists()
        self.path.unlink(missing_ok=True)
        return there


def again(name: str) -> str:
    """How to log in."""
    return f"limen credentials add {name}"
