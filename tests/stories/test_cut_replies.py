"""Replies that break off or garble a call, over each protocol and the whole program: what did not arrive whole never runs, what
ran never runs again, and the model is told what was wrong."""

import json

import pytest
from stories.test_fallback import WIRES, configure, play, runtime_in

from limen.core.event import ReplyDelta, ReplyRestarted, ToolFinished, ToolStarted
from limen.core.message import ToolCall
from limen.testing.faults import events
from limen.testing.model_server import Raw, model_server
from limen.testing.scripted_model import Reply, call, say, use

pytestmark = pytest.mark.anyio

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
READ = call("find", "call_a", ref="lib:none", pattern="a phrase that is looked for")
TWO = Reply(text="Let me look.", calls=(READ, call("find", "call_b", ref="lib:none", pattern="another")), piece_chars=6)


def started(seen):
    return [event.call for event in seen if isinstance(event, ToolStarted)]


@pytest.mark.parametrize("wire", WIRES)
async def test_wherever_a_reply_with_calls_is_cut_each_call_runs_once(home, wire):
    written = events(wire, TWO)
    cuts = range(1, len(written) - 3, len(written) // 6)
    for at in cuts:
        broken = Raw((HEAD, *written[:at], "pause", *(("reset",) if at % 2 else ())))
        async with model_server(broken, TWO, say("done")) as server:
            configure(home / f"{at}", (server, wire), retries=1)
            async with runtime_in(home / f"{at}") as runtime:
                seen, outcome = await play(runtime)
        assert outcome.answer == "done"
        assert started(seen) == list(TWO.calls), at
        assert len(server.chats) == 3
        shown = [event for event in seen if isinstance(event, ReplyDelta | ReplyRestarted)]
        first = next((n for n, event in enumerate(shown) if isinstance(event, ReplyRestarted)), None)
        assert first is None or "".join(event.text for event in shown[first + 1 :] if isinstance(event, ReplyDelta)).startswith(
            "Let me look."
        )
    assert len(cuts) > 3


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("garbled", ['{"ref": "lib:none", "pat', "not json", "[1]", '{"ref": NaN}', '{"pattern": 3}', '"text"'])
async def test_a_garbled_call_goes_back_to_the_model(home, wire, garbled):
    async with model_server(use(ToolCall("call_a", "find", garbled)), use(READ), say("done")) as server:
        configure(home, (server, wire))
        async with runtime_in(home) as runtime:
            seen, outcome = await play(runtime)
    assert outcome.answer == "done"
    first, _ = [event for event in seen if isinstance(event, ToolFinished)]
    assert (first.is_error, first.refusal is not None) == (True, True)
    told = json.dumps(server.chats[1].json)
    assert first.refusal.code in told
    assert len(server.chats) == 3


@pytest.mark.parametrize("wire", WIRES)
async def test_calls_of_one_id_each_have_their_own_result(home, wire):
    twice = (READ, ToolCall("call_a", "find", '{"ref": "lib:none", "pattern": "second"}'))
    async with model_server(Reply(calls=twice), say("done")) as server:
        configure(home, (server, wire))
        async with runtime_in(home) as runtime:
            seen, outcome = await play(runtime)
    assert outcome.answer == "done"
    assert [made.arguments for made in started(seen)] == [made.arguments for made in twice]
    assert len({made.call_id for made in started(seen)}) == 2
    sent = server.chats[1].json
    results = {
        "chat_completions": lambda: [message["tool_call_id"] for message in sent["messages"] if message["role"] == "tool"],
        "anthropic_messages": lambda: [block["tool_use_id"] for block in sent["messages"][-1]["content"]],
        "codex_responses": lambda: [item["call_id"] for item in sent["input"] if item["type"] == "function_call_output"],
    }[wire]()
    assert results == [made.call_id for made in started(seen)]
