"""YAML into values: what a settings file may hold, and a place for everything it may not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.config.parse import parse
from limen.core.fault import ConfigFault

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + depth)}: &{chr(98 + depth)} [{','.join(['*' + chr(97 + depth)] * 10)}]\n" for depth in range(8)
)


def test_values_and_the_lines_they_stand_in():
    parsed = parse("# top\nweb:\n  mode: live # all\n\n  max_urls: 8\nplugins: {a: {b: [1, x, null, 1.5, true]}}\n", "c.yaml")
    assert parsed.values == {"web": {"mode": "live", "max_urls": 8}, "plugins": {"a": {"b": [1, "x", None, 1.5, True]}}}
    assert parsed.lines[("web",)] == 2
    assert parsed.lines[("web", "max_urls")] == 5
    assert parsed.lines[("plugins", "a", "b")] == 6


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "~\n", "--- # x\n...\n"])
def test_nothing_is_no_setting(text):
    assert parse(text, "c.yaml").values == {}


def test_words_that_older_yaml_took_for_truths_are_words():
    assert parse("mode: off\nother: yes\n", "c").values == {"mode": "off", "other": "yes"}
    assert parse("day: 2026-01-01\nno: 1\n1: x\n", "c").values == {"day": "2026-01-01", "no": 1, "1": "x"}


def test_aliases_and_merges_mean_what_they_say():
    text = "base: &base {a: 1, b: 2}\none: {<<: *base, b: 3}\ntwo:\n  b: 4\n  <<: [*base, {a: 9, c: 5}]\n"
    values = parse(text, "c").values
    assert values["one"] == {"a": 1, "b": 3}
    assert values["two"] == {"a": 1, "b": 4, "c": 5}


@pytest.mark.parametrize(
    ("text", "line", "said", "mend"),
    [
        ("a: 1\nweb:\n\tmode: x\n", 3, "a tab", "spaces"),
        ("a: 1\na: 2\n", 2, "after line 1", "keep one"),
        ("web:\n  mode: x\n  mode: y\n", 3, "after line 2", "keep one"),
        ("a: [1, 2\nb: 3\n", 2, "", "line 2"),
        ("a: 1\nb: [1, 2\n", 2, "bracket", "close it"),
        ("a: {b: 1\n", 1, "bracket", "close it"),
        ("a: 'open\nb: 1", 1, "never closed", "close it"),
        ("a: 'it's'\n", 1, "behind a quoted value", "twice"),
        ("a:\n  b: 1\n c: 2\n", 3, "lines above", "indent"),
        ("a\nb: 1\n", 2, "where none may", "indentation"),
        ("a: @x\n", 1, "cannot begin", "quote"),
        ("a: [*.example.org]\n", 1, "`*`", "quote"),
        ('a: "\\d"\n', 1, "backslash", "single quotes"),
        ("a: ]\n", 1, "missing", "remove"),
        ("{a: b}}\n", 1, "behind the end", "remove"),
        ("a: b: c\n", 1, "where none may", "quote"),
        ("a: 1\n---\nb: 2\n", 2, "second document", "---"),
        ("a: 1\n b: 2\n", 2, "", ""),
        ("x: &a [*a]\n", 1, "contains itself", "write it out"),
        ("a: *nowhere\n", 1, "`*`", "quote"),
        ("a: !python/object x\n", 1, "tag", "remove"),
        ("a: !!binary aGk=\n", 1, "tag", "remove"),
        ("a: !!int x\n", 1, "cannot be read", "quote"),
        ("a:\n- {b: " + "[" * 5_000, 2, "nested", ""),
        ("a: 1\nb: \x00\n", 2, "control character", "delete"),
        ("- a\n- b\n", 1, "no mapping", "section"),
        ("just words\n", 1, "no mapping", "section"),
        ("? [a]\n: b\n", 1, "no plain word", "quote"),
        (BOMB, 1, "aliases", "write them out"),
        ("a: " + "9" * 5_000 + "\n", 1, "cannot be read", "quote"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text, line, said, mend):
    with pytest.raises(ConfigFault) as caught:
        parse(text, "c.yaml")
    fault = caught.value
    assert fault.code == "config.unreadable"
    assert fault.place == f"c.yaml:{line}"
    assert f"line {line}, column " in fault.reason
    assert said in fault.reason
    assert mend in fault.mend
    assert fault.mend


def outcome(text):
    try:
        return type(parse(text, "c").values)
    except ConfigFault as fault:
        return fault.code


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    assert outcome(text) in (dict, "config.unreadable")


@given(st.text(alphabet=":-[]{}#&*!|>'\"%@`,?~ \n\tab1<.", max_size=60))
def test_any_punctuation_is_read_or_refused(text):
    assert outcome(text) in (dict, "config.unreadable")


def test_numbers_in_every_spelling():
    values = parse("a: 0x1f\nb: 0o17\nc: 1_000\nd: 1e3\ne: .inf\nf: .nan\n", "c").values
    assert [values[key] for key in "abcd"] == [31, 15, 1000, 1000.0]
    assert values["e"] == math.inf
    assert math.isnan(values["f"])
