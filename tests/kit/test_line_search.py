"""Lines by phrase, by words and by pattern: the numbers are those of the text, and no match reaches over a line's end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.line_search import phrase_pattern, regex_pattern, words_pattern


def numbers(pattern, data):
    return [line.number for line in pattern.lines(data)]


TEXTS = st.lists(st.text(st.sampled_from("ab Bé\t\r-"), max_size=8), min_size=1, max_size=12).map("\n".join)


@given(TEXTS, st.text(st.sampled_from("abBé"), min_size=1, max_size=3))
def test_a_phrase_is_in_the_lines_that_hold_it(text, phrase):
    expected = [number for number, line in enumerate(text.split("\n"), 1) if phrase.casefold() in line.casefold()]
    assert numbers(phrase_pattern(phrase), text.encode()) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [("KETTLE   boils", [2]), ("strasse", [2, 3]), ("Straße", [2, 3]), ("first the", []), ("a.c", []), ("(", [4])],
)
def test_case_and_spacing_are_ignored_and_signs_are_not(phrase, expected):
    data = "first\nThe  Kettle\u00a0BOILS, Straße\nSTRASSE abc\n(open".encode()
    assert numbers(phrase_pattern(phrase), data) == expected


def test_words_stand_in_any_order():
    assert numbers(words_pattern("error disk"), b"disk fine\nERROR on the Disk\nerror") == [2]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("^b", [2]), ("a$", [1]), (r"a\s+b", []), ("x*", [1, 2, 3, 4]), ("[^z]+c", [3]), (r"^$", [4])],
)
def test_a_pattern_sees_one_line_at_a_time(pattern, expected):
    assert numbers(regex_pattern(pattern), b"a\nb\nabc\n") == expected


@pytest.mark.parametrize("pattern", ["(a", r"(?=a)", "a{1001}{1001}", "\udcff"])
def test_what_is_no_pattern_is_said(pattern):
    with pytest.raises(ValueError, match=r"."):
        regex_pattern(pattern)


def test_bytes_that_are_no_utf8_are_walked_over():
    assert numbers(regex_pattern("needle"), b"\xff\xfe\n\xed\xa0\x80 needle\n") == [2]


def test_a_phrase_without_words_is_none():
    with pytest.raises(ValueError, match="word"):
        phrase_pattern(" \t")


@given(TEXTS, st.text(st.sampled_from("abBsSß \u212aé1-"), min_size=1, max_size=6).filter(str.strip))
def test_the_parts_of_a_pattern_stand_in_every_line_that_it_finds(text, query):
    text = f"{text}\n{query.upper()} ß \u212a"
    for made in (phrase_pattern, words_pattern):
        pattern = made(query)
        for number in numbers(pattern, text.encode()):
            assert all(part in text.split("\n")[number - 1].casefold() for part in pattern.parts)
