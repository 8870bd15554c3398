"""One client of a proxy, by the letter of HTTP/1.1: one request, one answer, then the connection ends or is a tunnel."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence

import anyio.abc
import h11
import httpx2

_CHUNK_BYTES = 65_536
# A request's line and headers together; browsers send cookies of some kilobytes.
_MOST_HEAD_BYTES = 65_536
# Of one hop alone (RFC 9110 section 7.6.1), and what would lead past the proxy the next time.
_OF_ONE_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade", b"alt-svc", b"http2-settings",
})  # fmt: skip

Headers = Iterable[tuple[bytes, bytes]]


def onward(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Headers without those that belong to one hop, the ones that `Connection` names among them. Names in lower case."""
    lowered = [(name.lower(), value) for name, value in headers]
    named = {token.strip().lower() for name, value in lowered if name == b"connection" for token in value.split(b",")}
    return [(name, value) for name, value in lowered if name not in _OF_ONE_HOP | named]


class ProxyClient:
    """The other end of an accepted connection. Raises h11.ProtocolError for what is no HTTP, anyio's errors when it has gone."""

    def __init__(self, stream: anyio.abc.ByteStream) -> None:
        self._stream = stream
        self._protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=_MOST_HEAD_BYTES)

    async def request(self) -> h11.Request:
        """The request's line and headers."""
        event = await self._next()
        if not isinstance(event, h11.Request):
            raise h11.RemoteProtocolError("no request")
        return event

    async def answer(self, status: int, headers: Sequence[tuple[str, str]], body: bytes) -> None:
        """A whole answer of the proxy's own, the last on this connection."""
        fields = [
            *headers,
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        await self._send(h11.Response(status_code=status, headers=fields))
        await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())

    async def accept_tunnel(self) -> None:
        """Say that the tunnel stands; from here on bytes are the tunnel's. Raises h11.ProtocolError for bytes sent too early."""
        await self._next()  # the request has ended
        if self._protocol.trailing_data[0]:
            raise h11.RemoteProtocolError("bytes before the tunnel stood")
        await self._send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))

    async def read(self) -> bytes:
        """Bytes of the tunnel; empty at its end."""
        try:
            return await self._stream.receive(_CHUNK_BYTES)
        except anyio.EndOfStream:
            return b""

    async def write(self, data: bytes) -> None:
        """Bytes into the tunnel."""
        await self._stream.send(data)

    def body(self) -> httpx2.AsyncByteStream:
        """The request's body as it comes in."""
        return _Body(self)

    async def relay(self, status: int, headers: Headers, body: AsyncIterable[bytes], most_bytes: int) -> None:
        """A server's answer, its body no longer than `most_bytes`: what is longer ends in the middle."""
        await self._send(h11.Response(status_code=status, headers=[*onward(headers), (b"connection", b"close")]))
        async for part in body:
            most_bytes -= len(part)
            if most_bytes < 0:
                return
            await self._send(h11.Data(data=part))
        await self._send(h11.EndOfMessage())

    async def parts(self) -> AsyncIterator[bytes]:
        """The request's body, piece by piece."""
        while True:
            event = await self._next()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed | None):
                return

    async def _next(self) -> h11.Event | None:
        """The next event; None where the client may say no more before it is answered."""
        while True:
            event = self._protocol.next_event()
            if isinstance(event, h11.Event):
                return event
            if event is h11.PAUSED:
                return None
            if self._protocol.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._protocol.receive_data(await self.read())

    async def _send(self, event: h11.Event) -> None:
        data = self._protocol.send(event)
        if data:
            await self._stream.send(data)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, client: ProxyClient) -> None:
        self._client = client

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._client.parts():
            yield part
