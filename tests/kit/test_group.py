"""Tasks beside a block: they end with it, and the block fails as itself."""

import anyio
import anyio.lowlevel
import pytest

from limen.kit.group import background_tasks

pytestmark = pytest.mark.anyio


async def test_tasks_are_cancelled_when_the_block_ends():
    ended = []

    async def work():
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    async with background_tasks() as group:
        group.start_soon(work)
        await anyio.lowlevel.checkpoint()
    assert ended == [True]


async def test_the_blocks_exception_is_not_wrapped():
    with pytest.raises(LookupError, match="mine"):
        async with background_tasks() as group:
            group.start_soon(anyio.sleep_forever)
            raise LookupError("mine")


async def test_a_cancelled_block_stays_cancelled():
    with anyio.move_on_after(0.01) as scope:
        async with background_tasks() as group:
            group.start_soon(anyio.sleep_forever)
            await anyio.sleep_forever()
    assert scope.cancelled_caught
