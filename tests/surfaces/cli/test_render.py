"""Calls in a few words, figures in one line, and text that no terminal may take for a command."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from surfaces.cli import scripted_runtime

from limen.core.event import Folded, ReplyDelta, ReplyFinished, ReplyRestarted, ToolFinished
from limen.core.exchange import Usage
from limen.core.message import ToolCall
from limen.core.route import Route
from limen.surfaces.cli.render import TurnView, describe
from limen.surfaces.cli.screen import Screen, spell
from limen.surfaces.cli.transcript import markdown

ROUTE = Route("lab", "chat_completions", "model")
CONTROL = {chr(code) for code in (*range(9), *range(11, 32), *range(0x7F, 0xA0))}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("web_search", '{"query": "cancel asyncio task", "limit": 8}', 'web_search "cancel asyncio task"'),
        ("web_extract", '{"urls": ["https://a.org/", "https://b.org/"]}', "web_extract https://a.org/ +1"),
        ("read_file", '{"path": "lib:1", "start_line": 40}', "read_file lib:1:40"),
        ("find", '{"path": "lib:1", "pattern": "x"}', "find lib:1 x"),
        ("noop", "", "noop"),
        ("noop", "{}", "noop"),
        ("odd", "[1, 2]", "odd [1, 2]"),
        ("broken", '{"query": "uncl', 'broken {"query": "uncl'),
        ("web", '{"open": [{"ref_id": "u"}, {"ref_id": "v"}], "click": [{"ref_id": "w", "id": 3}]}', "web open u +1 click w 3"),
        ("nested", '{"a": {"b": 1}, "c": [], "d": null}', "nested"),
        ("long", json.dumps({"q": "w " * 200}), None),
    ],
)
def test_a_call_in_a_few_words(name, arguments, expected):
    shown = describe(ToolCall("c", name, arguments))
    assert shown == expected if expected else len(shown) < 80


@given(st.text(), st.text())
def test_any_arguments_can_be_described(name, arguments):
    assert "\n" not in describe(ToolCall("c", "tool", arguments))


@given(st.text(), st.text())
def test_no_text_reaches_a_stream_raw(data, note):
    out, err = io.StringIO(), io.StringIO()
    screen = Screen(out, err)
    screen.line(data)
    screen.say(note)
    screen.paragraph(data, "  ")
    assert not CONTROL & set(out.getvalue() + err.getvalue())


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_says_what_it_was_given(value):
    out = io.StringIO()
    Screen(out, io.StringIO()).json(value)
    assert not (CONTROL | {"\x7f"}) & set(out.getvalue())
    assert json.loads(out.getvalue()) == value


@given(st.text())
def test_any_text_can_be_spelt_in_ascii(text):
    raw = io.BytesIO()
    written = "".join(char if ord(char) < 128 else spell(UnicodeEncodeError("ascii", char, 0, 1, "no"))[0] for char in text)
    raw.write(written.encode("ascii"))


@given(st.text(alphabet="`a\n"))
def test_a_result_cannot_end_its_own_fence(text):
    from_store = scripted_runtime.tool_block(text)
    (_, _, shown) = list(markdown(scripted_runtime.SESSION, [from_store], {}))
    fence = shown.split("\n")[2]
    assert set(fence) == {"`"}
    assert fence not in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("one_stream", [True, False])
def test_a_reply_that_begins_anew_begins_on_a_row_of_its_own_whatever_was_open(one_stream, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    view = TurnView(Screen(out, out if one_stream else Terminal(), colour=False), streaming=True)
    view.show(ReplyDelta("```\nThe first word of "))
    view.show(ReplyRestarted("it broke off", ROUTE))
    view.show(ReplyDelta("Anew, " + "word " * 20))
    view.show(ReplyFinished((), "end", Usage(1, 1), ROUTE, 1))
    shown = [row for row in out.getvalue().splitlines() if not row.startswith("↻")]
    assert shown[:2] == ["```", "The first word of"]
    assert shown[2].startswith("Anew, word")
    assert max(len(row) for row in shown) < 80
    assert one_stream == ("\n↻ starting over with " in out.getvalue())


@pytest.mark.parametrize(
    ("fold", "told"),
    [
        (Folded(3, 9, 4, 3, 1_200, 10, "room"), "↻ 3 earlier messages (1,200 tokens) left the window: it was full\n"),
        (Folded(3, 9, 4, 1, 0, 10, "loading"), "↻ 1 earlier message left the window: it does not hold the whole conversation\n"),
        (
            Folded(3, 9, 4, 3, 9, 10, "context.fold_at_tokens"),
            "↻ 3 earlier messages (9 tokens) left the window: context.fold_at_tokens\n",
        ),
        (Folded(3, 9, 4, 3, 9, 10), "↻ 3 earlier messages (9 tokens) left the window\n"),
    ],
)
def test_a_fold_says_in_words_why(fold, told):
    err = io.StringIO()
    TurnView(Screen(io.StringIO(), err, colour=False), streaming=False).show(fold)
    assert err.getvalue() == told


def test_a_call_whose_result_was_shortened_names_the_whole():
    err = io.StringIO()
    view = TurnView(Screen(io.StringIO(), err, colour=False), streaming=False)
    view.show(ToolFinished("c1", "run", False, 0.1, None, "ev_0123456789ab"))
    assert err.getvalue() == "⟶ run · shortened, whole: ev_0123456789ab\n"
