"""What counts as a quotation, where it stands, how long it may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.quotation import paragraphs, quotations_in, shortened


def test_block_quotes_and_marked_words_are_quotations():
    text = 'It says:\n> The store in Lyon may be\n> booked 35 days\n\nand “the one in Rome 60 days ahead”, not "short".'
    assert list(quotations_in(text)) == ["The store in Lyon may be\nbooked 35 days", "the one in Rome 60 days ahead"]


MARKED = {
    "English": "he said “this is what was said there” and went",
    "straight": 'he said "this is what was said there" and went',
    "German": "sie sagte „this is what was said there“, und ging",
    "German, pointed": "sie sagte »this is what was said there«, und ging",
    "French": "elle dit «\u00a0this is what was said there\u00a0» et alla",
    "Swiss": "elle dit «this is what was said there», et alla",
    "Swedish": "hon sade ”this is what was said there” och gick",
    "single, pointed": "he said ‹this is what was said there› and went",
    "Japanese": "彼は「this is what was said there」と言った",
    "Japanese, double": "彼は『this is what was said there』と言った",
    "in a bracket": '("this is what was said there")',
    "bold": '**"this is what was said there"**',
    "an unclosed one before": 'a 5" pipe, and "this is what was said there", and 6" more',
    "mixed up": '“this is what was said there" and so on',
    "behind an unclosed one of another kind": "„ “this is what was said there”",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_every_kind_of_marks_is_known(text):
    assert list(quotations_in(text)) == ["this is what was said there"]


def test_of_quotations_in_quotations_the_outermost_counts():
    outer = "He told me „that is how it was“ and then «it was not», over the\nline"
    assert list(quotations_in(f"So “{outer}” ends.")) == [outer]


def test_marks_pair_within_a_paragraph_only():
    assert list(quotations_in("“one paragraph that never\n\nends its quotation” here")) == []


@pytest.mark.parametrize(
    "text",
    [
        '```\nx = "a string that is long enough"\n```',
        '~~~~ py\n> not a block quote at all, code\n~~~\n"still inside of that long code"\n~~~~',
        'Call `print("a string that is long enough")` now',
        '``a ` and "a string that is long enough"``',
    ],
)
def test_code_quotes_nothing(text):
    assert list(quotations_in(text)) == []
    assert shortened(text, 20) == (text, 0)


def test_block_quotes_stand_in_lists_too_and_leave_out_who_said_it():
    text = "1. > words that were quoted in a list\n   > and go on\n\n> [!NOTE]\n> a note of a page, word for word\n> — Somebody"
    assert list(quotations_in(text)) == ["words that were quoted in a list\nand go on", "a note of a page, word for word"]


def test_the_paragraphs_of_a_block_are_told_apart():
    first, second = "a first paragraph of a block", "and a second one, elsewhere"
    assert paragraphs(f"{first}\n\nshort\n \n{second}") == [first, second]


def test_long_quotations_are_shortened_and_counted():
    long = "word " * 40
    text, count = shortened(f'Own words stay as long as they are. “{long}” and "{long}".\n> {long}\n> {long}\nEnd.', 50)
    assert count == 3
    assert all(len(quotation) <= 50 for quotation in quotations_in(text))
    assert text.startswith("Own words stay as long as they are. “word word")
    assert text.endswith("End.")


def test_what_is_short_enough_stays_as_it_is():
    text = "He said “a short one, but long enough”.\n> and a block\n> of two lines\n\nEnd"
    assert shortened(text, 125) == (text, 0)


@given(st.text(alphabet='ab "“”„«»「」`~>\n…', max_size=400), st.integers(20, 60))
def test_nothing_longer_is_left_and_doing_it_again_changes_nothing(text, limit):
    once, _ = shortened(text, limit)
    assert all(len(quotation) <= limit for quotation in quotations_in(once))
    assert shortened(once, limit)[0] == once


@given(st.text(max_size=200))
def test_texts_without_marks_are_untouched(text):
    plain = "".join(char for char in text if char not in '"“”„«»‹›「」『』>')
    assert shortened(plain, 20) == (plain, 0)
