"""Where a question's words stand in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.library.marks import Finder
from limen.web.library.query import Word, parse


def found(text: str, *words: str) -> list[tuple[str, str]]:
    """Each place as the word and what stands there."""
    asked = [word for text in words for word in parse(text).words]
    return [(asked[mark.word].text, text[mark.start : mark.end]) for mark in Finder(asked).find(text)]


@pytest.mark.parametrize(
    ("text", "word", "there"),
    [
        ("Cancelling it", "cancel", "Cancelling"), ("a cancelled task", "cancellation", "cancelled"),
        ("two queries", "query", "queries"), ("Café au lait", "cafe", "Café"), ("a cafe", "café", "cafe"),
        ("GRÜSSE", "grüsse", "GRÜSSE"), ("ｆｕｌｌ", "full", "ｆｕｌｌ"), ("İSTANBUL", "istanbul", "İSTANBUL"),
        ("an Event\n  Loop", '"event loop"', "Event\n  Loop"), ("Москва", "москва", "Москва"), ("3.11 is", "3.11", "3.11"),
        ("東京都庁の案内", "京都", "京都"), ("abc東京def", "東京", "東京"), ("abc東京def", "abc", "abc"),
        ("東京abc", "abc", "abc"), ("เมืองไทย", '"ไทย"', "ไทย"), ("한국어를 배운다", "한국", "한국"),
        ("東京 Tower", '"東京 tower"', "東京 Tower"),
    ],
)  # fmt: skip
def test_a_word_is_found_in_any_form_and_script(text: str, word: str, there: str) -> None:
    assert there in [place for _, place in found(text, word)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("concatenate", "cat"),
        ("category", "cat"),
        ("a loop, an event", '"event loop"'),
        ("eventloop", '"event loop"'),
        ("", "cat"),
    ],
)
def test_what_only_looks_like_a_word_is_not_found(text: str, word: str) -> None:
    assert found(text, word) == []


def test_an_identifier_is_found_whole_and_in_parts() -> None:
    text = "see asyncio.Task.cancel() there"
    assert found(text, "asyncio.Task.cancel") == [
        ("asyncio", "asyncio"),
        ("asyncio.task.cancel", "asyncio.Task.cancel"),
        ("task", "Task"),
        ("cancel", "cancel"),
    ]


def test_irregular_forms_are_found() -> None:
    assert [place for _, place in found("it slept, sleeps and wrote", "sleep writing")] == ["slept", "sleeps", "wrote"]


def test_places_come_in_order() -> None:
    assert [word for word, _ in found("a task, to cancel a task", "cancel task")] == ["task", "cancel", "task"]


@given(st.text(max_size=300), st.lists(st.text(max_size=8), max_size=5))
def test_places_lie_in_the_text_whatever_it_is(text: str, words: list[str]) -> None:
    marks = Finder([Word(word) for word in words]).find(text)
    assert all(0 <= mark.start < mark.end <= len(text) and 0 <= mark.word < len(words) for mark in marks)


@pytest.mark.parametrize("word", ["y", "yy", "s", "es", "e", "ies"])
def test_a_word_of_endings_alone_is_looked_for_as_it_is(word: str) -> None:
    assert found(f"what is {word}?", word)[0][1] == word


def test_a_text_of_one_word_for_ever_is_looked_through_quickly() -> None:
    # A pattern that goes back and forth would not end.
    words = [Word(" ".join("a" * 40)), Word("a-" * 30), Word("aa")]
    Finder(words).find("a" * 50_000)
    assert len(Finder(words).find("a " * 50_000)) == 400
