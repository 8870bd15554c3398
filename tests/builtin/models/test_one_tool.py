"""The one tool `web` in the place of the single ones."""

import pytest
from builtin.models.talk import called, gave, request, user

from limen.builtin.models.conversation import Conversation
from limen.builtin.models.observed import FoundHit, FoundLines, Problem, Searched, Stretch
from limen.builtin.models.one_tool import commands_for
from limen.builtin.models.plan import Call, next_calls
from limen.core.untrusted import fence

TOOLS = ("web", "read_file", "find")


def seen(*entries, **asked):
    turn = Conversation(request([user("q"), called(("web", asked)), gave({"results": list(entries)})], TOOLS))
    return list(turn.seen)


def fenced(text):
    return fence(text, "abcd", "https://a.example/")


@pytest.mark.parametrize(
    ("name", "arguments", "commands"),
    [
        ("web_search", {"query": "a b", "limit": 8}, {"search_query": [{"q": "a b"}], "response_length": "medium"}),
        ("web_extract", {"urls": ["u", "v"]}, {"open": [{"ref_id": "u"}, {"ref_id": "v"}], "response_length": "long"}),
        (
            "read_file",
            {"path": "turn0search1", "start_line": 7, "lines": 9},
            {"open": [{"ref_id": "turn0search1", "lineno": 7}], "response_length": "medium"},
        ),
        ("find", {"ref": "turn0view1", "pattern": "p"}, {"find": [{"ref_id": "turn0view1", "pattern": "p"}]}),
        ("read_file", {"path": "lib:1", "start_line": 1, "lines": 9}, None),
        ("find", {"ref": "notes/turn0view1", "pattern": "p"}, None),
    ],
)
def test_calls_become_commands_where_they_can(name, arguments, commands):
    assert commands_for(name, arguments) == commands


def test_hits_are_opened_by_their_address_or_their_ref():
    content = (
        "turn0search0 [3] A title (2026)\nhttps://a.example/\nabout it\n\nturn0search1 Doc\nfile:///d.md\nline 12: two: kettles"
    )
    assert seen({"command": "search_query", "q": "x", "content": fenced(content)}) == [
        Searched("x", 2),
        FoundHit("https://a.example/", 1, "https://a.example/", "A title (2026)", "about it", None, 3),
        FoundHit("turn0search1", 2, "file:///d.md", "Doc", "two: kettles", 12, None),
    ]
    assert seen({"command": "search_query", "q": "x", "total": 0}) == [Searched("x", 0)]


def test_lines_are_put_back_where_they_stood():
    entry = {
        "command": "open", "ref_id": "turn0view0", "n": 2, "title": "T", "url": "https://a.example/", "next_line": 13,
        "content": fenced("9: # One\n11: see [two](3) and [three](4 b.example)\n12: 7: seven"),
    }  # fmt: skip
    assert seen(entry, open=[{"ref_id": "turn0search0"}]) == [
        Stretch("# One\n\nsee two and three\n7: seven", 2, "T", "https://a.example/", "turn0view0", "turn0search0", 9, 13)
    ]


def test_found_lines_and_refusals():
    found = {"command": "find", "ref_id": "turn0view0", "pattern": "p", "content": fenced("2- a\n3: b\n--\n7: c")}
    failed = {
        "command": "open",
        "ref_id": "x",
        "error": {"code": "policy.blocked", "gate": "policy", "reason": "No.", "mend": "m"},
    }
    assert seen(found, failed, open=[{"ref_id": "x"}]) == [
        FoundLines("turn0view0", "p", (3, 7)),
        Problem("web open x", "policy.blocked", "No.", "m"),
    ]


@pytest.mark.parametrize("text", ['{"results": 5}', "plain words", '{"error": {"code": "tool.off", "reason": "r"}}', "[]"])
def test_an_answer_of_another_shape_is_taken_as_any_tools(text):
    turn = Conversation(request([user("q"), called(("web", {})), gave(text)], TOOLS))
    assert isinstance(turn.seen[0], Stretch | Problem)


def test_it_searches_with_what_there_is():
    turn = Conversation(request([user("How long does green tea steep?")], TOOLS))
    assert {call.name for call in next_calls(turn)} == {"web"}
    assert next_calls(Conversation(request([user("How long does green tea steep?")], ("read_file",)))) == []
    named = Conversation(request([user("What does https://a.example/ say?")], TOOLS))
    assert next_calls(named)[0] == Call("web", {"open": [{"ref_id": "https://a.example/"}], "response_length": "long"})
