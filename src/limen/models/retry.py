"""The gate `retry`: what may pass by itself is tried again after a pause, at the same route."""

import random
from collections.abc import Awaitable, Callable

import anyio
import msgspec

from limen.core.event import Notice
from limen.core.exchange import ModelReply
from limen.core.fault import ModelFault
from limen.kit.clock import Clock, monotonic_s
from limen.models.asking import Asking, ProceedAsking
from limen.models.recovery import CAP_S, recovery_of

Sleep = Callable[[float], Awaitable[None]]
Random = Callable[[], float]
"""Gives a number from 0 up to 1."""


class RetryLimits(msgspec.Struct, frozen=True):
    """How often and how patiently. Times are in seconds; a vendor that asks for more than `wait_s` is not waited for where
    another route can answer, one that asks for more than `longest_wait_s` never. Nor is one asked again, where another route
    can answer, that took `slow_s` to fail: a server that hangs would eat up the turn's time."""

    retries: int = 2
    wait_s: float = 10.0
    longest_wait_s: float = CAP_S
    slow_s: float = 120.0


class Retry:
    """Tries again what may pass by itself. Text already shown is called void before the next attempt begins."""

    def __init__(
        self,
        limits: RetryLimits | None = None,
        *,
        sleep: Sleep = anyio.sleep,
        chance: Random = random.random,
        ticks: Clock = monotonic_s,
    ) -> None:
        self._limits = limits or RetryLimits()
        self._sleep = sleep
        self._chance = chance
        self._ticks = ticks

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """Raises the last ModelFault when attempts run out or waiting makes no sense."""
        while True:
            began = self._ticks()
            try:
                return await proceed(asking)
            except ModelFault as fault:
                pause_s = self._pause_s(fault, asking)
                slow = self._ticks() - began >= self._limits.slow_s
                if pause_s is None or (slow and asking.other_routes):
                    raise
                await _tell(asking, fault, pause_s)
            asking.attempts.retries += 1
            asking.attempts.waited_s += pause_s
            await self._sleep(pause_s)

    def _pause_s(self, fault: ModelFault, asking: Asking) -> float | None:
        """How long to wait before the next attempt; None when there shall be none."""
        recovery = recovery_of(fault)
        retries = self._limits.retries
        if recovery.retries is not None:
            # With nobody else to ask, patience is all there is.
            retries = min(recovery.retries, retries) if asking.other_routes or not recovery.retries else retries
        done = asking.attempts.retries
        if done >= retries or not asking.request.course.patient or (recovery.rotate and asking.other_keys):
            return None
        asked_s = fault.retry_after_s or 0.0
        left_s = self._limits.wait_s - asking.attempts.waited_s if asking.other_routes else self._limits.longest_wait_s
        if asked_s > max(left_s, 0.0):
            return None
        delay_s = min(recovery.pause_s * 2.0**done, CAP_S)
        return max(delay_s * (1 + self._chance() / 2), asked_s)


async def _tell(asking: Asking, fault: ModelFault, pause_s: float) -> None:
    route = asking.request.route
    await asking.begin_anew(fault, route)
    text = (
        f"{route.name}: {fault.reason}. Trying again in {pause_s:.0f} s."
        if pause_s >= 1
        else f"{route.name}: {fault.reason}. Trying again."
    )
    await asking.emit(Notice("model.retrying", text))
