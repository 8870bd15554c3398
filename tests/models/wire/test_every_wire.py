"""What any provider may do to a reply, over each protocol: cut it anywhere, stall, fail in its midst, answer with a page."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models.wire.test_contract import FORMATS

from limen.core.exchange import ModelReply, Usage
from limen.core.fault import ModelFault
from limen.core.message import Text, ToolCall
from limen.core.route import Route
from limen.models.wire.dialects import DIALECTS
from limen.testing.model_server import Answer, Raw, Stream, model_server
from limen.testing.scripted_model import Reply, call

pytestmark = pytest.mark.anyio

WIRES = sorted(FORMATS)
CALL = call("remove", "call_a", path="/home/x y/build")
REPLY = Reply(text="Let me see: grüße.", thinking="hm", calls=(CALL,), piece_chars=4)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def written(wire, reply=REPLY):
    return b"".join(FORMATS[wire][0].events(reply, "m"))


async def play(wire, step, wire_of, request_to, idle_s=5.0):
    """What was shown, and the reply or the fault."""
    shown = []
    async with model_server(step) as server, wire_of(idle_s=idle_s, wire=wire) as made:
        try:
            async for item in made.send(request_to(server.url, wire=wire)):
                shown.append(item)
        except ModelFault as fault:
            return shown, fault
    return shown[:-1], shown[-1]


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_cut_anywhere_runs_nothing(wire):
    """By the event, since what is cut within one never arrives as one."""
    events = list(FORMATS[wire][0].events(REPLY, "m"))
    for count in range(len(events)):
        gathering = DIALECTS[wire].gathering(Route("p", wire, "m"), b"")
        for event in events[:count]:
            data = next((line for line in event.decode().split("\n") if line.startswith("data: ")), "")
            list(gathering.add(data.removeprefix("data: ")))
        if gathering.ended:
            assert gathering.finish().tool_calls == (CALL,)
            assert count >= len(events) - FORMATS[wire][1] + 1
            continue
        with pytest.raises(ModelFault) as caught:
            gathering.finish()
        assert caught.value.kind == "network"


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 0.9), st.sampled_from(["reset", "end"]))
async def test_a_stream_broken_at_any_byte_is_a_fault(wire, wire_of, request_to, where, how):
    body = written(wire)
    pieces = (HEAD, body[: int(len(body) * where)], "pause", *(("reset",) if how == "reset" else ()))
    _, fault = await play(wire, Raw(pieces), wire_of, request_to)
    assert isinstance(fault, ModelFault)
    assert fault.kind == "network"


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stall_is_a_fault(wire, wire_of, request_to):
    body = written(wire)
    _, fault = await play(wire, Raw((HEAD, body[: len(body) // 2], "hang")), wire_of, request_to, idle_s=0.3)
    assert fault.kind == "network"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("size", [1, 7])
async def test_pieces_of_any_size_are_the_same_reply(wire, size, wire_of, request_to):
    body = written(wire)
    _, reply = await play(wire, Raw((HEAD, *(body[at : at + size] for at in range(0, len(body), size)))), wire_of, request_to)
    assert [block for block in reply.blocks if isinstance(block, Text | ToolCall)] == [Text(REPLY.text), CALL]


ERRORS = {
    "chat_completions": {"error": {"message": "Overloaded", "code": 529}},
    "anthropic_messages": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "codex_responses": {"type": "error", "code": "server_is_overloaded", "message": "Overloaded", "sequence_number": 9},
}


@pytest.mark.parametrize("wire", WIRES)
async def test_an_error_in_the_midst_of_a_stream_is_judged_as_one(wire, wire_of, request_to):
    half = written(wire)[: len(written(wire)) // 2]
    cut = half[: half.rindex(b"\n\n") + 2]
    error = b"event: error\ndata: " + json.dumps(ERRORS[wire]).encode() + b"\n\n"
    shown, fault = await play(wire, Stream((cut, error)), wire_of, request_to)
    assert (fault.kind, bool(shown)) == ("overload", True)


async def test_a_response_that_failed_says_why(wire_of, request_to):
    failed = {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Rate limit reached. Try again in 3s."}}
    event = b"event: response.failed\ndata: " + json.dumps({"type": "response.failed", "response": failed}).encode() + b"\n\n"
    _, fault = await play("codex_responses", Stream((event,)), wire_of, request_to)
    assert (fault.kind, fault.retry_after_s) == ("rate", 3.0)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(200, b"<html><title>Login</title></html>", {"content-type": "text/html"}), "page"),
        (Answer(403, b"<html><title>Attention Required!</title></html>", {"content-type": "text/html"}), "page"),
        (Answer(200, b"{}", {"content-type": "application/json"}), "network"),
        (Answer(200, b"null", {"content-type": "application/json"}), "reply"),
        (Answer(200, b"\xff\xfe{", {"content-type": "application/json"}), "reply"),
        (Answer.of(413, {"error": {"message": "request too large"}}), "window"),
        (Answer.of(402, {"error": {"message": "pay"}}), "billing"),
        (Answer(204), "network"),
    ],
)
async def test_answers_that_are_no_reply(wire, answer, kind, wire_of, request_to):
    _, fault = await play(wire, answer, wire_of, request_to)
    assert isinstance(fault, ModelFault)
    assert fault.fault_class in (kind, "reply" if kind == "network" else kind)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("reply", [Reply(text="", stop="filter"), Reply(text="")])
async def test_an_empty_reply_is_a_fault(wire, reply, wire_of, request_to):
    _, fault = await play(wire, reply, wire_of, request_to)
    assert fault.fault_class == ("filter" if reply.stop else "reply")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stop", ["length", "filter"])
async def test_calls_of_a_reply_that_was_cut_short_do_not_run(wire, stop, wire_of, request_to):
    _, reply = await play(wire, Reply(text="and", calls=(CALL,), stop=stop), wire_of, request_to)
    assert isinstance(reply, ModelReply)
    assert (reply.stop, reply.tool_calls, reply.complete) == (stop, (), False)


@pytest.mark.parametrize("wire", WIRES)
async def test_figures_are_counted_alike(wire, wire_of, request_to):
    """All input counts, whatever part of it a cache held."""
    _, reply = await play(wire, Reply(text="yes", usage=Usage(100, 7, 60)), wire_of, request_to)
    assert reply.usage == Usage(100, 7, 60, tells_cache=True)
