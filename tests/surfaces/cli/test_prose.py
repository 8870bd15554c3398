"""Markdown on a terminal: what may change while it streams, and what never does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from limen.surfaces.cli.prose import Prose

MARKDOWN = st.text(alphabet=st.sampled_from("ab `*[]()>|-#./:x1\n語"), max_size=200)


def shown(text: str, columns: int = 40) -> str:
    prose = Prose(columns)
    return prose.feed(text) + prose.flush()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", "plain words"),
        ("[`a.b`](file:///x.html#a.b), then", "`a.b`, then"),
        ("see [two words](https://a.org/x).", "see two words."),
        ("as [1] says", "as [1] says"),
        ("`d[0](x)` and a[0](x)", "`d[0](x)` and a[0](x)"),
        ("`[x](/y)`", "`[x](/y)`"),
        ("[https://bank.org](https://evil.org)", "[https://bank.org](https://evil.org)"),
        ("[open", "[open"),
        ("```\n[x](/y)\n```\n[x](/y)", "```\n[x](/y)\n```\nx"),
        ("| a | [x](/y) |", "| a | [x](/y) |"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("    indented", "    indented"),
    ],
)
def test_short_lines(text, expected):
    assert shown(text) == expected


def test_long_lines_go_on_under_what_they_began_with():
    words = "aaaa bbbb cccc dddd eeee ffff"
    assert shown(words, 20) == "aaaa bbbb cccc dddd\neeee ffff"
    assert shown(f"> {words}", 20) == "> aaaa bbbb cccc\n> dddd eeee ffff"
    assert shown(f"> > {words}", 20) == "> > aaaa bbbb cccc\n> > dddd eeee ffff"
    assert shown(f"- {words}", 20) == "- aaaa bbbb cccc\n  dddd eeee ffff"
    assert shown(f"12. {words}", 20) == "12. aaaa bbbb cccc\n    dddd eeee ffff"


def test_code_and_tables_are_never_wrapped():
    line = "word " * 20
    for text in (f"```\n{line}x\n```", f"> ```py\n> {line}x\n> ```", f"| {line}|"):
        assert shown(text, 20) == text


def test_words_come_as_soon_as_they_are_whole():
    prose = Prose(40)
    assert prose.feed("one tw") == "one"
    assert prose.feed("o three ") == " two three"
    assert prose.feed("[lab") == ""
    assert prose.feed("el](htt") == ""
    assert prose.feed("ps://a.org/) x") == " label"
    assert prose.flush() == " x"


@given(MARKDOWN, st.lists(st.integers(1, 7), max_size=60), st.integers(20, 60))
def test_chunks_make_no_difference(text, sizes, columns):
    prose, rest, parts = Prose(columns), text, []
    for size in sizes:
        parts.append(prose.feed(rest[:size]))
        rest = rest[size:]
    parts += [prose.feed(rest), prose.flush()]
    assert "".join(parts) == shown(text, columns)


@given(st.text(alphabet=st.sampled_from("ab >-.1`\n語"), max_size=300), st.integers(20, 60))
def test_no_word_is_lost_or_added(text, columns):
    assert re.sub(r"[\s>]", "", shown(text, columns)) == re.sub(r"[\s>]", "", text)


@given(st.lists(st.text(alphabet="ab語", min_size=1, max_size=8), max_size=60), st.integers(20, 60))
def test_no_row_is_wider_than_the_terminal(words, columns):
    assert all(cell_len(row) <= columns for row in shown(" ".join(words), columns).split("\n"))


def test_a_huge_text_takes_linear_work():
    text = "[a" * 100_000 + "word " * 200_000
    assert len(shown(text)) >= len(text) - 200_000


def test_a_row_ended_from_outside_is_begun_anew():
    prose = Prose(20)
    shown = prose.feed("one two three ")
    prose.break_row()
    shown = prose.feed("four five six seven eight ")
    assert shown == "four five six seven\neight"


def test_a_break_between_rows_keeps_the_next_one_as_it_is():
    prose = Prose(40)
    prose.feed("```\ndef f():\n    ")
    prose.break_row()
    assert prose.feed("return 1\n") == "    return 1\n"


def test_another_width_holds_from_the_next_word_on():
    prose = Prose(40)
    first = prose.feed("one two three four five ")
    prose.resize(20)
    assert first == "one two three four five"
    assert prose.feed("six seven eight nine ") == "\nsix seven eight nine"
