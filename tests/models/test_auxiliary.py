"""A second model: who is asked in which order, what is passed over, and when it gives up."""

import anyio
import pytest

from limen.builtin.providers import provider_table
from limen.config.schema import Provider as ProviderSettings
from limen.core.exchange import Usage
from limen.core.fault import ConfigFault, ModelFault
from limen.core.message import Image, text_of
from limen.core.provider import Provider
from limen.core.route import Route
from limen.models.auxiliary import AuxiliaryLimits, AuxiliaryModel, Candidates
from limen.models.health import Health, route_subject
from limen.models.model import Model
from limen.models.resolve import Routes
from limen.models.tasks import task_of
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio
ROUTE = Route("test", "embedded", "small", window_tokens=4_000, output_tokens=1_000)
SECOND = Route("test", "embedded", "second", window_tokens=4_000, output_tokens=1_000)
THIRD = Route("test", "embedded", "third", window_tokens=4_000, output_tokens=1_000)
FOURTH = Route("test", "embedded", "fourth", window_tokens=4_000, output_tokens=1_000)


def auxiliary(*script, routes=(ROUTE,), task="fetch", settle=None, limits=None):
    wire = ScriptedModel(script)
    health = Health(MemoryHealth())

    async def as_it_is(route):
        return route

    async def resting(route):
        known = await health.known()
        return known.get(route_subject(route))

    model = Model({"embedded": wire}, ())
    made = AuxiliaryModel(task_of(task), model, lambda _main: routes, settle or as_it_is, health, resting, limits)
    made.health = health
    return made, wire


async def test_it_asks_once_with_task_and_text_and_no_tools():
    model, wire = auxiliary(say("  Four minutes.  ", usage=Usage(7, 3)))
    done = await model.complete("Say how long.", "Steep it for four minutes.", output_tokens=64)
    (request,) = wire.requests
    assert (done.text, done.route, done.usage.output_tokens, done.cut) == ("Four minutes.", "test/small", 3, False)
    assert [part.block.text for part in request.prompt.parts] == ["Say how long."]
    assert [text_of(message.blocks) for message in request.messages] == ["Steep it for four minutes."]
    assert (request.tools, request.may_call, request.output_tokens) == ((), False, 64)
    assert request.course.alone


async def test_the_reply_is_as_long_as_the_task_says():
    model, wire = auxiliary(say("Tea"), task="title")
    await model.complete("t", "x")
    assert wire.requests[0].output_tokens == task_of("title").output_tokens


async def test_a_picture_goes_before_the_question_about_it():
    model, wire = auxiliary(say("A cat."), task="vision")
    await model.complete("t", "What is it?", images=[Image("image/png", b"png")])
    assert [type(block).__name__ for block in wire.requests[0].messages[0].blocks] == ["Image", "Text"]


async def test_a_reply_that_ran_out_of_room_says_so():
    model, _ = auxiliary(say("Four min", stop="length"))
    assert (await model.complete("t", "x")).cut


@pytest.mark.parametrize(
    ("reply", "kind"), [(say(""), "shape"), (use(call("find")), "shape"), (say("no", stop="filter"), "filter")]
)
async def test_a_reply_without_an_answer_moves_on_and_is_a_fault_in_the_end(reply, kind):
    model, _ = auxiliary(reply, say("yes"), routes=(ROUTE, SECOND))
    assert (await model.complete("t", "x")).route == "test/second"
    alone, _ = auxiliary(reply)
    with pytest.raises(ModelFault) as caught:
        await alone.complete("t", "x")
    assert caught.value.kind == kind


async def test_of_many_dead_routes_three_are_asked_and_the_first_fault_is_told():
    script = [ModelFault("rate", "slow down"), ModelFault("auth", "no"), ModelFault("upstream", "broken"), say("never")]
    model, wire = auxiliary(*script, routes=(ROUTE, SECOND, THIRD, FOURTH))
    with pytest.raises(ModelFault, match="slow down"):
        await model.complete("t", "x")
    assert [request.route.model for request in wire.requests] == ["small", "second", "third"]


async def test_a_route_that_rests_is_passed_over_without_a_request():
    model, wire = auxiliary(say("here"), routes=(ROUTE, SECOND))
    await model.health.failed(route_subject(ROUTE), ModelFault("network", "nobody listens"))
    assert (await model.complete("t", "x")).route == "test/second"
    assert [request.route.model for request in wire.requests] == ["second"]


async def test_what_helps_is_said_of_the_route_that_failed():
    model, _ = auxiliary(ModelFault("network", "nobody listens", "check the endpoint: limen model test"))
    with pytest.raises(ModelFault) as caught:
        await model.complete("t", "x")
    assert caught.value.mend == "check the endpoint: limen model test test/small"


async def test_where_all_rest_nobody_is_asked_and_it_says_why():
    model, wire = auxiliary(say("never"), routes=(ROUTE, SECOND))
    for route in (ROUTE, SECOND):
        await model.health.failed(route_subject(route), ModelFault("network", "nobody listens"))
    with pytest.raises(ModelFault, match=r"test/small rests \(nobody listens\)"):
        await model.complete("t", "x")
    assert wire.requests == []
    assert await model.room_chars() == 0


async def test_without_anybody_to_ask_it_says_so_and_how_to_change_it():
    model, _ = auxiliary(routes=())
    assert not model.serves()
    with pytest.raises(ModelFault, match="no second model") as caught:
        await model.complete("t", "x")
    assert caught.value.mend == "limen config set auxiliary.fetch ROUTE"
    assert await model.room_chars() == 0


async def test_a_slow_route_gives_way_and_rests():
    slow = AuxiliaryLimits(one_s=0.05, all_s=5.0)
    model, _ = auxiliary(lambda _request: anyio.sleep_forever(), say("quick"), routes=(ROUTE, SECOND), limits=slow)
    assert (await model.complete("t", "x")).route == "test/second"
    assert route_subject(ROUTE) in await model.health.known()


async def test_all_together_take_no_longer_than_the_whole_limit():
    limits = AuxiliaryLimits(one_s=5.0, all_s=0.05)
    model, _ = auxiliary(lambda _request: anyio.sleep_forever(), say("never"), routes=(ROUTE, SECOND), limits=limits)
    with pytest.raises(ModelFault, match="no answer within"):
        await model.complete("t", "x")


async def test_a_server_that_cannot_be_asked_for_its_model_is_booked_and_passed_over():
    async def settle(route):
        if route == ROUTE:
            raise ModelFault("network", "nobody listens")
        return route

    model, wire = auxiliary(say("here"), routes=(ROUTE, SECOND), settle=settle)
    assert await model.room_chars() > 0
    assert (await model.complete("t", "x")).route == "test/second"
    assert [request.route.model for request in wire.requests] == ["second"]
    assert route_subject(ROUTE) in await model.health.known()


async def test_the_room_is_what_the_window_leaves_beside_the_reply():
    model, _ = auxiliary()
    small, large = await model.room_chars(output_tokens=900), await model.room_chars(output_tokens=100)
    assert 0 < small < large < ROUTE.window_tokens * 3
    tiny, _ = auxiliary(routes=(Route("test", "embedded", "tiny", window_tokens=100),))
    assert await tiny.room_chars() == 0


async def test_a_text_that_the_next_window_does_not_hold_is_not_sent_there():
    tiny = Route("test", "embedded", "tiny", window_tokens=1_300)
    model, wire = auxiliary(ModelFault("upstream", "broken"), routes=(ROUTE, tiny))
    with pytest.raises(ModelFault, match="broken"):
        await model.complete("t", "x" * 5_000)
    assert [request.route.model for request in wire.requests] == ["small"]


async def test_cancelling_it_ends_the_call():
    model, _ = auxiliary(lambda _request: anyio.sleep_forever())
    with anyio.move_on_after(0.05) as scope:
        await model.complete("t", "x")
    assert scope.cancelled_caught


def candidates(main="", keys=None, settings=None, **small):
    table = provider_table()
    for name, model in small.items():
        table[name] = Provider(**{**{f: getattr(table[name], f) for f in Provider.__struct_fields__}, "small_model": model})
    routes = Routes(table, settings or {})
    return Candidates(
        routes,
        lambda name: routes.route(name or main) if name or main else None,
        lambda route: keys is None or route.provider in keys,
    )


NAMES = ["openrouter", "nous", "codex", "zai", "kimi", "minimax", "xiaomi", "huggingface", "anthropic", "xai", "deepseek", "groq"]
ALL = dict.fromkeys(NAMES, "s")


def test_the_order_is_the_tasks_route_the_main_one_then_the_providers():
    own = {"custom": ProviderSettings(endpoint="http://127.0.0.1:9/v1")}
    found = candidates("openai/big", None, own, **ALL).of(task_of("fetch"), "mistral/own")
    names = [route.name for route in found if route.provider not in ("google", "together", "vercel")]
    assert names[:14] == [
        "mistral/own", "openai/big", "openrouter/s", "nous/s", "custom/", "codex/s", "zai/s", "kimi/s", "minimax/s", "xiaomi/s",
        "huggingface/s", "anthropic/s", "deepseek/s", "groq/s",
    ]  # fmt: skip
    assert [route.name for route in found].index("xai/s") > [route.name for route in found].index("groq/s")


def test_only_those_take_part_whose_key_is_set():
    found = candidates("openai/big", {"zai", "anthropic"}, **ALL).of(task_of("fetch"))
    assert [route.name for route in found] == ["zai/s", "anthropic/s"]


def test_the_turns_own_route_is_the_main_one():
    assert candidates("openai/big", {"openai", "groq"}).of(task_of("fetch"), main="groq/mine")[0].name == "groq/mine"


def test_what_answers_without_a_model_is_no_second_model():
    assert candidates("limen/extractive", set()).of(task_of("fetch")) == ()


def test_no_route_is_asked_twice():
    found = candidates("zai/s", {"zai"}, **ALL).of(task_of("fetch"), "zai/s")
    assert [route.name for route in found] == ["zai/s"]


def test_who_chose_passages_for_a_page_asks_no_model():
    assert candidates("openai/big", {"openai"}).of(task_of("fetch"), "limen/extractive") == ()


def test_off_asks_nobody():
    assert candidates("openai/big").of(task_of("title"), "off") == ()


def test_a_chosen_route_that_cannot_be_is_said():
    with pytest.raises(ConfigFault, match=r"`auxiliary\.title` cannot be used: .*opnai") as caught:
        candidates().of(task_of("title"), "opnai/x")
    assert caught.value.mend == "limen config set auxiliary.title ROUTE"


def test_pictures_go_only_to_routes_that_take_them():
    blind = {"groq": ProviderSettings(quirks=("no_images",))}
    made = candidates("groq/blind", {"groq", "zai"}, blind, **ALL)
    assert "groq" not in [route.provider for route in made.of(task_of("vision"))]
    assert made.of(task_of("fetch"))[0].name == "groq/blind"
