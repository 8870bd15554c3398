"""Line numbers: those of the text, and a way to every part of a line that no window could hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.browse.lines import FOLD_CHARS, Lines


@pytest.mark.parametrize(
    ("text", "expected"), [("", [""]), ("a", ["a"]), ("a\n", ["a"]), ("\n\n", ["", ""]), ("a\n\nb", ["a", "", "b"])]
)
def test_short_lines_are_the_texts_own(text, expected):
    assert list(Lines(text)) == expected
    assert Lines(text)[0:2] == expected[0:2]


def test_a_line_that_fits_no_window_counts_as_several():
    text = "first\n" + "word " * 10_000 + "\nlast"
    lines = Lines(text)
    assert max(map(len, lines)) <= FOLD_CHARS
    assert lines[0] == "first"
    assert lines[len(lines) - 1] == "last"
    assert all(piece.endswith(" ") for piece in lines[1 : len(lines) - 2])
    assert len(Lines(text, folds=False)) == 3


@given(st.lists(st.integers(min_value=0, max_value=3 * FOLD_CHARS), max_size=4), st.booleans(), st.sampled_from("x é"))
def test_from_any_line_on_the_text_is_as_it_was(sizes, folds, char):
    text = "\n".join(char * size for size in sizes)
    lines = Lines(text, folds=folds)
    whole = text.removesuffix("\n")
    assert lines.from_line(1) == whole
    assert "".join(lines) == whole.replace("\n", "")
    for number in range(1, len(lines) + 1):
        assert whole.endswith(lines.from_line(number))
        assert lines.from_line(number).startswith(lines[number - 1])
