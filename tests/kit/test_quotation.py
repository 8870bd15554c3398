"""What counts as a quotation, where it stands, how long it may be."""

from hypothesis import given
from hypothesis import strategies as st

from limen.kit.quotation import line_of, quotations_in, shortened

PAGE = "# Stores\n\nThe store in Lyon may be booked 35 days\nahead, the one in Rome 60 days ahead.\n"


def test_block_quotes_and_marked_words_are_quotations():
    text = 'It says:\n> The store in Lyon may be\n> booked 35 days\n\nand “the one in Rome 60 days ahead”, not "short".'
    assert list(quotations_in(text)) == ["The store in Lyon may be\nbooked 35 days", "the one in Rome 60 days ahead"]


def test_a_quotation_is_found_across_line_breaks_and_by_its_line():
    assert line_of("may be booked 35 days ahead, the one", PAGE) == 3
    assert line_of("may be booked 35 days ahead, the one", PAGE, first_line=10) == 12
    assert line_of("may be booked 36 days", PAGE) is None
    assert line_of("the one in Rome 60 …", PAGE) == 4
    assert line_of("  ", PAGE) is None


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


@given(st.text(alphabet='ab "“”«»>\n…', max_size=400), st.integers(20, 60))
def test_nothing_longer_is_left_and_doing_it_again_changes_nothing(text, limit):
    once, _ = shortened(text, limit)
    assert all(len(quotation) <= limit for quotation in quotations_in(once))
    assert shortened(once, limit)[0] == once


@given(st.text(max_size=200))
def test_texts_without_marks_are_untouched(text):
    plain = "".join(char for char in text if char not in '"“”«»>')
    assert shortened(plain, 20) == (plain, 0)
