"""Over every wire and every way a conversation goes: a request starts with the bytes of the one before, whatever is marked."""

import json
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models.wire.test_bodies import SEALS, STEMS
from models.wire.test_chat_body import ORIGIN, TOOLS, any_text, ids, images, names, texts

from limen.core.exchange import ModelRequest
from limen.core.message import Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt, PromptPart
from limen.core.prompt_cache import PromptCache
from limen.core.route import Route
from limen.models.history import render
from limen.models.wire.bodies import encoded
from limen.models.wire.dialects import DIALECTS
from limen.testing.carried.prefix import canonical, marks

WIRES = sorted(DIALECTS)
QUIRKS = [
    "no_images", "alternate", "flat_content", "tool_images", "no_cache_marks", "cache_marks", "cache_key", "phases",
    "instructions", "replay_reasoning", "max_completion_tokens", "short_ids",
]  # fmt: skip
ISSUERS = ["p/m", "q/other", None]

said = st.lists(st.one_of(texts, images), min_size=1, max_size=2).map(tuple)
thoughts = st.builds(Thinking, any_text, st.sampled_from([None, *SEALS.values()]), st.sampled_from(ISSUERS))
calls = st.lists(st.builds(ToolCall, ids, names, st.sampled_from(["{}", '{"pattern": "x"}', "{bad"])), min_size=1, max_size=3)
given_back = st.lists(st.one_of(texts, images), max_size=2).map(tuple)
endings = st.sampled_from(["answered", "failed", "interrupted"])


@st.composite
def conversations(draw):
    """A conversation as the window has it, and after how many messages a request was sent."""
    history, asked = [], []
    for _ in range(draw(st.integers(1, 4))):
        history.append(Message("user", draw(said)))
        asked.append(len(history))
        for _ in range(draw(st.integers(0, 2))):
            called = draw(calls)
            history.append(Message("assistant", (draw(thoughts), draw(texts), *called)))
            results = tuple(ToolResult(call.call_id, draw(given_back), draw(st.booleans())) for call in called)
            history.append(Message("tool", results))
            if draw(st.booleans()):
                history.append(Message("user", (draw(texts),)))
            asked.append(len(history))
        ending = draw(endings)
        if ending != "failed":
            words = (draw(texts),) if ending == "interrupted" else (draw(thoughts), Text("An answer."))
            history.append(Message("assistant", words))
    return history, asked


def request_to(wire, history, quirks=frozenset(), kept_s=300.0, name="p"):
    route = Route(name, wire, "m", "http://127.0.0.1:1/v1", quirks=quirks, cache=PromptCache(kept_s=kept_s))
    tiers = [(PromptPart(Text(text), ORIGIN),) for text in ("Be kind.", "Be short.", "It is Monday.")]
    return ModelRequest(route, Prompt(*tiers), render(history, route).messages, TOOLS, cache_key="k" * 32)


def keeps_strings(quirks):
    """Where messages of one role are merged and texts are strings, a picture that joins one makes a list of it."""
    return not quirks >= {"alternate", "flat_content"} or "no_images" in quirks


def starts_with(after, before, quirks):
    """Two messages that are sent as one go on inside the last one: only its closing is another."""
    if "alternate" in quirks:
        before = before.rstrip(b'"]}')
    return after.startswith(before)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=150)
@given(conversations(), st.sets(st.sampled_from(QUIRKS)).map(frozenset).filter(keeps_strings))
def test_a_request_starts_with_the_one_before(wire, conversation, quirks):
    history, asked = conversation
    bodies = [encoded(request_to(wire, history[:length], quirks)) for length in asked]
    for before, after in pairwise(map(canonical, bodies)):
        assert starts_with(after, before, quirks)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=50)
@given(conversations(), st.sampled_from(WIRES))
def test_who_answered_in_between_takes_nothing_from_the_prefix(wire, conversation, other):
    """A to B and back: what A is sent then starts with what it was sent before, and every wire sets its own marks again."""
    history, asked = conversation
    between = encoded(request_to(other, history[: asked[0]], name="q"))
    first, third = (encoded(request_to(wire, history[:length])) for length in (asked[0], asked[-1]))
    assert canonical(third).startswith(canonical(first))
    assert marks(third) == marks(first) == (4 if wire == "anthropic_messages" else 0)
    assert marks(between) == (4 if other == "anthropic_messages" else 0)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kept_s", [300.0, 3_600.0])
@given(conversations(), st.sets(st.sampled_from(QUIRKS)).map(frozenset))
def test_marks_are_four_at_most_and_no_part_of_what_is_kept(wire, kept_s, conversation, quirks):
    history, _ = conversation
    marked, plain = quirks | {"cache_marks"}, (quirks - {"cache_marks", "cache_key"}) | {"no_cache_marks"}
    body = encoded(request_to(wire, history, marked - {"no_cache_marks"}, kept_s))
    assert marks(body) <= 4
    assert body.count(b'"ttl":"1h"') == (marks(body) if kept_s > 300 else 0)
    without = encoded(request_to(wire, history, plain, kept_s))
    assert marks(without) == 0
    assert canonical(body) == canonical(without)


def test_a_chat_is_marked_where_its_tiers_end_and_at_its_end():
    request = request_to("chat_completions", [Message("user", (Text("One."), Text("Two.")))], frozenset({"cache_marks"}))
    system, user = json.loads(encoded(request))["messages"]
    mark = {"type": "ephemeral"}
    assert [part.get("cache_control") for part in system["content"]] == [mark, mark, mark]
    assert [part.get("cache_control") for part in user["content"]] == [None, mark]


def test_an_empty_tier_has_no_mark_of_its_own():
    request = request_to("anthropic_messages", [Message("user", (Text("One."),))])
    parts = request.prompt.stable
    request = msgspec.structs.replace(request, prompt=Prompt(stable=parts, session=request.prompt.session))
    assert marks(encoded(request)) == 3
    assert Prompt().ends == frozenset()
    assert marks(encoded(msgspec.structs.replace(request, prompt=Prompt()))) == 1


@pytest.mark.parametrize("wire", ["chat_completions", "codex_responses"])
def test_a_key_goes_only_to_those_who_take_one(wire):
    history = [Message("user", (Text("One."),))]
    assert json.loads(encoded(request_to(wire, history, frozenset({"cache_key"}))))["prompt_cache_key"] == "k" * 32
    assert b"prompt_cache_key" not in encoded(request_to(wire, history))


@pytest.mark.parametrize("wire", WIRES)
def test_the_canonical_bytes_are_those_up_to_the_last_message(wire):
    request = request_to(wire, [Message("user", (Text('],"max_tokens":1,"cache_control":{"type":"ephemeral"}'),))], frozenset())
    assert canonical(encoded(request)) == canonical(STEMS[wire](request) + b'],"max_tokens":1}')
    with pytest.raises(ValueError, match="no body"):
        canonical(b"{}")
