"""Keys that a command prints: run without a shell, with a deadline, its words never logged."""

import os
import shlex
import signal
from contextlib import suppress
from subprocess import DEVNULL, PIPE

import anyio
import anyio.abc

from limen.core.fault import ModelFault
from limen.models.references import first_line

DEADLINE_S = 10.0
"""How long a command may take; a password manager that waits for a person longer than this is unlocked beforehand."""

_OUTPUT_BYTES = 64 * 1024


class KeyCommand:
    """The `cmd:` reader: the first line that the command prints."""

    def __init__(self, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s

    async def __call__(self, command: str) -> str | None:
        """The key. Raises ModelFault auth that names the program and what became of it, never what it said."""
        words = _words(command)
        try:
            # A session of its own, so that all it starts ends with it; no terminal, so that it cannot ask behind our screen.
            process = await anyio.open_process(words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, start_new_session=True)
        except OSError as error:
            raise ModelFault("auth", f"the key's command {words[0]} cannot be run: {error.strerror}", _mend(words)) from error
        try:
            with anyio.fail_after(self._deadline_s):
                printed = await _printed(process, words)
                status = await process.wait()
        except TimeoutError:
            reason = f"the key's command {words[0]} took longer than {self._deadline_s:g} s"
            raise ModelFault("auth", reason, _mend(words)) from None
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
        if status != 0:
            raise ModelFault("auth", f"the key's command {words[0]} failed with status {status}", _mend(words))
        return first_line(printed, f"the command {words[0]}")


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ModelFault("auth", f"a key's command cannot be read: {error}", "check its quotes in the settings") from error
    if not words or "\0" in command:
        raise ModelFault("auth", "a key's command names no program", "name one: cmd:pass show NAME")
    return words


async def _printed(process: anyio.abc.Process, words: list[str]) -> bytes:
    pieces: list[bytes] = []
    size = 0
    if process.stdout is not None:
        async for piece in process.stdout:
            size += len(piece)
            if size > _OUTPUT_BYTES:
                reason = f"the key's command {words[0]} prints more than {_OUTPUT_BYTES:,} bytes"
                raise ModelFault("auth", reason, _alone(words[0]))
            pieces.append(piece)
    return b"".join(pieces)


async def _end(process: anyio.abc.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.aclose()


def _alone(program: str) -> str:
    return f"let {program} print nothing but the key, or cut it out: 'cmd:sh -c \"{program} … | head -n 1\"'"


def _mend(words: list[str]) -> str:
    return f"run it in a terminal and see what it says: {words[0]} …"
