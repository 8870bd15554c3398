"""The model gates as a whole, under faults of every kind: laws that hold for every chain, pool and order of events."""

import anyio
import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from models.gate_world import (
    HISTORY,
    RETRIES,
    Answer,
    World,
    judge_hits,
    judge_notices,
    judge_rests,
    most_hits,
    references,
    shown,
)  # fmt: skip

from limen.core.context import silent
from limen.core.exchange import ModelRequest
from limen.core.fault import ModelFault
from limen.core.prompt import Prompt
from limen.models.health import route_subject

LOOSE = settings(
    deadline=None, max_examples=40, stateful_step_count=12, suppress_health_check=list(HealthCheck)
)  # fmt: skip

KINDS = (
    ("auth", 401), ("auth", 403), ("billing", 402), ("rate", 429), ("quota", 429), ("overload", 503), ("upstream", 500),
    ("window", 400), ("filter", None), ("shape", None), ("shape", 400), ("shape", 404), ("network", None), ("page", 403),
)  # fmt: skip
OF_KEYS = tuple(kind for kind in KINDS if kind[0] in ("auth", "billing", "rate", "quota"))


def faults(kinds=KINDS):
    return st.builds(
        lambda kind, reset, mark: ModelFault(kind[0], f"{kind[0]} {kind[1]} {reset} {mark}", "", kind[1], reset),
        st.sampled_from(kinds),
        st.sampled_from((None, None, 4.0, 30.0, 3_600.5)),
        st.integers(0, 3),
    )


def bad(kinds=KINDS):
    return st.builds(Answer, st.sampled_from(("", "half of it")), faults(kinds))


pools = st.lists(st.integers(0, 4), min_size=1, max_size=5)


class Gates(RuleBasedStateMachine):
    """Turns of several sessions in several processes, between them time, breakage and repair."""

    @initialize(drawn=pools)
    def begin(self, drawn):
        self.world = World(drawn)
        self.routes = self.world.routes

    @rule(data=st.data(), answer=bad())
    def a_route_breaks(self, data, answer):
        self.world.modes[data.draw(st.sampled_from(self.routes)).name] = answer

    @rule(data=st.data(), answer=bad(OF_KEYS))
    def a_key_breaks(self, data, answer):
        keys = [ref for route in self.routes for ref in references(route)]
        if keys:
            self.world.modes[data.draw(st.sampled_from(keys))] = answer

    @precondition(lambda self: self.world.modes)
    @rule(data=st.data())
    def something_is_mended(self, data):
        del self.world.modes[data.draw(st.sampled_from(sorted(self.world.modes)))]

    @rule(data=st.data(), answers=st.lists(bad(), min_size=1, max_size=3))
    def a_route_stumbles(self, data, answers):
        self.world.steps[data.draw(st.sampled_from(self.routes)).name] += answers

    @rule(seconds=st.sampled_from((2.0, 29.0, 61.0, 301.0, 7_200.0)))
    def time_passes(self, seconds):
        self.world.pass_time(seconds)

    @rule(seconds=st.sampled_from((-3_600.0, -5.0, 5.0, 90_000.0)))
    def the_clock_is_set(self, seconds):
        self.world.now += seconds

    @rule(down=st.booleans())
    def the_store_comes_and_goes(self, down):
        self.world.store.down = down

    @rule(process=st.integers(0, 1), session=st.sampled_from("st"), replies=st.integers(1, 3))
    def a_turn(self, process, session, replies):
        world = self.world
        world.ticks += 2.0  # what other processes have found out is known
        anyio.run(self._turn, process, session, replies)

    @rule(process=st.integers(0, 1), session=st.sampled_from("st"))
    def a_turn_soon_after(self, process, session):
        self.a_turn(process, session, 1)

    @rule(process=st.integers(0, 1), points=st.integers(0, 40))
    def a_turn_is_cancelled(self, process, points):
        anyio.run(_cancelled, self.world, process, points)

    async def _turn(self, process, session, replies):
        world = self.world
        latest = world.sessions.get(session)
        told = {failure.route for failure in latest.failed} if latest and latest.failed[:1] and _first(latest, world) else set()
        before = dict(world.store._rests)
        resting = await world.rests() if not world.store.down else {}
        able = [route for route in self.routes if _can_answer(world, route, resting)]
        steps = any(world.steps.values())
        got, fault = await world.turn(process, session, replies)
        judge_hits(world)
        judge_notices(world, told, got[-1] if got else None)
        judge_waits(world, resting)
        if not world.store.down:
            judge_rests(world, before, dict(world.store._rests))
            judge_sparing(world, resting)
        if fault is None:
            assert shown(world.events) == ""
            assert got[-1].blocks[0].text == f"whole from {got[-1].route.name}"
        else:
            judge_fault(world, fault, got)
        if able and not steps:
            assert fault is None, (fault, [route.name for route in able])


def _first(latest, world):
    return latest.failed[0].route == world.routes[0].name


def _can_answer(world, route, resting):
    """Whether a route is in order, as far as its provider has not named a time until which it is not."""
    own = resting.get(route_subject(route))
    if route.name in world.modes or (own is not None and own.known):
        return False
    keys = world.subjects(route)
    return not keys or any(
        ref not in world.modes and not (subject in resting and resting[subject].known) for ref, subject in keys.items()
    )


def judge_sparing(world, resting):
    """What was known to rest is not asked while anything that was in order is left to ask."""
    for number, hit in enumerate(world.hits):
        asked = {earlier.route.name for earlier in world.hits[: number + 1]}
        used = {earlier.route.credential for earlier in world.hits[: number + 1]}
        own = resting.get(route_subject(hit.route))
        keys = world.subjects(hit.route)
        key = resting.get(keys.get(hit.route.credential))
        if key is not None and key.until > hit.at:
            others = [ref for ref, subject in keys.items() if ref not in used and subject not in resting]
            assert not others, (hit, others)
        if any(rest is not None and rest.until > hit.at for rest in (own, key)):
            better = [route.name for route in world.routes if route.name not in asked and world.was_fit(route, resting)]
            assert not better, (hit, better)


def judge_waits(world, resting):
    """Before another route is asked no more is waited than `wait_s` allows in sum, and the own pauses of one class."""
    names = [hit.route.name for hit in world.hits]
    for name in set(names):
        end = len(names) - names[::-1].index(name)
        if end == len(names) or not world.was_fit(world.hits[end].route, resting):
            continue  # with nobody in order behind it, patience is all there is
        waited = sum(seconds for at, seconds in world.waits if names.index(name) <= at <= end)
        assert waited <= 10.0 + 1e-6, world.waits


def judge_fault(world, fault, got):
    """It is that of the route that was asked first, and the others are named in it."""
    since = len(world.hits)
    while since and world.hits[since - 1].answer.fault is not None:
        since -= 1
    failed = world.hits[since:]
    if not failed:
        return
    order = [route.name for route in world.routes]
    first = min((hit.route.name for hit in failed), key=order.index)
    said = [hit.answer.fault for hit in failed if hit.route.name == first][-1]
    assert (fault.kind, fault.status) == (said.kind, said.status)
    assert fault.reason.startswith(said.reason)
    for name in {hit.route.name for hit in failed} - {first}:
        assert name in fault.reason


TestGates = Gates.TestCase
TestGates.settings = LOOSE


async def _cancelled(world, process, points):
    """A turn that ends at one of its awaits, whichever that is."""
    with anyio.fail_after(30), anyio.CancelScope() as scope:
        world.scope, world.left = scope, points
        try:
            await world.turn(process, "cancelled")
        except ModelFault:
            pass
        finally:
            world.left = None


@LOOSE
@given(pools, st.lists(bad(), min_size=1, max_size=5), st.integers(0, 60))
def test_a_turn_cancelled_anywhere_leaves_no_claim_behind(drawn, answers, points):
    world = World(drawn)
    for route, answer in zip(world.routes, answers, strict=False):
        world.modes[route.name] = answer

    async def run():
        await world.turn()
        world.pass_time(100_000.0)
        world.modes.clear()
        await _cancelled(world, 0, points)
        claimed = [rest.until for rest in world.store._rests.values() if rest.until > world.now]
        assert max(claimed, default=0.0) <= world.now + 30.0
        world.pass_time(31.0)
        got, fault = await world.turn(process=1)
        assert fault is None
        assert got[-1].route.name == world.routes[0].name
        assert [rest for rest in await world.store.rests() if rest.subject == route_subject(world.routes[0])] == []

    anyio.run(run)


@LOOSE
@given(st.integers(2, 4), st.lists(bad(), min_size=12, max_size=12))
def test_keys_and_retries_do_not_multiply(keys, answers):
    world = World([keys, 0])
    world.steps[world.routes[0].name] = list(answers)

    async def run():
        _, fault = await world.turn()
        assert fault is None or world.hits[-1].route.name == "p1/m1"
        judge_hits(world)

    anyio.run(run)


REFUSED = ModelFault("shape", "HTTP 400: Invalid `signature` in `thinking` block", status=400)


@LOOSE
@given(st.integers(2, 4), st.lists(bad(), min_size=1, max_size=12), st.integers(0, 5))
def test_refused_thoughts_cost_one_request_and_no_retries(keys, answers, at):
    world = World([0, keys])
    world.modes["p0/m0"] = Answer("", ModelFault("billing", "no credit", status=402))
    world.steps["p1/m1"] = [*answers[:at], Answer("", REFUSED), *answers[at:]]

    async def run():
        await world.turn()
        assert len(world.hits) - 1 <= most_hits(world.routes[1]) + 1

    anyio.run(run)


async def _at_once(world, turns, processes):
    """Turns of as many sessions, all at the same time."""
    done = []

    async def one(number):
        fallback, model, _ = world.processes[number % processes]
        start = await fallback.begin(world.routes[0])
        request = ModelRequest(start.route, Prompt(), HISTORY, course=start.course)
        done.append(await model.ask(request, silent))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number in range(turns):
                group.start_soon(one, number)
    return done


DEAD = Answer("", ModelFault("upstream", "dead", status=500))


@pytest.mark.anyio
@pytest.mark.parametrize("processes", [1, 8])
async def test_many_turns_at_once_find_a_dead_route_and_then_spare_it(processes):
    world = World([0, 0], processes=processes)
    first, second = world.routes
    world.modes[first.name] = DEAD
    assert {reply.route.name for reply in await _at_once(world, 50, processes)} == {second.name}
    assert len(world.hits) <= 50 * (RETRIES + 1) + 50
    (rest,) = await world.store.rests()
    assert (rest.failures, rest.until - rest.since) == (1, 60.0)
    world.pass_time(2.0)
    world.hits.clear()
    await _at_once(world, 50, processes)
    assert {hit.route.name for hit in world.hits} == {second.name}
    world.pass_time(61.0)
    world.hits.clear()
    await _at_once(world, 50, processes)
    assert [hit.route.name for hit in world.hits].count(first.name) == RETRIES + 1
    (rest,) = await world.store.rests()
    assert (rest.failures, rest.until - rest.since) == (2, 120.0)
    world.pass_time(121.0)
    world.modes.clear()
    replies = await _at_once(world, 50, processes)
    assert sum(reply.route.name == first.name for reply in replies) >= 1
    world.pass_time(2.0)
    assert {reply.route.name for reply in await _at_once(world, 50, processes)} == {first.name}
    assert await world.store.rests() == []
