"""A program, asked once: no shell, a hard end, and no more output than allowed."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import anyio
import anyio.abc

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.waiting import Stopped, interrupted, within

_CHUNK_BYTES = 1 << 16
_SAID_BYTES = 8_192


class Ended(NamedTuple):
    """How a program ended: its status, what it wrote, and the last of what it complained about. `too_large` cut it short."""

    status: int
    out: bytes
    said: str
    too_large: bool = False


class Child(NamedTuple):
    """What is asked for `vendor`: a command, the whole of its environment, how long it may take and how much it may write."""

    vendor: str
    command: Sequence[str]
    environment: Mapping[str, str]
    limits: Limits

    async def ask(self, context: CallContext, told: bytes = b"") -> Ended | Refusal:
        """What it wrote, once it was `told` something; a refusal when it could not be started, or did not end in time."""
        try:
            ended = await within(lambda: _run(self, told), context, self.limits.timeout_s)
        except OSError as error:
            return refuse("search", "failed", self.vendor, f"{self.vendor} could not be started: {quoted(str(error))}.")
        if ended is Stopped.INTERRUPTED:
            return interrupted(self.vendor)
        if isinstance(ended, Stopped):
            return self.late()
        if ended.too_large:
            return refuse("search", "too_large", self.vendor, f"{self.vendor} wrote more than {self.limits.max_bytes:,} bytes.")
        return ended

    def late(self) -> Refusal:
        """The refusal of what took too long."""
        reason = f"{self.vendor} did not answer within {self.limits.timeout_s:g} s."
        mend = "try again later, or choose another provider"
        return Refusal(self.vendor, "network.timeout", reason, mend, {"provider": self.vendor})


async def _run(child: Child, told: bytes) -> Ended:
    """Run it in the root folder, where no settings file of a project lies. Who cancels this ends it and all it has started."""
    process = await anyio.open_process(
        list(child.command), stderr=subprocess.PIPE, env=child.environment, cwd=os.sep, start_new_session=True
    )
    try:
        return await _listen(process, told, child.limits.max_bytes)
    finally:
        with anyio.CancelScope(shield=True):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            await process.aclose()


async def _listen(process: anyio.abc.Process, told: bytes, max_bytes: int) -> Ended:
    out, said = bytearray(), bytearray()
    async with anyio.create_task_group() as group:

        async def tell() -> None:
            if process.stdin is not None:
                # One that ended without listening is told by its status.
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await process.stdin.send(told)
                    await process.stdin.aclose()

        async def complaints() -> None:
            async for chunk in _chunks(process.stderr):
                said.extend(chunk)
                del said[:-_SAID_BYTES]

        group.start_soon(tell)
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
