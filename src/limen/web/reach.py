"""Whether the network is there at all: without one, nobody is waited for one after another, and nobody is asked again at once."""

from collections.abc import Sequence

import anyio

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import DomainSearch, SearchProvider
from limen.core.web import SearchAnswer, SearchRequest, SearchSource
from limen.kit.clock import Clock, monotonic_s
from limen.net.resolve import Resolver

# A name server on the way answers in far less; where there is none, this is what the first search waits.
_LOOK_UP_S = 2.0
# For so long what was found out about the network is taken to hold.
HOLDS_S = 60.0
_PORT = 443
# When so many in a row could not be connected to, it is the network and not they.
_STRIKES = 2
_NO_CONNECTION = frozenset({"network.dns_failed", "network.connect_failed", "network.timeout"})


class Reach:
    """What is known of the network. `hosts` are looked up in turn until one has an address; with none, it counts as there."""

    def __init__(self, resolver: Resolver, hosts: Sequence[str], *, clock: Clock = monotonic_s) -> None:
        self._resolver = resolver
        self._hosts = tuple(hosts)
        self._clock = clock
        self._lock = anyio.Lock()
        self._lost = False
        self._known_until_s: float | None = None
        self._strikes = 0

    async def lost(self) -> bool:
        """Whether nobody can be reached now."""
        async with self._lock:
            if self._known_until_s is None or self._clock() >= self._known_until_s:
                self._know(lost=not await self._any_found())
            return self._lost

    def note(self, refusal: Refusal | None) -> None:
        """Learn from how a request went."""
        self._strikes = self._strikes + 1 if refusal is not None and refusal.code in _NO_CONNECTION else 0
        if self._strikes >= _STRIKES:
            self._know(lost=True)

    def _know(self, *, lost: bool) -> None:
        self._lost = lost
        self._strikes = 0
        self._known_until_s = self._clock() + HOLDS_S

    async def _any_found(self) -> bool:
        with anyio.move_on_after(_LOOK_UP_S):
            for host in self._hosts:
                try:
                    if await self._resolver(host, _PORT):
                        return True
                except (OSError, UnicodeError, TimeoutError):
                    continue
        return not self._hosts


class IfReachable:
    """A `SearchProvider` that is asked only while the network is there."""

    def __init__(self, provider: SearchProvider, reach: Reach) -> None:
        self.name = provider.name
        self._provider = provider
        self._reach = reach

    def unavailable(self) -> Refusal | None:
        """What the provider lacks; the network is none of it."""
        return self._provider.unavailable()

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """The provider's answer, or the refusal `network.unreachable`."""
        if await self._reach.lost():
            reason = "The network cannot be reached."
            refusal = Refusal(self.name, "network.unreachable", reason, "Check the connection; it is tried again in a minute.")
            return SearchAnswer((), SearchSource(self.name), refusal)
        answer = await self._provider.search(request, context)
        self._reach.note(answer.refusal)
        return answer


class DomainIfReachable(IfReachable):
    """The same for a search of one field."""

    def __init__(self, provider: DomainSearch, reach: Reach) -> None:
        super().__init__(provider, reach)
        self._domain = provider

    def fits(self, request: SearchRequest) -> float:
        """How well the field fits the question."""
        return self._domain.fits(request)
