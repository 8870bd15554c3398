"""Routes that fail in turn: who is asked, how often, what is remembered for others, and what the person is told."""

import msgspec
import pytest

from limen.core.event import Notice, ReplyDelta, ReplyFinished, ReplyRestarted
from limen.core.exchange import Course, ModelRequest, PartialReply, Usage
from limen.core.fault import ModelFault, StoreFault
from limen.core.message import Message, Text
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.credentials import Keyring
from limen.models.fallback import Fallback, FallbackRules
from limen.models.health import Health, route_subject
from limen.models.model import Model
from limen.models.recovery import RECOVERY
from limen.models.resting import rest_of
from limen.models.retry import Retry
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import Broken, ScriptedModel, say

pytestmark = pytest.mark.anyio

A, B, C = (Route(name, "chat_completions", "m", f"http://{name}.example/v1") for name in "abc")
NO_KEYS = Keyring((), lambda _name: None)
DEAD = ModelFault("upstream", "it broke")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


class Stage:
    """A chain over scripted routes, and whatever was said on the way."""

    def __init__(self, *chain, store=None, clock=None, **rules):
        self.clock = clock or Clock()
        self.store = store or MemoryHealth(self.clock)
        self.health = Health(self.store, self.clock, self.clock)
        self.events = []
        self.scripts = {}
        self.fallback = Fallback(chain, self.health, self._settle, self._resting, FallbackRules(**rules), self.clock)
        retry = Retry(sleep=self._sleep)
        self.model = Model({"chat_completions": self}, [self.fallback, retry])
        self.unsettled = {}
        self.named = {}

    def play(self, route, *steps, then=None):
        self.scripts[route.name] = ScriptedModel(steps, then=then)

    def hits(self, *routes):
        return tuple(len(self.scripts[route.name].requests) if route.name in self.scripts else 0 for route in routes)

    def send(self, request):
        return self.scripts[request.route.name].send(request)

    async def _settle(self, route):
        fault = self.unsettled.get(route.name)
        if fault is not None:
            raise fault
        return msgspec.structs.replace(route, model=self.named.get(route.name, route.model))

    async def _resting(self, route):
        return await rest_of(route, self.health, NO_KEYS, self.clock)

    async def _sleep(self, _seconds):
        pass

    async def emit(self, event):
        self.events.append(event)

    def notices(self, code=None):
        return [event for event in self.events if isinstance(event, Notice) and code in (None, event.code)]

    async def turn(self, first=A, latest=None, **fields):
        start = await self.fallback.begin(first, latest)
        return await self.ask(start.route, start.course, **fields)

    async def ask(self, route, course=None, partial=None, **fields):
        request = ModelRequest(route, Prompt(), (Message("user", (Text("Hello?"),)),), course=course or Course(), **fields)
        return await self.model.ask(request, self.emit, partial)

    @property
    def latest(self):
        return [event for event in self.events if isinstance(event, ReplyFinished)][-1]


async def test_the_next_route_answers_and_the_person_is_told_once_who_why_and_what_it_costs():
    stage = Stage(B, C)
    stage.play(A, ModelFault("billing", "no credit", status=402))
    stage.play(B, say("hello"))
    reply = await stage.turn(input_tokens=98_000)
    assert reply.route == B
    assert [(failure.route, failure.kind) for failure in reply.failed] == [("a/m", "billing")]
    assert stage.hits(A, B, C) == (1, 1, 0)
    (notice,) = stage.notices("model.fell_back")
    assert "a/m" in notice.text
    assert "no credit" in notice.text
    assert "b/m" in notice.text
    assert "98,000" in notice.text
    assert notice.mend == "limen model test a/m"
    assert stage.events.index(notice) < next(n for n, event in enumerate(stage.events) if isinstance(event, ReplyDelta))
    assert stage.latest.failed == reply.failed


@pytest.mark.parametrize(
    ("fault", "hits"),
    [
        (ModelFault("auth", "no", status=401), 1),
        (ModelFault("billing", "no", status=402), 1),
        (ModelFault("auth", "no", status=403), 1),
        (ModelFault("shape", "no", status=404), 1),
        (ModelFault("shape", "no", status=400), 1),
        (ModelFault("page", "no", status=403), 1),
        (ModelFault("filter", "no"), 1),
        (ModelFault("quota", "no", status=429), 1),
        (ModelFault("rate", "no", status=429), 2),
        (ModelFault("overload", "no", status=503), 2),
        (ModelFault("upstream", "no", status=500), 3),
        (ModelFault("network", "no"), 3),
        (ModelFault("shape", "no reply"), 3),
    ],
)
async def test_each_class_costs_its_hits_and_a_dead_route_none_at_the_next_turn(fault, hits):
    stage = Stage(B)
    stage.play(A, then=fault)
    stage.play(B, then=say("hello"))
    await stage.turn()
    assert stage.hits(A, B) == (hits, 1)
    rests = RECOVERY[fault.fault_class].rests != ""  # without a key the route rests in its place
    await Stage(B, store=stage.store, clock=stage.clock).fallback.begin(A)
    assert await stage.health.is_resting(route_subject(A)) is rests
    if rests:
        await stage.turn()
        assert stage.hits(A, B) == (hits, 2)


async def test_what_one_session_paid_for_another_process_knows_and_tells():
    stage = Stage(B)
    stage.play(A, then=DEAD)
    stage.play(B, say("hello"))
    await stage.turn()
    other = Stage(B, store=stage.store, clock=stage.clock)
    other.play(B, say("hello"))
    reply = await other.turn()
    assert other.hits(A, B) == (0, 1)
    assert [failure.route for failure in reply.failed] == ["a/m"]
    assert len(other.notices("model.fell_back")) == 1


async def test_an_episode_is_told_once_and_its_end_too():
    stage = Stage(B)
    stage.play(A, DEAD, DEAD, DEAD, say("back"), then=say("still here"))
    stage.play(B, then=say("hello"))
    await stage.turn()
    await stage.turn(latest=stage.latest)
    assert len(stage.notices("model.fell_back")) == 1
    stage.clock.now += 61
    reply = await stage.turn(latest=stage.latest)
    assert reply.route == A
    assert reply.failed == ()
    assert [notice.text for notice in stage.notices("model.restored")] == ["a/m answers again."]
    await stage.turn(latest=stage.latest)
    assert len(stage.notices("model.restored")) == 1


async def test_a_rest_doubles_with_each_failure_in_a_row_and_is_forgotten_when_the_route_works():
    stage = Stage(B)
    stage.play(A, then=DEAD)
    stage.play(B, then=say("hello"))
    ends = []
    for _ in range(3):
        await stage.turn()
        (rest,) = await stage.store.rests()
        ends.append(rest.until - stage.clock.now)
        stage.clock.now = rest.until + 1
    assert ends == [60.0, 120.0, 240.0]
    stage.play(A, then=say("fine"))
    await stage.turn()
    assert await stage.store.rests() == []


async def test_of_several_only_one_finds_out_whether_a_route_works_again():
    stage = Stage(B)
    stage.play(A, then=DEAD)
    stage.play(B, then=say("hello"))
    await stage.turn()
    stage.clock.now += 61
    first = (await stage.fallback.begin(A)).route
    second = (await Stage(B, store=stage.store, clock=stage.clock).fallback.begin(A)).route
    assert (first, second) == (A, B)


async def test_within_a_turn_the_chain_is_walked_forward_each_route_once():
    stage = Stage(B, C)
    stage.play(A, ModelFault("shape", "no", status=400))
    stage.play(B, say("one"), ModelFault("shape", "no", status=400))
    stage.play(C, say("two"), ModelFault("shape", "no", status=400))
    first = await stage.turn()
    second = await stage.ask(first.route, Course(first.failed, ("a/m",)))
    assert second.route == C
    with pytest.raises(ModelFault, match="no"):
        await stage.ask(second.route, Course(second.failed, ("a/m", "b/m")))
    assert stage.hits(A, B, C) == (1, 2, 2)
    assert len(stage.notices("model.fell_back")) == 2


async def test_one_other_route_a_turn_where_that_is_the_rule():
    stage = Stage(B, C, per_turn="one")
    stage.play(A, ModelFault("shape", "a broke", status=400))
    stage.play(B, say("one"), ModelFault("shape", "b broke", status=400))
    first = await stage.turn()
    with pytest.raises(ModelFault, match="b broke"):
        await stage.ask(first.route, Course(first.failed, ("a/m",)))
    assert stage.hits(A, B, C) == (1, 2, 0)


async def test_one_other_route_holds_within_one_reply_too():
    stage = Stage(B, C, per_turn="one")
    stage.play(A, ModelFault("shape", "a broke", status=400))
    stage.play(B, ModelFault("shape", "b broke", status=400))
    with pytest.raises(ModelFault) as caught:
        await stage.turn()
    told = "a broke. The one that was asked in its place did not answer either: b/m: b broke. Not asked: c/m"
    assert caught.value.reason == f"{told} (fallback.per_turn is `one`)"
    assert stage.hits(A, B, C) == (1, 1, 0)


async def test_when_nobody_answers_the_first_failure_is_the_turns_and_the_others_are_named():
    stage = Stage(B, C)
    stage.play(A, ModelFault("billing", "a has no credit", "pay", 402))
    stage.play(B, ModelFault("auth", "b takes no key", status=401))
    stage.play(C, ModelFault("shape", "c knows no such model", status=404))
    with pytest.raises(ModelFault) as caught:
        await stage.turn()
    assert caught.value.kind == "billing"
    assert caught.value.mend == "pay"
    assert caught.value.status == 402
    assert "b/m: b takes no key" in caught.value.reason
    assert "c/m: c knows" in caught.value.reason


async def test_where_all_rest_and_are_asked_the_first_routes_failure_is_the_turns():
    stage = Stage(B)
    stage.play(A, then=ModelFault("auth", "a takes no key", status=401))
    stage.play(B, then=ModelFault("auth", "b takes no key", status=403))
    for _ in range(2):
        with pytest.raises(ModelFault) as caught:
            await stage.turn()
        assert caught.value.reason == "a takes no key. No other route answered either: b/m: b takes no key"
    assert stage.hits(A, B) == (2, 2)


async def test_a_route_that_rests_is_asked_rather_than_nobody():
    stage = Stage()
    stage.play(A, *[DEAD] * 3, say("at last"))
    with pytest.raises(ModelFault):
        await stage.turn()
    assert (await stage.turn()).route == A


async def test_of_resting_routes_one_whose_end_is_a_guess_is_asked_rather_than_one_whose_end_is_known():
    stage = Stage(B)
    stage.play(A, then=ModelFault("page", "no", retry_after_s=500.0))
    stage.play(B, *[DEAD] * 3, say("again"))
    with pytest.raises(ModelFault):
        await stage.turn()
    reply = await stage.turn()
    assert reply.route == B
    assert stage.hits(A, B) == (1, 4)


async def test_a_first_route_that_works_again_while_all_rest_stands_in_for_nobody():
    stage = Stage(B)
    stage.play(A, *[DEAD] * 3, then=say("again"))
    stage.play(B, ModelFault("page", "b is a page"))
    with pytest.raises(ModelFault):
        await stage.turn()
    reply = await stage.turn()
    assert (reply.route, reply.failed, stage.notices("model.fell_back")) == (A, (), [])


async def test_what_answers_in_the_program_has_no_cache_to_speak_of():
    own = msgspec.structs.replace(B, endpoint="")
    stage = Stage(own)
    stage.play(A, ModelFault("billing", "no credit"))
    stage.play(own, say("hello"))
    await stage.turn(input_tokens=98_000)
    (notice,) = stage.notices("model.fell_back")
    assert notice.text == "a/m does not answer (no credit). b/m answers instead."


async def test_what_rests_and_was_not_asked_is_named_where_nobody_answers():
    stage = Stage(B)
    stage.play(A, *[DEAD] * 6)
    stage.play(B, ModelFault("page", "b is a page", retry_after_s=500.0))
    for _ in range(2):
        with pytest.raises(ModelFault) as caught:
            await stage.turn()
        assert caught.value.reason == "it broke. No other route answered either: b/m: b is a page"
    assert stage.hits(A, B) == (6, 1)


async def test_text_shown_before_a_swap_is_void():
    stage, partial = Stage(B), PartialReply()
    stage.play(A, Broken("half an ans", ModelFault("filter", "no")))
    stage.play(B, say("whole"))
    await stage.ask(A, partial=partial)
    (restarted,) = [event for event in stage.events if isinstance(event, ReplyRestarted)]
    assert restarted.route == B
    assert partial.blocks() == (Text("whole"),)


async def test_a_route_whose_server_cannot_be_asked_for_its_models_counts_as_failed():
    stage = Stage(B, C)
    stage.unsettled = {"a/m": ModelFault("network", "refused"), "b/m": ModelFault("network", "refused too")}
    stage.play(C, then=say("hello"))
    reply = await stage.turn()
    assert reply.route == C
    assert [failure.reason for failure in reply.failed] == ["refused", "refused too"]
    stage.unsettled = {}
    assert (await stage.turn()).route == C


async def test_where_no_server_can_be_asked_the_first_ones_fault_is_told():
    stage = Stage(B)
    stage.unsettled = {"a/m": ModelFault("network", "refused"), "b/m": ModelFault("network", "refused too")}
    with pytest.raises(ModelFault, match=r"refused\. No other route answered either: b/m: refused too"):
        await stage.turn()


@pytest.mark.parametrize(
    ("back", "until", "at"), [("turn", 0, A), ("sticky", 0, B), ("until-reset", 0, B), ("until-reset", 90, A)]
)
async def test_when_the_first_route_is_asked_again(back, until, at):
    stage = Stage(B, back=back)
    fault = ModelFault("page", "no", retry_after_s=90.0 if until else None)
    stage.play(A, fault, then=say("back"))
    stage.play(B, then=say("hello"))
    latest = stage.latest if await stage.turn() else None
    if until:
        stage.clock.now += 60
        assert (await stage.turn(latest=latest)).route == B
    stage.clock.now += 1_000
    assert (await stage.turn(latest=latest)).route == at


async def test_a_session_does_not_stay_with_a_route_that_broke_or_with_one_that_never_worked():
    stage = Stage(B, C, back="sticky")
    stage.play(A, ModelFault("shape", "no", status=400), then=say("back"))
    stage.play(B, *[DEAD] * 3)
    stage.play(C, say("c"), *[DEAD] * 3)
    assert (await stage.turn()).route == C
    reply = await stage.turn(latest=stage.latest)
    assert reply.route == A
    assert [failure.route for failure in reply.failed] == ["c/m"]  # b would have been asked after a
    assert stage.hits(A, B, C) == (2, 3, 4)
    assert (await stage.turn(latest=stage.latest)).route == A


async def test_another_first_route_ends_a_stay():
    stage = Stage(B, back="sticky")
    stage.play(A, ModelFault("shape", "no", status=400))
    stage.play(B, then=say("hello"))
    stage.play(C, say("c"))
    await stage.turn()
    assert (await stage.turn(C, latest=stage.latest)).route == C


async def test_a_route_does_not_stand_behind_itself():
    stage = Stage(msgspec.structs.replace(A, provider="twin"), A, B)
    stage.play(A, ModelFault("shape", "no", status=400))
    stage.play(B, say("hello"))
    assert (await stage.turn()).route == B
    assert stage.hits(A, B) == (1, 1)


async def test_a_request_that_goes_alone_has_no_others():
    stage = Stage(B)
    stage.play(A, ModelFault("shape", "no", status=400))
    with pytest.raises(ModelFault, match="no"):
        await stage.ask(A, Course(alone=True))
    assert stage.hits(A, B) == (1, 0)


async def test_a_history_too_large_is_folded_once_then_given_to_a_route_with_room():
    stage = Stage(B)
    too_large = ModelFault("window", "too long")
    stage.play(A, too_large, too_large)
    stage.play(B, say("hello"))
    wishes = []

    async def refit(request, route, smaller):
        wishes.append((route.name, smaller))
        return msgspec.structs.replace(request, route=route)

    request = ModelRequest(A, Prompt(), (Message("user", (Text("Hello?"),)),))
    reply = await stage.model.ask(request, stage.emit, refit=refit)
    assert reply.route == B
    assert wishes == [("a/m", True), ("b/m", False)]


async def test_a_route_with_too_small_a_window_is_passed_over():
    stage = Stage(B, C)
    stage.play(A, ModelFault("shape", "no", status=400))
    stage.play(C, say("hello"))

    async def refit(request, route, _smaller):
        return None if route == B else msgspec.structs.replace(request, route=route)

    request = ModelRequest(A, Prompt(), (Message("user", (Text("Hello?"),)),))
    reply = await stage.model.ask(request, stage.emit, refit=refit)
    assert reply.route == C
    assert [failure.kind for failure in reply.failed] == ["shape", "window"]


async def test_without_a_store_nothing_rests_and_everything_is_asked(caplog):
    stage = Stage(B, store=MemoryHealth(fault=StoreFault("store.unreadable", "gone")))
    stage.play(A, then=ModelFault("page", "no"))
    stage.play(B, then=say("hello", usage=Usage(1, 1)))
    assert (await stage.turn()).route == B
    stage.clock.now += 2
    assert (await stage.turn()).route == B
    assert stage.hits(A, B) == (2, 2)
    assert "model.health_unknown" in caplog.text


async def test_a_route_whose_model_its_server_names_rests_under_that_name():
    nameless = msgspec.structs.replace(A, model="")
    stage = Stage(B)
    stage.named = {nameless.name: "m"}
    stage.play(A, then=DEAD)
    stage.play(B, then=say("hello"))
    for _ in range(2):
        latest = stage.latest if stage.events else None
        assert (await stage.turn(nameless, latest=latest)).route == B
    assert stage.hits(A, B) == (3, 2)
    assert len(stage.notices("model.fell_back")) == 1


async def test_a_route_without_a_key_rests_where_a_key_would():
    stage = Stage(B)
    stage.play(A, then=ModelFault("billing", "no credit", status=402))
    stage.play(B, then=say("hello"))
    for _ in range(2):
        await stage.turn()
    assert stage.hits(A, B) == (1, 2)


async def test_a_time_that_a_provider_names_and_does_not_keep_is_not_believed_again():
    stage = Stage(B)
    stage.play(A, then=ModelFault("page", "not yet", retry_after_s=3.0))
    stage.play(B, then=say("hello"))
    ends = []
    for _ in range(3):
        await stage.turn()
        (rest,) = await stage.store.rests()
        ends.append(rest.until - stage.clock.now)
        stage.clock.now = rest.until + 1
    assert ends == [3.0, 600.0, 1_200.0]


async def test_a_route_that_a_person_wishes_for_now_is_asked_whatever_the_rules():
    stage = Stage(B, back="sticky")
    stage.play(A, ModelFault("shape", "no", status=400), then=say("back"))
    stage.play(B, then=say("hello"))
    await stage.turn()
    assert (await stage.fallback.begin(A, stage.latest)).route == B
    assert (await stage.fallback.begin(A, stage.latest, wished=True)).route == A


async def test_a_turn_does_not_begin_with_a_route_that_has_no_room_for_it():
    small = msgspec.structs.replace(B, window_tokens=1_000)
    stage = Stage(small, C)
    stage.play(A, then=ModelFault("page", "no"))
    stage.play(C, then=say("hello"))
    stage.play(B, then=say("small"))
    with_room = await stage.fallback.begin(A, window_tokens=2_000)
    assert with_room.route == A
    await stage.turn()
    assert (await stage.fallback.begin(A, window_tokens=2_000)).route == C
    assert (await stage.fallback.begin(A)).route == small
