"""Token counts: exact for ordinary texts, close for huge ones."""

from limen.kit.tokens import TokenCounter


def test_counts_are_those_of_the_vocabulary():
    count = TokenCounter()
    assert count("") == 0
    assert count("hello world") == 2
    assert count("hello world") == 2


def test_a_huge_text_is_extrapolated_closely():
    count = TokenCounter()
    text = "The quick brown fox jumps over the lazy dog. " * 10_000
    assert abs(count(text) - 100_001) < 1_000
