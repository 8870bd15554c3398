"""Logging in by a code: shown here, entered elsewhere, waited for."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

from limen.core.fault import ModelFault
from limen.kit.clock import Clock, monotonic_s
from limen.models.oauth.service import DeviceCode, Grant, Waiting
from limen.models.oauth.tokens import Tokens

Sleep = Callable[[float], Awaitable[None]]

# Failures in a row after which waiting makes no sense; RFC 8628 asks for a longer interval after each.
_FAILURES = 5
_SLOWER_S = 5.0


class Grants(Protocol):
    """What is asked whether the code has been entered."""

    async def poll(self, code: DeviceCode) -> Grant | Waiting: ...
    async def redeem(self, grant: Grant) -> Tokens: ...
    def too_late(self) -> ModelFault: ...


async def wait_for(service: Grants, code: DeviceCode, *, sleep: Sleep = anyio.sleep, clock: Clock = monotonic_s) -> Tokens:
    """Tokens, once the code was entered. Raises ModelFault: auth where it was declined or is too late, network after several
    failures in a row."""
    interval_s, failures = code.interval_s, 0
    said: Grant | Waiting = "pending"
    ends = clock() + code.life_s
    while clock() < ends:
        await sleep(interval_s)
        try:
            if not isinstance(said, Grant):  # one that was given and not yet redeemed is not asked for again
                said, failures = await service.poll(code), 0
            if isinstance(said, Grant):
                return await service.redeem(said)
        except ModelFault as fault:
            failures += 1
            if fault.kind not in ("network", "upstream") or failures >= _FAILURES:
                raise
            interval_s += _SLOWER_S
            continue
        if said == "slow down":
            interval_s += _SLOWER_S
    raise service.too_late()
