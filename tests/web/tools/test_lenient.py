"""What models write for an argument: taken as meant, never a crash, and said where it was taken otherwise."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.tools.lenient import Lenient

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("value", "number", "noticed"),
    [
        (7, 7, False), ("7", 7, False), (" 7 ", 7, False), (7.0, 7, False), ("7.0", 7, False), ("1e2", 100, False),
        (7.9, 7, True), ("7.9", 7, True), (-2.5, -2, True),
        (None, 5, True), (True, 5, True), (False, 5, True), ("", 5, True), ("seven", 5, True), ([7], 5, True), ({}, 5, True),
        (math.nan, 5, True), ("NaN", 5, True), (math.inf, 5, True), ("-Infinity", 5, True), ("9" * 400, 5, True),
    ],
)  # fmt: skip
def test_a_number_is_read_as_one(value, number, noticed):
    read = Lenient()
    assert read.whole("limit", value, 5) == number
    assert bool(read.notices) is noticed
    assert all(notice.startswith("limit ") and f"{number} is used" in notice for notice in read.notices)


def test_a_number_that_need_not_be_there():
    read = Lenient()
    assert [read.whole_or_none("days", value) for value in (msgspec.UNSET, None, "", "3", "soon")] == [None, None, None, 3, None]
    assert read.notices == ('days "soon" is no number; it is left out',)


@pytest.mark.parametrize(
    ("value", "names", "noticed"),
    [
        (["a.example", "b.example"], ("a.example", "b.example"), False),
        ("a.example", ("a.example",), False),
        ((), (), False), (None, (), False), (msgspec.UNSET, (), False), ("", (), False),
        (["a.example", 7, None, " "], ("a.example",), True),
        ({"a": 1}, (), True), (7, (), True), (True, (), True),
    ],
)  # fmt: skip
def test_one_name_is_a_list_of_one(value, names, noticed):
    read = Lenient()
    assert read.names("sites", value) == names
    assert bool(read.notices) is noticed


@pytest.mark.parametrize(
    ("value", "choice", "noticed"),
    [
        ("web", "web", False), ("NEWS ", "news", False), ("image", "images", False), (None, None, False), ("maps", None, True),
        (3, None, True),
    ],
)  # fmt: skip
def test_one_of_a_few_words(value, choice, noticed):
    read = Lenient()
    assert read.one_of("type", value, ("web", "news", "images")) == choice
    assert bool(read.notices) is noticed


@pytest.mark.parametrize(
    ("value", "flag", "noticed"),
    [
        (True, True, False), (False, False, False), ("true", True, False), ("No", False, False), (1, True, False),
        (None, False, False), ("maybe", False, True), ([], False, True),
    ],
)  # fmt: skip
def test_yes_or_no(value, flag, noticed):
    read = Lenient()
    assert read.flag("live", value) is flag
    assert bool(read.notices) is noticed


@given(JSON)
def test_whatever_stands_there_is_read_or_noticed(value):
    read = Lenient()
    assert isinstance(read.whole("a", value, 5), int)
    assert isinstance(read.names("b", value), tuple)
    assert isinstance(read.flag("c", value), bool)
    assert isinstance(read.text("d", value), str)
    assert read.one_of("e", value, ("web", "news")) in (None, "web", "news")
    assert all(len(notice) < 200 for notice in read.notices)
