"""What stands under an answer: quotations that stand in nothing that was read, and what the turn cost."""

import io

import msgspec
import pytest

from limen.agent.agent import TurnOutcome
from limen.agent.turn import TurnEnd
from limen.core.exchange import RouteFailure, Usage
from limen.core.route import Route
from limen.surfaces.cli.account import account, provider_account, published_outcome, warn_of_unverified
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


def outcome(usage_usd, aside_usd):
    usage, aside = Usage(100, 10, cost_usd=usage_usd), Usage(7, 3, cost_usd=aside_usd)
    return TurnOutcome("s", "t_1", "answer", TurnEnd("answered"), None, usage=usage, aside=aside, took_s=1.0)


@pytest.mark.parametrize(
    ("usage_usd", "aside_usd", "told"),
    [
        (None, None, ""),
        (0.0, 0.0, ""),
        (0.0123, None, "$0.0123"),
        (1.5, 0.02, "$1.52 (small jobs $0.0200)"),
        (None, 0.02, "$0.0200 (small jobs $0.0200)"),
    ],
)
def test_what_a_turn_cost_is_told_and_how_much_of_it_were_small_jobs(usage_usd, aside_usd, told):
    assert provider_account(outcome(usage_usd, aside_usd)) == told


def test_small_jobs_stand_beside_the_turns_usage():
    shape = published_outcome(outcome(1.0, 0.5))
    assert shape["aside"] == {"input_tokens": 7, "output_tokens": 3, "cost_usd": 0.5}
    assert shape["usage"]["cost_usd"] == 1.0


@pytest.mark.parametrize(
    ("failed", "columns", "end"),
    [
        ((), 79, " · refused 0"),
        ((), 200, " · refused 0 · second/m · 1.0 s"),
        ((RouteFailure("first/m", "billing", "no credit"),), 79, " · refused 0 · second/m for first/m"),
        ((RouteFailure("first/m", "billing", "no credit"),), 200, " · refused 0 · second/m for first/m · 1.0 s"),
    ],
)
def test_who_stood_in_is_told_in_the_narrowest_terminal(failed, columns, end):
    answered = msgspec.structs.replace(outcome(None, None), route=Route("second", "chat_completions", "m"), failed=failed)
    assert account(answered, columns).endswith(end)
