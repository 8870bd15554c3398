"""What is looked up for a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.store.library import Frequencies
from limen.web.library.query import Question, parse, share_known, weighed


def lookup(asked: Question) -> tuple[str, ...]:
    return tuple(word.text for word in asked.words)


def test_a_question_is_its_words_without_how_it_is_asked() -> None:
    assert lookup(parse("How do I cancel an asyncio task?")) == ("cancel", "asyncio", "task")


def test_identifiers_are_looked_up_whole_and_in_parts_and_count_more_whole() -> None:
    asked = parse("what does asyncio.Task.cancel return")
    assert lookup(asked) == ("asyncio.task.cancel", "asyncio", "task", "cancel", "return")
    assert asked.words[0].weight > asked.words[4].weight > asked.words[1].weight


def test_a_quoted_phrase_stays_together() -> None:
    assert lookup(parse('set the "event loop  policy" early'))[0] == "event loop policy"


def test_words_with_one_stem_are_looked_up_once() -> None:
    assert lookup(parse("cancelling a cancelled task")) == ("cancelling", "task")


def test_a_question_of_stop_words_is_looked_up_as_it_is() -> None:
    assert lookup(parse("to be or not to be")) == ("to", "be", "or", "not")


def test_phrasing_alone_is_better_than_nothing() -> None:
    assert lookup(parse("how does it work")) != ()


def test_unspaced_script_is_looked_up_in_pairs() -> None:
    assert lookup(parse("東京都")) == ("東京", "京都")


def test_what_makes_a_chinese_question_is_not_looked_up() -> None:
    assert lookup(parse("大熊猫吃什么？")) == ("大熊", "熊猫", "猫吃")


def test_an_irregular_word_is_looked_up_in_all_its_forms() -> None:
    assert [word.also for word in parse("slept waiting").words] == [("sleep", "slept"), ()]


def test_a_hyphenated_word_is_looked_up_as_one_word_too() -> None:
    assert lookup(parse("an auto-increment column")) == ("autoincrement", "auto-increment", "auto", "increment", "column")
    assert "x8664" not in lookup(parse("x86-64"))


def test_the_program_itself_is_looked_up_only_where_there_is_nothing_else() -> None:
    assert lookup(parse("How does Limen count tokens?")) == ("count", "tokens")
    assert lookup(parse("What is Limen?"))[0] == "limen"


def test_what_has_no_word_looks_up_nothing() -> None:
    assert [lookup(parse(text)) for text in ("", "   ", "??? -- !!!", '""', "\x00\x01")] == [()] * 5


@pytest.mark.parametrize("signs", ["->>", "::", "!=", "||", "@>", "=>", "&&", "**="])
def test_signs_that_stand_alone_are_looked_up_as_they_are(signs: str) -> None:
    assert lookup(parse(f"what does {signs} do"))[0] == signs


@pytest.mark.parametrize("signs", ["-", "--", "...", "???", ":-)", ":)", "!!", "/", "(", "->>->>->>"])
def test_punctuation_is_not_looked_up(signs: str) -> None:
    assert lookup(parse(f"zebra {signs} lion")) == ("zebra", "lion")


@given(st.text(max_size=300))
def test_any_question_gives_words_that_can_be_looked_up(text: str) -> None:
    asked = parse(text)
    assert len(asked.words) <= 32
    assert all(word.text.strip() and word.weight > 0 for word in asked.words)


def test_rare_words_count_more_and_unknown_ones_not_at_all() -> None:
    asked = parse("zebra task unheard")
    found = weighed(asked, Frequencies((2, 300, 0), 1_000))
    assert lookup(found) == ("zebra", "task")
    assert found.words[0].weight > found.words[1].weight


def test_what_is_only_alike_counts_less_and_is_not_known() -> None:
    asked = parse("getaddr task")
    frequencies = Frequencies((40, 40), 1_000)
    found = weighed(asked, frequencies, {0: ("getaddrinfo",)})
    assert found.words[0].parts == ("getaddrinfo",)
    assert 0 < found.words[0].weight < found.words[1].weight
    assert share_known(asked, found, frequencies) < 0.5 < share_known(asked, weighed(asked, frequencies), frequencies)


def test_common_words_are_looked_up_only_where_there_are_no_others() -> None:
    asked = parse("python zebra")
    assert lookup(weighed(asked, Frequencies((9_000, 2), 10_000))) == ("zebra",)
    assert lookup(weighed(asked, Frequencies((9_000, 0), 10_000))) == ("python",)
    assert lookup(weighed(asked, Frequencies((3, 2), 3))) == ("python", "zebra")
