import anyio
import pytest

from limen.core.exchange import ModelReply, ModelRequest, TextDelta, ThinkingDelta
from limen.core.fault import ModelFault
from limen.core.message import Text, Thinking
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.testing.scripted_model import Broken, Reply, ScriptedModel, Stall, call, say, use

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest(route=Route(provider="p", wire="chat_completions", model="m"), prompt=Prompt(), messages=())


async def collect(model):
    return [item async for item in model.send(REQUEST)]


async def test_a_reply_streams_in_pieces_and_ends_with_the_whole():
    items = await collect(ScriptedModel([Reply(text="twelve chars", thinking="hm", piece_chars=5)]))
    assert [item.text for item in items if isinstance(item, TextDelta)] == ["twelv", "e cha", "rs"]
    assert [item.text for item in items if isinstance(item, ThinkingDelta)] == ["hm"]
    assert isinstance(items[-1], ModelReply)
    assert items[-1].blocks == (Thinking("hm", issuer="p/m"), Text("twelve chars"))
    assert items[-1].complete


async def test_calls_stop_for_tools_and_steps_are_played_in_order():
    model = ScriptedModel([use(call("find", pattern="é")), lambda request: say(request.route.name)])
    first, second = (await collect(model))[-1], (await collect(model))[-1]
    assert first.tool_calls[0].arguments == '{"pattern":"é"}'
    assert second.blocks == (Text("p/m"),)
    assert model.requests == [REQUEST, REQUEST]
    assert model.left == 0


async def test_faults_come_before_or_after_text():
    fault = ModelFault("overload", "busy")
    with pytest.raises(ModelFault, match="busy"):
        await collect(ScriptedModel([fault]))
    seen = []
    with pytest.raises(ModelFault):
        async for item in ScriptedModel([Broken("half", fault)]).send(REQUEST):
            seen.append(item)
    assert seen == [TextDelta("half")]


async def test_a_stall_can_be_cancelled_and_a_short_script_is_a_wrong_test():
    model = ScriptedModel([Stall("x")])
    async with anyio.create_task_group() as group:
        group.start_soon(collect, model)
        await model.waiting.wait()
        group.cancel_scope.cancel()
    with pytest.raises(AssertionError, match="no step for request 2"):
        await collect(model)
