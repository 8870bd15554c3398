"""What is shown of a section that was found."""

from hypothesis import given
from hypothesis import strategies as st

from limen.web.library.marks import Finder
from limen.web.library.query import Word
from limen.web.library.snippet import SNIPPET_CHARS, snippet


def shown(text: str, *words: str) -> tuple[int, str]:
    return snippet(text, Finder([Word(word) for word in words]).find(text))


def test_a_snippet_begins_where_the_words_stand_together() -> None:
    text = "one task\n" + "filler\n" * 20 + "to cancel a task do this\nand that"
    assert shown(text, "cancel", "task") == (21, "to cancel a task do this and that")


def test_a_snippet_of_a_long_line_is_cut_around_the_words() -> None:
    line = "Nothing is said here. " * 60 + "Here you cancel a task by hand. " + "Nothing more follows. " * 60
    number, words = shown(line, "cancel", "task")
    assert number == 0
    assert words.startswith("…Here you cancel a task")
    assert len(words) <= SNIPPET_CHARS


def test_without_words_the_first_text_is_shown() -> None:
    assert shown("\n\n  first words\nmore") == (2, "first words more")


@given(st.text(max_size=400), st.text(alphabet="ab", min_size=1, max_size=2))
def test_a_snippet_names_a_line_of_the_text(text: str, word: str) -> None:
    number, words = shown(text, word)
    assert 0 <= number <= text.count("\n")
    assert len(words) <= SNIPPET_CHARS
