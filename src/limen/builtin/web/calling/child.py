"""An installed program, asked once: no shell, no input, a hard end, and no more output than allowed."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import anyio
import anyio.abc

_CHUNK_BYTES = 1 << 16
_SAID_BYTES = 8_192


class Ended(NamedTuple):
    """How a program ended: its status, what it wrote, and the last of what it complained about. `too_large` cut it short."""

    status: int
    out: bytes
    said: str
    too_large: bool = False


async def run_child(command: Sequence[str], environment: Mapping[str, str], max_bytes: int) -> Ended:
    """Run `command` in the root folder, where no settings file of a project lies. Raises OSError when it cannot be started.

    Whoever cancels this ends the program and all that it has started.
    """
    process = await anyio.open_process(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=os.sep,
        start_new_session=True,
    )
    try:
        return await _listen(process, max_bytes)
    finally:
        with anyio.CancelScope(shield=True):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            await process.aclose()


async def _listen(process: anyio.abc.Process, max_bytes: int) -> Ended:
    out, said = bytearray(), bytearray()
    async with anyio.create_task_group() as group:

        async def complaints() -> None:
            async for chunk in _chunks(process.stderr):
                said.extend(chunk)
                del said[:-_SAID_BYTES]

        group.start_soon(complaints)
        async for chunk in _chunks(process.stdout):
            out += chunk
            if len(out) > max_bytes:
                group.cancel_scope.cancel()
                return Ended(-1, b"", "", too_large=True)
    status = await process.wait()
    return Ended(status, bytes(out), said.decode("utf-8", "replace"))


async def _chunks(stream: anyio.abc.ByteReceiveStream | None) -> AsyncIterator[bytes]:
    while stream is not None:
        try:
            yield await stream.receive(_CHUNK_BYTES)
        except anyio.EndOfStream:
            return
