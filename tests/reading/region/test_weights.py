"""The weights that ship: well-formed, in use, and of names that pages can have."""

import re

import pytest

from limen.reading.html.page import prepare, sight_of
from limen.reading.region.weights import TYPES, Weights, shipped

FORMS = re.compile(
    r"(?:in|kind|shape|before|after|says|head|c|role|itemprop|item|rule|below|since|prose|tail|lead|place|parent|grand|piece|grain|"
    r"region|ends|sentences|data-limen-post|ld|og|gen|path|host|first|depth|slug|chars|dense|prose share|longest|[a-z0-9:]+s):.+"
    r"|[a-z -]+|[©@]"
)


def test_they_are_complete_and_small():
    weights = shipped()
    assert len(weights.types) == len(weights.page_start) == len(TYPES)
    assert all(len(row) == len(TYPES) for row in weights.pages.values())
    assert 30 <= len(weights.blocks) + len(weights.articles) <= 1_000
    assert all(FORMS.fullmatch(name) for name in [*weights.blocks, *weights.articles, *weights.pages])


def test_pages_have_the_names_they_are_about():
    page = "<title>T</title><nav><a href=/>Home</a></nav><main><h1>T</h1><p>Long enough to be read. Indeed.</p></main>"
    sight = sight_of(prepare(page, "https://e.example/blog/a"))
    assert sight is not None
    known = {*shipped().blocks, *shipped().articles}
    rows = zip(sight.layout.blocks, sight.traits.rows, strict=True)
    assert all(len(known & {*row, *sight.around.near(block.part)}) >= 4 for block, row in rows)
    assert len(sight.page & shipped().pages.keys()) >= 4


def test_shares_of_types_add_up():
    weights = Weights(0.0, (0.0,) * 7, {}, {}, (0.0,) * 7, {"a": (900.0, *(0.0,) * 6)})
    assert weights.type_shares(["b"]) == pytest.approx((1 / 7,) * 7)
    assert weights.type_shares(["a", "b"])[0] == pytest.approx(1.0)


def test_articles_weigh_names_in_their_own_way():
    weights = Weights(0.0, (0.0,) * 7, {"x": 1.0}, {"x": 2.0, "y": -1.0}, (0.0,) * 7, {})
    assert weights.block_weights((0.5, *(0.0,) * 6)) == {"x": 2.0, "y": -0.5}
