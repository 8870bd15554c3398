"""Cuts: within the budget, at lines where there are lines, and the gap's line numbers are right."""

from hypothesis import given
from hypothesis import strategies as st

from limen.kit.text import clip, cut_middle, letters_of, line_at, number_lines, printable, writable

# Letters, line ends of every kind, a combining mark, a joiner, a character outside the basic plane and half of one.
texts = st.text(alphabet=st.sampled_from("ab\n\r\u0301\u200d\U0001f469\ud83d\u2028"), max_size=300)


@given(texts, st.integers(min_value=0, max_value=200), st.floats(min_value=0, max_value=1))
def test_a_cut_keeps_a_prefix_and_a_suffix_within_the_budget(text, budget, share):
    cut = cut_middle(text, budget, share)
    if cut is None:
        assert len(text) <= budget
        return
    assert len(cut.head) + len(cut.tail) <= budget
    assert text.startswith(cut.head)
    assert text.endswith(cut.tail)
    assert len(cut.head) + len(cut.tail) < len(text)


@given(texts, st.integers(min_value=0, max_value=200))
def test_the_gaps_lines_are_those_of_the_first_and_last_character_left_out(text, budget):
    cut = cut_middle(text, budget)
    if cut is not None:
        gap = range(len(cut.head), len(text) - len(cut.tail))
        for place, offset in ((cut.gap_start, gap[0]), (cut.gap_end, gap[-1])):
            assert place.line == line_at(text, offset)
            assert (text.split("\n")[place.line - 1] + "\n")[place.char - 1] == text[offset]


def test_lines_are_not_split_where_a_boundary_is_near():
    text = "\n".join(f"line {number}" for number in range(100))
    cut = cut_middle(text, 200)
    assert cut.head.endswith("\n")
    assert cut.tail.startswith("line ")


def test_one_long_line_is_cut_inside():
    cut = cut_middle("x" * 1_000, 100)
    assert (len(cut.head), len(cut.tail)) == (75, 25)


def test_a_character_keeps_its_marks():
    cut = cut_middle("e\u0301" * 500, 101)
    assert cut.head.endswith("\u0301")
    assert cut.tail.startswith("e")
    family = "\U0001f469\u200d\U0001f467"
    cut = cut_middle(family * 300, 100)
    assert len(cut.head) % 3 == len(cut.tail) % 3 == 0
    assert cut_middle("x" * 50 + "\r\n" + "y" * 500, 68).head == "x" * 50
    assert len(cut_middle("\u0301" * 1_000, 100).head) == 75


@given(texts)
def test_what_is_writable_can_be_written_and_keeps_its_places(text):
    written = writable(text)
    assert len(written) == len(text)
    assert all(a == b for a, b in zip(text, written, strict=True) if not "\ud800" <= a <= "\udfff")
    written.encode()


def test_clip_makes_one_line():
    assert clip("a\n  b", 10) == "a b"
    assert clip("abcdef", 4) == "abc…"


def test_numbers_are_aligned():
    assert number_lines("a\nb", first=9) == " 9  a\n10  b"


def test_what_could_move_the_cursor_is_replaced():
    assert printable("a\x1b[2J\tb\n\x9b") == "a�[2J\tb\n�"


def test_letters_are_those_of_words_that_differ_in_marks_blanks_and_case():
    assert letters_of("It's  A_LONG-word, № 5!\n") == "itsalongword5"
    assert letters_of("…") == ""
