"""Locks by key: one at a time, none left behind, no two batches that wait for each other."""

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.flights import Flights

pytestmark = pytest.mark.anyio


async def test_the_same_key_is_held_by_one_and_other_keys_are_free():
    flights, order = Flights(), []

    async def hold(name, *keys):
        async with flights.alone(keys):
            order.append(f"{name} in")
            await anyio.sleep(0.01)
            order.append(f"{name} out")

    async with anyio.create_task_group() as group:
        group.start_soon(hold, "first", "k")
        group.start_soon(hold, "second", "k")
        group.start_soon(hold, "other", "z")
    assert order.index("first out") < order.index("second in")
    assert order.index("other in") < order.index("first out")
    assert len(flights) == 0


async def test_who_leaves_while_waiting_or_holding_leaves_nothing_behind():
    flights = Flights()
    async with anyio.create_task_group() as group:

        async def wait():
            async with flights.alone(["k"]):
                raise AssertionError("it was held")

        async with flights.alone(["k"]):
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
    assert len(flights) == 0
    with pytest.raises(ValueError, match="x"):
        async with flights.alone(["k", "k"]):
            raise ValueError("x")
    assert len(flights) == 0


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=6))
def test_batches_in_one_order_all_come_through(batches):
    async def run():
        flights, done = Flights(), []

        async def hold(keys):
            async with flights.alone(sorted(keys)):
                await anyio.lowlevel.checkpoint()
                done.append(keys)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                for keys in batches:
                    group.start_soon(hold, keys)
        assert (len(done), len(flights)) == (len(batches), 0)

    anyio.run(run)
