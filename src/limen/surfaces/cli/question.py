"""Questions from standard input: read without blocking Ctrl-C, held to a size, and refused when they are no text."""

import os
import stat
import sys
from collections.abc import AsyncIterator

import anyio
import click

from limen.core.fault import Fault

# No model's window holds more; a longer text belongs into the library.
QUESTION_LIMIT_BYTES = 1_000_000
_CHUNK_BYTES = 65_536
_TO_LIBRARY = "limen library add FILE, then ask about it"


class Input:
    """Bytes of an open file. Waiting for them can be cancelled, unlike a blocking read or one in a thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._may_block = not stat.S_ISREG(os.fstat(self._descriptor).st_mode)
        self._held = b""

    @classmethod
    def standard(cls) -> "Input | None":
        """Standard input; None where it is closed."""
        try:
            return None if sys.stdin is None else cls(sys.stdin.fileno())
        except (OSError, ValueError):
            return None

    async def _more(self) -> bytes:
        if self._may_block:
            try:
                await anyio.wait_readable(self._descriptor)
            except PermissionError:
                self._may_block = False  # a device like /dev/null, which never lets anyone wait
        await anyio.lowlevel.checkpoint()
        return os.read(self._descriptor, _CHUNK_BYTES)

    async def whole(self, limit: int) -> bytes:
        """Everything up to the end. Raises Fault `ask.too_long` beyond `limit` bytes, without reading on."""
        data = bytearray()
        while chunk := await self._more():
            data += chunk
            if len(data) > limit:
                raise too_long(limit)
        return bytes(data)

    async def lines(self, limit: int) -> AsyncIterator[bytes | Fault]:
        """Each line without its end. A line over `limit` bytes is passed by and becomes a Fault."""
        ended = False
        overlong = False
        while not ended:
            chunk = await self._more()
            ended = not chunk
            *whole, self._held = (self._held + chunk).split(b"\n")
            for line in whole:
                yield too_long(limit) if overlong or len(line) > limit else line
                overlong = False
            if len(self._held) > limit:
                overlong, self._held = True, b""
        if overlong or self._held:
            yield too_long(limit) if overlong else self._held


def too_long(limit: int) -> Fault:
    return Fault("ask.too_long", f"the question is longer than {limit:,} bytes", _TO_LIBRARY)


def decoded(data: bytes) -> str:
    """Bytes as text. Raises Fault `ask.binary` for what is no UTF-8 text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault("ask.binary", "standard input is not UTF-8 text", _TO_LIBRARY) from error
    if "\0" in text:
        raise Fault("ask.binary", "standard input holds zero bytes, so it is no text", _TO_LIBRARY)
    return text


async def read_question() -> str:
    """The question on standard input. Raises Fault `ask.*` for what cannot be one."""
    source = Input.standard()
    if source is None:
        return ""
    if sys.stdin.isatty():
        click.echo("Type the question, then Ctrl-D.", err=True)
    return decoded(await source.whole(QUESTION_LIMIT_BYTES))


def checked(question: str) -> str:
    """A question that can be asked: something is in it, and it is Unicode text."""
    text = question.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    if not text:
        raise click.UsageError('The question is empty. Try: limen ask "How do I cancel an asyncio task?"')
    return text
