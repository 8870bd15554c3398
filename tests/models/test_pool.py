import anyio
import pytest

from limen.core.event import Notice, ReplyRestarted
from limen.core.exchange import ModelRequest
from limen.core.fault import ModelFault, StoreFault
from limen.core.message import Message, Text
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.credentials import KeyBinding, Keyring
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials, KeyChoice
from limen.models.retry import Retry, RetryLimits
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import Broken, ScriptedModel, say

pytestmark = pytest.mark.anyio

ENDPOINT = "https://api.openai.com/v1"
ELSEWHERE = "https://llm.corp.example/v1"
RATE = ModelFault("rate", "too many requests", status=429)
QUOTA = ModelFault("quota", "the day's tokens are used up", status=429, retry_after_s=7_200.0)
BILLING = ModelFault("billing", "no credit is left", status=402)
AUTH = ModelFault("auth", "the key is not taken", status=401)


class Rig:
    """A provider with several keys: what its model plays, who is told what, a clock that a test moves."""

    def __init__(self, *keys, steps=(), then=None, strategy=None, store=None, secrets=None, wait_s=10.0, fetch=None):
        self.now = 1_000.0
        self.pauses = []
        self.events = []
        self.references = tuple(f"env:{key}" for key in keys)
        self.secrets = {f"env:{key}": f"secret-of-{key}" for key in keys} if secrets is None else secrets
        self.store = store or MemoryHealth(lambda: self.now)
        self.wire = ScriptedModel(steps, then=then)
        self.fetch = fetch
        self.strategies = {"openai": strategy} if strategy else {}
        self.wait_s = wait_s
        self.model = self.fresh()

    def fresh(self):
        """A model as another process of the same home has it."""
        bindings = [KeyBinding(reference, ("api.openai.com",), (ELSEWHERE,)) for reference in self.references]
        keyring = Keyring(bindings, self.secrets.get, self.fetch)
        health = Health(self.store, lambda: self.now, ticks=lambda: self.now)
        choice = KeyChoice(health, self.strategies)
        self.gate = Credentials(keyring, health, choice, self.wait_s, sleep=self.sleep, clock=lambda: self.now)
        retry = Retry(RetryLimits(retries=3, wait_s=self.wait_s), sleep=self.sleep, chance=lambda: 0.0)
        return Model({"chat_completions": self.wire}, [self.route_gate, self.gate, retry])

    other_routes = False

    async def route_gate(self, asking, proceed):
        return await proceed(type(asking)(asking.request, asking.emit, asking.heard, other_routes=self.other_routes))

    async def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds

    async def emit(self, event):
        self.events.append(event)

    async def ask(self, text="Hello?", *, endpoint=ENDPOINT, model=None):
        pool = self.references if len(self.references) > 1 else ()
        route = Route("openai", "chat_completions", "m", endpoint, self.references[0], pool)
        request = ModelRequest(route, Prompt(), (Message("user", (Text(text),)),))
        return await (model or self.model).ask(request, self.emit)

    @property
    def used(self):
        return [request.route.credential.removeprefix("env:") for request in self.wire.requests]

    def notices(self, code):
        return [event.text for event in self.events if isinstance(event, Notice) and event.code == code]


async def test_ten_keys_of_which_nine_are_limited_are_all_tried_whatever_retries_there_are():
    rig = Rig(*(f"K{number}" for number in range(10)), steps=[RATE] * 9, then=say("hello"))
    reply = await rig.ask()
    assert reply.blocks == (Text("hello"),)
    assert sorted(rig.used) == sorted(f"K{number}" for number in range(10))
    assert rig.pauses == []
    assert reply.route.credential == f"env:{rig.used[-1]}"
    assert len(rig.notices("model.key_rests")) == 9


async def test_the_last_key_gets_the_attempts_that_a_single_one_gets():
    rig = Rig("A", "B", steps=[RATE, RATE, RATE], then=say("hello"))
    await rig.ask()
    assert rig.used == ["A", "B", "B", "B"]
    assert rig.pauses == [2.0, 4.0]


@pytest.mark.parametrize("fault", [QUOTA, BILLING, AUTH], ids=lambda fault: fault.kind)
async def test_a_key_that_fails_for_itself_rests_and_is_not_asked_by_anybody(fault):
    rig = Rig("A", "B", steps=[fault], then=say("hello"), strategy="fill_first")
    await rig.ask()
    await rig.ask("another conversation")
    await rig.ask(model=rig.fresh())
    assert rig.used == ["A", "B", "B", "B"]
    rig.now += 8_000.0
    await rig.ask()
    assert rig.used[-1] == "A"


@pytest.mark.parametrize("kind", ["overload", "upstream", "network", "page", "shape", "filter", "window"])
async def test_a_failure_that_is_not_the_keys_leaves_the_key_alone(kind):
    rig = Rig("A", "B", then=ModelFault(kind, "no"), strategy="fill_first")
    with pytest.raises(ModelFault):
        await rig.ask()
    assert set(rig.used) == {"A"}
    assert await rig.store.rests() == []


async def test_only_one_finds_out_whether_a_key_works_again():
    asked = anyio.Event()

    async def slow(_request):
        asked.set()
        await anyio.sleep(0.05)
        return say("back again")

    rig = Rig("A", "B", steps=[QUOTA, say("hello"), slow], then=say("hello"), strategy="fill_first")
    await rig.ask()
    rig.now += 8_000.0
    async with anyio.create_task_group() as group:
        group.start_soon(rig.ask, "first")
        await asked.wait()
        await rig.ask("second", model=rig.fresh())
    assert rig.used[2:] == ["A", "B"]
    rig.now += 2.0
    await rig.ask("third")
    assert rig.used[-1] == "A"
    assert await rig.store.rests() == []


async def test_a_sole_key_is_asked_although_it_rests_where_nobody_else_can_answer():
    rig = Rig("A", steps=[QUOTA, QUOTA], then=say("hello"))
    for _ in range(2):
        with pytest.raises(ModelFault, match="the day's tokens"):
            await rig.ask()
    await rig.ask()
    assert rig.used == ["A", "A", "A"]
    assert await rig.store.rests() == []


async def test_where_all_keys_rest_another_route_is_left_to_answer_and_told_the_truth():
    rig = Rig("A", "B", steps=[QUOTA, BILLING], strategy="fill_first")
    rig.other_routes = True
    with pytest.raises(ModelFault) as first:
        await rig.ask()
    assert first.value.kind == "billing"
    rig.now += 100.0
    with pytest.raises(ModelFault) as caught:
        await rig.ask(model=rig.fresh())
    assert rig.used == ["A", "B"]
    assert caught.value.kind == "billing"
    assert "all of its 2 keys rest" in caught.value.reason
    assert "1970-01-01T01:16:40Z" in caught.value.reason
    assert "no credit is left" in caught.value.reason
    assert caught.value.retry_after_s == 3_500.0
    assert caught.value.mend == "limen credentials status openai"


async def test_where_all_keys_fail_it_is_said_what_became_of_each_and_none_is_shown():
    rig = Rig("A", "B", "C", steps=[AUTH, BILLING, RATE, RATE, RATE, RATE], strategy="fill_first")
    with pytest.raises(ModelFault, match="too many requests") as caught:
        await rig.ask()
    fault = caught.value
    assert fault.reason == "too many requests. None of 3 keys works: env:A (auth), env:B (billing), env:C (rate)"
    assert (fault.kind, fault.status) == ("rate", 429)
    assert fault.mend == "limen credentials status openai"
    assert "secret-of" not in str(fault)


async def test_a_key_that_rests_until_a_known_time_is_named_too():
    rig = Rig("A", "B", steps=[QUOTA, say("hello")], then=AUTH, strategy="fill_first")
    await rig.ask()
    with pytest.raises(ModelFault) as caught:
        await rig.ask()
    assert caught.value.reason.endswith("None of 2 keys works: env:A (rests, quota), env:B (auth)")


@pytest.mark.parametrize("kind", ["overload", "network", "shape"])
async def test_a_failure_of_the_server_is_no_keys_business(kind):
    rig = Rig("A", "B", then=ModelFault(kind, "no"))
    with pytest.raises(ModelFault) as caught:
        await rig.ask()
    assert caught.value.reason == "no"


async def test_one_key_with_a_daily_quota_gives_way_at_once():
    rig = Rig("A", steps=[QUOTA])
    rig.other_routes = True
    for _ in range(3):
        with pytest.raises(ModelFault) as caught:
            await rig.ask()
        assert caught.value.kind == "quota"
    assert rig.used == ["A"]
    assert rig.pauses == []


async def test_a_short_rest_is_waited_out_since_another_route_has_no_cache():
    soon = ModelFault("rate", "slow down", status=429, retry_after_s=20.0)
    rig = Rig("A", steps=[soon], then=say("hello"))
    rig.other_routes = True
    with pytest.raises(ModelFault):
        await rig.ask()
    rig.now += 14.0
    await rig.ask()
    assert rig.pauses == [6.0]
    assert rig.notices("model.waiting") == ["openai takes requests again in 6 s. Waiting for it."]


async def test_an_error_is_booked_to_the_key_and_the_host_that_sent_it():
    rig = Rig("A", "B", steps=[QUOTA], then=say("hello"), strategy="fill_first")
    await rig.ask(endpoint=ELSEWHERE)
    await rig.ask("elsewhere", endpoint=ELSEWHERE)
    await rig.ask("at home")
    assert rig.used == ["A", "B", "B", "A"]
    (rest,) = await rig.store.rests()
    assert rest.subject.startswith("key env:A ")
    assert rest.subject.endswith("https://llm.corp.example")


async def test_a_new_key_under_the_same_name_does_not_rest():
    rig = Rig("A", steps=[BILLING], then=say("hello"))
    rig.other_routes = True
    with pytest.raises(ModelFault):
        await rig.ask()
    rig.secrets["env:A"] = "another-secret"
    await rig.ask()
    assert rig.used == ["A", "A"]


async def test_nothing_of_a_key_stands_in_the_store():
    rig = Rig("A", "B", steps=[QUOTA], then=say("hello"))
    await rig.ask()
    stored = repr(await rig.store.rests()) + repr(rig.store.__dict__)
    assert "secret-of" not in stored


async def test_the_least_used_key_serves_a_new_conversation_and_stays_with_it():
    rig = Rig("A", "B", "C", then=say("hello"))
    for text in ("one", "one", "two", "one", "three", "two", "four"):
        await rig.ask(text)
    assert rig.used == ["A", "A", "B", "A", "C", "B", "A"]


async def test_processes_share_how_often_a_key_was_used():
    rig = Rig("A", "B", then=say("hello"))
    for _ in range(4):
        await rig.ask(model=rig.fresh())
    assert rig.used == ["A", "B", "A", "B"]


async def test_taking_turns_goes_from_key_to_key_with_every_request():
    rig = Rig("A", "B", "C", then=say("hello"), strategy="round_robin")
    for _ in range(5):
        await rig.ask()
    assert rig.used == ["A", "B", "C", "A", "B"]


async def test_taking_turns_passes_over_what_rests():
    rig = Rig("A", "B", "C", steps=[say("1"), QUOTA], then=say("hello"), strategy="round_robin")
    for _ in range(4):
        await rig.ask()
    assert rig.used == ["A", "B", "C", "A", "C"]


async def test_a_missing_key_is_passed_over_and_none_at_all_is_said():
    rig = Rig("A", "B", then=say("hello"), secrets={"env:B": "secret-of-B"})
    await rig.ask()
    assert rig.used == ["B"]
    rig = Rig("A", "B", secrets={"env:A": "your-api-key"})
    with pytest.raises(ModelFault, match="only a placeholder for a key at env:A") as caught:
        await rig.ask()
    assert caught.value.kind == "auth"
    assert rig.used == []


async def test_no_key_goes_to_an_endpoint_it_does_not_belong_to():
    rig = Rig("A", "B", then=say("hello"))
    with pytest.raises(ModelFault, match="is not sent to"):
        await rig.ask(endpoint="https://api.openai.com.evil.example/v1")
    assert rig.used == []


async def test_what_was_shown_of_a_reply_is_called_void_before_another_key_begins():
    rig = Rig("A", "B", steps=[Broken("Hel", RATE)], then=say("hello"))
    await rig.ask()
    restarts = [event for event in rig.events if isinstance(event, ReplyRestarted)]
    assert [event.because for event in restarts] == ["too many requests"]


async def test_a_refused_token_is_renewed_once_and_the_request_sent_again():
    renewals = []

    async def fetch(reference, anew):
        if anew:
            renewals.append(reference)
            rig.secrets[reference] = f"renewed-{len(renewals)}"

    rig = Rig("A", steps=[AUTH, say("hello"), AUTH, AUTH], fetch=fetch)
    await rig.ask()
    assert rig.used == ["A", "A"]
    assert await rig.store.rests() == []
    with pytest.raises(ModelFault):
        await rig.ask()
    assert len(renewals) == 2
    assert len(await rig.store.rests()) == 1


async def test_a_key_that_is_the_same_after_its_refusal_is_not_sent_again():
    async def fetch(reference, anew):
        return None

    rig = Rig("A", steps=[AUTH], fetch=fetch)
    with pytest.raises(ModelFault):
        await rig.ask()
    assert rig.used == ["A"]


async def test_a_store_that_cannot_be_used_stops_nobody():
    rig = Rig("A", "B", steps=[QUOTA], then=say("hello"), store=MemoryHealth(fault=StoreFault("store.broken", "no")))
    await rig.ask()
    await rig.ask()
    assert len(rig.used) == 3


async def test_a_key_waited_for_that_fails_gives_way_to_another_route_not_to_a_resting_key():
    soon = ModelFault("rate", "slow down", status=429, retry_after_s=20.0)
    rig = Rig("A", "B", steps=[soon, BILLING, BILLING], strategy="fill_first")
    rig.other_routes = True
    with pytest.raises(ModelFault):
        await rig.ask()
    rig.now += 14.0
    with pytest.raises(ModelFault, match="no credit"):
        await rig.ask()
    assert rig.used == ["A", "B", "A"]


async def test_a_key_whose_rest_is_a_guess_is_asked_after_the_last_one_where_nobody_else_can_answer():
    rig = Rig("A", "B", steps=[AUTH, say("b"), BILLING], then=say("a again"), strategy="fill_first")
    await rig.ask()
    assert (await rig.ask()).blocks == (Text("a again"),)
    assert rig.used == ["A", "B", "B", "A"]
