"""A key that a provider sends back is shown to nobody, kept nowhere and given to no tool, over every wire."""

import base64
import json

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.exchange import Alive, ModelReply, TextDelta, ThinkingDelta, Usage
from limen.core.fault import ModelFault
from limen.core.message import Text, Thinking, ToolCall
from limen.core.route import Route
from limen.kit.redact import SecretTable
from limen.kit.secret.echo import Echoes
from limen.models.credentials import KeyBinding, Keyring
from limen.models.wire.arguments import masked_arguments
from limen.models.wire.dialects import DIALECTS
from limen.models.wire.http import Endpoint
from limen.models.wire.masked_reply import MaskedReply
from limen.testing.faults import error_event, events, whole
from limen.testing.model_server import Answer, Stream, model_server
from limen.testing.scripted_model import Reply

pytestmark = pytest.mark.anyio

WIRES = list(DIALECTS)
KEY = "sk-proj-" + "aB3/dE5fG7hJ9kL1+N3pQ5"
MARK = "⟦masked configured-key⟧"
ENCODED = base64.b64encode(f"user:{KEY}".encode()).decode()
ECHO = Reply(
    text=f"You sent {KEY}, that is Basic {ENCODED} or {KEY.upper()}.",
    thinking=f"The key is {KEY}?",
    calls=(ToolCall(f"call_{KEY}", "find", json.dumps({"path": f"/home/{KEY}", "deep": [{KEY: "x"}]})),),
)


def known():
    table = SecretTable()
    table.know(KEY)
    return table


async def play(wire, step, wire_of, request_to):
    """What was shown, and the reply or the fault."""
    shown = []
    async with model_server(step) as server:
        ring = Keyring((KeyBinding("env:K", endpoints=(server.url,)),), lambda _: KEY)
        route = Route("p", wire, "m", server.url, credential="env:K")
        async with wire_of(ring, wire=wire, table=known()) as made:
            try:
                async for item in made.send(request_to(route=route)):
                    shown.append(item)
            except ModelFault as fault:
                return shown, fault
            assert KEY in "".join(server.received[-1].headers.values())
    return shown[:-1], shown[-1]


def leaks(*things):
    """Whether more of the key stands in them than tells what kind of key it is."""
    text = "".join(map(repr, things)).lower()
    longest = max(len(KEY[:size]) for size in range(len(KEY) + 1) if KEY[:size].lower() in text)
    return longest > len("sk-proj-") or KEY[-8:].lower() in text or ENCODED[12:20].lower() in text


def said(shown, kind):
    return "".join(item.text for item in shown if isinstance(item, kind))


@pytest.mark.parametrize("piece_chars", [1, 2, 3, 7, 40, 10_000])
@pytest.mark.parametrize("wire", WIRES)
async def test_nothing_of_a_key_comes_out_of_a_stream(wire, piece_chars, wire_of, request_to):
    echo = Reply(ECHO.text, ECHO.calls, ECHO.thinking, piece_chars=piece_chars)
    shown, reply = await play(wire, Stream(tuple(events(wire, echo))), wire_of, request_to)
    check(shown, reply)
    assert said(shown, TextDelta) == reply.blocks[1].text


@pytest.mark.parametrize("wire", WIRES)
async def test_nothing_of_a_key_comes_out_of_a_document(wire, wire_of, request_to):
    check(*await play(wire, Answer.of(200, whole(wire, ECHO)), wire_of, request_to))


def check(shown, reply):
    assert isinstance(reply, ModelReply)
    assert not leaks(reply, *shown)
    thinking, text, call = reply.blocks
    assert thinking.text == f"The key is {MARK}?"
    assert text.text.startswith(f"You sent {MARK}, that is Basic ")
    assert text.text.endswith(f" or {MARK}.")
    assert json.loads(call.arguments) == {"path": f"/home/{MARK}", "deep": [{MARK: "x"}]}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("status", [400, 401, 429, 500])
@pytest.mark.parametrize("before", ["", "x" * 370, "x" * 390])
async def test_nothing_of_a_key_stands_in_an_error_also_where_it_is_cut(wire, status, before, wire_of, request_to):
    said_wrong = Answer.of(status, {"error": {"message": f"{before} Incorrect API key: {KEY}. Basic {ENCODED}", "code": KEY}})
    _, fault = await play(wire, said_wrong, wire_of, request_to)
    assert not leaks(str(fault), fault.reason, fault.mend)


@pytest.mark.parametrize("wire", WIRES)
async def test_nothing_of_a_key_stands_in_an_error_in_the_midst_of_a_stream(wire, wire_of, request_to):
    broken = Stream((*events(wire, Reply("Half of it"))[:-3], error_event(wire, f"no {KEY}", "overloaded_error")))
    shown, fault = await play(wire, broken, wire_of, request_to)
    assert not leaks(str(fault), *shown)
    assert MARK in fault.reason


async def test_nothing_of_a_key_stands_in_a_page_or_a_redirect(wire_of, request_to):
    page = Answer(403, f"<html><title>{'x' * 70} {KEY}</title>".encode(), {"content-type": "text/html"})
    moved = Answer(307, b"", {"location": f"https://elsewhere.example/{'x' * 170}/{KEY}"})
    text = Answer(200, f"{'x' * 75} {KEY}".encode(), {"content-type": "text/plain"})
    for step in (page, moved, text):
        _, fault = await play("chat_completions", step, wire_of, request_to)
        assert not leaks(str(fault))


async def test_no_model_is_called_by_a_key():
    async with model_server(listed=Answer.of(200, {"data": [{"id": KEY}]})) as server, httpx2.AsyncClient() as client:
        ring = Keyring((KeyBinding("env:K", endpoints=(server.url,)),), lambda _: KEY)
        endpoint = Endpoint(lambda _route: client, ring, table=known())
        listed = await endpoint.get(Route("p", "chat_completions", "m", server.url, credential="env:K"), "/models")
    assert json.loads(listed) == {"data": [{"id": MARK}]}


async def test_a_key_that_is_cut_by_a_call_or_by_thinking_is_masked_all_the_same():
    masked = MaskedReply(Echoes([KEY], "configured-key"))
    deltas = [TextDelta(KEY[:2]), ThinkingDelta("hm"), TextDelta(KEY[2:9]), ThinkingDelta(KEY), TextDelta(KEY[9:] + "!")]
    shown = [item for delta in deltas for item in masked.shown(delta)] + list(masked.rest())
    assert said(shown, TextDelta) == f"{KEY[:2]}{MARK}!"
    assert said(shown, ThinkingDelta) == f"hm{MARK}"
    assert shown[:2] == [TextDelta(KEY[:2]), ThinkingDelta("hm")]


def reply_of(*blocks):
    return ModelReply(blocks, "end", Usage(), Route("p", "chat_completions", "m"))


def test_a_key_across_two_blocks_is_masked_and_reasoning_that_holds_one_loses_its_signature():
    masked = MaskedReply(Echoes([KEY], "configured-key"))
    blocks = (
        Thinking(f"a {KEY}", "signed", "p/m"), Text(KEY[:9]), Thinking("b", f"sealed {KEY}", "p/m"), Thinking("", KEY, "p/m"),
        Thinking("c", "signed", "p/m"), Text(f"{KEY[9:]}!"),
    )  # fmt: skip
    assert masked.whole(reply_of(*blocks)).blocks == (
        Thinking(f"a {MARK}", None, "p/m"), Text(MARK), Thinking("b", None, "p/m"), Thinking("c", "signed", "p/m"), Text("!"),
    )  # fmt: skip


def test_calls_whose_ids_hold_a_key_stay_two():
    masked = MaskedReply(Echoes([KEY], "configured-key"))
    blocks = masked.whole(reply_of(ToolCall(f"{KEY}1", KEY, "{}"), ToolCall(f"{KEY}2", "find", "{}"))).blocks
    assert len({block.call_id for block in blocks}) == 2
    assert [block.name for block in blocks] == [MARK, "find"]
    assert not leaks(*blocks)


NUMBER = "98765432109876"
ECHOES = Echoes([KEY, NUMBER], "configured-key")
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text() | st.sampled_from([KEY, int(NUMBER)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.just(KEY), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(JSON, st.booleans())
def test_masked_arguments_are_json_without_the_key(given_value, plain):
    written = json.dumps(given_value, ensure_ascii=plain)
    masked = masked_arguments(written, ECHOES)
    again = json.dumps(json.loads(masked))
    assert not ECHOES.find(again)
    holds = KEY in json.dumps(given_value) or NUMBER in json.dumps(given_value)
    assert holds or masked == written


@pytest.mark.parametrize(
    ("written", "masked"),
    [
        ('{"key": "' + KEY, '{"key": "' + MARK),
        (f"not json {KEY}", f"not json {MARK}"),
        ('{"a": NaN, "b": "' + KEY.replace("-", "\\u002d") + '"}', '{"a": NaN, "b": "' + MARK + '"}'),
        ('{"a": "' + KEY + '", "a": 1}', '{"a": 1}'),
        ('{"a": "\\ud800 ' + KEY + '"}', json.dumps({"a": f"\ud800 {MARK}"})),
        ("[" * 100_000 + KEY, "[" * 100_000 + MARK),
        ('{"a":  "b"}', '{"a":  "b"}'),
        ("", ""),
    ],
)
def test_arguments_that_are_garbled_or_hide_a_key(written, masked):
    assert masked_arguments(written, ECHOES) == masked


async def test_arguments_that_come_in_pieces_are_signs_of_life(wire_of, request_to):
    calls = (ToolCall("c", "find", json.dumps({"path": "x" * 100})),)
    for wire in WIRES:
        shown, _ = await play(wire, Stream(tuple(events(wire, Reply(calls=calls, piece_chars=4)))), wire_of, request_to)
        assert sum(isinstance(item, Alive) for item in shown) > 20
