"""Single flight: whoever wants the same thing at the same time waits for the first and then looks again."""

from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

import anyio

Key = TypeVar("Key", bound=Hashable)


class Flights(Generic[Key]):
    """Locks by key, which exist only while somebody holds or wants them."""

    def __init__(self) -> None:
        self._flights: dict[Key, _Flight] = {}

    def __len__(self) -> int:
        """How many keys somebody holds or wants."""
        return len(self._flights)

    @asynccontextmanager
    async def alone(self, keys: Sequence[Key]) -> AsyncIterator[None]:
        """Hold these keys, given in one order by everybody, so that two batches never wait for each other."""
        own = list(dict.fromkeys(keys))
        flights = [self._flights.setdefault(key, _Flight()) for key in own]
        for flight in flights:
            flight.waiting += 1
        taken: list[_Flight] = []
        try:
            for flight in flights:
                await flight.lock.acquire()
                taken.append(flight)
            yield
        finally:
            for flight in taken:
                flight.lock.release()
            for key, flight in zip(own, flights, strict=True):
                flight.waiting -= 1
                if not flight.waiting:
                    self._flights.pop(key, None)


class _Flight:
    """Work under way, and how many wait for it or hold it."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()
        self.waiting = 0
