import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.event import Notice, ReplyDelta, ReplyFinished, ReplyRestarted
from limen.core.exchange import Course, ModelRequest, PartialReply, Usage
from limen.core.fault import ModelFault
from limen.core.message import Text
from limen.core.prompt import Prompt
from limen.core.route import Price
from limen.models.asking import Asking, Heard
from limen.models.credentials import KeyBinding, Keyring
from limen.models.gates import MODEL_GATES, model_gates
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials
from limen.models.recovery import CAP_S, RECOVERY
from limen.models.retry import Retry, RetryLimits
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import Broken, ScriptedModel, Stall, say

pytestmark = pytest.mark.anyio

KINDS = ["auth", "billing", "rate", "quota", "overload", "upstream", "window", "filter", "shape", "network", "page"]


class Listener:
    def __init__(self):
        self.events = []
        self.pauses = []

    async def emit(self, event):
        self.events.append(event)

    async def sleep(self, seconds):
        self.pauses.append(seconds)

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


def model_of(wire, listener, *, keys=None, limits=None):
    retry = Retry(limits, sleep=listener.sleep, chance=lambda: 0.5)
    return Model({"chat_completions": wire}, [Credentials(keys or Keyring((), lambda _: None), Health(MemoryHealth())), retry])


def test_the_order_of_the_gates_is_the_documented_one():
    assert MODEL_GATES == ("fallback", "budget", "history", "cache", "credentials", "retry")
    first, second, third, _cache, fifth, sixth = model_gates(fallback=1, budget=2, history=3, credentials=4, retry=5)
    assert (first, second, third, fifth, sixth) == (1, 2, 3, 4, 5)


async def test_a_reply_is_streamed_finished_and_counted(request_to):
    listener, wire = Listener(), ScriptedModel([say("hello there")])
    partial = PartialReply()
    reply = await model_of(wire, listener).ask(request_to(), listener.emit, partial)
    assert "".join(event.text for event in listener.of(ReplyDelta)) == "hello there"
    assert listener.of(ReplyFinished) == [
        ReplyFinished((Text("hello there"),), "end", Usage(10, 5), request_to().route, 1),
    ]
    assert reply.complete
    assert partial.blocks() == (Text("hello there"),)


@pytest.mark.parametrize("kind", KINDS)
async def test_only_what_passes_by_itself_is_tried_again(kind, request_to):
    listener, wire = Listener(), ScriptedModel([ModelFault(kind, "no")] * 5)
    with pytest.raises(ModelFault, match="no"):
        await model_of(wire, listener).ask(request_to(), listener.emit)
    assert len(wire.requests) == (3 if RECOVERY[ModelFault(kind, "no").fault_class].retries != 0 else 1)


async def test_pauses_double_and_carry_jitter(request_to):
    listener, wire = Listener(), ScriptedModel([ModelFault("rate", "slow"), ModelFault("rate", "slow"), say("ok")])
    reply = await model_of(wire, listener).ask(request_to(), listener.emit)
    assert listener.pauses == [2.5, 5.0]
    assert reply.attempts == 3
    assert [event.code for event in listener.of(Notice)] == ["model.retrying"] * 2


async def test_a_vendors_wish_is_honoured_up_to_a_bound(request_to):
    listener = Listener()
    wire = ScriptedModel([ModelFault("rate", "slow", retry_after_s=30.0), ModelFault("rate", "slow", retry_after_s=61.0)])
    with pytest.raises(ModelFault) as caught:
        await model_of(wire, listener).ask(request_to(), listener.emit)
    assert listener.pauses == [30.0]
    assert caught.value.retry_after_s == 61.0


async def test_shown_text_is_called_void_before_the_next_attempt(request_to):
    listener, partial = Listener(), PartialReply()
    wire = ScriptedModel([Broken("half a", ModelFault("network", "cut")), say("whole")])
    reply = await model_of(wire, listener).ask(request_to(), listener.emit, partial)
    kinds = [type(event) for event in listener.events]
    assert kinds.index(ReplyRestarted) < kinds.index(Notice)
    assert kinds.count(ReplyRestarted) == 1
    after = listener.events[kinds.index(ReplyRestarted) :]
    assert "".join(event.text for event in after if isinstance(event, ReplyDelta)) == "whole"
    assert partial.blocks() == reply.blocks == (Text("whole"),)


async def test_when_attempts_run_out_what_was_shown_last_is_kept(request_to):
    listener, partial = Listener(), PartialReply()
    wire = ScriptedModel([Broken(text, ModelFault("network", "cut")) for text in ("one", "two", "three")])
    with pytest.raises(ModelFault):
        await model_of(wire, listener).ask(request_to(), listener.emit, partial)
    assert partial.blocks() == (Text("three"),)


async def test_a_cancelled_reply_leaves_what_was_said(request_to):
    listener, partial, wire = Listener(), PartialReply(), ScriptedModel([Stall("so far so")])
    model = model_of(wire, listener)
    async with anyio.create_task_group() as group:
        group.start_soon(model.ask, request_to(), listener.emit, partial)
        await wire.waiting.wait()
        group.cancel_scope.cancel()
    assert partial.blocks() == (Text("so far so"),)
    assert listener.of(ReplyFinished) == []


async def test_a_listener_who_fails_ends_the_reply(request_to):
    wire = ScriptedModel([say("text")])

    async def broken(_event):
        raise RuntimeError("screen gone")

    with pytest.raises(RuntimeError, match="screen gone"):
        await model_of(wire, Listener()).ask(request_to(), broken)


async def test_a_missing_key_stops_a_request_before_its_wire(request_to, route_to):
    listener, wire = Listener(), ScriptedModel([say("never")])
    keys = Keyring((KeyBinding("env:K", hosts=("k.example",)),), lambda _: None)
    request = request_to(route=route_to("https://k.example/v1", credential="env:K"))
    with pytest.raises(ModelFault, match="no key"):
        await model_of(wire, listener, keys=keys).ask(request, listener.emit)
    assert wire.requests == []


async def test_a_wire_that_is_not_built_in_is_said(request_to, route_to):
    with pytest.raises(ModelFault, match="anthropic_messages"):
        await model_of(ScriptedModel(), Listener()).ask(request_to(route=route_to(wire="anthropic_messages")), Listener().emit)


async def test_a_wire_that_breaks_its_promise_is_a_fault(request_to):
    class Silent:
        async def send(self, _request):
            return
            yield

    listener = Listener()
    with pytest.raises(ModelFault, match="without a reply"):
        await model_of(Silent(), listener, limits=RetryLimits(retries=0)).ask(request_to(), listener.emit)


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage(1_000_000, 500_000), Price(2.0, 8.0), 6.0),
        (Usage(1_000_000, 0, 400_000), Price(2.0, 8.0, 0.5), 1.4),
        (Usage(1_000_000, 0, 400_000), Price(2.0, 8.0), 2.0),
        (Usage(10, 0, 400), Price(1_000_000.0, 0.0, 0.0), 0.0),
        (Usage(10, 10, cost_usd=0.25), Price(2.0, 8.0), 0.25),
        (Usage(10, 10), None, None),
        (Usage(10, 10), Price(0.0, 0.0), 0.0),
    ],
)
async def test_cost(usage, price, cost, request_to, route_to):
    listener, wire = Listener(), ScriptedModel([say("x", usage=usage)])
    reply = await model_of(wire, listener).ask(request_to(route=route_to(price=price)), listener.emit)
    assert reply.usage.cost_usd == (pytest.approx(cost) if cost is not None else None)
    assert listener.of(ReplyFinished)[0].usage == reply.usage


@given(
    st.sampled_from(sorted(name for name, row in RECOVERY.items() if row.retries is None and name != "reply")),
    st.integers(0, 19),
    st.floats(0, 20),
    st.floats(0, 0.999),
    st.one_of(st.none(), st.floats(0, 1_000)),
    st.booleans(),
)
def test_a_pause_is_bounded_and_never_shorter_than_asked(kind, retries, waited_s, chance, asked_s, other_routes):
    limits = RetryLimits(retries=10)
    asking = Asking(ModelRequest(None, Prompt(), ()), None, None, other_routes=other_routes)
    asking.attempts.retries, asking.attempts.waited_s = retries, waited_s
    pause_s = Retry(limits, chance=lambda: chance)._pause_s(ModelFault(kind, "x", retry_after_s=asked_s), asking)
    longest_s = max(limits.wait_s - waited_s, 0) if other_routes else limits.longest_wait_s
    if retries >= limits.retries or (asked_s is not None and asked_s > longest_s):
        assert pause_s is None
    else:
        assert (asked_s or 0) <= pause_s <= max(CAP_S * 1.5, asked_s or 0)


@pytest.mark.parametrize(
    ("fault", "circumstances", "hits"),
    [
        (ModelFault("overload", "busy"), {"other_routes": True}, 2),
        (ModelFault("overload", "busy"), {}, 3),
        (ModelFault("upstream", "no"), {"other_routes": True}, 3),
        (ModelFault("rate", "slow"), {"other_keys": True}, 1),
        (ModelFault("rate", "slow"), {"other_routes": True}, 2),
        (ModelFault("rate", "slow"), {}, 3),
        (ModelFault("rate", "slow", retry_after_s=10.0), {"other_routes": True}, 2),
        (ModelFault("rate", "slow", retry_after_s=10.5), {"other_routes": True}, 1),
        (ModelFault("rate", "slow", retry_after_s=10.5), {}, 3),
        (ModelFault("rate", "slow", retry_after_s=61.0), {}, 1),
        (ModelFault("shape", "no reply in it"), {}, 3),
        (ModelFault("shape", "bad request", status=400), {}, 1),
        (ModelFault("shape", "no such model", status=404), {}, 1),
        (ModelFault("billing", "no credit", status=402), {}, 1),
        (ModelFault("page", "a page"), {}, 1),
    ],
)
async def test_patience_depends_on_who_else_can_answer(fault, circumstances, hits, request_to):
    listener, wire = Listener(), ScriptedModel([fault] * 10)

    async def send(asking):
        async for _ in wire.send(asking.request):
            pass

    asking = Asking(request_to(), listener.emit, Heard(PartialReply()), **circumstances)
    with pytest.raises(ModelFault, match=fault.reason):
        await Retry(sleep=listener.sleep)(asking, send)
    assert len(wire.requests) == hits


@pytest.mark.parametrize(("took_s", "other_routes", "hits"), [(119.0, True, 3), (120.0, True, 1), (300.0, False, 3)])
async def test_a_server_that_hangs_is_not_asked_again_where_another_route_can_answer(took_s, other_routes, hits, request_to):
    listener, now = Listener(), [0.0]
    sent = []

    async def hang(asking):
        sent.append(asking)
        now[0] += took_s
        raise ModelFault("network", "took too long to answer")

    asking = Asking(request_to(), listener.emit, Heard(PartialReply()), other_routes=other_routes)
    with pytest.raises(ModelFault, match="too long"):
        await Retry(sleep=listener.sleep, ticks=lambda: now[0])(asking, hang)
    assert len(sent) == hits


@pytest.mark.parametrize(("retries", "patient"), [(0, True), (2, False)])
async def test_no_retries_where_none_are_wanted(retries, patient, request_to):
    listener, wire = Listener(), ScriptedModel([ModelFault("overload", "busy")] * 3)
    request = request_to(course=Course(patient=patient))
    with pytest.raises(ModelFault, match="busy"):
        await model_of(wire, listener, limits=RetryLimits(retries=retries)).ask(request, listener.emit)
    assert len(wire.requests) == 1
