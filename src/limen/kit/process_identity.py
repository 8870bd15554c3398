"""Which process this is, so that another can tell whether it still lives, even when its number was given away again."""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

_PROC = Path("/proc")
# Zombie and dead, as proc(5) spells them: such a process runs nothing any more.
_ENDED = ("Z", "X", "x")


class ProcessIdentity(msgspec.Struct, frozen=True):
    """A process among all that may share a store.

    `host` names the machine, its boot, and the space its process numbers are of (a container has its own). `started` is when the
    process began, in the kernel's count; empty where the system does not tell.
    """

    host: str
    pid: int
    started: str = ""

    @classmethod
    def current(cls) -> "ProcessIdentity":
        """This process; after a fork, ask again."""
        pid = os.getpid()
        seen = _look(pid)
        return cls(_host(), pid, seen.started if seen else "")

    def is_dead(self) -> bool:
        """Whether it is certain that this process no longer runs. Of another host, boot or container nothing is certain."""
        if self.pid <= 0 or self.host != _host():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # something of that number lives and is another user's
            pass
        seen = _look(self.pid)
        return seen is not None and (seen.state in _ENDED or (self.started != "" and seen.started != self.started))


class _Seen(NamedTuple):
    state: str
    started: str


def _look(pid: int) -> _Seen | None:
    """What /proc says of a process: fields 3 and 22 of its `stat`. None without /proc, or where it may not be seen."""
    try:
        # The command stands in parentheses and may itself hold any character.
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        return _Seen(fields[0].decode(), fields[19].decode())
    except (OSError, IndexError, UnicodeDecodeError):
        return None


def _host() -> str:
    return "/".join((os.uname().nodename, _told(_PROC / "sys/kernel/random/boot_id"), _space()))


def _told(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _space() -> str:
    try:
        return str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return ""
