"""Both directions of a tunnel, until one end has finished, says nothing for long, or too much has passed."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import httpcore2

from limen.net.proxy_client import ProxyClient

_CHUNK_BYTES = 65_536
_GONE = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, httpcore2.NetworkError, httpcore2.TimeoutException)


class TunnelPipe:
    """Carries bytes between a proxy's client and a server: both may be silent for `idle_s`, `most_bytes` counts both ways."""

    def __init__(self, client: ProxyClient, server: httpcore2.AsyncNetworkStream, idle_s: float, most_bytes: int) -> None:
        self._client = client
        self._server = server
        self._idle_s = idle_s
        self._left = most_bytes
        self._alive = anyio.CancelScope()

    async def run(self, first: bytes) -> None:
        """Carry `first` to the server, then everything, until the tunnel ends; raises nothing for an end that has gone."""

        async def each(direction: Callable[[], Awaitable[None]]) -> None:
            with suppress(*_GONE):
                await direction()
            self._alive.cancel()  # one end has gone: what the other still says nobody hears

        with self._alive:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(each, lambda: self._to_server(first))
                tasks.start_soon(each, self._to_client)

    async def _to_server(self, data: bytes) -> None:
        while data and self._may_pass(len(data)):
            await self._server.write(data)
            data = await self._client.read()

    async def _to_client(self) -> None:
        while (data := await self._server.read(_CHUNK_BYTES)) and self._may_pass(len(data)):
            await self._client.write(data)

    def _may_pass(self, count: int) -> bool:
        self._alive.deadline = anyio.current_time() + self._idle_s
        self._left -= count
        return self._left >= 0
