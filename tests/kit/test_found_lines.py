"""Where a phrase stands, in lines of any length."""

from hypothesis import given
from hypothesis import strategies as st

from limen.kit.found_lines import LINE_CHARS, MAX_MATCHES, find_lines


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


@given(st.lists(st.text(max_size=50), max_size=30), st.text(min_size=1, max_size=5).filter(lambda text: text.strip()))
def test_every_line_found_holds_the_phrase(lines, phrase):
    found, total = find_lines(lines, phrase)
    wanted = " ".join(phrase.split()).casefold()
    assert total == sum(wanted in " ".join(line.split()).casefold() for line in lines)
    assert all(wanted in " ".join(lines[one.line - 1].split()).casefold() for one in found)
