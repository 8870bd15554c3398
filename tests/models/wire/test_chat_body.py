"""What is sent can be split again into the very leaves it was made of, and each request starts with the one before."""

import json
import re

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from limen.core.exchange import ModelRequest
from limen.core.ledger import Origin, Trust
from limen.core.message import Image, Message, Text, Thinking, ToolCall, ToolResult, digest, message_leaves
from limen.core.prompt import Prompt, PromptPart
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.models.history import render
from limen.models.wire.arguments import unwrap, wrap
from limen.models.wire.chat_body import encode, stem
from limen.testing.carried.chat import split

ORIGIN = Origin("identity", "test", Trust.OPERATOR)
TOOLS = (ToolSchema("find", "Find.", {"type": "object", "properties": {"pattern": {"type": "string"}}}),)

# Lone surrogates are among them; two that would make a pair are not, since JSON reads those as the character they mean.
PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
any_text = st.text(st.characters(), max_size=30).filter(lambda text: not PAIR.search(text))
texts = st.builds(Text, any_text)
images = st.builds(Image, st.sampled_from(["image/png", "image/jpeg"]), st.binary(max_size=20), any_text)
names = st.sampled_from(["find", "web_search", "mcp:files/read file", ""])
ids = st.one_of(st.sampled_from(["a", "b", "call_1"]), any_text)
calls = st.builds(ToolCall, ids, names, st.one_of(st.sampled_from(["{}", '{"pattern": "x"}', "{bad", ""]), any_text))
issuers = st.sampled_from(["p/m", "other/model", None])
thinking = st.one_of(
    st.builds(Thinking, any_text, st.none(), issuers), st.builds(Thinking, st.just(""), st.just("call:c2lnbmVk"), issuers)
)
results = st.builds(ToolResult, ids, st.lists(st.one_of(texts, images), max_size=3).map(tuple), st.booleans())
messages = st.one_of(
    st.builds(Message, st.just("user"), st.lists(st.one_of(texts, images), min_size=1, max_size=3).map(tuple)),
    st.builds(Message, st.just("assistant"), st.lists(st.one_of(texts, thinking, calls), min_size=1, max_size=4).map(tuple)),
    st.builds(Message, st.just("tool"), st.lists(results, min_size=1, max_size=3).map(tuple)),
)
quirk_sets = st.sets(
    st.sampled_from(
        [
            "flat_content",
            "replay_reasoning",
            "tool_images",
            "no_images",
            "alternate",
            "short_ids",
            "thought_signatures",
            "max_completion_tokens",
        ]
    )
).map(frozenset)


def request_of(history, quirks=frozenset(), prompt=("Be kind.", "Be short.")):
    route = Route("p", "chat_completions", "m", "http://127.0.0.1:1/v1", quirks=quirks)
    parts = tuple(PromptPart(Text(text), ORIGIN) for text in prompt)
    return ModelRequest(route, Prompt(stable=parts), tuple(history), TOOLS)


def rendered(request):
    result = render(request.messages, request.route)
    return msgspec.structs.replace(request, messages=result.messages), result


def leaves_of(request):
    return [part.block for part in request.prompt.parts] + [leaf for m in request.messages for leaf in message_leaves(m)]


@given(st.lists(messages, max_size=8), quirk_sets)
def test_bytes_split_into_the_leaves_they_carry(history, quirks):
    request, _ = rendered(request_of(history, quirks))
    body = encode(request)
    assert body == encode(request)
    json.loads(body)
    wanted = leaves_of(request)
    carried = split(body, [len(leaf.text) if isinstance(leaf, Text | Thinking) else 1 for leaf in wanted])
    assert [digest(leaf) for leaf in carried.leaves] == [digest(leaf) for leaf in wanted]
    assert carried.tools == TOOLS


@given(st.lists(messages, max_size=8), quirk_sets)
def test_rendering_loses_and_adds_nothing_unsaid(history, quirks):
    request = request_of(history, quirks)
    _, result = rendered(request)
    before = sorted(digest(leaf) for message in history for leaf in message_leaves(message))
    after = sorted(digest(leaf) for message in result.messages for leaf in message_leaves(message))
    put_in = sorted(digest(leaf) for leaf in result.put_in)
    left_out = sorted(digest(leaf) for leaf in result.left_out)
    assert sorted(before + put_in) == sorted(after + left_out)


@given(st.lists(messages, max_size=8), quirk_sets)
def test_rendering_is_in_an_order_that_servers_take(history, quirks):
    result = render(history, Route("p", "chat_completions", "m", quirks=quirks))
    open_calls, made = [], []
    for message in result.messages:
        if message.role == "tool":
            assert [block.call_id for block in message.blocks] == open_calls
            open_calls = []
            continue
        assert open_calls == []
        if message.role == "assistant":
            open_calls = [block.call_id for block in message.blocks if isinstance(block, ToolCall)]
            made += open_calls
    assert open_calls == []
    assert len(made) == len(set(made))
    assert all(call_id.isascii() and 0 < len(call_id) <= 64 for call_id in made)


def test_each_request_starts_with_the_one_before():
    history = [
        Message("user", (Text("Where?"),)),
        Message("assistant", (Text("Let me see."), ToolCall("c1", "find", '{"pattern": "x"}'))),
        Message("tool", (ToolResult("c1", (Text("line 3"),)),)),
        Message("assistant", (Text("In line 3."),)),
        Message("user", (Text("Thanks."),)),
    ]
    sent = [1, 3, 5]
    stems = [stem(rendered(request_of(history[:length]))[0]) for length in sent]
    assert stems[1].startswith(stems[0])
    assert stems[2].startswith(stems[1])


def test_without_sizes_a_joined_string_is_one_leaf_and_with_wrong_sizes_it_is_refused():
    body = encode(request_of([Message("user", (Text("a"),))], frozenset({"flat_content"})))
    assert [leaf.text for leaf in split(body).leaves] == ["Be kind.\n\nBe short.", "a"]
    for sizes in ([8, 9], [8, 8, 1], [8, 9, 2], [400]):
        with pytest.raises(ValueError, match=r"sizes|announced"):
            split(body, sizes)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 3}', b'{"messages": [{"role": "user"}]}', b"\xff"])
def test_a_foreign_body_is_no_request_of_ours(body):
    with pytest.raises(ValueError, match=r"."):
        split(body)


def test_framing_is_what_is_left():
    request = request_of([Message("user", (Text("abc"),))])
    carried = split(encode(request))
    assert carried.framing_bytes == len(encode(request)) - len("Be kind.Be short.abc") - len(msgspec.json.encode(TOOLS[0]))


def test_a_request_for_words_only_keeps_its_tools_and_its_stem():
    request = request_of([Message("user", (Text("abc"),))])
    words = msgspec.structs.replace(request, may_call=False)
    assert json.loads(encode(words))["tool_choice"] == "none"
    assert stem(words) == stem(request)


@example("\x1f\ud800")
@example('{"_unparsed_arguments": "\\ud800"}')
@given(st.one_of(st.sampled_from(["{}", "null", "[]", "NaN", '{"a": NaN}', '{"_unparsed_arguments": "x"}']), any_text))
def test_arguments_travel_as_an_object_and_come_back(arguments):
    travelling = wrap(arguments)
    assert isinstance(json.loads(travelling, parse_constant=lambda _: pytest.fail("no JSON")), dict)
    assert unwrap(travelling) == arguments


def test_good_arguments_are_not_touched():
    assert wrap('{"pattern":  "x"}') == '{"pattern":  "x"}'
    assert wrap('{"half": "\\ud800"}') != '{"half": "\\ud800"}'
