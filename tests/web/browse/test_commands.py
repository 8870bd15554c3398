"""Commands read one by one: what is wrong with one costs that one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.browse import COMMANDS, Click, Find, Open, Screenshot, SearchQuery, Time
from limen.web.browse.commands import MOST_COMMANDS, BadCommand, read_commands


def read(length="short", **lists):
    return read_commands(lists, length)


def bad(commands):
    return [one.refusal.code.partition(".")[2] if isinstance(one, BadCommand) else None for one in commands]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({"open": [{"ref_id": "turn0search1", "lineno": 12}]}, [Open("turn0search1", 12)]),
        ({"open": {"ref_id": "x"}}, [Open("x")]),
        ({"open": "https://a.example/"}, [Open("https://a.example/")]),
        ({"open": ["https://a.example/", {"url": "u"}]}, [Open("https://a.example/"), Open("u")]),
        ({"open": [{"href": "h", "line": "3"}]}, [Open("h", 3)]),
        ({"find": '[{"ref_id": "x", "pattern": "p"}]'}, [Find("x", "p")]),
        ({"click": [{"ref_id": "x", "id": "3"}]}, [Click("x", 3)]),
        ({"screenshot": [{"ref_id": "x", "pageno": None}]}, [Screenshot("x")]),
        ({"time": ["+03:00"], "search_query": [{"q": "a", "unknown": 1}]}, [SearchQuery("a"), Time("+03:00")]),
        ({"open": None, "find": [], "click": ""}, []),
    ],
)  # fmt: skip
def test_what_is_meant_is_taken(lists, expected):
    assert read_commands(lists, "short") == expected


def test_a_bad_command_costs_itself():
    commands = read(open=[{"lineno": 3}, {"ref_id": "x"}, {"ref_id": 5}, None, [1]], click=[{"ref_id": "x", "id": "three"}])
    assert bad(commands) == ["invalid_command", None, *["invalid_command"] * 4]
    assert commands[0].given == '{"lineno": 3}'
    assert "ref_id" in commands[0].refusal.mend


@pytest.mark.parametrize(
    ("length", "lists", "expected"),
    [
        ("short", {"search_query": list("abcd")}, [None] * 3 + ["response_too_short"]),
        ("medium", {"search_query": list("abcde")}, [None] * 4 + ["too_many_queries"]),
        ("long", {"image_query": list("abc")}, [None] * 2 + ["too_many_image_queries"]),
        ("long", {"open": [f"https://a.example/{n}" for n in range(12)]}, [None] * 10 + ["too_many_commands"] * 2),
    ],
)
def test_limits_cost_what_is_over_them(length, lists, expected):
    assert bad(read_commands(lists, length)) == expected


def test_a_list_without_end_gets_one_answer_for_its_rest():
    commands = read(open=["x"] * 100_000)
    assert len(commands) == 2 * MOST_COMMANDS + 1
    assert commands[-1].given == "99,980 more commands"


def _nested(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)


_anything = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=10), _nested, max_leaves=8)


@given(st.dictionaries(st.sampled_from([kind.__struct_config__.tag for kind in COMMANDS]), _anything))
def test_whatever_comes_is_a_command_or_a_refusal(lists):
    for one in read_commands(lists, "short"):
        assert isinstance(one, (*COMMANDS, BadCommand))
