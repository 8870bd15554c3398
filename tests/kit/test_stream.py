"""Streams: the owner gets everything, leaving ends the producer, observers never hold it up."""

import anyio
import pytest

from limen.kit.stream import Broadcast, open_stream

pytestmark = pytest.mark.anyio


async def test_the_owner_gets_every_item_and_the_result():
    async def produce(emit):
        for number in range(100):
            await emit(number)
        return "done"

    async with open_stream(produce) as stream:
        got = [item async for item in stream]
    assert got == list(range(100))
    assert stream.result == "done"


async def test_leaving_early_cancels_the_producer_and_lets_it_clean_up():
    cleaned = []

    async def produce(emit):
        try:
            while True:
                await emit("tick")
        finally:
            with anyio.CancelScope(shield=True):
                await emit("nobody hears this")
                cleaned.append(True)

    async with open_stream(produce) as stream:
        async for _ in stream:
            break
    assert cleaned == [True]


async def test_an_owner_who_does_not_read_holds_the_producer_up():
    emitted = []

    async def produce(emit):
        for number in range(1_000):
            await emit(number)
            emitted.append(number)

    async with open_stream(produce) as stream:
        await anyio.wait_all_tasks_blocked()
        assert len(emitted) < 20
        assert [item async for item in stream] == list(range(1_000))


async def test_several_may_emit_at_once():
    async def produce(emit):
        async def count(start):
            for number in range(start, start + 100):
                await emit(number)

        async with anyio.create_task_group() as group:
            for start in range(0, 1_000, 100):
                group.start_soon(count, start)

    async with open_stream(produce) as stream:
        assert sorted([item async for item in stream]) == list(range(1_000))


async def test_an_owner_who_gave_up_waiting_loses_nothing():
    async def produce(emit):
        await anyio.sleep(0.01)
        await emit("late")

    async with open_stream(produce) as stream:
        with anyio.move_on_after(0):
            await anext(stream)
        assert [item async for item in stream] == ["late"]


async def test_a_producers_exception_reaches_the_owner_as_itself():
    async def produce(emit):
        await emit(1)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        async with open_stream(produce) as stream:
            async for _ in stream:
                pass


async def test_the_owners_exception_is_not_hidden_by_the_producer():
    async def produce(emit):
        while True:
            await emit(1)

    with pytest.raises(ValueError, match="mine"):
        async with open_stream(produce) as stream:
            async for _ in stream:
                raise ValueError("mine")


async def test_a_slow_observer_is_told_how_much_it_missed_and_stalls_nobody():
    broadcast = Broadcast(lambda missed: f"missed {missed}", capacity=2)
    with broadcast.observe() as observer:
        for number in range(5):
            broadcast.put(number)
        observer.close()
        assert [item async for item in observer] == [0, 1, "missed 3"]


async def test_an_observer_hears_only_from_when_it_came_until_it_leaves():
    broadcast = Broadcast(lambda missed: -missed)
    broadcast.put(1)
    with broadcast.observe() as observer:
        broadcast.put(2)
    broadcast.put(3)
    assert [item async for item in observer] == [2]
