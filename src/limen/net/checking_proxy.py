"""A proxy on loopback for a program whose network we do not own, such as a browser: every host is judged, every address checked.

It speaks to whoever knows its secret, which is made anew at each start. A tunnel (CONNECT) carries TLS alone; plain requests
must name an http address in full. Whatever is refused is remembered, since a browser does not say why a page failed.
"""

import base64
import re
import secrets
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.abc
import h11
import httpcore2
import httpx2
import msgspec

from limen.core.fault import Refusal
from limen.kit.group import background_tasks
from limen.net.failure import explain
from limen.net.fetch import Vet
from limen.net.judge import judge_plain
from limen.net.policy import AddressPolicy
from limen.net.proxy_client import ProxyClient, onward
from limen.net.resolve import Resolver
from limen.net.transport import PinnedBackend, PinnedTransport, Refused
from limen.net.tunnel_pipe import TunnelPipe
from limen.net.url import SafeUrl, parse

_USER = "limen"
_REMEMBERED = 200
_AUTHORITY = re.compile(r"[^/?#\s]+:[0-9]{1,5}")
_METHODS = frozenset({b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"})
_TLS_HANDSHAKE = b"\x16"  # RFC 8446 section 5.1: the type of a record that begins a handshake
_UNREACHABLE = frozenset({"network.connect_failed", "network.timeout", "network.dns_failed", "network.reset", "network.protocol"})
# A client that has gone, or that speaks no HTTP: its connection ends and nobody else's.
_GONE = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, h11.ProtocolError)


class ProxyLimits(msgspec.Struct, frozen=True):
    """What a connection may take: seconds for its request, to connect, and of silence; bytes. And how many there may be."""

    request_s: float = 15.0
    connect_s: float = 10.0
    idle_s: float = 300.0
    bytes_each: int = 500_000_000
    connections: int = 128


class ProxyAddress(msgspec.Struct, frozen=True):
    """Where a running proxy is and how it wants to be greeted."""

    host: str
    port: int
    user: str
    password: str

    @property
    def server(self) -> str:
        """The address as browsers and clients take it."""
        return f"http://{self.host}:{self.port}"


class Blocked(msgspec.Struct, frozen=True):
    """An address that was asked for and refused."""

    url: str
    refusal: Refusal


class CheckingProxy:
    """Judges each address by `vet` (normalised; a tunnel's without its path, which nobody sees here) and by `policy`."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver, vet: Vet, limits: ProxyLimits | None = None) -> None:
        self._policy = policy
        self._vet = vet
        self._limits = limits or ProxyLimits()
        self._backend = PinnedBackend(policy, resolver)
        self._password = secrets.token_urlsafe(32)
        greeting = base64.b64encode(f"{_USER}:{self._password}".encode())
        self._greeting = b"Basic " + greeting
        self.blocked: deque[Blocked] = deque(maxlen=_REMEMBERED)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[ProxyAddress]:
        """Listen on a free port of the loopback until the block ends; then every connection through it ends too."""
        transport = PinnedTransport(self._backend, tls=None, connections=self._limits.connections, keepalive_s=0.0)
        slots = anyio.CapacityLimiter(self._limits.connections)

        async def handle(stream: anyio.abc.SocketStream) -> None:
            async with stream, slots:
                with suppress(*_GONE):
                    await self._serve(ProxyClient(stream), transport)

        async with await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0) as listener, background_tasks() as tasks:
            port: int = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  (an anyio attribute, no database)
            tasks.start_soon(listener.serve, handle)
            try:
                yield ProxyAddress("127.0.0.1", port, _USER, self._password)
            finally:
                with anyio.CancelScope(shield=True):
                    await transport.aclose()

    async def _serve(self, client: ProxyClient, transport: PinnedTransport) -> None:
        with anyio.move_on_after(self._limits.request_s) as waiting:
            request = await client.request()
        if waiting.cancelled_caught:
            return
        given = dict(request.headers).get(b"proxy-authorization", b"")
        if not secrets.compare_digest(given, self._greeting):
            await client.answer(407, [("Proxy-Authenticate", 'Basic realm="limen"')], b"")
        elif request.method == b"CONNECT":
            await self._tunnel(client, request.target.decode("latin-1"))
        elif request.method in _METHODS:
            await self._forward(client, request, transport)
        else:
            await client.answer(405, [], b"")

    async def _tunnel(self, client: ProxyClient, authority: str) -> None:
        """A tunnel to a judged host, for TLS alone."""
        url = _place_of(authority)
        if isinstance(url, Refusal):
            await self._refuse(client, authority, url)
            return
        server = await self._dialled(url)
        if isinstance(server, Refusal):
            await self._refuse(client, str(url), server)
            return
        try:
            await client.accept_tunnel()
            first = b""
            with anyio.move_on_after(self._limits.request_s):
                first = await client.read()
            if first.startswith(_TLS_HANDSHAKE):
                await TunnelPipe(client, server, self._limits.idle_s, self._limits.bytes_each).run(first)
            elif first:
                reason = f"a tunnel to {url.host} was to carry something other than TLS"
                self.blocked.append(Blocked(str(url), Refusal("network", "network.plain_tunnel", reason, "use an https address")))
        finally:
            with anyio.CancelScope(shield=True):
                await server.aclose()

    async def _dialled(self, url: SafeUrl) -> httpcore2.AsyncNetworkStream | Refusal:
        refusal = await self._judged(url)
        if refusal is not None:
            return refusal
        try:
            return await self._backend.connect_tcp(url.host, url.port, timeout=self._limits.connect_s)
        except Refused as error:
            return error.refusal
        except httpcore2.TimeoutException as error:
            return explain(httpx2.ConnectTimeout(str(error)), url.host)
        except (httpcore2.NetworkError, httpcore2.ProxyError) as error:
            return explain(httpx2.ConnectError(str(error)), url.host)

    async def _judged(self, url: SafeUrl) -> Refusal | None:
        return judge_plain(url.host, url.port, self._policy) or await self._vet(str(url))

    async def _forward(self, client: ProxyClient, request: h11.Request, transport: PinnedTransport) -> None:
        """A plain http request to a judged host, and its answer, each without what belongs to one hop."""
        target = request.target.decode("latin-1")
        url = parse(target)
        if not isinstance(url, Refusal) and url.scheme != "http":
            url = Refusal("network", "network.scheme", "only http addresses are asked for without a tunnel", "use CONNECT")
        if isinstance(url, Refusal):
            await self._refuse(client, target, url)
            return
        refusal = await self._judged(url)
        if refusal is not None:
            await self._refuse(client, str(url), refusal)
            return
        try:
            response = await transport.handle_async_request(self._request(client, request, url))
        except httpx2.HTTPError as error:
            await self._refuse(client, str(url), explain(error, url.host))
            return
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        try:
            with suppress(httpx2.HTTPError):  # the answer ends where the server's did: in the middle
                await client.relay(response.status_code, response.headers.raw, response.stream, self._limits.bytes_each)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    def _request(self, client: ProxyClient, request: h11.Request, url: SafeUrl) -> httpx2.Request:
        headers = [(name, value) for name, value in onward(request.headers) if name != b"host"]
        if any(name == b"transfer-encoding" for name, _ in request.headers):
            headers.append((b"transfer-encoding", b"chunked"))
        limits = self._limits
        return httpx2.Request(
            request.method.decode("ascii"),
            url.request_url,
            headers=[(b"host", url.origin.partition("://")[2].encode("ascii")), *headers],
            stream=client.body(),
            extensions={"timeout": {"connect": limits.connect_s, "read": limits.idle_s, "write": limits.idle_s}},
        )

    async def _refuse(self, client: ProxyClient, url: str, refusal: Refusal) -> None:
        self.blocked.append(Blocked(url, refusal))
        status = 502 if refusal.code in _UNREACHABLE else 403
        text = f"{refusal.code}: {refusal.reason}\n".encode("utf-8", "replace")
        await client.answer(status, [("X-Limen-Refusal", refusal.code)], text)


def _place_of(authority: str) -> SafeUrl | Refusal:
    """The host and port that a tunnel is asked for, as the start of an https address: `host:port` and nothing else."""
    if not _AUTHORITY.fullmatch(authority):
        return Refusal("network", "network.malformed", "a tunnel leads to host:port", "name both, and nothing else")
    return parse(f"https://{authority}/")
