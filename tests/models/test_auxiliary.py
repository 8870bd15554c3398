"""A second model: one request without tools, whose failures are ModelFaults."""

import anyio
import pytest

from limen.core.exchange import Usage
from limen.core.fault import ModelFault
from limen.core.message import text_of
from limen.core.route import Route
from limen.models.auxiliary import AuxiliaryModel
from limen.models.model import Model
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio
ROUTE = Route("test", "embedded", "small", window_tokens=4_000, output_tokens=1_000)


def auxiliary(*script, route=ROUTE):
    wire = ScriptedModel(script)

    async def resolve():
        return route

    return AuxiliaryModel(Model({"embedded": wire}, ()), resolve), wire


async def test_it_asks_once_with_task_and_text_and_no_tools():
    model, wire = auxiliary(say("  Four minutes.  ", usage=Usage(7, 3)))
    done = await model.complete("Say how long.", "Steep it for four minutes.", output_tokens=64)
    (request,) = wire.requests
    assert (done.text, done.route, done.usage.output_tokens, done.cut) == ("Four minutes.", "test/small", 3, False)
    assert [part.block.text for part in request.prompt.parts] == ["Say how long."]
    assert [text_of(message.blocks) for message in request.messages] == ["Steep it for four minutes."]
    assert (request.tools, request.may_call, request.output_tokens) == ((), False, 64)


async def test_a_reply_that_ran_out_of_room_says_so():
    model, _ = auxiliary(say("Four min", stop="length"))
    assert (await model.complete("t", "x")).cut


@pytest.mark.parametrize(
    ("reply", "kind"), [(say(""), "shape"), (use(call("find")), "shape"), (say("no", stop="filter"), "filter")]
)
async def test_a_reply_without_an_answer_is_a_fault(reply, kind):
    model, _ = auxiliary(reply)
    with pytest.raises(ModelFault) as caught:
        await model.complete("t", "x")
    assert caught.value.kind == kind


async def test_faults_of_the_provider_come_through():
    model, _ = auxiliary(ModelFault("rate", "slow down"))
    with pytest.raises(ModelFault, match="slow down"):
        await model.complete("t", "x")


async def test_the_room_is_what_the_window_leaves_beside_the_reply():
    model, _ = auxiliary()
    small, large = await model.room_chars(output_tokens=900), await model.room_chars(output_tokens=100)
    assert 0 < small < large < ROUTE.window_tokens * 3
    tiny, _ = auxiliary(route=Route("test", "embedded", "tiny", window_tokens=100))
    assert await tiny.room_chars() == 0


async def test_cancelling_it_ends_the_call():
    model, _ = auxiliary(lambda _request: anyio.sleep_forever())
    with anyio.move_on_after(0.05) as scope:
        await model.complete("t", "x")
    assert scope.cancelled_caught
