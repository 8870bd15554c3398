"""The chat wire against a real llama.cpp server. Its model is tiny: what is tested is the protocol, never the sense."""

import json

import anyio
import msgspec
import pytest
from real.llama_server import running

from limen.builtin.providers import provider_table
from limen.config.schema import Provider as Settings
from limen.core.event import ReplyDelta, ReplyFinished
from limen.core.exchange import ModelReply, ModelRequest, PartialReply, TextDelta
from limen.core.fault import ModelFault
from limen.core.ledger import Origin, Trust
from limen.core.message import Message, Text, ToolCall, ToolResult
from limen.core.prompt import Prompt, PromptPart
from limen.core.tool import ToolSchema
from limen.models.credentials import Keyring
from limen.models.directory import Directory
from limen.models.fallback import Fallback
from limen.models.gates import model_gates
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials
from limen.models.resolve import Routes
from limen.models.resting import rest_of, ways_of
from limen.models.retelling import History
from limen.models.retry import Retry
from limen.models.spending import Budget, Spending
from limen.models.wire.dialects import DIALECTS
from limen.models.wire.http import Endpoint
from limen.models.wire.stream import HttpWire
from limen.net.client import new_client
from limen.net.policy import AddressPolicy
from limen.testing.health import MemoryHealth
from limen.testing.spend import MemorySpend

pytestmark = [pytest.mark.anyio, pytest.mark.real("llama.cpp")]

WEATHER = ToolSchema(
    "get_weather",
    "Get the weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
ORIGIN = Origin("identity", "test", Trust.OPERATOR)


@pytest.fixture(scope="module")
def server_url():
    with running("--temp", "0") as url:
        yield url


class Wired:
    """Everything between a turn and the server, as the runtime puts it together."""

    def __init__(self, client, url, wire):
        keys = Keyring((), lambda _name: None)
        endpoint = Endpoint(lambda _route: client, keys)
        self.name = wire
        self.routes = Routes(provider_table(), {"llama.cpp": Settings(endpoint=url, wire=wire)})
        health = Health(MemoryHealth())
        self.directory = Directory(endpoint, self.routes, lambda route: ways_of(route, health, keys))
        self.wire = HttpWire(endpoint, DIALECTS[wire])
        gates = model_gates(
            fallback=Fallback((), health, self.directory.settle, lambda route: rest_of(route, health, keys)),
            budget=Budget(Spending(MemorySpend())),
            history=History(),
            credentials=Credentials(keys, health),
            retry=Retry(),
        )
        self.model = Model({wire: self.wire}, gates)
        self.events = []
        self.heard = anyio.Event()

    async def emit(self, event):
        self.events.append(event)
        if isinstance(event, ReplyDelta):
            self.heard.set()

    async def ask(self, *messages, tools=(), system=("Be short.",), output_tokens=24, quirks=None, partial=None):
        route = await self.directory.settle(self.routes.route("llama.cpp"))
        if quirks is not None:
            route = msgspec.structs.replace(route, quirks=frozenset(quirks))
        prompt = Prompt(stable=tuple(PromptPart(Text(text), ORIGIN) for text in system))
        return await self.model.ask(ModelRequest(route, prompt, messages, tools, output_tokens), self.emit, partial)


@pytest.fixture(params=sorted(DIALECTS))
async def wired(server_url, request):
    host = server_url.removeprefix("http://").removesuffix("/v1")
    async with new_client(AddressPolicy(allow_private_hosts=(host,))) as client:
        yield Wired(client, server_url, request.param)


def user(text):
    return Message("user", (Text(text),))


async def test_the_server_names_its_model_and_its_window(wired):
    route = await wired.directory.settle(wired.routes.route("llama.cpp"))
    assert (route.model, route.window_tokens) == ("smollm2", 4_096)


async def test_a_reply_streams_and_is_counted(wired):
    reply = await wired.ask(user("Say hello."), output_tokens=12)
    deltas = [event.text for event in wired.events if isinstance(event, ReplyDelta)]
    assert len(deltas) > 1
    assert reply.blocks == (Text("".join(deltas)),)
    assert reply.usage.output_tokens == 12
    assert reply.usage.input_tokens > 10
    assert reply.usage.cost_usd == 0.0
    assert isinstance(wired.events[-1], ReplyFinished)
    if wired.name == "codex_responses":
        return  # over this protocol the server calls a reply at its limit complete
    assert reply.stop == "length"
    assert not reply.complete


@pytest.mark.parametrize("quirks", [(), ("flat_content",), ("no_stream",), ("no_stream_options",), ("alternate",)])
async def test_every_shape_of_request_is_taken(quirks, wired):
    history = (user("One."), user("Two."), Message("assistant", (Text("Three."), Text("Four."))), user("Five."))
    reply = await wired.ask(*history, system=("Be kind.", "Be short."), quirks=quirks, output_tokens=4)
    assert isinstance(reply, ModelReply)
    assert reply.usage.output_tokens > 0 or (wired.name, quirks) == ("chat_completions", ("no_stream_options",))


def called(city, number):
    call = ToolCall(f"call_{number}", "get_weather", json.dumps({"city": city}))
    return Message("assistant", (call,)), Message("tool", (ToolResult(call.call_id, (Text("sunny"),)),))


async def test_a_tool_is_called_with_streamed_arguments(wired):
    history = []
    for number, city in enumerate(["Rome", "Oslo", "Lima"]):
        history += [user(f"Weather in {city}?"), *called(city, number), Message("assistant", (Text("Sunny."),))]
    reply = await wired.ask(*history, user("Weather in Paris?"), tools=(WEATHER,), output_tokens=80)
    assert reply.stop == "tools"
    (call,) = reply.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("get_weather", {"city": "Paris"})
    assert call.call_id


async def test_a_history_that_a_model_garbled_is_still_taken(wired):
    garbled = ToolCall("not a legal id!", "get_weather", '{"city": "Par')
    history = (user("Weather?"), Message("assistant", (garbled,)), user("Well?"), Message("tool", (ToolResult("gone", ()),)))
    reply = await wired.ask(*history, tools=(WEATHER,), output_tokens=4)
    assert reply.usage.output_tokens > 0


async def test_a_request_for_words_keeps_its_tools_in_the_cache(wired):
    asked = (user("Tell me of the sea, please, and of all that lives in it."),)
    await wired.ask(*asked, tools=(WEATHER,), output_tokens=2)
    route = await wired.directory.settle(wired.routes.route("llama.cpp"))
    prompt = Prompt(stable=(PromptPart(Text("Be short."), ORIGIN),))
    words = ModelRequest(route, prompt, asked, (WEATHER,), 2, may_call=False)
    reply = await wired.model.ask(words, wired.emit)
    assert not reply.tool_calls


async def test_the_next_request_finds_its_beginning_in_the_cache(wired):
    opening = user("Here is a story of a lighthouse and its keeper, who never slept. " * 8)
    first = await wired.ask(opening, output_tokens=8)
    second = await wired.ask(opening, Message("assistant", first.blocks), user("Go on."), output_tokens=8)
    assert second.usage.cached_tokens >= first.usage.input_tokens - 2


async def test_a_prompt_over_the_window_is_named_so(wired):
    with pytest.raises(ModelFault) as caught:
        await wired.ask(user("word " * 6_000))
    assert caught.value.kind == "window"
    assert caught.value.status == 400


async def test_an_unknown_path_is_a_wrong_endpoint(wired, server_url):
    route = msgspec.structs.replace(wired.routes.route("llama.cpp/smollm2"), endpoint=server_url.removesuffix("/v1") + "/v9")
    with pytest.raises(ModelFault) as caught:
        [item async for item in wired.wire.send(ModelRequest(route, Prompt(), (user("x"),)))]
    assert caught.value.kind == "shape"


async def test_a_reply_can_be_left_and_the_server_goes_on(wired):
    partial = PartialReply()

    async def ask():
        await wired.ask(user("Tell me a long story."), output_tokens=1_000, partial=partial)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await wired.heard.wait()
            group.cancel_scope.cancel()
        assert partial.blocks()[0].text
        assert (await wired.ask(user("Hello?"), output_tokens=4)).blocks


async def test_several_replies_at_once_stay_apart(wired):
    route = await wired.directory.settle(wired.routes.route("llama.cpp"))
    replies = []

    async def one(text):
        request = ModelRequest(route, Prompt(), (user(text),), output_tokens=6)
        items = [item async for item in wired.wire.send(request)]
        replies.append(("".join(item.text for item in items if isinstance(item, TextDelta)), items[-1]))

    async with anyio.create_task_group() as group:
        for text in ("Red?", "Green?", "Blue?", "Black?"):
            group.start_soon(one, text)
    assert len(replies) == 4
    assert all(reply.blocks == (Text(text),) for text, reply in replies)
