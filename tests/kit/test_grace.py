import anyio
import anyio.lowlevel
import pytest

from limen.kit.grace import late_stop

pytestmark = pytest.mark.anyio

FOREVER_S = 3_600


async def cancelled_around(block, grace_s):
    """Run a block under a scope that the block can cancel; whether what stands behind the block was reached."""
    with anyio.CancelScope() as around:
        async with late_stop(grace_s) as stopping:
            await block(stopping, around)
        return True
    return False


async def told(stopping):
    while not stopping():  # noqa: ASYNC110 - it can only be asked
        await anyio.sleep(0.001)


async def test_a_block_that_minds_the_stop_ends_with_what_it_has():
    kept = []

    async def block(stopping, around):
        around.cancel()
        await told(stopping)
        await anyio.lowlevel.checkpoint()
        kept.append("handed over")

    with anyio.fail_after(10):
        assert not await cancelled_around(block, FOREVER_S)
    assert kept == ["handed over"]


async def test_a_block_that_does_not_mind_it_is_cut_off():
    async def block(_stopping, around):
        around.cancel()
        await anyio.sleep_forever()

    with anyio.fail_after(10):
        assert not await cancelled_around(block, 0.01)


async def test_without_a_stop_a_block_ends_as_it_ends_and_is_told_nothing():
    seen = []

    async def block(stopping, _around):
        await anyio.lowlevel.checkpoint()
        seen.append(stopping())

    with anyio.fail_after(10):
        assert await cancelled_around(block, FOREVER_S)
    assert seen == [False]


async def test_what_a_block_raises_is_raised_as_itself():
    with pytest.raises(ValueError, match="itself"):
        async with late_stop(FOREVER_S):
            raise ValueError("itself")


async def test_a_stop_from_before_the_block_is_told_within_it():
    kept = []

    async def block(stopping, _around):
        await told(stopping)
        kept.append("handed over")

    with anyio.fail_after(10), anyio.CancelScope() as around:
        around.cancel()
        async with late_stop(FOREVER_S) as stopping:
            await block(stopping, around)
    assert kept == ["handed over"]
