"""OpenAI's own client as judge of the Responses wire."""

import json

import openai
import pydantic
import pytest
from models.wire.judging import REPLIES, body_of, judge_of
from openai.types.responses.response_create_params import ResponseCreateParams

from limen.core.exchange import Usage
from limen.core.message import Text, Thinking, ToolCall
from limen.testing.model_server import model_server
from limen.testing.responses_format import SEALED

pytestmark = pytest.mark.anyio

WIRE = "codex_responses"
SIGNED = json.dumps({"id": "rs_1", "encrypted_content": "c2ln"})
judge = judge_of(ResponseCreateParams)


@pytest.mark.parametrize(
    "quirks", [(), ("instructions",), ("flat_content",), ("no_output_limit",), ("no_stream",), ("no_images",), ("phases",)]
)
@pytest.mark.parametrize("may_call", [True, False])
@pytest.mark.parametrize("effort", ["", "high"])
def test_what_we_send_has_the_declared_shape(quirks, may_call, effort, route_to):
    body = body_of(route_to(wire=WIRE, quirks=frozenset(quirks), effort=effort), SIGNED, may_call=may_call)
    assert judge(body)["input"]
    sent = json.loads(body)
    kinds = [item["type"] for item in sent["input"] if item.get("role") not in ("system", "user")]
    assert kinds[:4] == ["reasoning", "message", "function_call", "function_call_output"]
    assert sent["store"] is False
    assert all(item.get("content", "x") for item in sent["input"])


@pytest.mark.parametrize(
    "item", [{"type": "function_call", "name": "f"}, {"role": "robot", "content": "x"}, {"type": "reasoning"}]
)
def test_the_judge_can_say_no(item):
    with pytest.raises(pydantic.ValidationError):
        judge(json.dumps({"model": "m", "input": [item]}))


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("stream", [True, False])
async def test_both_clients_read_the_same_from_the_same_server(reply, stream, wire_of, request_to):
    async with model_server(reply, reply) as server, wire_of(wire=WIRE) as wire:
        asked = request_to(server.url, wire=WIRE, quirks=() if stream else ("no_stream",))
        ours = [item async for item in wire.send(asked)][-1]
        theirs = await by_the_vendors_client(server.url, stream)
        sent, expected = server.chats
    assert ours.blocks == tuple(theirs["blocks"])
    assert (ours.stop, ours.usage) == (theirs["stop"], theirs["usage"])
    assert (sent.method, sent.path) == (expected.method, expected.path)


async def by_the_vendors_client(url, stream):
    async with openai.AsyncOpenAI(base_url=url, api_key="unused", max_retries=0) as client:
        asked = {"model": "m", "input": "Hello?"}
        if stream:
            async with client.responses.stream(**asked) as events:
                response = [event async for event in events][-1].response
        else:
            response = await client.responses.create(**asked)
    blocks = []
    for item in response.output:
        match item.type:
            case "message":
                blocks.append(Text(item.content[0].text))
            case "reasoning":
                seal = json.dumps({"id": item.id, "encrypted_content": SEALED}, separators=(",", ":"))
                blocks.append(Thinking(item.summary[0].text, seal, "recorded/model"))
            case "function_call":
                blocks.append(ToolCall(item.call_id, item.name, item.arguments))
    calls = any(isinstance(block, ToolCall) for block in blocks)
    stop = "length" if response.status == "incomplete" else "tools" if calls else "end"
    details = response.usage.input_tokens_details
    counted = response.usage
    usage = Usage(
        counted.input_tokens, counted.output_tokens, details.cached_tokens, details.cache_write_tokens, tells_cache=True
    )
    return {"blocks": blocks, "stop": stop, "usage": usage}
