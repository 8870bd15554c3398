"""JSON-LD as generators really write it, and values of any type in it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from limen.reading.html.linked_data import decode_json, line_of, microdata_of, text_of, things_of, types_of


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b, ]"}',
        '<!-- {"a": "b, ]"} -->',
        '//<![CDATA[\n{"a": "b, ]"}\n//]]>',
        '{"a": "b, ]",} // said twice',
        '/* "{ */ {"a": /* " */ "b, ]", }',
        '{"a": "b, ]"};',
        '{"a": "b, ]"}{"a": 2}',
    ],
)
def test_slips_are_mended_and_strings_left_alone(text):
    assert decode_json(text) == {"a": "b, ]"}


def test_raw_line_ends_and_comment_signs_in_strings_are_text():
    assert decode_json('{"a": "x\ny // z <!-- w", "b": [1,],}') == {"a": "x\ny // z <!-- w", "b": [1]}


@pytest.mark.parametrize("text", ["", "x", "{", "[" * 100_000, '{"a":' * 50_000, '"\\' * 1_000, "9" * 10_000 + ",]", "{'a': 1}"])
def test_what_is_no_json_is_nothing(text):
    assert decode_json(text) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_json_is_read_as_json(value):
    text = json.dumps(value)
    assert decode_json(text) == value
    assert decode_json(f"{text} ;") == value


def test_objects_come_flat_in_document_order():
    scripts = [
        '[{"n": 1}, [{"n": 2}], 7, null]',
        '{"n": 3, "@graph": [{"n": 4, "mainEntity": {"n": 5}}, "x"]}',
        "{broken",
        '{"n": 6}',
    ]
    html = "".join(f'<script type="application/LD+json">{script}</script>' for script in scripts)
    assert [thing["n"] for thing in things_of(parse(html))] == [1, 2, 3, 4, 5, 6]


def test_microdata_has_the_same_form():
    offer = "<i itemprop=offers itemscope><u itemprop=price>3</u></i>"
    html = f'<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Lamp</b>{offer}</div>'
    assert microdata_of(parse(html)) == [
        {"@type": "https://schema.org/Product", "name": ["Lamp"], "offers": [{"@type": "", "price": ["3"]}]}
    ]


@pytest.mark.parametrize(
    "stated", ["Article", ["https://schema.org/Article"], "schema:Article", [None, 3, "http://schema.org/#Article"]]
)
def test_types_lose_their_vocabulary(stated):
    assert types_of({"@type": stated}) == {"article"}


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (" a\n b ", "a b"),
        ("<b>A</b> &amp; B", "A & B"),
        ("a < b", "a < b"),
        ([None, {}, "x"], "x"),
        ({"@value": "x", "@language": "en"}, "x"),
        ({"name": ["x"]}, ""),
        (1299.99, "1299.99"),
        (29.0, "29"),
        (12, "12"),
        (True, ""),
        (10**400, ""),
        (float("nan"), ""),
        ("\ud800x\x00", "\ufffdx"),
        (None, ""),
    ],
)
def test_values_of_any_type_are_a_line(value, line):
    assert line_of(value) == line


def test_texts_keep_their_markup_and_lines():
    assert text_of(["", " <p>a</p>\nb "]) == "<p>a</p>\nb"
