"""A provider on loopback that plays a script: what it says, byte for byte if need be, and what it was sent.

It speaks the documented formats of Chat Completions, Anthropic Messages and OpenAI Responses, each on its path, well enough for
the vendors' own clients; with `Raw` it misbehaves exactly as a test wants.
"""

import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
import msgspec
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from limen.kit.group import background_tasks
from limen.testing import chat_format, messages_format, responses_format
from limen.testing.chat_format import CREATED
from limen.testing.network import Received, receive
from limen.testing.scripted_model import Reply


class Repeat(msgspec.Struct, frozen=True):
    """The same bytes again and again, until the client leaves."""

    piece: bytes


Piece = bytes | Repeat | Literal["pause", "hang", "reset"]
"""Bytes to write; or let the client take what was sent, say nothing more until it leaves, break the connection."""


class Answer(msgspec.Struct, frozen=True):
    """An ordinary HTTP answer."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, status: int, shape: Any, headers: Mapping[str, str] | None = None) -> "Answer":
        """JSON."""
        return cls(status, json.dumps(shape).encode(), {"content-type": "application/json", **(headers or {})})


class Raw(msgspec.Struct, frozen=True):
    """The very bytes of an answer, status line included; the connection is closed behind them."""

    pieces: tuple[Piece, ...]


class Stream(msgspec.Struct, frozen=True):
    """A stream of server-sent events, given as bytes, behind a correct head; the connection is closed behind it."""

    pieces: tuple[Piece, ...]
    content_type: str = "text/event-stream"


_PATHS = ("/chat/completions", "/messages", "/responses")

Played = Reply | Answer | Raw | Stream
Step = Played | Callable[[Received], Played]


class ModelServer:
    """What a test holds: the server's `url` (with `/v1`), and every request in `received`, over how many `connections`."""

    def __init__(self, steps: Iterable[Step], listed: Answer, then: Step | None) -> None:
        self.url = ""
        self.received: list[Received] = []
        self.connections = 0
        self._steps = list(steps)
        self._listed = listed
        self._then = then

    @property
    def chats(self) -> list[Received]:
        """The requests for replies."""
        return [request for request in self.received if request.path.endswith(_PATHS)]

    def _play(self, request: Received) -> Played:
        if request.method == "GET" and request.path.endswith("/models"):
            return self._listed
        step = self._steps.pop(0) if self._steps else self._then
        if step is None:
            return Answer.of(500, {"error": {"message": "the script has ended", "type": "script"}})
        return step(request) if callable(step) else step

    async def serve(self, stream: SocketStream) -> None:
        """Answer one connection until either side closes it."""
        self.connections += 1
        async with stream:
            try:
                reader = BufferedByteReceiveStream(stream)
                while await self._exchange(stream, reader):
                    pass
            except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the client has left, as it may at any time

    async def _exchange(self, stream: SocketStream, reader: BufferedByteReceiveStream) -> bool:
        request = await receive(reader)
        self.received.append(request)
        played = self._play(request)
        match played:
            case Answer():
                await stream.send(_head(played.status, {"content-length": str(len(played.body)), **played.headers}) + played.body)
                return True
            case Reply():
                for piece in _reply_bytes(played, request.path, request.json):
                    await stream.send(piece)
                return True
            case Raw():
                await _send(stream, reader, played.pieces)
            case Stream():
                head = _head(200, {"content-type": played.content_type, "connection": "close"})
                await _send(stream, reader, (head, *played.pieces))
        return False


@asynccontextmanager
async def model_server(
    *steps: Step,
    models: Sequence[str] = ("scripted",),
    listed: Sequence[Mapping[str, Any]] | Answer = (),
    then: Step | None = None,
) -> AsyncIterator[ModelServer]:
    """A server that plays `steps` in order, one for each request that is not for its models, then `then` for ever.

    It offers `models`, or exactly what `listed` says: entries, or the whole answer.
    """
    offers = listed or [{"id": name, "object": "model", "created": CREATED, "owned_by": "limen"} for name in models]
    answer = offers if isinstance(offers, Answer) else Answer.of(200, {"object": "list", "data": list(offers)})
    server = ModelServer(steps, answer, then)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, background_tasks() as group:
        server.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/v1"  # noqa: S610 - a socket's attribute
        group.start_soon(listener.serve, server.serve)
        yield server


async def _send(stream: SocketStream, reader: BufferedByteReceiveStream, pieces: Iterable[Piece]) -> None:
    for piece in pieces:
        match piece:
            case "pause":
                await anyio.sleep(0.01)
            case "hang":
                await reader.receive()  # ends when the client closes
            case Repeat(repeated):
                while True:  # ends as sending does
                    await stream.send(repeated)
                    await anyio.sleep(0.01)
            case "reset":
                raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - a socket's attribute
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            case _:
                await stream.send(piece)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _reply_bytes(reply: Reply, path: str, asked: dict[str, Any]) -> Iterator[bytes]:
    if not asked.get("stream"):
        body = json.dumps(_whole(reply, path, asked["model"])).encode()
        yield _head(200, {"content-type": "application/json", "content-length": str(len(body))}) + body
        return
    yield _head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
    for event in _events(reply, path, asked):
        yield f"{len(event):x}\r\n".encode() + event + b"\r\n"
    yield b"0\r\n\r\n"


def _whole(reply: Reply, path: str, model: str) -> dict[str, Any]:
    if path.endswith("/messages"):
        return messages_format.whole(reply, model)
    return responses_format.whole(reply, model) if path.endswith("/responses") else chat_format.whole(reply, model)


def _events(reply: Reply, path: str, asked: dict[str, Any]) -> Iterator[bytes]:
    if path.endswith("/messages"):
        return messages_format.events(reply, asked["model"])
    if path.endswith("/responses"):
        return responses_format.events(reply, asked["model"])
    wants_usage = bool((asked.get("stream_options") or {}).get("include_usage"))
    return chat_format.events(reply, asked["model"], usage=wants_usage)
