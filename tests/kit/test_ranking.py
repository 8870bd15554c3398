"""Ranking: what answers a question comes first, what repeats it goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.passages import Passage
from limen.kit.ranking import Asked, Candidate, question_terms, rank, shingles, tells_little, visible, without_duplicates
from limen.kit.ranking import near_duplicate as same


def asked(question, **alike):
    return Asked(dict.fromkeys(question_terms(question), 1.0), {key: dict.fromkeys(value, 0.7) for key, value in alike.items()})


def ranked(question, *texts, **alike):
    candidates = [Candidate(Passage(text, 1, 1), run=at) for at, text in enumerate(texts)]
    return [item.passage.text for item in rank(asked(question, **alike), candidates)]


def test_the_passage_with_more_of_the_question_comes_first():
    texts = ("A task is done.", "Cancelling a task raises an error in the task.", "Nothing here.")
    assert ranked("How do I cancel a task?", *texts) == [texts[1], texts[0]]


def test_rare_words_count_more_than_common_ones():
    texts = ("task one", "task two", "task three", "shield it")
    assert ranked("shield task", *texts)[0] == "shield it"


def test_what_most_passages_speak_of_still_counts():
    texts = ["cancel it, number 1", "quickly gone, number 1", *("cancel the task" + " so" * count for count in range(9))]
    assert ranked("quickly cancel task", *texts)[0] == "cancel the task"


@pytest.mark.parametrize("title", ["Changelog — Tool 3", "What’s New In 3.8", "Release Notes", "Index", "Glossary"])
def test_titles_that_tell_little(title):
    assert tells_little(title, {"task"})
    assert not tells_little(f"About a task, not a {title.replace(' ', '_')}x", {"task"})


def test_a_title_that_is_asked_for_tells_enough():
    assert not tells_little("Glossary", set(question_terms("What stands in the glossary?")))


def test_a_heading_lifts_what_stands_below_it():
    plain = Candidate(Passage("Call it once for the task.", 1, 1), run=1)
    under = Candidate(Passage("Call it once for the task.", 2, 2, ("Cancelling",)), run=2)
    assert [item.passage.line for item in rank(asked("cancel task"), [plain, under])] == [2, 1]


def test_a_prior_lifts_a_passage():
    low, high = (Candidate(Passage("task", line, line), prior=prior, run=line) for line, prior in ((1, 0.5), (2, 1.0)))
    assert [item.passage.line for item in rank(asked("task"), [low, high])] == [2, 1]


def test_words_that_mean_the_same_are_found():
    assert ranked("undo commit", "Revert a commit now.", "Make a commit now.", undo=["revert"])[0] == "Revert a commit now."


def test_link_targets_are_no_words():
    assert visible('see [the `cancel`](file:///a/cancel.html#x "Cancel") now') == "see [the `cancel`] now"
    assert ranked("zebra", "[x](http://zebra.example/zebra)") == []


def test_a_question_of_stop_words_still_asks_for_something():
    assert ranked("with", "the with statement", "nothing") == ["the with statement"]


def test_coverage_is_the_share_of_the_question():
    whole, part = rank(asked("cancel task"), [Candidate(Passage("cancel task", 1, 1)), Candidate(Passage("task", 2, 2), run=1)])
    assert whole.coverage == pytest.approx(1.0)
    assert 0 < part.coverage < 1


def test_near_duplicates_go_and_the_better_one_stays():
    text = "Request the task to be cancelled, which arranges for an error to be raised"
    candidates = [
        Candidate(Passage(body, at, at), run=at)
        for at, body in enumerate((text + ".", text + " soon.", "cancel another task"), 1)
    ]
    kept = without_duplicates(rank(asked("cancel task error"), candidates), 5)
    assert len(kept) == 2


def test_a_short_text_is_no_duplicate_of_an_unrelated_long_one():
    assert not same(shingles("cancel"), shingles("one two three four five six"))
    assert same(shingles("one two three four five"), shingles("one two three four five"))


@given(st.text(), st.lists(st.text(), max_size=8))
def test_any_question_over_any_texts_is_ordered_and_repeatable(question, texts):
    candidates = [Candidate(Passage(text, 1, 1), title=text) for text in texts]
    first, again = (rank(asked(question), candidates) for _ in range(2))
    assert first == again
    assert [item.score for item in first] == sorted((item.score for item in first), reverse=True)
    assert all(0 <= item.coverage <= 1.0001 for item in first)


def test_hostile_markdown_is_visible_in_linear_time():
    for text in ("](" * 200_000, "](a" + "(" * 200_000, "[" * 200_000, "](" + "a" * 300_000):
        assert isinstance(visible(text), str)
