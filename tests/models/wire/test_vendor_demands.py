"""What single vendors demand of a history, by stub servers that refuse what they refuse, over the wire and past the gates."""

import json

import pytest

from limen.core.exchange import ModelRequest, Usage
from limen.core.message import Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt
from limen.core.tool import ToolSchema
from limen.models.retelling import History
from limen.testing.faults import whole
from limen.testing.model_server import Answer, Stream, model_server
from limen.testing.scripted_model import Reply, call, say, use

pytestmark = pytest.mark.anyio

WIRES = ("chat_completions", "anthropic_messages", "codex_responses")
TOOLS = (ToolSchema("find", "Find.", {"type": "object", "properties": {}}),)
SIGNATURE = "CrICAdHtim827fQ"
# A conversation in which every wire's model has thought, called and spoken.
MIXED = (
    Message("user", (Text("a"),)),
    Message("assistant", (Thinking("x", '{"id":"rs_1","encrypted_content":"e"}', "codex/gpt"), ToolCall("call_1", "find", "{}"))),
    Message("tool", (ToolResult("call_1", (Text("1"),)),)),
    Message("assistant", (Thinking("y", "c2ln", "anthropic/opus"), Text("so"), ToolCall("toolu_2", "find", "{}"))),
    Message("tool", (ToolResult("toolu_2", (Text("2"),)),)),
    Message("assistant", (Thinking("", f"call:{SIGNATURE}", "google/gemini"), ToolCall("function-3", "find", "{}"))),
    Message("tool", (ToolResult("function-3", (Text("3"), Image("image/png", b"png", "a dot"))),)),
    Message("assistant", (Thinking("mine", None, "recorded/model"), ToolCall("call_4", "find", "{}"))),
    Message("tool", (ToolResult("call_4", (Text("4"),)),)),
    Message("assistant", (Text("done"),)),
    Message("user", (Text("b"),)),
)


async def sent_to(server_step, wire_of, route_to, *quirks, wire="chat_completions", messages=MIXED, **fields):
    """The reply of a server to a mixed history, and the body that it was sent."""
    async with model_server(server_step) as server, wire_of(wire=wire) as made:
        route = route_to(server.url, quirks=frozenset(quirks), wire=wire, **fields)
        told = History().told(ModelRequest(route, Prompt(), messages, TOOLS))
        *_, reply = [item async for item in made.send(told)]
    return reply, server.chats[0].json


def demands_reasoning(request):
    """As DeepSeek and Kimi do: the field on every turn of an assistant, and not empty."""
    for index, message in enumerate(request.json["messages"]):
        if message["role"] == "assistant" and not message.get("reasoning_content"):
            return Answer.of(400, {"error": {"message": f"reasoning_content is missing in assistant message at index {index}"}})
    return say("accepted")


async def test_a_vendor_that_demands_reasoning_takes_a_history_that_others_wrote(wire_of, route_to):
    reply, body = await sent_to(demands_reasoning, wire_of, route_to, "replay_reasoning")
    assert reply.blocks == (Text("accepted"),)
    told = [message["reasoning_content"] for message in body["messages"] if message["role"] == "assistant"]
    assert [text.strip() for text in told] == ["", "", "", "mine", ""]


async def test_other_vendors_are_not_shown_the_field(wire_of, route_to):
    _, body = await sent_to(say("x"), wire_of, route_to)
    assert "reasoning_content" not in json.dumps(body)
    assert "extra_content" not in json.dumps(body)


def demands_signatures(request):
    """As Google does: the first call of each turn is signed, by itself or by the documented stand-in."""
    for message in request.json["messages"]:
        calls = message.get("tool_calls")
        if calls and not calls[0].get("extra_content", {}).get("google", {}).get("thought_signature"):
            return Answer.of(400, {"error": {"message": "Function call is missing a thought_signature in functionCall parts."}})
    return say("accepted")


async def test_google_gets_its_own_signatures_and_a_stand_in_for_others(wire_of, route_to):
    quirk = "thought_signatures"
    reply, body = await sent_to(demands_signatures, wire_of, route_to, quirk, provider="google", model="gemini")
    assert reply.blocks == (Text("accepted"),)
    calls = [made for message in body["messages"] for made in message.get("tool_calls", ())]
    signatures = [made["extra_content"]["google"]["thought_signature"] for made in calls]
    assert signatures.count(SIGNATURE) == 1
    assert signatures[2] == SIGNATURE
    _, other = await sent_to(demands_signatures, wire_of, route_to, quirk, provider="google", model="another")
    assert SIGNATURE not in json.dumps(other)


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_signature_is_kept_with_its_call(streamed, wire_of, route_to):
    """Documented: of calls side by side the first is signed."""
    calls = (call("find", "c1"), call("find", "c2"))
    answer = whole("chat_completions", use(*calls))
    shapes = answer["choices"][0]["message"]["tool_calls"]
    shapes[0]["extra_content"] = {"google": {"thought_signature": SIGNATURE}}
    step = Answer.of(200, answer)
    if streamed:
        pieces = [{"index": 0, "delta": {"tool_calls": [{**shape, "index": index}]}} for index, shape in enumerate(shapes)]
        chunks = [{"choices": [piece]} for piece in pieces] + [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
        step = Stream(tuple(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks))
    reply, _ = await sent_to(step, wire_of, route_to, provider="google", model="gemini")
    assert reply.blocks == (Thinking("", f"call:{SIGNATURE}", "google/gemini"), *calls)
    assert reply.tool_calls == calls
    told = (*MIXED, Message("assistant", reply.blocks))
    _, body = await sent_to(
        demands_signatures, wire_of, route_to, "thought_signatures", messages=told, provider="google", model="gemini"
    )
    latest = [message for message in body["messages"] if message.get("tool_calls")][-1]["tool_calls"]
    assert [made.get("extra_content") is not None for made in latest] == [True, False]


@pytest.mark.parametrize("extra", [None, 3, {}, {"google": None}, {"google": {"thought_signature": 3}}, {"google": []}])
async def test_a_signature_of_another_shape_is_none(extra, wire_of, route_to):
    answer = whole("chat_completions", use(call("find", "c1")))
    answer["choices"][0]["message"]["tool_calls"][0]["extra_content"] = extra
    reply, _ = await sent_to(Answer.of(200, answer), wire_of, route_to)
    assert reply.blocks == (call("find", "c1"),)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("provider", "model"), [("codex", "gpt"), ("anthropic", "opus"), ("google", "gemini"), ("x", "y")])
async def test_each_vendor_sees_no_signature_but_its_own(wire, provider, model, wire_of, route_to):
    _, body = await sent_to(say("x"), wire_of, route_to, wire=wire, provider=provider, model=model)
    seen = {name for name, mark in (("codex", "rs_1"), ("anthropic", "c2ln"), ("google", SIGNATURE)) if mark in json.dumps(body)}
    own = {"codex_responses": "codex", "anthropic_messages": "anthropic", "chat_completions": "google"}[wire]
    assert seen == ({own} if provider == own else set())


def places_of_pictures(wire, body):
    match wire:
        case "chat_completions":
            return [message["role"] for message in body["messages"] if "image_url" in json.dumps(message)]
        case "anthropic_messages":
            blocks = [block for message in body["messages"] for block in message["content"]]
            return [block["type"] for block in blocks if '"image"' in json.dumps(block)]
        case _:
            return [item["type"] for item in body["input"] if "input_image" in json.dumps(item)]


@pytest.mark.parametrize("wire", WIRES)
async def test_pictures_in_tool_results_go_where_the_protocol_takes_them(wire, wire_of, route_to):
    inside = {"anthropic_messages": "tool_result", "codex_responses": "function_call_output"}.get(wire)
    for quirks in ((), ("tool_images",)):
        _, body = await sent_to(say("x"), wire_of, route_to, *quirks, wire=wire)
        assert places_of_pictures(wire, body) == [inside or ("tool" if quirks else "user")]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_reply_can_be_asked_for_whole(wire, wire_of, route_to):
    asked = Reply(text="so", thinking="hm", calls=(call("find", "c1"),), usage=Usage(9, 4))
    reply, body = await sent_to(asked, wire_of, route_to, "no_stream", wire=wire)
    streamed, other = await sent_to(asked, wire_of, route_to, wire=wire)
    assert "stream" not in body
    assert other["stream"] is True
    assert (reply.blocks, reply.stop) == (streamed.blocks, streamed.stop)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (9, 4)


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (Reply(text="and so on", usage=Usage(9, 16)), "length"),
        (Reply(text="and so on", usage=Usage(9, 15)), "end"),
        (Reply(calls=(ToolCall("c1", "find", '{"x": "cu'),), usage=Usage(9, 16)), "length"),
        (Reply(calls=(ToolCall("c1", "find", '{"x": 1}'),), usage=Usage(9, 16)), "tools"),
    ],
)
async def test_a_reply_called_complete_at_its_cap_was_cut(reply, stop, wire_of, route_to):
    """llama.cpp does so over Responses."""
    async with model_server(reply, reply) as server, wire_of(wire="codex_responses") as made:
        for quirks in ((), ("no_output_limit",)):
            route = route_to(server.url, wire="codex_responses", quirks=frozenset(quirks))
            request = ModelRequest(route, Prompt(), MIXED, TOOLS, output_tokens=16)
            *_, got = [item async for item in made.send(History().told(request))]
            assert got.stop == (reply.ends if quirks else stop)
            assert got.tool_calls == (reply.calls if got.stop == "tools" else ())
