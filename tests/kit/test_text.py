"""Cuts: within the budget, at lines where there are lines, and the gap's line numbers are right."""

from hypothesis import given
from hypothesis import strategies as st

from limen.kit.text import clip, cut_middle, line_at, number_lines, printable

texts = st.text(alphabet=st.sampled_from("ab\n"), max_size=300)


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
        assert cut.gap_start_line == line_at(text, gap[0])
        assert cut.gap_end_line == line_at(text, gap[-1])


def test_lines_are_not_split_where_a_boundary_is_near():
    text = "\n".join(f"line {number}" for number in range(100))
    cut = cut_middle(text, 200)
    assert cut.head.endswith("\n")
    assert cut.tail.startswith("line ")


def test_one_long_line_is_cut_inside():
    cut = cut_middle("x" * 1_000, 100)
    assert (len(cut.head), len(cut.tail)) == (75, 25)


def test_clip_makes_one_line():
    assert clip("a\n  b", 10) == "a b"
    assert clip("abcdef", 4) == "abc…"


def test_numbers_are_aligned():
    assert number_lines("a\nb", first=9) == " 9  a\n10  b"


def test_what_could_move_the_cursor_is_replaced():
    assert printable("a\x1b[2J\tb\n\x9b") == "a�[2J\tb\n�"
