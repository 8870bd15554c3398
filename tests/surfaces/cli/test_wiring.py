"""Exchanging the runtime of a chat: what uses the old one keeps it, what fails leaves it in place."""

from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest

from limen.core.fault import ConfigFault
from limen.surfaces.cli.wiring import wired

pytestmark = pytest.mark.anyio


class Opener:
    """Opens numbered runtimes; keeps account of those that live. `broken` lets the next one fail."""

    def __init__(self):
        self.opened = 0
        self.living: list[str] = []
        self.broken = False

    @asynccontextmanager
    async def __call__(self):
        if self.broken:
            raise ConfigFault("config.unreadable", "no YAML")
        self.opened += 1
        name = f"runtime {self.opened}"
        self.living.append(name)
        async with anyio.create_task_group() as group:  # as a real one has: it must end in the task that opened it
            try:
                yield name
            finally:
                await anyio.lowlevel.checkpoint()
                self.living.remove(name)
                group.cancel_scope.cancel()


@pytest.fixture
def opener():
    return Opener()


async def settle():
    for _ in range(20):
        await anyio.lowlevel.checkpoint()


async def test_an_exchanged_runtime_ends_when_nobody_uses_it(opener):
    async with wired(opener) as wiring:
        assert wiring.runtime == "runtime 1"
        assert await wiring.renew() == "runtime 2"
        await settle()
        assert opener.living == ["runtime 2"]
        assert wiring.runtime == "runtime 2"
    assert opener.living == []


async def test_what_uses_a_runtime_keeps_it_to_its_end(opener):
    async with wired(opener) as wiring:
        with wiring.use() as first, wiring.use() as same:
            assert first == same == "runtime 1"
            await wiring.renew()
            await settle()
            assert opener.living == ["runtime 1", "runtime 2"]
            with wiring.use() as second:
                assert second == "runtime 2"
        await settle()
        assert opener.living == ["runtime 2"]


async def test_what_cannot_be_opened_leaves_the_one_before(opener):
    async with wired(opener) as wiring:
        opener.broken = True
        with pytest.raises(ConfigFault, match="no YAML"):
            await wiring.renew()
        assert wiring.runtime == "runtime 1"
        assert opener.living == ["runtime 1"]
        opener.broken = False
        assert await wiring.renew() == "runtime 2"


async def test_a_first_one_that_cannot_be_opened_is_the_callers_fault(opener):
    opener.broken = True
    with pytest.raises(ConfigFault):
        async with wired(opener):
            raise AssertionError("nothing was opened")


async def test_cancellation_ends_it_in_order(opener):
    with anyio.CancelScope() as scope:
        async with wired(opener) as wiring:
            with wiring.use():
                scope.cancel()
                await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert opener.living == []


async def test_a_failure_of_the_block_is_raised_as_itself(opener):
    with pytest.raises(ValueError, match="mine"):
        async with wired(opener):
            raise ValueError("mine")
    assert opener.living == []
