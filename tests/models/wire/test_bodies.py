"""Over every wire: what is sent can be split again into the very leaves it was made of, and begins with what was sent before."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.wire.test_chat_body import ORIGIN, TOOLS, leaves_of, messages

from limen.core.exchange import ModelRequest
from limen.core.message import Image, Message, Text, Thinking, ToolCall, ToolResult, digest, message_leaves
from limen.core.prompt import Prompt, PromptPart
from limen.core.route import Route
from limen.models.history import render
from limen.models.wire import chat_body, messages_body, responses_body
from limen.models.wire.dialects import DIALECTS
from limen.testing.carried.wires import SPLITS

WIRES = sorted(DIALECTS)
STEMS = {"chat_completions": chat_body.stem, "anthropic_messages": messages_body.stem, "codex_responses": responses_body.stem}
SEALS = {
    "chat_completions": "call:c2lnbmVk", "anthropic_messages": "c2lnbmVk",
    "codex_responses": '{"id":"rs_1","encrypted_content":"abc"}',
}  # fmt: skip
histories = st.lists(messages, max_size=8)


def signed(history, wire):
    """The same history, whose own thoughts are signed."""
    return [
        Message(
            message.role,
            tuple(
                msgspec.structs.replace(block, signature=SEALS[wire])
                if isinstance(block, Thinking) and block.issuer == "p/m" and wire != "chat_completions"
                else block
                for block in message.blocks
            ),
        )
        for message in history
    ]


def request_of(wire, history, quirks=frozenset()):
    route = Route("p", wire, "m", "http://127.0.0.1:1/v1", quirks=quirks)
    parts = tuple(PromptPart(Text(text), ORIGIN) for text in ("Be kind.", "Be short."))
    rendered = render(history, route)
    return ModelRequest(route, Prompt(stable=parts[:1], session=parts[1:]), rendered.messages, TOOLS), rendered


@pytest.mark.parametrize("wire", WIRES)
@given(histories, st.sets(st.sampled_from(["no_images", "alternate", "tool_images", "no_cache_marks", "phases"])).map(frozenset))
def test_bytes_split_into_the_leaves_they_carry(wire, history, quirks):
    request, rendered = request_of(wire, signed(history, wire), quirks)
    body = DIALECTS[wire].encode(request)
    assert body == DIALECTS[wire].encode(request_of(wire, signed(history, wire), quirks)[0])
    carried = SPLITS[wire](body)
    assert [digest(leaf) for leaf in carried.leaves] == [digest(leaf) for leaf in leaves_of(request)]
    assert carried.tools == TOOLS
    before = sorted(digest(leaf) for message in history for leaf in message_leaves(message))
    after = sorted(digest(leaf) for message in rendered.messages for leaf in message_leaves(message))
    put_in, left_out = (sorted(digest(leaf) for leaf in leaves) for leaves in (rendered.put_in, rendered.left_out))
    assert sorted(before + put_in) == sorted(after + left_out)


@given(histories)
def test_messages_are_in_an_order_that_anthropic_takes(history):
    request, _ = request_of("anthropic_messages", signed(history, "anthropic_messages"))
    sent = json.loads(messages_body.encode(request))["messages"]
    assert not sent or sent[0]["role"] == "user"
    waiting = []
    for message in sent:
        assert message["content"]
        answered = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        assert answered == waiting
        waiting = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        assert all(isinstance(block["input"], dict) for block in message["content"] if block["type"] == "tool_use")
        inner = [leaf for block in message["content"] for leaf in (block, *block.get("content", ()))]
        assert all(leaf["text"].strip() for leaf in inner if leaf["type"] == "text")
    assert waiting == []


@pytest.mark.parametrize("wire", WIRES)
def test_each_request_starts_with_the_one_before(wire):
    history = [
        Message("user", (Text("Where?"),)),
        Message(
            "assistant", (Thinking("hm", SEALS[wire], "p/m"), Text("Let me see."), ToolCall("c1", "find", '{"pattern":  "x"}'))
        ),
        Message("tool", (ToolResult("c1", (Text("line 3"),)),)),
        Message("assistant", (Text("In line 3."),)),
        Message("user", (Text("Thanks."),)),
    ]
    stems = [STEMS[wire](request_of(wire, history[:length])[0]) for length in (1, 3, 5)]
    assert stems[1].startswith(stems[0])
    assert stems[2].startswith(stems[1])
    words = msgspec.structs.replace(request_of(wire, history)[0], may_call=False)
    assert STEMS[wire](words) == stems[2]
    assert "none" in str(json.loads(DIALECTS[wire].encode(words))["tool_choice"])


@pytest.mark.parametrize("wire", ["anthropic_messages", "codex_responses"])
def test_what_was_thought_said_and_called_keeps_its_place(wire):
    blocks = (
        Thinking("a", SEALS[wire], "p/m"), Text("b"), ToolCall("c1", "find", "{}"), Thinking("d", SEALS[wire], "p/m"),
        ToolCall("c2", "find", "{}"),
    )  # fmt: skip
    request, _ = request_of(wire, [Message("user", (Text("x"),)), Message("assistant", blocks)])
    said = SPLITS[wire](DIALECTS[wire].encode(request)).leaves[3:8]
    assert [digest(leaf) for leaf in said] == [digest(block) for block in blocks]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("signed_for", [*WIRES, None])
@pytest.mark.parametrize("issuer", ["p/other", "q/m", "p/m", None])
def test_a_thought_goes_to_its_issuer_alone_and_over_its_own_protocol(wire, signed_for, issuer):
    if (issuer, signed_for) == ("p/m", wire) and wire != "chat_completions":
        return
    thought = Thinking("mine", SEALS.get(signed_for), issuer)
    request, rendered = request_of(wire, [Message("user", (Text("a"),)), Message("assistant", (thought, Text("b")))])
    assert b"mine" not in DIALECTS[wire].encode(request)
    assert [leaf.text for leaf in rendered.left_out] == ["mine"]


@pytest.mark.parametrize("wire", WIRES)
def test_a_picture_no_model_can_see_is_told_in_words(wire):
    request, rendered = request_of(wire, [Message("user", (Image("image/svg+xml", b"<svg/>", "a plan"),))])
    assert b"[picture: a plan]" in DIALECTS[wire].encode(request)
    assert len(rendered.left_out) == 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 3, "input": 3}', b"\xff"])
def test_a_foreign_body_is_no_request_of_ours(wire, body):
    with pytest.raises(ValueError, match=r"."):
        SPLITS[wire](body)


@pytest.mark.parametrize("wire", WIRES)
def test_half_a_character_is_sent_as_none(wire):
    """Servers refuse the whole request over it, also where JSON could spell it."""
    history = [Message("user", (Text("a\ud800b"),)), Message("assistant", (ToolCall("c", "find", '{"x": "\udfff"}'),))]
    body = DIALECTS[wire].encode(request_of(wire, history)[0])
    assert b"\\ud" not in body.lower()
    assert "a\ufffdb".encode() in body
