"""Keeping the distance between requests that a service asks of its visitors."""

from functools import partial

import anyio

from limen.core.context import CallContext
from limen.core.waiting import Stopped, within
from limen.kit.clock import Clock, monotonic_s


class Pace:
    """At most one request each `interval_s` seconds from this process; turns are taken in the order they were asked for."""

    def __init__(self, interval_s: float, clock: Clock = monotonic_s) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._free_at = 0.0

    async def turn(self, context: CallContext, limit_s: float) -> Stopped | None:
        """Wait for a turn; why there was none, when it lies further away than `limit_s` or the call ended before."""
        if context.cancelled():
            return Stopped.INTERRUPTED
        now = self._clock()
        wait_s = max(self._free_at - now, 0.0)
        if wait_s > limit_s:
            return Stopped.TIMEOUT
        self._free_at = now + wait_s + self._interval_s
        return await within(partial(anyio.sleep, wait_s), context, limit_s + 1.0)
