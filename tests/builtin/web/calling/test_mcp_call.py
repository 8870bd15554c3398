"""Calling a tool at a public MCP endpoint: plain and streamed answers, servers that want to be greeted, errors of every kind."""

import json

import pytest
from builtin.web.asking import NOW, body
from builtin.web.shapes import mcp

from limen.builtin.web.calling.link import Link
from limen.builtin.web.calling.mcp_call import ToolText, call_tool
from limen.core.fault import Refusal
from limen.testing.network import reply
from limen.testing.vendor_stage import json_reply, staged

pytestmark = pytest.mark.anyio


def make(client, url, timeout_s):
    return Link("vendor", client, f"{url}/mcp")


async def call(answer):
    async with staged(make, answer) as stage:
        return await call_tool(stage.provider, "look", {"q": 1}, "search", NOW), list(stage.received)


async def test_a_plain_answer():
    got, (request,) = await call(json_reply(mcp("words")))
    assert got == ToolText("words")
    assert body(request)["params"] == {"name": "look", "arguments": {"q": 1}}
    assert request.headers["accept"] == "application/json, text/event-stream"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_an_answer_among_events(newline):
    noise = 'event: message\ndata: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}\n\n: ping\n\n'
    events = noise + f"event: message\ndata: {mcp('words', structured={'a': 1})}\n\n"
    got, _ = await call(reply(events.replace("\n", newline), headers={"content-type": "text/event-stream; charset=utf-8"}))
    assert got.text == "words"
    assert json.loads(got.json) == {"a": 1}


@pytest.mark.parametrize("refusal", ["status", "error"])
async def test_a_server_that_wants_to_be_greeted_is_greeted(refusal):
    async def server(request, stream):
        method = body(request)["method"]
        if method == "initialize":
            await stream.send(json_reply('{"jsonrpc": "2.0", "id": 0, "result": {}}', headers={"mcp-session-id": "s-1"}))
        elif method == "notifications/initialized":
            await stream.send(reply("", status=202))
        elif request.headers.get("mcp-session-id") == "s-1":
            await stream.send(json_reply(mcp("words")))
        elif refusal == "status":
            await stream.send(json_reply("{}", status=400))
        else:
            error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": "Server not initialized"}}
            await stream.send(json_reply(json.dumps(error)))

    got, received = await call(server)
    assert got == ToolText("words")
    assert [body(request)["method"] for request in received] == [
        "tools/call", "initialize", "notifications/initialized", "tools/call",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (mcp("Rate limit exceeded, try later", is_error=True), "search.rate_limited"),
        (mcp("", is_error=True), "search.failed"),
        ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Invalid API key"}}', "search.auth"),
        ('{"jsonrpc": "2.0", "id": 1}', "search.failed"),
        ("not json", "search.malformed"),
        ("[]", "search.malformed"),
    ],
)
async def test_what_goes_wrong_has_its_code(answer, code):
    got, _ = await call(json_reply(answer))
    assert isinstance(got, Refusal)
    assert got.code == code


async def test_a_stream_without_an_answer_is_malformed():
    got, _ = await call(reply(": ping\n\n", headers={"content-type": "text/event-stream"}))
    assert got.code == "search.malformed"
