"""Sharing a budget: nothing is wasted while somebody wants it, and the same wishes get the same shares."""

from hypothesis import given
from hypothesis import strategies as st

from limen.kit.shares import shares


@given(st.lists(st.integers(0, 5_000), max_size=8), st.integers(0, 20_000))
def test_room_is_shared_without_waste_and_never_exceeded(sizes, budget):
    room = shares(sizes, budget)
    assert sum(room) <= max(budget, 0)
    assert all(0 <= given <= size for given, size in zip(room, sizes, strict=True))
    if sum(sizes) <= budget:
        assert room == sizes
    else:
        assert sum(room) > budget - len(sizes)


def test_what_a_small_one_leaves_goes_to_the_larger_ones():
    assert shares([100, 5_000, 9_000], 6_000) == [100, 2_950, 2_950]
