"""Where a phrase stands, in lines of any length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.found_lines import LINE_CHARS, MAX_MATCHES, find_lines
from limen.kit.headings import without_markup


def test_case_and_spacing_do_not_matter():
    found, total = find_lines(["one", "The   Kettle\tBoils", "three"], " kettle boils ")
    assert (total, found[0].line, found[0].before, found[0].after) == (1, 2, "one", "three")


def test_a_long_line_is_shown_around_its_match():
    found, _ = find_lines(["a " * 5_000 + "needle" + " z" * 5_000], "needle")
    assert "needle" in found[0].text
    assert len(found[0].text) <= LINE_CHARS
    assert found[0].text.startswith("…")
    assert found[0].text.endswith("…")


def test_all_are_counted_and_the_first_are_shown():
    found, total = find_lines(["x"] * 50, "x")
    assert (len(found), total) == (MAX_MATCHES, 50)


def test_it_goes_on_from_a_line():
    found, total = find_lines(["x"] * 50, "x", 41)
    assert ([one.line for one in found], total) == (list(range(41, 51)), 10)
    assert found[0].before == "x\nx"
    assert find_lines(["x"] * 50, "x", 51) == ([], 0)


def test_what_means_nothing_in_words_is_looked_for_as_it_is():
    found, total = find_lines(["a.*b(", "aXXb"], "a.*b(")
    assert (found[0].line, total) == (1, 1)


@pytest.mark.parametrize("phrase", ["**kwargs of a", "__init__", "use tar -x", "the manual for", "`x`", "[1](no link)"])
def test_a_phrase_is_found_as_a_reader_sees_it(phrase):
    line = "Give \\*\\*kwargs of a __init__, or use **tar** *-x*: see [the *manual*](/m) for \\`x\\` \\[1\\](no link)"
    assert [one.text for one in find_lines(["a", line], phrase)[0]] == [line]
    assert find_lines(["a", line], "tar x")[1] == 0


def test_a_long_line_is_shown_around_what_stands_there_without_its_marks():
    found, _ = find_lines([f"[a](https://e.example/) {'a ' * 5_000}**nee**dle{' z' * 5_000}"], "needle")
    assert "needle" in found[0].text


@given(st.lists(st.text(max_size=50), max_size=30), st.text(min_size=1, max_size=5).filter(lambda text: text.strip()))
def test_every_line_found_holds_the_phrase(lines, phrase):
    found, total = find_lines(lines, phrase)
    wanted = " ".join(phrase.split()).casefold()
    said = [[" ".join(text.split()).casefold() for text in (line, without_markup(line))] for line in lines]
    assert total == sum(any(wanted in text for text in texts) for texts in said)
    assert all(any(wanted in text for text in said[one.line - 1]) for one in found)
