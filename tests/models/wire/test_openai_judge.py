"""The vendor's own client as judge: what we send has the shape it declares, and it reads our server as our wire does."""

import json

import httpx2
import openai
import pydantic
import pytest
from models.wire.judging import body_of, judge_of
from openai.types.chat.completion_create_params import CompletionCreateParams

from limen.core.exchange import Usage
from limen.core.message import Text, ToolCall
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import Reply, call, say

pytestmark = pytest.mark.anyio

judge = judge_of(CompletionCreateParams)


@pytest.mark.parametrize(
    "quirks",
    [
        (),
        ("flat_content",),
        ("max_completion_tokens",),
        ("alternate", "no_images"),
        ("no_stream",),
        ("no_stream_options",),
    ],
)
@pytest.mark.parametrize("may_call", [True, False])
def test_what_we_send_has_the_declared_shape(quirks, may_call, route_to):
    body = body_of(route_to(model="gpt-4.1", quirks=frozenset(quirks)), may_call=may_call)
    assert judge(body)["messages"]
    names = set(json.loads(body))
    declared = set().union(*(option.__annotations__ for option in CompletionCreateParams.__args__))
    assert names <= declared | {"model", "messages"}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "x"},
        {"role": "robot", "content": "x"},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f"}}]},
    ],
)
def test_the_judge_can_say_no(message):
    with pytest.raises(pydantic.ValidationError):
        judge(json.dumps({"model": "m", "messages": [message]}))


REPLIES = [
    say("Grüße, 世界 👋🏽", usage=Usage(12, 7, 3)),
    Reply(text="Let me see.", calls=(call("find", "call_a", pattern="é"), call("find", "call_b")), piece_chars=3),
    Reply(text="cut", stop="length"),
]


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("stream", [True, False])
async def test_both_clients_read_the_same_from_the_same_server(reply, stream, wire_of, request_to):
    async with model_server(reply, reply) as server, wire_of() as wire:
        quirks = () if stream else ("no_stream",)
        ours = [item async for item in wire.send(request_to(server.url, quirks=quirks))][-1]
        theirs = await by_the_vendors_client(server.url, stream)
    assert ours.blocks == tuple(theirs["blocks"])
    assert (ours.stop, ours.usage) == (theirs["stop"], theirs["usage"])


async def by_the_vendors_client(url, stream):
    async with openai.AsyncOpenAI(base_url=url, api_key="unused", max_retries=0) as client:
        asked = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
        if stream:
            chunks = await client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
            return gathered([chunk async for chunk in chunks])
        answer = await client.chat.completions.create(**asked)
    choice = answer.choices[0]
    made = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or ()]
    return summary(choice.message.content, made, choice.finish_reason, answer.usage)


def gathered(chunks):
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    made = {}
    for piece in (piece for delta in deltas for piece in delta.tool_calls or ()):
        known = made.get(piece.index, ("", "", ""))
        said = (piece.id, piece.function.name, piece.function.arguments)
        made[piece.index] = tuple(old + (new or "") for old, new in zip(known, said, strict=True))
    finish = next(choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason)
    return summary("".join(delta.content or "" for delta in deltas), made.values(), finish, chunks[-1].usage)


def summary(text, made, finish, usage):
    blocks = [*([Text(text)] if text else []), *(ToolCall(*call) for call in made)]
    stop = {"stop": "end", "tool_calls": "tools", "length": "length"}[finish]
    counted = Usage(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens, tells_cache=True)
    return {"blocks": blocks, "stop": stop, "usage": counted}


async def test_the_vendors_client_lists_our_servers_models():
    async with model_server(models=("one", "two")) as server:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="unused", max_retries=0) as client:
            assert [model.id async for model in client.models.list()] == ["one", "two"]


async def test_the_vendors_client_sees_our_servers_failures():
    failure = Answer.of(429, {"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}})
    async with model_server(failure) as server:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="unused", max_retries=0) as client:
            with pytest.raises(openai.RateLimitError):
                await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])


async def test_what_our_wire_sends_is_what_the_vendors_client_would_send(wire_of, request_to):
    async with model_server(say("a"), say("b")) as server, wire_of() as wire:
        [item async for item in wire.send(request_to(server.url))]
        await by_the_vendors_client(server.url, stream=True)
        ours, theirs = server.chats
    assert (ours.method, ours.path) == (theirs.method, theirs.path)
    assert ours.headers["content-type"] == theirs.headers["content-type"]
    assert ours.json["stream"] == theirs.json["stream"]
    assert ours.json["stream_options"] == theirs.json["stream_options"]
    assert httpx2.URL(server.url).path + "/chat/completions" == ours.path
