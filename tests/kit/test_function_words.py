"""Words that say little in languages other than English."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.function_words import FUNCTION_WORDS_ELSEWHERE, ideographs, weight_of_pair, without_fillers
from limen.kit.words import STOP_WORDS


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("大熊猫吃什么？", "大熊猫吃"),
        ("请问大熊猫为什么睡觉？", "大熊猫 睡觉"),
        ("ラーメンの作り方を教えてください", "ラーメンの作り方を"),
    ],
)
def test_what_makes_it_a_question_goes(question, subject):
    assert without_fillers(question).strip("？ ").split() == subject.split()


def test_pairs_of_grammar_weigh_less():
    assert weight_of_pair("熊猫") == weight_of_pair("task") == weight_of_pair("ラー") == 1.0
    assert weight_of_pair("から") < weight_of_pair("寺は") < 1.0


def test_ideographs_stand_alone():
    assert ideographs("大熊猫 eats ラーメン") == ["大", "熊", "猫"]
    assert ideographs("plain") == []


def test_no_word_is_listed_that_english_has():
    assert not FUNCTION_WORDS_ELSEWHERE & {"son", "met", "pour", "comment", "os", "die", "per", "war", "man", "den"}
    assert all(word == word.lower() for word in FUNCTION_WORDS_ELSEWHERE | STOP_WORDS)


@given(st.text())
def test_any_text_stays_a_text(text):
    assert len(without_fillers(text)) <= len(text)
    assert all(len(char) == 1 for char in ideographs(text))
