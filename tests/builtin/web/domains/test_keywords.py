"""The words of a question that an index is asked for."""

from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.domains.keywords import keywords


def test_words_that_say_what_it_is_about():
    assert keywords('How do I use "retry" in requests?', {"requests"}) == ["retry"]
    assert keywords("wie ist das Wetter", ()) == ["Wetter"]
    assert keywords("asyncio.timeout(), C++ and self-attention.") == ["asyncio.timeout", "C++", "self-attention"]


def test_when_nothing_else_is_left_the_rest_is_said():
    assert keywords("github repositories", {"github", "repositories"}) == ["github", "repositories"]
    assert keywords("what is it") == ["what", "is", "it"]
    assert keywords("?! …") == []


@given(st.text(max_size=300))
def test_every_word_stands_in_the_question(question):
    for word in keywords(question, {"a"}):
        assert word in question
        assert any(char.isalnum() for char in word)
