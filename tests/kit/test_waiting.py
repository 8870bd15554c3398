"""Waiting ends at a limit, a deadline or an interrupt; what several works had finished by then is kept."""

from functools import partial

import anyio
import pytest

from limen.kit.waiting import Stopped, each_within, passed, within

pytestmark = pytest.mark.anyio


async def give(value):
    await anyio.lowlevel.checkpoint()
    return value


async def fail():
    await anyio.lowlevel.checkpoint()
    raise LookupError("mine")


async def test_a_result_comes_back_and_a_failure_as_itself():
    assert await within(partial(give, 3)) == 3
    with pytest.raises(LookupError, match="mine"):
        await within(fail)


@pytest.mark.parametrize("limits", [{"limit_s": 0.0}, {"deadline": 0.0}, {"limit_s": 60.0, "deadline": 0.0}])
async def test_the_first_end_is_the_end(limits):
    assert await within(anyio.sleep_forever, **limits) is Stopped.TIMEOUT


async def test_an_interrupt_is_noticed_during_the_work_and_before_it():
    asked = []

    def cancelled():
        asked.append(True)
        return len(asked) > 2

    assert await within(anyio.sleep_forever, cancelled=cancelled) is Stopped.INTERRUPTED
    begun = []

    async def begin():
        begun.append(True)

    assert await within(begin, cancelled=lambda: True) is Stopped.INTERRUPTED
    assert begun == []


async def test_what_finished_is_kept_and_the_rest_says_why():
    finished = []

    async def quick(value):
        finished.append(value)
        return value

    work = {1: partial(quick, 1), 2: anyio.sleep_forever, 3: partial(quick, 3)}
    assert await each_within(work, at_once=3, cancelled=lambda: len(finished) == 2) == {1: 1, 2: Stopped.INTERRUPTED, 3: 3}
    assert await each_within({1: anyio.sleep_forever}, at_once=1, deadline=0.0) == {1: Stopped.TIMEOUT}


async def test_works_wait_for_a_place():
    under_way, most = set(), []

    async def one(key):
        under_way.add(key)
        most.append(len(under_way))
        await anyio.lowlevel.checkpoint()
        under_way.remove(key)
        return key

    assert await each_within({key: partial(one, key) for key in range(9)}, at_once=2) == {key: key for key in range(9)}
    assert max(most) == 2


async def test_a_work_that_raises_ends_all_as_itself():
    with pytest.raises(LookupError, match="mine"):
        await each_within({1: anyio.sleep_forever, 2: fail}, at_once=2)


async def test_a_deadline_passes():
    assert passed(0.0)
    assert not passed(None)
    assert not passed(anyio.current_time() + 60)
