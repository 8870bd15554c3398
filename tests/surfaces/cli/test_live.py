"""Text that grows above a prompt, and the history behind it."""

import io
import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from limen.surfaces.cli.history import PrivateHistory
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


def test_history_is_private_and_comes_latest_first(tmp_path):
    path = tmp_path / "history"
    history = PrivateHistory(path, 3)
    for line in ("one", "two\nlines", "naïve \ud800"):
        history.append_string(line)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(PrivateHistory(path, 2).load_history_strings()) == ["naïve \ud800", "two\nlines"]


def test_a_long_history_is_cut(tmp_path):
    path = tmp_path / "history"
    path.write_text("".join(json.dumps(f"line {n}") + "\n" for n in range(50)))
    assert next(iter(PrivateHistory(path, 10).load_history_strings())) == "line 49"
    assert len(path.read_text().splitlines()) == 10


@pytest.mark.parametrize("content", [b'\xff\xfe\n"ok"\n', b'{"a": 1}\n"ok"\nhalf "', b'\0\0\0\n"ok"'])
def test_a_damaged_history_gives_what_is_whole(tmp_path, content):
    path = tmp_path / "history"
    path.write_bytes(content)
    assert list(PrivateHistory(path, 10).load_history_strings()) == ["ok"]


def test_a_history_that_cannot_be_kept_costs_nothing_else(tmp_path):
    path = tmp_path / "history"
    path.mkdir()
    history = PrivateHistory(path, 10)
    history.append_string("one")
    assert history.get_strings() == ["one"]
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    PrivateHistory(link, 10).append_string("one")
    assert not (tmp_path / "elsewhere").exists()
