"""Tables: fitted to a terminal, tab-separated for a pipe."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table

COLUMNS = (Column("n", "right"), Column("what", gives_way=True), Column("where", gives_way=True))
CELLS = st.text(alphabet="ab語é \t\n\x1b", max_size=80)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def drawn(rows, monkeypatch=None, *, terminal=True):
    out = Terminal() if terminal else io.StringIO()
    show_table(Screen(out, io.StringIO(), colour=False), COLUMNS, rows)
    return out.getvalue().splitlines()


def test_columns_are_aligned():
    assert drawn([["1", "a", "x"], ["22", "bbb", "y"]]) == [" n  what  where", " 1  a     x", "22  bbb   y"]


def test_a_column_without_content_is_left_out():
    assert drawn([["1", "", "x"]]) == ["n  where", "1  x"]


def test_a_pipe_gets_everything_between_tabs():
    long = "w" * 500
    assert drawn([["1", long, "a\tb\nc"]], terminal=False) == ["n\twhat\twhere", f"1\t{long}\ta b c"]


def test_what_is_shortened_keeps_its_two_ends(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    (_, row) = drawn([["1", "https://example.org/a/long/path/to/page.html", "z"]])
    assert row.startswith("1  https://")
    assert "…" in row
    assert "page.html  z" in row


@given(st.lists(st.tuples(st.integers(0, 999).map(str), CELLS, CELLS), max_size=5))
def test_no_row_is_wider_than_the_terminal(rows):
    assert all(cell_len(line) <= 100 for line in drawn(rows))
    assert not any("\x1b" in line for line in drawn(rows))
