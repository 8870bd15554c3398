"""Spending in memory keeps the contract of spend stores, and fails when told to."""

from contextlib import asynccontextmanager

import pytest

from limen.core.fault import StoreFault
from limen.store.ports import Spent
from limen.testing.spend import MemorySpend
from limen.testing.store_contract import SPEND_CHECKS

pytestmark = pytest.mark.anyio


class MemoryCase:
    """One store for all openings: what is in memory survives no real restart."""

    def __init__(self):
        self._spend = MemorySpend()

    @asynccontextmanager
    async def opened(self):
        yield self._spend


@pytest.mark.parametrize("check", SPEND_CHECKS, ids=lambda check: check.__name__)
async def test_spending_in_memory_keeps_the_contract(check):
    await check(MemoryCase())


async def test_with_a_fault_every_call_raises_it():
    spend = MemorySpend(StoreFault("store.full", "The disk is full.", "Free some room."))
    with pytest.raises(StoreFault, match=r"store\.full"):
        await spend.add(Spent("2026-11-30", "a/m"))
    with pytest.raises(StoreFault, match=r"store\.full"):
        await spend.spent("")
