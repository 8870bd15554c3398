"""What a turn and a day may cost: refused before the next request, whoever spent it; a cost nobody knows is said."""

import pytest
from agent.rig import Echo, open_agent, play

from limen.agent.limits import Limits, Meter
from limen.core.event import Notice
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer
from limen.testing.scripted_model import Reply, ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio

REACHED = Refusal("limits", "limits.cost_per_day", "Models have cost $5.00 today.", "limen config set limits.x NUMBER")


class Asks(Echo):
    """A tool that asks a model on its own, for half a dollar."""

    async def run(self, arguments, context):
        context.spend(Usage(100, 10, cost_usd=0.5))
        return ToolAnswer((Part(Text("asked"), Origin("tool", "echo", Trust.TOOL)),))


def day_of(*answers):
    """A day that answers so in turn; and the routes that were asked about."""
    left, asked = list(answers), []

    async def refusal(route):
        asked.append(route.name)
        return left.pop(0)

    return refusal, asked


async def test_a_day_that_has_cost_what_it_may_refuses_before_anything_is_asked(tmp_path):
    model = ScriptedModel([say("never")])
    day, asked = day_of(REACHED)
    async with open_agent(tmp_path, model, day=day) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code, outcome.end.mend) == ("limit", REACHED.code, REACHED.mend)
    assert model.requests == []
    assert asked == ["test/scripted"]


async def test_a_day_that_ends_its_budget_in_a_turn_asks_nothing_more(tmp_path):
    model = ScriptedModel([use(call("echo", text="x")), say("never")])
    day, _ = day_of(None, REACHED)
    async with open_agent(tmp_path, model, Echo(), day=day) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert outcome.end.code == REACHED.code
    assert len(model.requests) == 1


async def test_what_a_tool_asks_a_model_counts_for_the_turns_cost_and_is_told_apart(tmp_path):
    own = Reply(calls=(call("echo", text="x"),), usage=Usage(1_000, 100, cost_usd=0.3))
    async with open_agent(tmp_path, ScriptedModel([own, own, say("never")]), Asks(), limits=Limits(cost_usd=1.5)) as (
        agent,
        _,
        _,
    ):
        _, outcome = await play(agent, "go")
    assert outcome.end.code == "limits.cost"
    assert "$1.6000" in outcome.end.text
    assert outcome.usage.cost_usd == pytest.approx(0.6)
    assert outcome.aside == Usage(200, 20, cost_usd=1.0)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(cost_usd=1.0), "limits.cost_usd"),
        (Limits(cost_usd_per_day=1.0), "limits.cost_usd_per_day"),
        (Limits(cost_usd=1.0, cost_usd_per_day=1.0), "limits.cost_usd and limits.cost_usd_per_day"),
    ],
)
async def test_that_no_limit_of_cost_can_hold_is_said_once_a_turn(tmp_path, limits, named):
    model = ScriptedModel([use(call("echo", text="x")), say("done"), say("again")])
    async with open_agent(tmp_path, model, Echo(), limits=limits) as (agent, _, _):
        events, outcome = await play(agent, "go", session="s")
        later, _ = await play(agent, "on", session="s")
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.code == "limits.price_unknown"
    assert notice.text.startswith(f"No price is known for test/scripted, so {named} cannot hold.")
    assert notice.mend == "limen config set limits.tokens NUMBER"
    assert outcome.end.reason == "answered"
    assert [event.code for event in later if isinstance(event, Notice)] == ["limits.price_unknown"]


@pytest.mark.parametrize(
    ("limits", "cost_usd"), [(Limits(), None), (Limits(cost_usd=0.1), 0.0)], ids=["no limit", "known to be free"]
)
async def test_a_price_that_is_known_or_not_needed_is_no_news(tmp_path, limits, cost_usd):
    model = ScriptedModel([say("done", usage=Usage(10, 5, cost_usd=cost_usd))])
    async with open_agent(tmp_path, model, limits=limits) as (agent, _, _):
        events, _ = await play(agent, "go")
    assert not any(isinstance(event, Notice) for event in events)


def test_the_turns_own_ceilings_come_first():
    meter = Meter(Limits(steps=1, cost_usd=0.5))
    assert meter.reached() is None
    meter.spend_aside(Usage(cost_usd=0.5))
    assert meter.reached().code == "limits.cost"
    meter.spend(Usage(1, 1))
    assert meter.reached().code == "limits.steps"


async def test_a_request_that_has_more_tokens_than_are_left_is_not_sent(tmp_path):
    model = ScriptedModel([say("never")])
    async with open_agent(tmp_path, model, limits=Limits(tokens=50)) as (agent, _, _):
        _, outcome = await play(agent, "word " * 100)
    assert (outcome.end.reason, outcome.end.code) == ("limit", "limits.tokens")
    assert "the turn may use 50 more" in outcome.end.text
    assert outcome.end.mend == "limen config set limits.tokens NUMBER"
    assert model.requests == []


async def test_what_was_read_counts_before_it_is_sent(tmp_path):
    own = Reply(calls=(call("echo", text="word " * 400),), usage=Usage(100, 10))
    model = ScriptedModel([own, say("never")])
    async with open_agent(tmp_path, model, Echo(), limits=Limits(tokens=1_100)) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert outcome.end.code == "limits.tokens"
    assert "the turn may use 990 more" in outcome.end.text
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("limits", "said", "mend"),
    [
        (Limits(tokens=1_000), "1,200 of 1,000 tokens", "limen config set limits.tokens NUMBER"),
        (Limits(cost_usd=0.1), "$0.6000 of $0.1000", "limen config set limits.cost_usd NUMBER"),
        (Limits(tokens=1_200, cost_usd=0.6), None, None),
    ],
)
async def test_an_answer_that_goes_beyond_a_limit_is_given_and_it_is_said(tmp_path, limits, said, mend):
    model = ScriptedModel([say("done", usage=Usage(400, 800, cost_usd=0.6))])
    async with open_agent(tmp_path, model, limits=limits) as (agent, _, _):
        events, outcome = await play(agent, "go")
    notices = [event for event in events if isinstance(event, Notice)]
    assert (outcome.end.reason, outcome.answer) == ("answered", "done")
    assert [(notice.code, notice.mend) for notice in notices] == ([("limits.overrun", mend)] if said else [])
    assert all(said in notice.text for notice in notices)
