"""The fold: order, refusal, change, retry, and that no entry of a batch is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.pipeline import each, pipeline

pytestmark = pytest.mark.anyio


def recording(name, log):
    async def gate(request, proceed):
        log.append(f"> {name}")
        answer = await proceed(request)
        log.append(f"< {name}")
        return answer

    return gate


async def test_gates_nest_in_the_order_of_the_list_and_shapers_run_inside_them():
    log = []

    async def endpoint(request):
        log.append("endpoint")
        return request

    async def shape(answer):
        log.append("shape")
        return answer + "!"

    proceed = pipeline([recording("outer", log), recording("inner", log)], endpoint, [shape])
    assert await proceed("x") == "x!"
    assert log == ["> outer", "> inner", "endpoint", "shape", "< inner", "< outer"]


async def test_a_gate_refuses_by_not_proceeding_and_nothing_inside_runs():
    async def refuse(request, proceed):
        return "no"

    async def endpoint(request):
        raise AssertionError("reached")

    assert await pipeline([refuse], endpoint)("x") == "no"


async def test_a_gate_may_change_the_request_and_proceed_again():
    async def twice(request, proceed):
        return await proceed(request + "1") + await proceed(request + "2")

    async def endpoint(request):
        return [request]

    assert await pipeline([twice], endpoint)("x") == ["x1", "x2"]


@given(st.lists(st.integers()))
async def test_each_keeps_the_callers_order_whatever_is_answered_on_the_way(items):
    async def odd_stay_behind(item):
        return f"no {item}" if item % 2 else None

    async def endpoint(batch):
        return [f"yes {item}" for item in batch]

    answers = await pipeline([each(odd_stay_behind)], endpoint)(items)
    assert answers == [f"{'no' if item % 2 else 'yes'} {item}" for item in items]


async def test_a_lost_entry_is_an_assertion():
    async def pass_on(item):
        return None

    async def loses_one(batch):
        return batch[1:]

    with pytest.raises(AssertionError, match="2 entries went on, 1 came back"):
        await pipeline([each(pass_on)], loses_one)([1, 2])
