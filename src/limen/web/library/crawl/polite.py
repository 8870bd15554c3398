"""Asking a site for its pages as a guest: by its `robots.txt`, few at a time, with pauses, and later where it says so."""

from collections.abc import Awaitable, Callable, Mapping

import anyio

from limen.core.fault import Refusal
from limen.kit.clock import Clock, monotonic_s
from limen.kit.retry_after import retry_after_s
from limen.net.url import SafeUrl
from limen.web.download import Downloaded
from limen.web.library.crawl.robots import LIMIT_BYTES, Robots, parse_robots
from limen.web.library.outside import CrawlRules, Get

_TRIES = 4
# Longer than this nobody waits: the crawl ends for now and says so.
LONGEST_WAIT_S = 120.0
_LONGEST_DELAY_S = 30.0
_BUSY = frozenset({429, 503})
# What another try may mend.
_BROKEN = frozenset({"network.timeout", "network.reset", "network.protocol", "network.connect_failed"})
Sleep = Callable[[float], Awaitable[None]]


class _Place:
    """One host: who is being served, and when the next may ask."""

    def __init__(self, delay_s: float, connections: int) -> None:
        self.delay_s = delay_s
        self.free_at_s = 0.0
        self.seats = anyio.CapacityLimiter(connections)


class Polite:
    """Fetches past the gates, host by host in turn."""

    def __init__(self, get: Get, rules: CrawlRules, *, clock: Clock = monotonic_s, sleep: Sleep = anyio.sleep) -> None:
        self._get = get
        self._rules = rules
        self._clock = clock
        self._sleep = sleep
        self._places: dict[str, _Place] = {}
        self._robots: dict[str, Robots | Refusal] = {}
        self._asking = anyio.Lock()

    async def get(self, url: SafeUrl, max_bytes: int, headers: Mapping[str, str] | None = None) -> Downloaded | Refusal:
        """The bytes behind an address. A host that is busy is asked again when it says, a broken connection once more."""
        place = self._place(url)
        for turn in range(1, _TRIES + 1):
            async with place.seats:
                await self._turn(place)
                got = await self._get(url.request_url, max_bytes, headers or {})
            wait_s = self._wait_s(got, turn)
            if wait_s is None or turn == _TRIES or wait_s > LONGEST_WAIT_S:
                break
            place.free_at_s = max(place.free_at_s, self._clock() + wait_s)
        return got

    async def robots(self, url: SafeUrl) -> Robots | Refusal:
        """The rules of a site. One without them (any 4xx) allows all; one that cannot be asked is refused, as RFC 9309 has it."""
        async with self._asking:
            if url.origin not in self._robots:
                self._robots[url.origin] = await self._asked(url)
        return self._robots[url.origin]

    async def _asked(self, url: SafeUrl) -> Robots | Refusal:
        place = SafeUrl(url.scheme, url.host, url.literal, url.port, "/robots.txt")
        got = await self.get(place, LIMIT_BYTES * 4)
        if isinstance(got, Refusal):
            status = got.detail.get("status")
            missing = isinstance(status, int) and 400 <= status < 500 and status not in _BUSY
            return Robots() if missing or got.code == "network.too_large" else got
        robots = parse_robots(got.body)
        own = self._place(url)
        own.delay_s = min(max(own.delay_s, robots.delay_s), max(_LONGEST_DELAY_S, self._rules.delay_s))
        return robots

    async def _turn(self, place: _Place) -> None:
        now = self._clock()
        start = max(place.free_at_s, now)
        place.free_at_s = start + place.delay_s
        if start > now:
            await self._sleep(start - now)

    def _wait_s(self, got: Downloaded | Refusal, turn: int) -> float | None:
        if not isinstance(got, Refusal):
            return None
        if got.detail.get("status") in _BUSY:
            stated = retry_after_s({"retry-after": str(got.detail.get("retry_after", ""))})
            return stated if stated is not None else self._rules.first_wait_s * 2 ** (turn - 1)
        return self._rules.delay_s if got.code in _BROKEN and turn == 1 else None

    def _place(self, url: SafeUrl) -> _Place:
        return self._places.setdefault(url.host, _Place(self._rules.delay_s, self._rules.connections))


def is_busy(refusal: Refusal) -> bool:
    """Whether a host wants to be left alone for a while."""
    return refusal.detail.get("status") in _BUSY


def is_down(refusal: Refusal) -> bool:
    """Whether a host could not be talked to at all."""
    return refusal.code in _BROKEN or refusal.code == "network.dns_failed"
