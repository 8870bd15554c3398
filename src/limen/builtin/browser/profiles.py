"""Where browsers keep what they keep: a folder for each session, and one for as long as a picture takes."""

import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec

from limen.core.fault import ToolFault
from limen.kit.atomic import make_private_dir, write_private
from limen.kit.log import failed_open
from limen.kit.process_identity import ProcessIdentity

_PICTURES = "pictures"
_OWNER = "owner.json"
# Chromium's own mark of a profile that is in use: a link to `host-pid` (chrome/browser/process_singleton_posix.cc).
_IN_USE = "SingletonLock"


def profile_of(profiles: Path, session: str) -> Path:
    """The folder of a session's profile."""
    return profiles / hashlib.sha256(session.encode()).hexdigest()[:16]


def remove_profile(profiles: Path, session: str) -> bool:
    """Remove a session's profile with its cookies; whether there was one.

    Raises ToolFault `browser.busy` where a browser of another process uses it, `browser.profile_left` where it cannot be removed.
    """
    profile = profile_of(profiles, session)
    if not profile.is_dir():
        return False
    if _in_use(profile):
        raise ToolFault("browser.busy", "This session's browser is open in another process.", "Close the other one first.")
    try:
        shutil.rmtree(profile)
    except OSError as error:
        reason = f"What the session's browser keeps cannot be removed: {error.strerror or error}"
        raise ToolFault("browser.profile_left", reason, f"rm -r '{profile}'") from error
    return True


@asynccontextmanager
async def picture_profile(profiles: Path) -> AsyncIterator[Path]:
    """An empty profile that is gone after the block; those that ended processes have left behind go first."""
    pictures = profiles / _PICTURES
    profile = pictures / secrets.token_hex(8)
    await anyio.to_thread.run_sync(_sweep, pictures)
    await anyio.to_thread.run_sync(_own, profile)
    try:
        yield profile
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, profile)


def _own(profile: Path) -> None:
    make_private_dir(profile)
    write_private(profile / _OWNER, msgspec.json.encode(ProcessIdentity.current()))


def _sweep(pictures: Path) -> None:
    """Remove what processes that no longer run have left."""
    for profile in pictures.iterdir() if pictures.is_dir() else ():
        try:
            owner = msgspec.json.decode((profile / _OWNER).read_bytes(), type=ProcessIdentity)
        except (OSError, msgspec.MsgspecError):  # being made, or being removed
            continue
        if owner.is_dead():
            _remove(profile)


def _remove(profile: Path) -> None:
    try:
        shutil.rmtree(profile)
    except FileNotFoundError:
        pass
    except OSError as error:
        failed_open("browser.profile_left", error)


def _in_use(profile: Path) -> bool:
    """Whether a living process of this machine has the profile open."""
    lock = profile / _IN_USE
    try:
        if not stat.S_ISLNK(lock.lstat().st_mode):
            return False
        host, _, pid = str(lock.readlink()).rpartition("-")
        os.kill(int(pid), 0)
    except (OSError, ValueError):
        return False
    return host == os.uname().nodename
