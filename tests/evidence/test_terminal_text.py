"""What a terminal would have shown, line by line."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.terminal_text import resolved_lines

CODES = (
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[K",
    "\x1b[2K",
    "\x1b[1K",
    "\r",
    "\b",
    "\x1b]0;title\x07",
    "\x1b[8m",
    "\x1b[5G",
    "\x1b[3D",
    "\x00",
    "\x1b",
)
PIECES = st.lists(st.one_of(st.sampled_from((*CODES, "\n", "\r\n")), st.text(max_size=8)), max_size=40).map("".join)


def lines(text):
    return list(resolved_lines((text,)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("----\rHello\x1b[K\n", "Hello"),
        ("--------\rHello\x1b[K\n", "Hello"),
        ("--------\rHello\x1b[8m\n", "Hello---"),
        ("10 %\r50 %\r100 %\n", "100 %"),
        ("abc\b\bX\n", "aXc"),
        ("a\x1b[31mred\x1b[0m b", "ared b"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("windows\r\n", "windows"),
        ("twice\r\r\n", "twice"),
        ("a\x00b", "ab"),
        ("old text\x1b[2K\rnew", "new"),
        ("\x1b[5Gx", "    x"),
        ("tab\tstays", "tab\tstays"),
        ("half \udcff", "half \udcff"),
        ("\x1b]0;never ended error: disk full\n", "]0;never ended error: disk full"),
        ("\x1b[9999999Cx", " " * 512 + "x"),
        ("\x1b[" + "9" * 5_000 + "Cx", " x"),
        ("cut \x1b[", "cut ["),
        ("\x1bP1;2|data\x1b\\text", "text"),
        ("\x1b(B\x1b)0plain\x0e\x0f", "plain"),
        ("\x1b[38;5;196;1mcolour\x1b[m", "colour"),
        ("\x9b31mC1", "31mC1"),
        ("\r\r\r", ""),
        ("\b\b\bx", "x"),
        ("12345\b\b\x1b[K!", "123!"),
        ("\ufffd\udc80\udcfe", "\ufffd\udc80\udcfe"),
    ],
)
def test_a_line_is_what_the_terminal_shows(text, shown):
    assert lines(text) == [shown]


def test_a_spinner_of_many_frames_is_its_last_one():
    frames = "".join(f"\x1b[?25l\r\x1b[K{'|/-'[frame % 3]} building {frame}" for frame in range(300))
    assert lines(f"{frames}\r\x1b[Kdone\n\x1b[?25h") == ["done", ""]


def test_lines_are_ended_by_newlines_and_by_nothing_else():
    assert lines("a\x0bb\x0cc\x85d\u2028e\nf") == ["abcd\u2028e", "f"]
    assert lines("") == []
    assert lines("\n\n") == ["", ""]


def test_progress_without_an_end_takes_little_memory():
    frame = "x" * 1_000 + "\r"
    shown = list(resolved_lines(frame * 64 for _ in range(64)))
    assert shown == ["x" * 1_000]


def test_an_endless_line_takes_the_memory_of_its_beginning():
    (line,) = resolved_lines("abcdefghij" * 10_000 for _ in range(200))
    assert len(line) <= (1 << 20) + 100_000
    assert line.startswith("abcdefghij" * 100_000)


def test_lines_behind_an_endless_one_keep_their_numbers():
    pieces = ["first\n", *["x" * 100_000] * 30, "\nthird\r\n", "fourth"]
    assert [line[:6] for line in resolved_lines(pieces)] == ["first", "xxxxxx", "third", "fourth"]


@given(PIECES)
def test_no_control_character_is_left_and_no_line_is_lost(text):
    shown = lines(text)
    assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", "".join(shown))
    assert len(shown) in (text.count("\n"), text.count("\n") + 1)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc"], include_characters="\n\t")))
def test_plain_text_is_its_lines(text):
    assert lines(text) == (text.removesuffix("\n").split("\n") if text else [])


@given(PIECES, st.lists(st.integers(0, 200), max_size=6))
def test_where_the_pieces_are_cut_changes_nothing(text, cuts):
    marks = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(marks)]
    assert list(resolved_lines(pieces)) == lines(text)
