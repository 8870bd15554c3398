"""What stands under an answer, of quotations that stand in nothing that was read."""

import io

import pytest

from limen.surfaces.cli.account import warn_of_unverified
from limen.surfaces.cli.screen import Screen


def said(*quotations, verbosity=0):
    out, err = io.StringIO(), io.StringIO()
    warn_of_unverified(Screen(out, err, verbosity=verbosity, colour=False), quotations)
    assert out.getvalue() == ""
    return err.getvalue()


def test_nothing_is_said_where_all_was_found():
    assert said() == ""


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_a_forged_quotation_is_said_however_quiet(verbosity):
    expected = "! quoted, but found in nothing that was read: “words that nobody wrote”\n"
    assert said("words that\nnobody wrote", verbosity=verbosity) == expected


def test_of_many_the_first_few_are_shown_and_of_a_long_one_its_beginning():
    shown = said("one " * 100, "two", "three", "four", "five")
    assert "“two”, “three” and 2 more" in shown
    assert len(shown) < 250


def test_no_quotation_moves_the_cursor():
    assert "\x1b" not in said("words \x1b[2J that clear")
