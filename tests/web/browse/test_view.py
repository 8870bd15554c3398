"""Windows of a view: numbered lines and numbered links, within their room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.ledger import Trust
from limen.core.refs import Ref
from limen.core.web import Link
from limen.web.browse.view import View, numbered_links, window

PAGE = "https://a.example/page"
NUMBERS = {
    "https://a.example/x": 1,
    "https://b.example/y_(z)": 2,
    "https://a.example/s p": 3,
    "https://a.example/a)b": 4,
    "https://a.example/é": 5,
    "mailto:x@a.example": 6,
}


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("see [it](https://a.example/x).", "see [it](1)."),
        ("[a](https://a.example/x) [b](https://b.example/y_(z))", "[a](1) [b](2 b.example)"),
        ("[a](<https://a.example/s p>)", "[a](3)"),
        ("[a](https://a.example/a\\)b)", "[a](4)"),
        ("[a](https://a.example/é)", "[a](5)"),
        ("[a](mailto:x@a.example)", "[a](6)"),
        ("[a](/x) [b](../x) [c](/other)", "[a](1) [b](1) [c](/other)"),
        ("[![p](https://a.example/i.png)](https://a.example/x)", "[![p](https://a.example/i.png)](1)"),
        ("no number for [a](https://c.example/) or `a[0](1)`", "no number for [a](https://c.example/) or `a[0](1)`"),
        ("[open](https://a.example/x", "[open](https://a.example/x"),
        ("[](https://a.example/x)](](", "[](1)](]("),
    ],
)
def test_links_show_their_numbers_and_foreign_hosts(line, shown):
    assert numbered_links(line, NUMBERS, PAGE) == shown


@given(st.text(alphabet="[]()<>\\ a1\n!", max_size=200))
def test_any_brackets_are_survived(line):
    assert isinstance(numbered_links(line, NUMBERS, PAGE), str)


def test_very_many_brackets_are_read_in_one_pass():
    for line in ("](" * 200_000, "](<" * 100_000, "[a](" + "(" * 200_000, "](" + "\\" * 200_000, "](" + "a" * 400_000):
        assert numbered_links(line, NUMBERS, PAGE) == line


def view(text, *links):
    return View(Ref("view", PAGE, PAGE, "Title", links=links), text, "web", Trust.WEB)


def test_a_window_ends_with_its_lines_or_its_characters():
    lined = view("\n".join(f"line {n}" for n in range(1, 101)))
    by_lines = window(lined, lined.lines(), 11, most_lines=10, most_chars=10_000)
    assert (by_lines.first, by_lines.last, by_lines.total, by_lines.next_line) == (11, 20, 100, 21)
    by_chars = window(lined, lined.lines(), 11, most_lines=10, most_chars=20)
    assert (by_chars.last, by_chars.cut) == (12, False)
    last = window(lined, lined.lines(), 95, most_lines=10, most_chars=1_000)
    assert (last.last, last.next_line) == (100, None)


def test_a_single_line_that_is_too_long_is_cut_and_that_is_said():
    long = view("x" * 5_000)
    shown = window(long, long.lines(), 1, most_lines=10, most_chars=100)
    assert (shown.cut, len(shown.shown[0]), len(shown.plain)) == (True, 100, 100)
    assert shown.next_char == 101


def test_a_long_line_is_read_to_its_end_from_character_to_character():
    text = "".join(f"{n}," for n in range(2_000))
    long = view(f"{text}\nlast")
    read, char = "", 1
    while char is not None:
        shown = window(long, long.lines(), 1, most_lines=1, most_chars=1_000, from_char=char)
        read, char = read + shown.shown[0], shown.next_char
    assert (read, shown.next_line) == (long.lines()[0], 2)


def test_only_the_first_line_begins_within():
    shown = window(view("abcdef\nghi"), view("abcdef\nghi").lines(), 1, most_lines=5, most_chars=100, from_char=4)
    assert (shown.shown, shown.next_char) == (("def", "ghi"), None)


def test_lines_are_numbered_and_empty_ones_left_out():
    some = view("a\n\n[b](https://a.example/x)", Link(7, "b", "https://a.example/x"))
    shown = window(some, some.lines(), 1, most_lines=10, most_chars=1_000)
    assert shown.numbered() == "1: a\n3: [b](7)"
    assert shown.plain == "a\n\nb"
    assert [link.n for link in shown.links(some)] == [7]
