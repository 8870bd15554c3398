"""A value made of another is made once for each."""

import pytest

from limen.kit.remade import Remade


def test_it_is_made_anew_only_when_its_source_is_another():
    source = [1]
    made = []

    def make(value):
        made.append(value)
        return value * 10

    remade = Remade(lambda: source[0], make)
    assert (remade(), remade()) == (10, 10)
    source[0] = 2
    assert (remade(), remade()) == (20, 20)
    assert made == [1, 2]


def test_a_source_of_which_nothing_can_be_made_is_tried_again():
    tries = []

    def make(value):
        tries.append(value)
        if len(tries) == 1:
            raise ValueError("not yet")
        return value

    remade = Remade(lambda: 7, make)
    with pytest.raises(ValueError, match="not yet"):
        remade()
    assert remade() == 7
