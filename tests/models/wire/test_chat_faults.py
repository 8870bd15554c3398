"""What a broken, hostile or merely odd server does to the wire: a named fault, nothing runnable, no key in any word."""

import gzip
import json
import traceback

import pytest

from limen.core.exchange import Alive, ModelReply, TextDelta
from limen.core.fault import ModelFault
from limen.core.message import Text, Thinking, ToolCall
from limen.models.credentials import KeyBinding, Keyring
from limen.models.wire import gathering
from limen.testing.chat_format import events, whole
from limen.testing.model_server import Answer, Raw, Stream, model_server
from limen.testing.scripted_model import Reply, call, say, use

pytestmark = pytest.mark.anyio

SECRET = "sk-" + "test-abcdef0123456789"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def data(shape):
    return b"data: " + json.dumps(shape).encode() + b"\n\n"


def delta(**fields):
    return data({"choices": [{"index": 0, "delta": fields, "finish_reason": None}]})


def end(reason="stop", **fields):
    return data({"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]})


def message(finish="stop", **fields):
    return Answer.of(200, {"choices": [{"index": 0, "message": {"role": "assistant", **fields}, "finish_reason": finish}]})


DONE = b"data: [DONE]\n\n"
HALF_CALL = delta(tool_calls=[{"index": 0, "id": "c", "function": {"name": "rm", "arguments": '{"path": "/ho'}}])


async def play(step, wire_of, request_to, *, quirks=(), keys=None, idle_s=5.0, **fields):
    """What was shown, and the reply or the fault."""
    shown = []
    async with model_server(step) as server:
        made = keys(server.url) if keys else None
        async with wire_of(idle_s=idle_s, **({"keys": made} if made else {})) as wire:
            request = request_to(server.url, quirks=quirks, **fields)
            if made:
                request = request_to(route=type(request.route)(**{**_fields(request.route), "credential": "env:K"}))
            try:
                async for item in wire.send(request):
                    if not isinstance(item, Alive):
                        shown.append(item)
            except ModelFault as fault:
                return shown, fault
    assert isinstance(shown[-1], ModelReply)
    return shown[:-1], shown[-1]


def _fields(struct):
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


@pytest.mark.parametrize(
    ("pieces", "kind", "text"),
    [
        pytest.param((), "network", "", id="closed at once"),
        pytest.param(("reset",), "network", "", id="reset at once"),
        pytest.param((b"HTTP/1.1 200 OK\r\ncontent-ty", "reset"), "network", "", id="reset in the head"),
        pytest.param((b"not http at all\r\n\r\n",), "network", "", id="not http"),
        pytest.param((HEAD, "pause", "reset"), "network", "", id="reset before a chunk"),
        pytest.param((HEAD, delta(content="half"), "pause", "reset"), "network", "half", id="reset in the text"),
        pytest.param((HEAD, delta(content="half"), HALF_CALL, "pause", "reset"), "network", "half", id="reset in a call"),
        pytest.param((HEAD, delta(content="half"), HALF_CALL), "network", "half", id="ended in a call"),
        pytest.param((HEAD, HALF_CALL, DONE), "network", "", id="done in a call"),
        pytest.param((HEAD,), "network", "", id="no chunk"),
        pytest.param((HEAD, DONE), "reply", "", id="done and nothing said"),
        pytest.param((HEAD, end()), "reply", "", id="ended and nothing said"),
        pytest.param((HEAD, data({"choices": []}), DONE), "reply", "", id="no choices"),
        pytest.param((HEAD, delta(content=None), end()), "reply", "", id="null content"),
        pytest.param((HEAD, end("content_filter")), "filter", "", id="filtered whole"),
        pytest.param((HEAD, delta(content="half"), end("error")), "upstream", "half", id="finished by an error"),
        pytest.param((HEAD, b"data: {broken\n\n"), "reply", "", id="no json"),
        pytest.param((HEAD, b"data: [1]\n\n"), "reply", "", id="a list"),
        pytest.param((HEAD, b'data: {"choices": 3}\n\n'), "reply", "", id="choices are a number"),
        pytest.param((HEAD, data({"error": {"message": "Overloaded", "code": 529}})), "overload", "", id="error object"),
        pytest.param(
            (HEAD, delta(content="half"), b"event: error\n" + data({"error": {"message": "boom"}})), "upstream", "half",
            id="error event",
        ),
        pytest.param(
            (HEAD.replace(b"\r\n\r\n", b"\r\ncontent-length: 900\r\n\r\n"), delta(content="half")), "network", "half",
            id="shorter than said",
        ),
        pytest.param(
            (HEAD.replace(b"\r\n\r\n", b"\r\ntransfer-encoding: chunked\r\n\r\n"), b"zz\r\n", delta(content="x")), "network", "",
            id="bad chunk size",
        ),
        pytest.param(
            (HEAD.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n"), b"this is not gzip"), "network", "",
            id="not gzip",
        ),
        pytest.param((HEAD, delta(content="half"), "hang"), "network", "half", id="stall"),
        pytest.param((HEAD, b": keep-alive\n\n", "hang"), "network", "", id="stall before a word"),
        pytest.param((HEAD, b"data: " + b"x" * (17 * 1024 * 1024) + b"\n\n"), "reply", "", id="an endless line"),
    ],
)  # fmt: skip
async def test_a_reply_that_does_not_end_well_is_a_fault(pieces, kind, text, wire_of, request_to):
    shown, fault = await play(Raw(pieces), wire_of, request_to, idle_s=0.3)
    assert isinstance(fault, ModelFault)
    assert fault.fault_class == kind
    assert "".join(item.text for item in shown) == text
    assert fault.mend


async def test_nobody_listening_is_a_fault(wire_of, request_to):
    async with wire_of() as wire:
        with pytest.raises(ModelFault) as caught:
            [item async for item in wire.send(request_to("http://127.0.0.1:9/v1"))]
    assert caught.value.kind == "network"
    assert "127.0.0.1:9" in caught.value.reason


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(200, b"<html><title>Login</title></html>", {"content-type": "text/html"}), "page"),
        (Answer(200, b"<!doctype html><title>Login</title>", {"content-type": "application/json"}), "page"),
        (Answer(200, b"\n<!DOCTYPE HTML><title>Login</title>", {"content-type": "text/plain"}), "page"),
        (Answer(200, b"<!doctype html><title>Login</title>"), "page"),
        (Answer(403, b"<html><title>Attention Required!</title></html>", {"content-type": "text/html"}), "page"),
        (Answer(502, b"<html>502 Bad Gateway</html>", {"content-type": "text/html"}), "upstream"),
        (Answer(200, b"", {"content-type": "application/json"}), "reply"),
        (Answer(200, b"null", {"content-type": "application/json"}), "reply"),
        (Answer(200, b"\xff\xfe{", {"content-type": "application/json"}), "reply"),
        (Answer(200, b"{}", {"content-type": "application/json"}), "reply"),
        (Answer.of(200, {"error": {"message": "too many requests", "code": 429}}), "rate"),
        (Answer.of(200, {"choices": []}), "reply"),
        (Answer.of(200, {"choices": [{"index": 0, "message": None, "finish_reason": "stop"}]}), "reply"),
        (Answer(307, b"", {"location": "http://127.0.0.1:9/v1/chat/completions"}), "shape"),
        (Answer.of(429, {"error": {"message": "slow down"}}, {"retry-after": "7"}), "rate"),
        (Answer(204), "reply"),
        (Answer(200, b"ok", {"content-type": "text/plain"}), "page"),
    ],
)
async def test_answers_that_are_no_reply(answer, kind, wire_of, request_to):
    _, fault = await play(answer, wire_of, request_to)
    assert isinstance(fault, ModelFault)
    assert fault.fault_class == kind
    assert fault.retry_after_s == (7.0 if answer.status == 429 else None)


async def test_after_the_end_is_named_nothing_can_spoil_the_reply(wire_of, request_to):
    for rest in (("reset",), (b"data: {broken",), (DONE, "hang"), (DONE, "pause", "reset"), (DONE, b"data: {broken\n\n")):
        _, reply = await play(Raw((HEAD, delta(content="all of it"), end(), "pause", *rest)), wire_of, request_to)
        assert isinstance(reply, ModelReply), rest
        assert reply.blocks == (Text("all of it"),)


async def test_an_end_that_is_not_named_is_believed_when_the_stream_says_done(wire_of, request_to):
    _, reply = await play(Stream((delta(content="x"), DONE)), wire_of, request_to)
    assert (reply.blocks, reply.stop) == ((Text("x"),), "end")


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "", "text/event-stream; charset=latin-1"])
async def test_a_relabelled_stream_is_still_read(content_type, wire_of, request_to):
    stream = Stream(tuple(events(say("grüße"), "m")), content_type)
    _, reply = await play(stream, wire_of, request_to)
    assert reply.blocks == (Text("grüße"),)


async def test_a_server_that_does_not_stream_is_understood(wire_of, request_to):
    reply = Reply(text="hi", thinking="hm", calls=(call("find", pattern="x"),))
    shown, got = await play(Answer.of(200, whole(reply, "m")), wire_of, request_to)
    assert got.blocks == (Thinking("hm", issuer="recorded/model"), Text("hi"), *reply.calls)
    assert TextDelta("hi") in shown
    _, same = await play(reply, wire_of, request_to, quirks=("no_stream",))
    assert same.blocks == got.blocks


async def test_a_compressed_stream_is_read(wire_of, request_to):
    body = gzip.compress(b"".join(events(say("squeezed"), "m")))
    head = HEAD.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n")
    _, reply = await play(Raw((head, body[:20], "pause", body[20:])), wire_of, request_to)
    assert reply.blocks == (Text("squeezed"),)


async def test_a_reply_without_an_end_is_broken_off(wire_of, request_to):
    flood = delta(content="x" * 900_000)
    shown, fault = await play(Stream((flood,) * (gathering.REPLY_LIMIT_CHARS // 900_000 + 1) + (end(),)), wire_of, request_to)
    assert fault.fault_class == "reply"
    assert sum(len(item.text) for item in shown) <= gathering.REPLY_LIMIT_CHARS


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        pytest.param(
            [[{"id": "a", "function": {"name": "f", "arguments": "{}"}}, {"id": "b", "function": {"name": "g"}}]],
            [("a", "f", "{}"), ("b", "g", "{}")], id="no index",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}],
             [{"index": 0, "id": "b", "function": {"name": "g", "arguments": "{}"}}]],
            [("a", "f", "{}"), ("b", "g", "{}")], id="all have index 0",
        ),
        pytest.param(
            [[{"index": 0, "function": {"name": "f", "arguments": ""}}], [{"index": 0, "function": {"arguments": '{"x":1}'}}],
             [{"index": 1, "function": {"name": "f", "arguments": '{"x":2}'}}]],
            [(None, "f", '{"x":1}'), (None, "f", '{"x":2}')], id="no ids",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}],
             [{"index": 1, "id": "a", "function": {"name": "g", "arguments": "{}"}}]],
            [("a", "f", "{}"), (None, "g", "{}")], id="one id twice",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": [1, "é"]}}}]],
            [("a", "f", '{"x":[1,"é"]}')], id="arguments as an object",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f"}}]], [("a", "f", "{}")], id="no arguments",
        ),
        pytest.param(
            [[{"index": 1, "id": "b", "function": {"name": "g", "arguments": '{"a'}}],
             [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}],
             [{"index": 1, "function": {"arguments": '":1}'}}]],
            [("b", "g", '{"a":1}'), ("a", "f", "{}")], id="interleaved",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a'}}],
             [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '":1}'}}]],
            [("a", "f", '{"a":1}')], id="id and name repeated",
        ),
        pytest.param(
            [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{not json"}}]],
            [("a", "f", "{not json")], id="garbled",
        ),
    ],
)  # fmt: skip
async def test_calls_are_put_together(chunks, calls, wire_of, request_to):
    stream = Stream((*(delta(tool_calls=chunk) for chunk in chunks), end("tool_calls"), DONE))
    _, reply = await play(stream, wire_of, request_to)
    _, again = await play(stream, wire_of, request_to)
    assert reply.stop == "tools"
    assert [(made.name, made.arguments) for made in reply.tool_calls] == [(name, arguments) for _, name, arguments in calls]
    ids = [made.call_id for made in reply.tool_calls]
    assert len(set(ids)) == len(ids)
    assert all(wanted in (None, got) for (wanted, _, _), got in zip(calls, ids, strict=True))
    assert [made.name for made in again.tool_calls] == [made.name for made in reply.tool_calls]


async def test_ids_that_were_missing_are_the_same_for_the_same_request(wire_of, request_to):
    nameless = Stream((delta(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": "{}"}}]), end("tool_calls"), DONE))
    async with model_server(nameless, nameless) as server, wire_of() as wire:
        first, second = [[item async for item in wire.send(request_to(server.url))][-1] for _ in range(2)]
    assert first.tool_calls == second.tool_calls


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_calls_of_a_reply_that_was_cut_short_do_not_run(finish, wire_of, request_to):
    _, reply = await play(Stream((HALF_CALL, end(finish), DONE)), wire_of, request_to)
    assert any(isinstance(block, ToolCall) for block in reply.blocks)
    assert reply.tool_calls == ()
    assert not reply.complete


async def test_a_stop_beside_calls_means_tools_and_a_promise_of_none_means_the_end(wire_of, request_to):
    _, with_calls = await play(Stream((*list(events(use(call("f")), "m"))[:-3], end("stop"), DONE)), wire_of, request_to)
    assert with_calls.stop == "tools"
    _, without = await play(Stream((delta(content="x"), end("tool_calls"), DONE)), wire_of, request_to)
    assert without.stop == "end"


async def test_other_choices_are_not_ours(wire_of, request_to):
    other = data({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}]})
    _, reply = await play(Stream((delta(content="ours"), other, end(), DONE)), wire_of, request_to)
    assert reply.blocks == (Text("ours"),)


async def test_content_in_parts_and_a_refusal_are_read(wire_of, request_to):
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "yes"},
        {"type": "x"},
        3,
    ]
    _, reply = await play(Stream((delta(content=parts), delta(refusal=" but no"), end(), DONE)), wire_of, request_to)
    assert reply.blocks == (Thinking("hm", issuer="recorded/model"), Text("yes but no"))


@pytest.mark.parametrize(
    "step",
    [
        Answer.of(401, {"error": {"message": f"Incorrect API key provided: {SECRET}.", "code": "invalid_api_key"}}),
        Answer(500, SECRET.encode()),
        Answer(307, b"", {"location": f"https://evil.example/?key={SECRET}"}),
        Stream((data({"error": {"message": f"bad {SECRET}"}}),)),
        Stream((b"data: {" + SECRET.encode() + b"\n\n",)),
        Answer(403, f"<html><title>{SECRET}</title>".encode(), {"content-type": "text/html"}),
        Raw((f"HTTP/1.1 {SECRET} x\r\n\r\n".encode(),)),
    ],
)
async def test_no_fault_ever_holds_the_key(step, wire_of, request_to):
    def keys(url):
        return Keyring((KeyBinding("env:K", endpoints=(url,)),), lambda _: SECRET)

    _, fault = await play(step, wire_of, request_to, keys=keys)
    assert isinstance(fault, ModelFault)
    assert SECRET not in f"{fault} {fault.reason} {fault.mend}"
    assert SECRET not in "".join(traceback.format_exception(fault))


async def test_the_key_travels_in_its_header_and_only_where_it_belongs(wire_of, request_to, route_to):
    async with model_server(say("x"), say("y")) as server:
        ring = Keyring((KeyBinding("env:K", endpoints=(server.url,)),), lambda _: SECRET)
        async with wire_of(ring) as wire:
            with_key = request_to(route=route_to(server.url, credential="env:K"))
            [item async for item in wire.send(with_key)]
            [item async for item in wire.send(request_to(server.url))]
            elsewhere = request_to(route=route_to(server.url.replace("127.0.0.1", "localhost"), credential="env:K"))
            with pytest.raises(ModelFault, match="is not sent to"):
                [item async for item in wire.send(elsewhere)]
        headers = [request.headers.get("authorization") for request in server.received]
    assert headers == [f"Bearer {SECRET}", None]


async def test_a_connection_is_used_again(wire_of, request_to):
    async with model_server(then=say("x")) as server, wire_of() as wire:
        for _ in range(3):
            [item async for item in wire.send(request_to(server.url))]
        assert len(server.received) == 3
        assert server.connections == 1
