"""Questions taken apart: addresses, references, keywords, other wordings, what a follow-up leaves unsaid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.models.question import content_words, is_small_talk, keywords, parse
from limen.builtin.models.thesaurus import written_for


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("read https://a.example/x.", ("https://a.example/x",)),
        ("(http://a.example/x), and <https://b.example/?q=1#f>", ("http://a.example/x", "https://b.example/?q=1#f")),
        ("https://a.example/x https://a.example/x", ("https://a.example/x",)),
        ("no address here: example.com", ()),
    ],
)
def test_addresses_lose_the_sentence_around_them(text, urls):
    assert parse(text).urls == urls


def test_references_are_no_words_to_search_for():
    question = parse("What does lib:12 say about ev_0123456789ab?")
    assert question.references == ("lib:12", "ev_0123456789ab")
    assert "lib" not in question.query


def test_identifiers_stay_as_they_were_written():
    assert content_words("What does asyncio.Task.cancel() do with --force-with-lease?") == [
        "asyncio.Task.cancel()",
        "--force-with-lease",
    ]


def test_words_of_phrasing_are_left_out_when_there_are_others():
    assert keywords("What is the best way to make a backup?") == ["backup"]
    assert keywords("What is the best way?") == ["best", "way"]


def test_a_word_is_searched_for_once():
    assert parse("task task Task").query == "task"


def test_other_wordings_keep_the_rest_of_the_question():
    assert parse("How do I undo a rebase?").other_queries == ("revert rebase", "rollback rebase")
    assert parse("How do I rebase?").other_queries == ()


def test_a_longer_phrase_wins_over_its_words():
    assert list(written_for("How do I put aside my work?")) == [("put", "asid")]


def test_a_phrase_of_grammar_counts_by_what_documents_write_for_it():
    asked = parse("What am I about to commit?")
    assert 0 < asked.asked.weights["stag"] < 1
    assert "to" not in asked.asked.weights
    assert asked.telling == {"commit"}


def test_function_words_of_other_languages_count_as_phrasing():
    weights = parse("Wie hoch soll der Druck sein?").asked.weights
    assert weights["druck"] == weights["hoch"] == 1.0
    assert max(weights[word] for word in ("wie", "soll", "der", "sein")) < 0.5


def test_what_makes_a_chinese_question_is_no_part_of_its_subject():
    weights = parse("大熊猫吃什么？").asked.weights
    assert weights["大熊"] == weights["熊猫"] == 1.0
    assert not {"吃什", "什么"} & set(weights)
    assert 0 < weights["吃"] < 0.5


def test_the_program_itself_is_not_what_its_manual_is_asked_about():
    assert keywords("How does Limen count tokens?") == ["count", "tokens"]


def test_terms_are_named_as_they_were_written():
    asked = parse("How do Parrots sleep in the 东京 zoo?")
    assert asked.said_of({"parrot", "zoo", "东京", "unheard"}) == ("Parrots", "zoo")


def test_phrasing_counts_less_than_the_subject():
    weights = parse("What is the best way to rebase?").asked.weights
    assert weights["rebas"] == 1.0
    assert weights["best"] < 0.5


def test_the_words_of_an_earlier_question_count_less_than_the_own():
    question = parse("and how do I shield it?", ["How do I cancel an asyncio task?"])
    assert question.topic == ("cancel", "asyncio", "task")
    assert question.asked.weights["shield"] > question.asked.weights["task"]


def test_a_chain_of_follow_ups_leads_back_to_the_question_that_stands_alone():
    question = parse(
        "what about it on Windows?", ["How do I sort a deque?", "How do I cancel an asyncio task?", "and shield it?"]
    )
    assert set(question.topic) == {"shield", "cancel", "asyncio", "task"}


def test_a_follow_up_is_about_the_page_that_was_named():
    earlier = ["How do I cancel a task? https://docs.example/a", "and shield it?"]
    assert parse("what about it?", earlier).urls == ("https://docs.example/a",)
    assert parse("What is a materialized view?", earlier).urls == ()
    assert parse("thanks", earlier).urls == ()


@pytest.mark.parametrize("text", ["1+1", "What is 2 * 3?", "hello there", "OK", "…", "who are you?"])
def test_small_talk_is_known(text):
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["Why is 0.1 + 0.2 not 0.3?", "hello world in Rust", "help with rebase", "C", "取消任务"])
def test_questions_are_no_small_talk(text):
    assert not is_small_talk(text)


@pytest.mark.parametrize("text", ["1" * 200_000, "1 + " * 50_000, "https://" * 50_000, "lib:" * 50_000, "a" * 1_000_000])
def test_hostile_questions_come_back(text):
    question = parse(text, [text])
    assert isinstance(question.query, str)
    assert is_small_talk(text) in (True, False)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_question_is_taken_apart_alike_each_time(text, earlier):
    assert parse(text, earlier) == parse(text, earlier)
    assert all(query.strip() for query in parse(text, earlier).other_queries)


def test_operators_go_into_the_search_and_stay_out_of_what_is_asked() -> None:
    question = parse('How do I run the "event loop" path:docs/*.md in Python?')
    assert question.query == 'run event loop Python "event loop" path:docs/*.md'
    assert "path" not in question.text
    assert parse("Why does find -name print nothing?").query == "find name print nothing"
    assert all(query.endswith("path:docs") for query in parse("undo a rebase path:docs").other_queries)
