"""Anthropic's own client as judge: what we send has the shape it declares, and it reads our server as our wire does."""

import json

import anthropic
import pydantic
import pytest
from anthropic.types.message_create_params import MessageCreateParams
from models.wire.judging import REPLIES, body_of, judge_of

from limen.core.exchange import Usage
from limen.core.message import Text, Thinking, ToolCall
from limen.testing.messages_format import SIGNATURE
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import Reply

pytestmark = pytest.mark.anyio

WIRE = "anthropic_messages"
judge = judge_of(MessageCreateParams)


@pytest.mark.parametrize("quirks", [(), ("no_cache_marks",), ("no_images",), ("no_stream",), ("alternate",)])
@pytest.mark.parametrize("may_call", [True, False])
@pytest.mark.parametrize("effort", ["", "high"])
def test_what_we_send_has_the_declared_shape(quirks, may_call, effort, route_to):
    route = route_to(wire=WIRE, quirks=frozenset(quirks), effort=effort)
    body = body_of(route, "c2ln", may_call=may_call)
    assert judge(body)["messages"]
    sent = json.loads(body)
    declared = set().union(*(option.__annotations__ for option in MessageCreateParams.__args__))
    inherited = set().union(*(base.__annotations__ for option in MessageCreateParams.__args__ for base in option.__orig_bases__))
    assert set(sent) <= declared | inherited
    assert [block["type"] for block in sent["messages"][1]["content"]] == ["thinking", "text", "tool_use"]
    assert sent["messages"][1]["content"][2]["input"] == {"pattern": "x"}
    assert all(block.get("text", "x").strip() for message in sent["messages"] for block in message["content"])


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "x"},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f"}]},
    ],
)
def test_the_judge_can_say_no(message):
    with pytest.raises(pydantic.ValidationError):
        judge(json.dumps({"model": "m", "max_tokens": 1, "messages": [message]}))


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("stream", [True, False])
async def test_both_clients_read_the_same_from_the_same_server(reply, stream, wire_of, request_to):
    async with model_server(reply, reply) as server, wire_of(wire=WIRE) as wire:
        asked = request_to(server.url, wire=WIRE, quirks=() if stream else ("no_stream",))
        ours = [item async for item in wire.send(asked)][-1]
        theirs = await by_the_vendors_client(server.url, stream)
        sent, expected = server.chats
    assert [type(block) for block in ours.blocks] == [type(block) for block in theirs["blocks"]]
    assert [said(block) for block in ours.blocks] == [said(block) for block in theirs["blocks"]]
    assert (ours.stop, ours.usage) == (theirs["stop"], theirs["usage"])
    assert (sent.method, sent.path) == (expected.method, expected.path)
    assert {"anthropic-version", "content-type"} <= set(sent.headers) & set(expected.headers)


def said(block):
    return (block.name, block.call_id, json.loads(block.arguments)) if isinstance(block, ToolCall) else block


async def by_the_vendors_client(url, stream):
    async with anthropic.AsyncAnthropic(base_url=url.removesuffix("/v1"), api_key="unused", max_retries=0) as client:
        asked = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Hello?"}]}
        if stream:
            async with client.messages.stream(**asked) as events:
                message = await events.get_final_message()
        else:
            message = await client.messages.create(**asked)
    blocks = []
    for block in message.content:
        match block.type:
            case "text":
                blocks.append(Text(block.text))
            case "thinking":
                blocks.append(Thinking(block.thinking, block.signature, "recorded/model"))
            case "tool_use":
                blocks.append(ToolCall(block.id, block.name, json.dumps(block.input)))
    stop = {"end_turn": "end", "tool_use": "tools", "max_tokens": "length"}[message.stop_reason]
    counted = message.usage
    read, written = counted.cache_read_input_tokens, counted.cache_creation_input_tokens
    usage = Usage(counted.input_tokens + read + written, counted.output_tokens, read, written, tells_cache=True)
    return {"blocks": blocks, "stop": stop, "usage": usage}


async def test_a_thought_goes_back_as_it_came(wire_of, request_to, route_to):
    async with model_server(Reply(text="yes", thinking="hm")) as server, wire_of(wire=WIRE) as wire:
        reply = [item async for item in wire.send(request_to(server.url, wire=WIRE))][-1]
    assert reply.blocks[0] == Thinking("hm", SIGNATURE, "recorded/model")


async def test_the_vendors_client_sees_our_servers_failures():
    failure = Answer.of(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    async with model_server(failure) as server:
        async with anthropic.AsyncAnthropic(base_url=server.url.removesuffix("/v1"), api_key="unused", max_retries=0) as client:
            with pytest.raises(anthropic.APIStatusError):
                await client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])
