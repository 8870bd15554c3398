"""Rows that a person reads: broken at words, in the terminal's columns, whatever they hold."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from limen.surfaces.cli.figures import counted, size
from limen.surfaces.cli.screen import Screen, rows_of

WORDS = st.lists(st.text("abc語🦊é", min_size=1, max_size=8), max_size=60)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def screen(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = Terminal()
    return Screen(out, out, colour=False), out


@given(WORDS, st.integers(16, 80))
def test_rows_have_room_and_lose_no_word(words, room):
    rows = rows_of(" ".join(words), room)
    assert rows
    assert all(cell_len(row) <= room for row in rows)
    assert " ".join(rows).split() == words


def test_a_sentence_goes_on_indented(monkeypatch):
    shown, out = screen(monkeypatch, 30)
    shown.say("! ", end="")
    shown.say("a sentence that is longer than a row", end=" ")
    shown.say("[code]")
    shown.say("the next one")
    assert out.getvalue() == "! a sentence that is longer\n  than a row [code]\nthe next one\n"


def test_a_sentence_behind_data_begins_a_row(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    out, err = Terminal(), Terminal()
    shown = Screen(out, err, colour=False)
    shown.say("something was said ", end="")
    shown.write("unfinished data")
    shown.say("a remark that nearly fills a")
    assert out.getvalue() == "unfinished data\n"
    assert err.getvalue() == "something was said \na remark that nearly fills a\n"


def test_what_hangs_keeps_its_column(monkeypatch):
    shown, out = screen(monkeypatch, 40)
    shown.write("label")
    shown.hanging("words that go on and on over several rows", 7)
    assert out.getvalue() == "label  words that go on and on over\n       several rows\n"


def test_a_pipe_gets_rows_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    out, err = io.StringIO(), io.StringIO()
    piped = Screen(out, err)
    piped.say("a sentence that is longer than a row")
    piped.hanging("and another one that is longer", 5)
    assert err.getvalue() == "a sentence that is longer than a row\n"
    assert out.getvalue() == "  and another one that is longer\n"


def test_figures():
    assert [counted(n, "turn") for n in (0, 1, 2_000)] == ["0 turns", "1 turn", "2,000 turns"]
    assert [size(n) for n in (1, 999, 1_500, 2_500_000, 3_000_000_000)] == ["1 byte", "999 bytes", "1.5 kB", "2.5 MB", "3.0 GB"]
