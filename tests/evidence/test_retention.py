"""Retention: old texts go, then the oldest beyond the room, at most every six hours, by one process of a home."""

import random

import anyio
import anyio.lowlevel
import pytest
from store.sqlite.rig import database

from limen.core.fault import StoreFault
from limen.evidence.retention import DAY_S, EVERY_S, SPARE_S, Retention, keep_indexed
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.upkeep import take_up

pytestmark = pytest.mark.anyio

START = 1_000_000.0


class Shelf:
    """An evidence store whose clock a test sets."""

    def __init__(self, opened):
        self.now = START
        self.store = SqliteEvidence(opened, lambda: self.now)

    async def keep(self, *texts):
        for text in texts:
            await self.store.keep(text, session="s", tool="t", source="", media_type="text/plain")

    async def left(self):
        return (await self.store.account()).records


@pytest.fixture
async def shelf(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        yield Shelf(opened)


def noise(number):
    return random.Random(number).randbytes(1_000).hex()


async def test_old_texts_go_at_most_every_six_hours(shelf):
    rules = Retention(days=30, keep_bytes=1_000_000)
    await shelf.keep("one")
    assert await rules.apply(shelf.store) == 0
    shelf.now += 30 * DAY_S - EVERY_S / 2
    await shelf.keep("two")
    assert await rules.apply(shelf.store) == 0
    shelf.now += EVERY_S - 1
    assert await rules.apply(shelf.store) is None
    assert await shelf.left() == 2
    shelf.now += 1
    assert await rules.apply(shelf.store) == 1
    assert await shelf.left() == 1


async def test_the_oldest_go_until_the_rest_has_room_but_none_that_was_just_kept(shelf):
    rules = Retention(days=30, keep_bytes=2_500)
    for number in range(4):
        await shelf.keep(noise(number))
        shelf.now += SPARE_S
    kept = [one.id for one in await shelf.store.list()]
    assert await rules.apply(shelf.store) == 2
    assert [one.id for one in await shelf.store.list()] == kept[:2]
    await shelf.keep(*(noise(number) for number in range(10, 15)))
    shelf.now += EVERY_S - SPARE_S
    await shelf.keep(*(noise(number) for number in range(20, 25)))
    shelf.now += SPARE_S - 1
    assert await rules.apply(shelf.store) is None
    shelf.now += 1
    assert await rules.apply(shelf.store) == 10
    assert await shelf.left() == 2


async def test_what_was_kept_within_the_hour_stays_whatever_its_size(shelf):
    await shelf.keep(*(noise(number) for number in range(5)))
    shelf.now += SPARE_S - 1
    assert await Retention(days=30, keep_bytes=0).apply(shelf.store) == 0
    assert await shelf.left() == 5


async def test_of_several_processes_one_does_it(shelf, tmp_path):
    await shelf.keep("old")
    shelf.now += 31 * DAY_S
    answers = []
    async with database(tmp_path / "limen.db") as opened:
        other = SqliteEvidence(opened, lambda: shelf.now)

        async def apply(store):
            answers.append(await Retention(30, 1_000).apply(store))

        async with anyio.create_task_group() as group:
            for store in (shelf.store, other, shelf.store, other):
                group.start_soon(apply, store)
    assert sorted(answers, key=str) == [1, None, None, None]


async def test_what_was_begun_and_not_ended_is_due_again_soon(shelf, tmp_path):
    await shelf.keep("old")
    shelf.now += 31 * DAY_S
    async with database(tmp_path / "limen.db") as opened:  # a process that takes it up and is killed
        assert await opened.write(lambda connection: take_up(connection, "evidence.retention", shelf.now, EVERY_S))
    assert await Retention(30, 1_000).apply(shelf.store) is None
    shelf.now += 60
    assert await Retention(30, 1_000).apply(shelf.store) == 1


async def test_a_clock_that_was_wrong_stops_nothing_for_ever(shelf):
    shelf.now += 10_000 * DAY_S
    await Retention(30, 1_000).apply(shelf.store)
    shelf.now = START
    await shelf.keep("x")
    shelf.now += 31 * DAY_S
    assert await Retention(30, 1_000).apply(shelf.store) == 1


class Asked:
    """A store that says when it is asked to apply the rules, and cannot."""

    def __init__(self):
        self.asked = anyio.Event()

    async def retain(self, **rules):
        self.asked.set()
        raise StoreFault("store.full", "There is no room.", "Make some.")


async def test_keeping_up_applies_the_rules_at_once_and_survives_a_store_that_fails(caplog):
    store = Asked()
    async with anyio.create_task_group() as group:
        group.start_soon(Retention(30, 1_000).keep_up, store)
        await store.asked.wait()
        await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    assert "evidence.retention_failed" in caplog.text


class Indexed:
    """A store that cannot index at first."""

    def __init__(self):
        self.asked = 0
        self.done = anyio.Event()

    async def index(self):
        self.asked += 1
        if self.asked == 1:
            raise StoreFault("store.full", "There is no room.", "Make some.")
        self.done.set()
        return 0


async def test_what_is_kept_is_indexed_and_a_store_that_fails_is_asked_again(caplog):
    store = Indexed()
    async with anyio.create_task_group() as group:
        group.start_soon(keep_indexed, store, 0.0, 0.0)
        with anyio.fail_after(10):
            await store.done.wait()
        group.cancel_scope.cancel()
    assert "evidence.not_indexed" in caplog.text
