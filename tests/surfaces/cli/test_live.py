"""Text that grows above a prompt."""

import io

from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from limen.surfaces.cli.live import LiveText, row_end


def live(columns: int = 20) -> tuple[LiveText, io.StringIO]:
    terminal = io.StringIO()
    return LiveText(terminal, lambda: columns), terminal


def test_whole_rows_go_out_and_the_rest_waits():
    text, terminal = live()
    text.write("one\ntwo\nthr")
    text.write("ee")
    assert text.pending == "three"
    text.close_out()
    assert terminal.getvalue() == "one\ntwo\nthree\n"


def test_a_row_that_is_full_breaks_at_a_blank():
    text, terminal = live(21)
    text.write("aaaa bbbb cccc dddd eeee")
    assert text.pending == "eeee"
    text.close_out()
    assert terminal.getvalue() == "aaaa bbbb cccc dddd\neeee\n"


def test_coloured_text_is_not_broken():
    text, _ = live(20)
    text.write("\x1b[2m" + "a" * 60 + "\x1b[0m")
    assert text.pending.count("a") == 60


@given(st.text(alphabet="ab 語", max_size=200), st.integers(4, 30))
def test_rows_fit_and_nothing_but_blanks_is_lost(written, columns):
    text, terminal = live(columns)
    text.write(written)
    text.close_out()
    rows = terminal.getvalue().split("\n")
    assert all(sum(map(get_cwidth, row)) <= columns for row in rows)
    assert terminal.getvalue().replace("\n", "").replace(" ", "") == written.replace(" ", "")


@given(st.text(max_size=100), st.integers(1, 50))
def test_row_end_always_moves_on(text, columns):
    assert 0 <= row_end(text, columns) <= len(text)


def test_finished_rows_go_out_before_a_prompt_is_drawn():
    text, terminal = live()
    text.write("one\ntwo")
    text.settle()
    assert terminal.getvalue() == "one\n"
    assert text.pending == "two"
