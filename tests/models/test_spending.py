"""The books: whoever asks is booked once, a day's limit refuses what costs, and a store that fails is never silent."""

from datetime import datetime, timedelta, timezone

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.context import silent
from limen.core.event import Notice
from limen.core.exchange import Left, ModelRequest, Usage
from limen.core.fault import ModelFault, StoreFault
from limen.core.prompt import Prompt
from limen.core.prompt_cache import Sent
from limen.core.route import Price, Route
from limen.kit.log import fail_open_counts
from limen.models.auxiliary import AuxiliaryModel
from limen.models.fallback import Fallback
from limen.models.health import Health
from limen.models.model import Model
from limen.models.spending import Budget, OverBudget, Spending, beyond, dollars, is_free
from limen.models.tasks import task_of
from limen.store.ports import Spent
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import ScriptedModel, Stall, say
from limen.testing.spend import MemorySpend

pytestmark = pytest.mark.anyio

DEAR = Route("dear", "chat_completions", "m", price=Price(1_000.0, 10_000.0, cached_input_usd=100.0))
FREE = Route("here", "chat_completions", "m", price=Price(0.0, 0.0))
FREE_AT_FIRST = Route("tier", "chat_completions", "m", price=Price(0.0, 0.0, long_tokens=1_000, long=Price(1.0, 1.0)))
UNKNOWN = Route("new", "chat_completions", "m")
BUILT_IN = Route("limen", "embedded", "extractive")
USAGE = Usage(1_000, 10, cached_tokens=500)
COST_USD = 0.5 + 0.05 + 0.1
FULL = StoreFault("store.full", "The disk is full.", "Free some room.")


class Day:
    """A clock of local time, and the books of a model under it."""

    def __init__(self, limit_usd=None, *script, store=None):
        self.now = datetime(2026, 11, 30, 23, 50, tzinfo=timezone(timedelta(hours=13)))
        self.store = store or MemorySpend()
        self.spending = Spending(self.store, limit_usd, lambda: self.now)
        self.wire = ScriptedModel(script, then=lambda request: say("ok", usage=USAGE))
        self.model = Model({"chat_completions": self.wire, "embedded": self.wire}, (Budget(self.spending),), self.spending)

    async def ask(self, route=DEAR):
        return await self.model.ask(ModelRequest(route, Prompt(), ()), silent)


async def test_every_reply_is_booked_on_its_local_day():
    day = Day()
    await day.ask()
    await day.ask()
    day.now += timedelta(minutes=20)
    await day.ask()
    await day.ask(UNKNOWN)
    assert list(await day.store.spent("")) == [
        Spent("2026-12-01", "dear/m", 1, 1_000, 500, 10, pytest.approx(COST_USD)),
        Spent("2026-12-01", "new/m", 1, 1_000, 500, 10, 0.0, unpriced=1),
        Spent("2026-11-30", "dear/m", 2, 2_000, 1_000, 20, pytest.approx(2 * COST_USD)),
    ]


async def test_what_the_provider_says_that_it_cost_is_booked():
    day = Day(None, say("ok", usage=Usage(1_000, 10, cost_usd=0.125)))
    await day.ask(UNKNOWN)
    (row,) = await day.store.spent("")
    assert (row.cost_usd, row.unpriced) == (0.125, 0)


@pytest.mark.parametrize("said", [-5.0, float("inf"), float("nan")])
async def test_a_cost_that_is_no_amount_is_not_believed(said):
    """It could lift a limit, or keep one for ever."""
    day = Day(1.0, *[say("ok", usage=msgspec.structs.replace(USAGE, cost_usd=said))] * 2)
    assert (await day.ask()).usage.cost_usd == pytest.approx(COST_USD)
    assert (await day.ask(UNKNOWN)).usage.cost_usd is None
    rows = await day.store.spent("")
    assert [(row.route, row.cost_usd, row.unpriced) for row in rows] == [
        ("dear/m", pytest.approx(COST_USD), 0),
        ("new/m", 0.0, 1),
    ]


async def test_small_jobs_are_booked_like_turns_and_end_with_the_day():
    """That a route is not asked for its cost alone does not make it rest."""
    day, health = Day(0.5), MemoryHealth()

    async def as_it_is(route):
        return route

    async def nothing(_route):
        return None

    jobs = AuxiliaryModel(task_of("title"), day.model, lambda _main: (DEAR,), as_it_is, Health(health), nothing)
    await jobs.complete("Make a title.", "text")
    (row,) = await day.store.spent("")
    assert (row.requests, row.cost_usd) == (1, pytest.approx(COST_USD))
    with pytest.raises(OverBudget):
        await jobs.complete("Make a title.", "text")
    assert len(day.wire.requests) == 1
    assert list(await health.rests()) == []


async def test_what_answers_without_a_model_and_what_failed_is_not_booked():
    day = Day(5.0, say("quoted"), ModelFault("rate", "slow down"))
    await day.ask(BUILT_IN)
    with pytest.raises(ModelFault):
        await day.ask()
    assert list(await day.store.spent("")) == []


async def test_once_the_day_has_cost_what_it_may_only_the_free_is_asked():
    day = Day(1.0)
    await day.ask()
    assert await day.spending.refusal(DEAR) is None
    await day.ask()
    assert len(day.wire.requests) == 2
    with pytest.raises(OverBudget) as caught:
        await day.ask()
    assert caught.value.code == "limits.cost_per_day"
    assert caught.value.reason == "Models have cost $1.30 today; a day may cost $1.00."
    assert "limits.cost_usd_per_day" in caught.value.mend
    assert len(day.wire.requests) == 2
    with pytest.raises(OverBudget):
        await day.ask(UNKNOWN)
    await day.ask(FREE)
    await day.ask(BUILT_IN)
    day.now += timedelta(minutes=10)
    await day.ask()


async def test_other_processes_of_the_home_count():
    store = MemorySpend()
    one, other = Day(1.0, store=store), Day(1.0, store=store)
    await one.ask()
    await other.ask()
    with pytest.raises(OverBudget):
        await one.ask()


async def test_a_limit_of_nothing_allows_nothing_that_costs():
    day = Day(0.0)
    with pytest.raises(OverBudget):
        await day.ask()
    await day.ask(FREE)


async def test_a_booking_that_fails_is_logged_and_the_reply_is_there():
    before = fail_open_counts["limits.not_booked"]
    day = Day(store=MemorySpend(FULL))
    reply = await day.ask()
    assert reply.blocks
    assert fail_open_counts["limits.not_booked"] == before + 1


async def test_with_a_limit_a_day_that_cannot_be_read_refuses_and_says_so():
    day = Day(1.0, store=MemorySpend(FULL))
    with pytest.raises(OverBudget) as caught:
        await day.ask()
    assert caught.value.code == "limits.spending_unknown"
    assert "The disk is full." in caught.value.reason
    assert caught.value.mend == "Free some room."
    assert day.wire.requests == []
    await day.ask(FREE)


async def test_what_could_not_be_booked_counts_all_the_same():
    """A full disk is read and not written: the limit holds."""
    store = FullSpend()
    day = Day(1.0, store=store)
    await day.ask()
    await day.ask()
    with pytest.raises(OverBudget):
        await day.ask()
    day.now += timedelta(hours=1)
    await day.ask()


class FullSpend(MemorySpend):
    """A store on a full disk."""

    async def add(self, spent):
        raise FULL


async def test_a_reply_that_came_is_booked_also_when_nobody_waits_any_more():
    reached = anyio.Event()

    class Slow(MemorySpend):
        async def add(self, spent):
            reached.set()
            await anyio.sleep(0.01)
            return await super().add(spent)

    day = Day(store=Slow())
    async with anyio.create_task_group() as group:
        group.start_soon(day.ask)
        await reached.wait()
        group.cancel_scope.cancel()
    assert [row.requests for row in await day.store.spent("")] == [1]


async def test_a_request_that_was_left_before_its_reply_is_not_booked():
    day = Day(None, Stall("begun"))
    with anyio.move_on_after(0.05):
        await day.ask()
    assert list(await day.store.spent("")) == []


@pytest.mark.parametrize(
    ("route", "free"),
    [(DEAR, False), (FREE, True), (UNKNOWN, False), (BUILT_IN, True), (FREE_AT_FIRST, False)],
    ids=lambda value: str(value)[:20],
)
def test_free_is_what_is_known_to_cost_nothing(route, free):
    assert is_free(route) is free


@pytest.mark.parametrize(
    ("amount", "shown"), [(0, "$0.00"), (1e-9, "$0.0001"), (0.0042, "$0.0042"), (0.1, "$0.10"), (1_234.5, "$1,234.50")]
)
def test_dollars_are_told_so_that_little_is_not_nothing(amount, shown):
    assert dollars(amount) == shown


@given(st.lists(st.floats(0, 1_000), max_size=20), st.floats(0, 5_000))
async def test_nothing_is_asked_once_the_limit_is_reached(costs, limit_usd):
    day = Day(limit_usd, *(say("ok", usage=Usage(1, 1, cost_usd=cost)) for cost in costs))
    spent = 0.0
    for cost in costs:
        if spent >= limit_usd:
            with pytest.raises(OverBudget):
                await day.ask()
            break
        await day.ask()
        spent += cost


def asked(route, left, tokens=1_000, earlier=0):
    sent = (Sent(route.name, "", "", "", "", "", 0, 0, earlier, 0.0),) if earlier else ()
    return ModelRequest(route, Prompt(), (), input_tokens=tokens, left=left, earlier=sent)


@pytest.mark.parametrize(
    ("route", "left", "earlier", "code"),
    [
        (DEAR, Left(), 0, None),
        (DEAR, Left(tokens=1_001), 0, None),
        (DEAR, Left(tokens=1_000), 0, "limits.tokens"),
        (UNKNOWN, Left(tokens=-5), 0, "limits.tokens"),
        (DEAR, Left(cost_usd=1.0), 0, None),
        (DEAR, Left(cost_usd=0.99), 0, "limits.cost"),
        (DEAR, Left(cost_usd=0.99), 600, None),  # a part of it may be in the cache
        (DEAR, Left(cost_usd=0.09), 5_000, "limits.cost"),
        (UNKNOWN, Left(cost_usd=0.01), 0, None),
        (FREE, Left(cost_usd=0.0), 0, None),
    ],
)
def test_a_request_is_beyond_its_turn_when_its_input_alone_is(route, left, earlier, code):
    refusal = beyond(asked(route, left, earlier=earlier))
    assert (refusal.code if refusal else None) == code


async def test_a_route_that_costs_too_much_gives_way_to_a_cheaper_one_and_does_not_rest():
    """Nor is a route without a key blamed for its price."""
    store, events, health = MemorySpend(), [], Health(MemoryHealth())
    wire = ScriptedModel(then=say("ok", usage=USAGE))

    async def as_it_is(route):
        return route

    async def nothing(_route):
        return None

    async def emit(event):
        events.append(event)

    gates = (Fallback((FREE,), health, as_it_is, nothing), Budget(Spending(store)))
    model = Model({"chat_completions": wire}, gates)
    reply = await model.ask(asked(DEAR, Left(cost_usd=0.5)), emit)
    assert reply.route == FREE
    assert [(request.route, request.left.cost_usd) for request in wire.requests] == [(FREE, 0.5)]
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert "the turn may cost $0.50 more" in notice.text
    assert notice.mend == "limen config set limits.cost_usd NUMBER"
    assert await health.known() == {}


async def test_where_all_routes_cost_too_much_the_limit_is_what_is_said():
    async def as_it_is(route):
        return route

    async def nothing(_route):
        return None

    dearer = msgspec.structs.replace(DEAR, model="other")
    fallback = Fallback((dearer,), Health(MemoryHealth()), as_it_is, nothing)
    model = Model({}, (fallback, Budget(Spending(MemorySpend()))))
    with pytest.raises(OverBudget, match="dear/other") as caught:
        await model.ask(asked(DEAR, Left(cost_usd=0.5)), silent)
    assert (caught.value.code, caught.value.mend) == ("limits.cost", "limen config set limits.cost_usd NUMBER")
