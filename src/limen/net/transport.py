"""The only way out: a transport that resolves a host once, judges every answer, and dials what it has judged.

The URL keeps the host's name, so TLS, certificates, `Host` and connection reuse are the name's. No other look-up follows.
"""

import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import anyio
import httpcore2
import httpx2

from limen.core.fault import Refusal
from limen.net.address import parse_ip
from limen.net.dial import Dialler
from limen.net.host import parse_host
from limen.net.judge import Approved, judge_host
from limen.net.policy import AddressPolicy
from limen.net.resolve import Resolver
from limen.net.tunnel import Proxy, open_tunnel, parse_proxy
from limen.net.url import DEFAULT_PORTS

# So many connections are kept for later: the pool looks at each of them whenever any request begins or ends.
_IDLE_CONNECTIONS = 64

_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.ReadTimeout, httpx2.ReadTimeout),
    (httpcore2.WriteTimeout, httpx2.WriteTimeout),
    (httpcore2.PoolTimeout, httpx2.PoolTimeout),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.ReadError, httpx2.ReadError),
    (httpcore2.WriteError, httpx2.WriteError),
    (httpcore2.ProxyError, httpx2.ProxyError),
    (httpcore2.UnsupportedProtocol, httpx2.UnsupportedProtocol),
    (httpcore2.RemoteProtocolError, httpx2.RemoteProtocolError),
    (httpcore2.LocalProtocolError, httpx2.LocalProtocolError),
)


class Refused(httpx2.TransportError):
    """A request that the network's rules stopped before anything was dialled. `refusal` says why and what opens it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.reason}" + (f" ({refusal.mend})" if refusal.mend else ""))
        self.refusal = refusal


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """httpcore's way to the network: every connection is resolved, judged and dialled here, directly or by CONNECT."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        self._dialler = Dialler()
        self._proxy = parse_proxy(policy.proxy) if policy.proxy else None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's signature)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            with anyio.fail_after(timeout):
                return await self._connect(host, port, timeout)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"no connection to {host} within {timeout:g} s") from error

    async def _connect(self, host: str, port: int, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
        parsed = parse_host(f"[{host}]" if ":" in host else host)
        if isinstance(parsed, Refusal):
            raise Refused(parsed)
        approved = await judge_host(parsed.text, port, self._policy, self._resolver)
        if isinstance(approved, Refusal):
            raise Refused(approved)
        if self._proxy is not None:
            return await self._through(self._proxy, approved, timeout_s)
        return await self._dialler.dial(approved.addresses, port, timeout_s=timeout_s)

    async def _through(self, proxy: Proxy, approved: Approved, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
        """Dial the proxy, wherever the operator put it, and have it connect to the address that was checked."""
        try:
            hops = [proxy.host] if parse_ip(proxy.host) else list(await self._resolver(proxy.host, proxy.port))
        except OSError as error:
            raise httpcore2.ProxyError(f"the proxy {proxy.host} has no address") from error
        stream = await self._dialler.dial(hops, proxy.port, timeout_s=timeout_s)
        target = approved.addresses[0] if approved.addresses else approved.host
        try:
            return await open_tunnel(stream, proxy, target, approved.port, timeout_s=timeout_s)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await stream.aclose()
            raise

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's signature)
        socket_options: Iterable[Any] | None = None,
    ) -> NoReturn:
        raise Refused(Refusal("network", "network.scheme", "sockets of this machine are not dialled", "use an http:// address"))

    async def sleep(self, seconds: float) -> None:
        await self._dialler.sleep(seconds)


class PinnedTransport(httpx2.AsyncBaseTransport):
    """An httpx transport over a pool whose connections are all made by PinnedBackend.

    Raises Refused for what the rules stop, other httpx2.TransportError for what the network does.
    """

    def __init__(self, backend: PinnedBackend, *, tls: ssl.SSLContext | None, connections: int, keepalive_s: float) -> None:
        self._backend = backend
        self._tls = tls
        self._connections = connections
        self._keepalive_s = keepalive_s
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}

    def _pool(self, scheme: str) -> httpcore2.AsyncConnectionPool:
        """One pool for each scheme, made at first use: reading the system's certificates costs 25 ms."""
        if scheme not in self._pools:
            self._pools[scheme] = httpcore2.AsyncConnectionPool(
                ssl_context=(self._tls or httpcore2.default_ssl_context()) if scheme == "https" else None,
                max_connections=self._connections,
                max_keepalive_connections=min(self._connections, _IDLE_CONNECTIONS),
                keepalive_expiry=self._keepalive_s,
                network_backend=self._backend,
            )
        return self._pools[scheme]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        if url.scheme not in DEFAULT_PORTS or url.userinfo:
            code = "network.userinfo" if url.userinfo else "network.scheme"
            raise Refused(Refusal("network", code, "only plain http and https addresses are requested", "use such an address"))
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        with _translated():
            response = await self._pool(url.scheme).handle_async_request(
                httpcore2.Request(
                    method=request.method,
                    url=target,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        assert isinstance(response.stream, AsyncIterable)
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()


class _Body(httpx2.AsyncByteStream):
    """A response's bytes, with httpcore's errors as httpx's."""

    def __init__(self, stream: AsyncIterable[bytes]) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translated():
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for theirs, ours in _ERRORS:
            if isinstance(error, theirs):
                raise ours(str(error)) from error
        raise
