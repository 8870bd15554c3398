"""Which lines are code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.fences import Fences, parts


def held(text):
    fences = Fences()
    return "".join("x" if fences.holds(line) else "." for line in text.split("\n"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```py\nb\n```\nc", ".xxx."),
        ("````\n```\n````\na", "xxx."),
        ("~~~\n```\n~~~\na", "xxx."),
        ("- a\n  ```\n  b\n  ```\nc", ".xxx."),
        ("> ```\n> a\n> ```\nb", "xxx."),
        ("```\nnever closed", "xx"),
        ("a ``` b\nc", ".."),
        ("```\na ```\n``` b\n```", "xxxx"),
    ],
)
def test_lines_of_code(text, expected):
    assert held(text) == expected


@given(st.lists(st.sampled_from(["```", "~~~~", "  ```py", "> ```", "a", "", "b ``` c", "``````"]), max_size=12).map("\n".join))
def test_pieces_make_the_text_and_agree_with_its_lines(text):
    pieces = list(parts(text))
    assert "".join(piece for piece, _ in pieces) == text
    marks = "".join(
        ("x" if is_code else ".") * len(piece.strip("\n").split("\n")) for piece, is_code in pieces if piece.strip("\n")
    )
    assert marks.count("x") <= len(held(text))
