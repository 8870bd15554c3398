"""Loopback servers that answer as told, lies and all, and resolvers that answer from a list."""

import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.abc
import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.tls import TLSListener

_HEAD_BYTES = 65_536


class Received(msgspec.Struct, frozen=True):
    """A request as it came in; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """What was asked for, without its query."""
        return self.target.partition("?")[0]

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


async def receive(reader: BufferedByteReceiveStream) -> Received:
    """The next request of a connection; raises what the stream raises when it ends."""
    head = (await reader.receive_until(b"\r\n\r\n", _HEAD_BYTES)).decode("latin-1")
    request_line, *lines = head.split("\r\n")
    method, target, _version = request_line.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    return Received(method, target, headers, await reader.receive_exactly(length) if length else b"")


# Whole bytes to send, or a function that does with the connection what it likes; after a function the connection is closed.
Answer = bytes | Callable[[Received, anyio.abc.ByteStream], Awaitable[None]]


def reply(body: bytes | str = b"", *, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """A correct HTTP/1.1 response. `content-type` defaults to HTML."""
    data = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in (headers or {}).items()}
    fields = {"content-type": "text/html; charset=utf-8", "content-length": str(len(data)), **given}
    head = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(head).encode("latin-1") + data


def redirect(location: str, *, status: int = 302) -> bytes:
    """A redirect; `location` goes out as it is, in UTF-8."""
    return f"HTTP/1.1 {status} Said\r\ncontent-length: 0\r\nlocation: ".encode() + location.encode() + b"\r\n\r\n"


class LoopbackServer:
    """A running server. `received` holds every request, `connections` counts every connection."""

    def __init__(self, routes: Mapping[str, Answer], scheme: str, host: str, port: int) -> None:
        self.routes = dict(routes)
        self.scheme = scheme
        self.host = host
        self.port = port
        self.received: list[Received] = []
        self.connections = 0

    def url(self, path: str = "/", host: str | None = None) -> str:
        """The address of a path, under the server's own address or another host name."""
        shown = host or (f"[{self.host}]" if ":" in self.host else self.host)
        return f"{self.scheme}://{shown}:{self.port}{path}"

    async def handle(self, stream: anyio.abc.ByteStream) -> None:
        self.connections += 1
        async with stream:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.IncompleteRead):
                reader = BufferedByteReceiveStream(stream)
                while await self._exchange(reader, stream):
                    pass

    async def _exchange(self, reader: BufferedByteReceiveStream, stream: anyio.abc.ByteStream) -> bool:
        request = await receive(reader)
        self.received.append(request)
        answer = self.routes.get(request.path, self.routes.get("*", reply("no such page", status=404)))
        if not isinstance(answer, bytes):
            await answer(request, stream)
            return False
        await stream.send(answer)
        return b"content-length" in answer.partition(b"\r\n\r\n")[0].lower()


@asynccontextmanager
async def serve(
    routes: Mapping[str, Answer], *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[LoopbackServer]:
    """Serve `routes` (path to answer; `*` for all others) on a free loopback port until the block ends."""
    async with await anyio.create_tcp_listener(local_host=host, local_port=0) as tcp:
        port = tcp.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  (an anyio attribute, no database)
        server = LoopbackServer(routes, "https" if tls else "http", host, port)
        listener: anyio.abc.Listener[anyio.abc.ByteStream] = TLSListener(tcp, tls, standard_compatible=False) if tls else tcp
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listener.serve, server.handle)
                yield server
                tasks.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            if len(group.exceptions) == 1:
                raise group.exceptions[0] from None  # what failed inside the block, as it was raised
            raise


class ListedResolver:
    """A resolver that answers from lists: look-up n of a name gets list n, the last list repeats; other names have no address.

    `asked` holds every look-up in order.
    """

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        lists = self._answers.get(host, [[]])
        turn = self.asked.count(host)
        self.asked.append(host)
        return lists[min(turn, len(lists) - 1)]


async def never(host: str, port: int) -> Sequence[str]:
    """A resolver that must not be asked."""
    raise AssertionError(f"{host}:{port} was looked up")
