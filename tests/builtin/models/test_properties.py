"""What holds for the extractive model whatever tools say: verbatim, bounded, repeatable, never raising."""

import json
from itertools import pairwise

import anyio
import pytest
from builtin.models.talk import ask, called, file, gave, hits, page, user
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limen.builtin.models.observed import observe
from limen.core.message import Message, Text, ToolCall, ToolResult, text_of

QUESTION = "How do I cancel an asyncio task?"
NAMES = ("web_search", "web_extract", "read_file", "find", "wiki")

words = st.sampled_from(
    ["cancel", "task", "asyncio", "the", "shield", "a.b", "`x`", "[l](u)", "取消", "done.", "**t**", "⟦untrusted"]
)
lines = st.lists(words, max_size=8).map(" ".join)
marks = st.sampled_from(["", "# H", "## Cancel", "- item cancel", "  deep task", "```", "```py", "| a |", "> q", "\t"])
contents = st.lists(lines | marks, max_size=40).map("\n".join)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["results", "error", "matches", "content", "n", "ref", "url", "line", "source", "next_line", "code"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
results = st.text(max_size=200) | json_values.map(json.dumps)


def reply_to(*messages, **options):
    async def run():
        return await ask(*messages, **options)

    return anyio.run(run)


def squeezed(text):
    return " ".join(text.split())


@settings(deadline=None)
@given(contents, contents, st.integers(1, 500))
@example("- item cancel\n\n  deep task\n```\ncancel", "  deep task asyncio\ncancel", 3)
def test_every_quoted_line_stands_in_what_was_read(one, other, start):
    turn = (user(QUESTION), called(("read_file", {}), ("web_extract", {})))
    answer = text_of(reply_to(*turn, gave(file(one, start=start), {"results": [page(other, n=2)]}), may_call=False).blocks)
    block = []
    for line in [*answer.split("\n"), ""]:
        if line.startswith(">"):
            block.append(line.removeprefix(">").removeprefix(" "))
        elif block:
            quotation = squeezed("\n".join(block))
            assert quotation in squeezed(one) or quotation in squeezed(other)
            block = []


@settings(deadline=None)
@given(contents, st.integers(1, 500))
@example("# H\n\nthe\n\n  deep task\ncancel asyncio", 7)
@example("\ncancel\n```", 2)
def test_a_citation_names_the_line_its_quotation_begins_on(content, start):
    answer = text_of(reply_to(user(QUESTION), called(("read_file", {})), gave(file(content, start=start)), may_call=False).blocks)
    source = content.split("\n")
    paragraphs = answer.split("\n\n— [1] line ")
    for before, after in pairwise(paragraphs):
        number = int(after.split(",")[0].split("\n")[0])
        quoted = before[before.rindex("\n\n> ") + 2 :] if "\n\n> " in before else before
        first = quoted.split("\n")[0].removeprefix(">").strip()
        assert first in source[number - start]


@settings(deadline=None)
@given(st.text(max_size=200), st.lists(st.tuples(st.sampled_from(NAMES), results), min_size=1, max_size=4), st.booleans())
def test_it_never_raises_and_repeats_itself(question, said, is_error):
    turn = (
        user(question),
        called(*((name, {"path": "x"}) for name, _ in said)),
        gave(*(text for _, text in said), is_error=is_error),
    )
    assert reply_to(*turn) == reply_to(*turn)


@given(st.sampled_from(NAMES), results, st.text(max_size=30))
def test_any_result_is_observed(name, text, arguments):
    result = ToolResult("call_1", (Text(text),))
    assert isinstance(observe(ToolCall("call_1", name, arguments), result), list)
    assert observe(None, result) == observe(None, result)


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_a_turn_ends_within_four_rounds_of_at_most_six_calls(data):
    turn = [user(data.draw(st.sampled_from([QUESTION, "undo https://docs.example/a", "and it?", "read lib:3 about tasks"])))]
    for _round in range(5):
        reply = reply_to(*turn)
        if not reply.tool_calls:
            break
        assert 1 <= len(reply.tool_calls) <= 6
        turn.append(Message("assistant", reply.blocks))
        turn.append(Message("tool", tuple(ToolResult(call.call_id, (Text(_result(call, data)),)) for call in reply.tool_calls)))
    assert reply.complete


def _result(call, data):
    content = data.draw(contents)
    match call.name:
        case "web_search":
            number = data.draw(st.integers(1, 4))
            url = f"https://docs.example/{number}"
            hit = data.draw(st.sampled_from([{"ref": f"lib:{number}", "line": 40}, {"ref": url, "url": url}]))
            return json.dumps(hits(hit))
        case "web_extract":
            return json.dumps({"results": [page(content, stored_path="/p.md", next_line=9)]})
        case "find":
            return json.dumps({"ref": "/p.md", "matches": [{"line": data.draw(st.integers(1, 99))}]})
        case _:
            return json.dumps(file(content, ref=json.loads(call.arguments)["path"], next_line=100))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"results":' * 10_000, "\ud800", '{"results": [{"line": 1e99}]}', '{"content": "' + "x" * 2_000_000]
)
def test_hostile_results_are_text(text):
    turn = (user(QUESTION), called(*((name, {}) for name in NAMES)), gave(*(text for _ in NAMES)))
    assert reply_to(*turn).blocks
