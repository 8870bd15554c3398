"""Numbers as they are written for an argument."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.tools.number import number_of


@pytest.mark.parametrize(("value", "number"), [(7, 7), (-3, -3), (7.5, 7.5), ("7", 7), (" 1e3 ", 1_000), (10**400, 10**400)])
def test_numbers_and_texts_that_say_one(value, number):
    assert number_of(value) == number


@pytest.mark.parametrize("value", [None, True, False, "", "a few", "nan", "-inf", "1e999", math.nan, math.inf, [7], b"7"])
def test_everything_else_is_none(value):
    assert number_of(value) is None


@given(st.text() | st.floats() | st.integers())
def test_what_is_read_can_be_made_whole(value):
    number = number_of(value)
    assert number is None or isinstance(int(number), int)
