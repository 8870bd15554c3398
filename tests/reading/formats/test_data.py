"""JSON is laid out and says the same, to the last digit; what is too large is told by its structure."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.formats.data import WHOLE_CHARS, laid_out
from limen.reading.formats.digest import digest_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_laid_out_json_says_the_same(value, ascii_only):
    source = json.dumps(value, ensure_ascii=ascii_only)
    assert json.loads(laid_out(source)) == value


def test_what_a_parser_would_change_stays():
    text = laid_out('{"n":123456789012345678901234567890,"f":1e400,"z":1.10,"a":1,"a":2}')
    assert text == '{\n  "n": 123456789012345678901234567890,\n  "f": 1e400,\n  "z": 1.10,\n  "a": 1,\n  "a": 2\n}'


def test_escapes_become_the_characters_they_mean():
    assert (
        laid_out(r'["\u00e9\ud83d\ude00 \/ \\u00e9 \u0022 \u000a \ud800"]') == '[\n  "é😀 / \\\\u00e9 \\u0022 \\u000a \\ud800"\n]'
    )


def test_rows_of_numbers_stay_together():
    assert laid_out('{"at":[ 1.50,2 ,null],"none":[ ],"map":{ }}') == '{\n  "at": [1.50, 2, null],\n  "none": [],\n  "map": {}\n}'
    long = laid_out(json.dumps(list(range(200))))
    assert json.loads(long) == list(range(200))
    assert max(map(len, long.split("\n"))) < 110


@pytest.mark.parametrize("text", ["", "{", "[nul]", "{'a': 1}", '{"a": 1,}', "[" * 100_000 + "]" * 100_000])
def test_what_is_no_json_is_not_touched(text):
    assert laid_out(text) == ""
    assert read(text, content_type="application/json").text == text


def test_the_outline_of_json_holds_its_first_names():
    page = read(b'{"openapi":"3.1.0","paths":{"/a":{}},"\\u00e9":1}', "https://e.example/api.json")
    assert [(heading.text, heading.line) for heading in page.outline] == [("openapi", 2), ("paths", 3), ("é", 6)]
    assert page.media_type == "application/json"


def test_lines_of_json_stay_lines():
    lines = '{"a": 1}\n{"a": 2}\n\n{"b": [1, 2]}\n'
    page = read(lines)
    assert (page.text, page.media_type) == ('{"a": 1}\n{"a": 2}\n{"b": [1, 2]}', "application/x-ndjson")
    long = json.dumps({"text": "word " * 200, "n": 1})
    assert read(f"{long}\n{long}\n").text.startswith('{\n  "text": "word ')


def test_a_text_beyond_the_limit_is_told_by_its_structure():
    items = [{"id": n, "name": f"n{n}"} for n in range(WHOLE_CHARS // 25)]
    page = read(json.dumps({"meta": {"count": len(items)}, "items": items}), "x.json")
    assert f'"count": {len(items)}' in page.text
    assert f'{{"id": {len(items) - 1}, "name": "n{len(items) - 1}"}}' in page.text
    assert f"… {len(items) - 22:,} more …" in page.text
    assert len(page.text) < 5_000
    assert len(page.notices) == 1


def test_a_digest_shows_small_parts_whole():
    assert digest_of('{"a":' * 3_000 + "1" + "}" * 3_000).count("…") == 1
    assert digest_of('{"a": [1, {"b": "c"}], "d": []}') == (
        '{\n  "a": [\n    1,\n    {\n      "b": "c"\n    }\n  ],\n  "d": []\n}'
    )
    assert digest_of('["' + "x" * 1_000 + '"]') == '[\n  "' + "x" * 399 + "… (1,002 characters)\n]"


@pytest.mark.parametrize("text", ["[1", "[1}", '["a]', "]", '"' * 99_999, "[1," * 200_000, '{"a":' * 50_000])
def test_a_digest_of_what_is_broken_is_none(text):
    assert digest_of(text) == ""


@given(st.text(alphabet='[]{},:"\\ a1', max_size=60))
def test_any_signs_are_taken(text):
    digest_of(text)
    laid_out(text)


def test_names_of_what_is_no_json_stay_as_they_are():
    page = read('{\n  "\\q": 1,\n  "b": 2\n', "https://e.example/x.json", "application/json")
    assert [heading.text for heading in page.outline] == ['"\\q"', "b"]
