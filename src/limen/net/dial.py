"""Dialling checked addresses: a few at most, each a little after the one before, the first that answers is kept."""

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

import anyio
import httpcore2

# As many as httpx would try anyway; a name with more answers than this gains nothing from the rest.
MAX_ADDRESSES = 4
# RFC 8305 section 8: the recommended delay between attempts.
STAGGER_S = 0.25


class Dialler(httpcore2.AnyIOBackend):
    """Opens TCP connections to literal addresses. Names never reach it, so nothing here can look one up."""

    async def dial(
        self, addresses: Sequence[str], port: int, *, timeout_s: float | None, stagger_s: float = STAGGER_S
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first of `addresses` that answers.

        Raises httpcore2.ConnectTimeout when none did in time, httpcore2.ConnectError when all said no.
        """
        order = _interleaved(addresses)[:MAX_ADDRESSES]
        race = _Race(self, port, timeout_s)
        try:
            async with anyio.create_task_group() as tasks:
                for address in order:
                    settled = anyio.Event()
                    tasks.start_soon(race.attempt, address, settled, tasks.cancel_scope)
                    with anyio.move_on_after(stagger_s):
                        await settled.wait()
        except BaseException:
            await race.abandon()
            raise
        if race.winner is not None:
            return race.winner
        raise race.failure or httpcore2.ConnectError("no address to dial")


class _Race:
    """Attempts that run side by side; the first stream wins, later ones are closed."""

    def __init__(self, dialler: Dialler, port: int, timeout_s: float | None) -> None:
        self._dialler = dialler
        self._port = port
        self._timeout_s = timeout_s
        self.winner: httpcore2.AsyncNetworkStream | None = None
        self.failure: Exception | None = None

    async def attempt(self, address: str, settled: anyio.Event, scope: anyio.CancelScope) -> None:
        try:
            stream = await self._dialler.connect_tcp(address, self._port, timeout=self._timeout_s)
        except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
            self.failure = self.failure or error
            settled.set()
            return
        if self.winner is None:
            self.winner = stream
            scope.cancel()
            return
        with anyio.CancelScope(shield=True):
            await stream.aclose()

    async def abandon(self) -> None:
        """Close what was won when nobody takes it."""
        if self.winner is not None:
            with anyio.CancelScope(shield=True):
                await self.winner.aclose()


def _interleaved(addresses: Iterable[str]) -> list[str]:
    """Alternate the families, beginning with the resolver's first choice (RFC 8305 section 4)."""
    listed = list(addresses)
    first = [address for address in listed if (":" in address) == (":" in listed[0])]
    second = [address for address in listed if (":" in address) != (":" in listed[0])]
    return [address for address in chain.from_iterable(zip_longest(first, second)) if address is not None]
