"""Health in memory keeps the contract of health stores, and fails when told to."""

from contextlib import asynccontextmanager

import pytest

from limen.core.fault import StoreFault
from limen.store.ports import Rest
from limen.testing.health import MemoryHealth
from limen.testing.store_contract import HEALTH_CHECKS

pytestmark = pytest.mark.anyio


class MemoryCase:
    """One store for all openings: what is in memory survives no real restart."""

    def __init__(self):
        self.now = 1_000_000.0
        self._health = MemoryHealth(lambda: self.now)

    @asynccontextmanager
    async def opened(self):
        yield self._health


@pytest.mark.parametrize("check", HEALTH_CHECKS, ids=lambda check: check.__name__)
async def test_health_in_memory_keeps_the_contract(check):
    await check(MemoryCase())


async def test_with_a_fault_every_call_raises_it():
    health = MemoryHealth(fault=StoreFault("store.full", "The disk is full.", "Free some room."))
    for call in (
        lambda: health.rests(),
        lambda: health.rest(Rest("a", "rate", "", 0, 1)),
        lambda: health.claim_trial("a", 1),
        lambda: health.works("a"),
        lambda: health.least_used(["a", "b"]),
    ):
        with pytest.raises(StoreFault, match=r"store\.full"):
            await call()
    health.fault = None
    assert list(await health.rests()) == []
