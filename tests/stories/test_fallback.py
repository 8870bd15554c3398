"""Whole turns while a provider is down: who answers, what the person sees, what the store remembers; and no tool runs twice."""

import json
from contextlib import asynccontextmanager

import pytest

from limen.core.event import Folded, Notice, ReplyDelta, ReplyFinished, ReplyRestarted, ToolStarted
from limen.core.exchange import Usage
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import Answer, Stream, model_server
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio

NO_CREDIT = Answer.of(402, {"error": {"message": "Insufficient credits", "code": 402}})
NO_SUCH_MODEL = Answer.of(400, {"error": {"message": "nosuch is not a valid model ID", "code": 400}})
DOWN = Answer.of(500, {"error": {"message": "internal error"}})
WIRES = ("chat_completions", "anthropic_messages", "codex_responses")


def configure(home, first, *others, retries=0, windows=(), extra=""):
    """A settings file with a first route and others behind it, each a (server, wire)."""
    lines = ["version: 2", "model:", "  route: first/m", "models:", f"  max_retries: {retries}", "providers:"]
    names = ["first", *(f"other{number}" for number, _ in enumerate(others, 1))]
    for name, (server, wire), window in zip(names, (first, *others), [*windows, *[100_000] * len(names)], strict=False):
        lines += [f"  {name}:", f"    endpoint: {server.url}", f"    wire: {wire}", f"    window_tokens: {window}"]
    lines += ["fallback_providers:", *(f"  - {{provider: {name}, model: m}}" for name in names[1:])]
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text("\n".join(lines) + "\n" + extra)


@asynccontextmanager
async def runtime_in(home):
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        assert [problem for problem in runtime.loaded.problems if problem.level == "error"] == []
        yield runtime


async def play(runtime, text="Hello?", session="s", **options):
    async with runtime.agent.turn(text, session=session, **options) as turn:
        events = [event async for event in turn]
    return events, turn.outcome


def notices(events, code):
    return [event for event in events if isinstance(event, Notice) and event.code == code]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("other", WIRES)
async def test_another_provider_with_another_protocol_answers_and_goes_on_answering(home, wire, other):
    tool = use(call("open", "c1", ref="lib:none"))
    async with model_server(tool, then=NO_CREDIT) as first, model_server(then=say("from the other")) as second:
        configure(home, (first, wire), (second, other))
        async with runtime_in(home) as runtime:
            events, outcome = await play(runtime)
            assert outcome.answer == "from the other"
            assert outcome.end.reason == "answered"
            assert outcome.route.name == "other1/m"
            assert [failure.route for failure in outcome.failed] == ["first/m"]
            assert len([event for event in events if isinstance(event, ToolStarted)]) == 1
            assert len(notices(events, "model.fell_back")) == 1
            assert (len(first.chats), len(second.chats)) == (2, 1)
            assert (await runtime.sessions.get("s")).route == "other1/m"
            events, outcome = await play(runtime, "And now?")
            assert outcome.answer == "from the other"
        assert second.chats[0].path.endswith(
            {"chat_completions": "chat/completions", "anthropic_messages": "messages"}.get(other, "responses")
        )
        assert "lib:none" in second.chats[0].body.decode()


async def test_what_another_route_had_said_when_it_was_stopped_is_its_own(home):
    piece = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Half of"}, "finish_reason": None}]}
    half = Stream((f"data: {json.dumps(piece)}\n\n".encode(), "hang"))
    async with model_server(then=NO_CREDIT) as first, model_server(half, then=say("whole")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            async with runtime.agent.turn("Hello?", session="s") as turn:
                async for event in turn:
                    if isinstance(event, ReplyDelta):
                        turn.interrupt()
            assert turn.outcome.end.reason == "interrupted"
            assert turn.outcome.route.name == "other1/m"
            (said,) = [entry for entry in await runtime.sessions.ledger("s") if entry.kind == "model"]
            assert said.source == "other1/m"


async def test_a_dead_provider_is_paid_for_once_whichever_session_or_process_asks(home):
    async with model_server(then=DOWN) as first, model_server(then=say("hello")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            await play(runtime)
            events, _ = await play(runtime)
            assert notices(events, "model.fell_back") == []
            events, _ = await play(runtime, session="other")
            assert len(notices(events, "model.fell_back")) == 1
        async with runtime_in(home) as runtime:
            events, _ = await play(runtime, session="third")
            assert len(notices(events, "model.fell_back")) == 1
        assert (len(first.chats), len(second.chats)) == (1, 4)


async def test_a_model_that_does_not_exist_is_asked_for_once_and_the_next_turn_works(home):
    async with model_server(then=NO_SUCH_MODEL) as first, model_server(then=say("hello")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime, model="first/nosuch")
            assert json.loads(first.chats[0].body)["model"] == "nosuch"
            assert json.loads(second.chats[0].body)["model"] == "m"
            assert outcome.answer == "hello"
            _, outcome = await play(runtime)
            assert outcome.end.reason == "answered"


async def test_a_refused_account_without_another_route_costs_one_request_a_turn_and_says_what_to_do(home):
    async with model_server(then=NO_CREDIT) as first:
        configure(home, (first, WIRES[0]))
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
            assert (outcome.end.reason, outcome.end.code) == ("failed", "model.billing")
            assert "credit" in outcome.end.mend
            assert len(first.chats) == 1
            _, outcome = await play(runtime, session="another chat")
            assert outcome.end.code == "model.billing"
            assert len(first.chats) == 2


async def test_half_an_answer_is_void_when_another_route_begins_anew(home):
    cut = Stream((b'data: {"choices":[{"index":0,"delta":{"content":"half an "}}]}\n\n', "reset"))
    async with model_server(cut) as first, model_server(say("the whole answer")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            events, outcome = await play(runtime)
            assert outcome.answer == "the whole answer"
            (restarted,) = [event for event in events if isinstance(event, ReplyRestarted)]
            assert restarted.route.name == "other1/m"
            stored = [stored.event for stored in await runtime.sessions.events("s")]
    assert [event.route.name for event in stored if isinstance(event, ReplyFinished)] == ["other1/m"]
    assert [event.code for event in stored if isinstance(event, Notice)] == ["model.fell_back"]


async def test_the_first_provider_answers_again_when_it_can_and_that_is_said(home):
    async with model_server(DOWN, then=say("back")) as first, model_server(then=say("hello")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            await play(runtime)
            (rest,) = (await runtime.models.health.known()).values()
            assert await runtime.models.health.is_resting(rest.subject)
            await runtime.models.health.worked(rest.subject)
            events, outcome = await play(runtime)
            assert outcome.answer == "back"
            assert len(notices(events, "model.restored")) == 1
            events, _ = await play(runtime)
            assert notices(events, "model.restored") == []


async def test_no_variable_makes_a_chain(home, monkeypatch):
    async with model_server(then=NO_CREDIT) as first, model_server(then=say("hello")) as second:
        for name in ("FALLBACK_PROVIDERS", "FALLBACK_MODEL", "FALLBACK_PROVIDER", "MODEL_FALLBACK"):
            monkeypatch.setenv(f"LIMEN_{name}", f"{second.url}#m")
        monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-" + "v1-0123456789abcdef")
        configure(home, (first, WIRES[0]))
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            _, outcome = await play(runtime)
        assert outcome.end.code == "model.billing"
        assert second.chats == []


OVERFLOW = Answer.of(
    400, {"error": {"message": "This model's maximum context length is 2000 tokens", "code": "context_length_exceeded"}}
)


async def test_a_conversation_that_no_longer_fits_is_folded_once_then_given_to_a_route_with_more_room(home):
    async with (
        model_server(say("one"), say("two"), say("three"), OVERFLOW, OVERFLOW) as first,
        model_server(then=say("from the larger one")) as second,
    ):
        configure(home, (first, WIRES[0]), (second, WIRES[0]))
        async with runtime_in(home) as runtime:
            for question in ("First " + "word " * 400, "Second " + "word " * 400, "Third?"):
                await play(runtime, question)
            events, outcome = await play(runtime, "Fourth?")
            assert outcome.answer == "from the larger one"
            assert len(first.chats) == 5
            assert len(first.chats[4].body) < len(first.chats[3].body)
            assert len([event for event in events if isinstance(event, Folded)]) == 1
            assert len(notices(events, "model.fell_back")) == 1


async def test_a_route_with_a_small_window_gets_a_folded_conversation(home):
    async with model_server(*map(say, "abc"), then=NO_CREDIT) as first, model_server(then=say("small")) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[1]), windows=(100_000, 4_000))
        async with runtime_in(home) as runtime:
            for question in ("First " + "word " * 900, "Second " + "word " * 900, "Third " + "word " * 900):
                await play(runtime, question)
            events, outcome = await play(runtime, "Fourth?")
            assert outcome.answer == "small"
            assert len([event for event in events if isinstance(event, Folded)]) == 1
            assert len(second.chats[0].body) < len(first.chats[3].body)


async def test_a_route_that_costs_is_no_way_out_once_the_day_has_cost_what_it_may(home):
    async with model_server(DOWN, DOWN) as first, model_server(then=say("for money", usage=Usage(10, 5, cost_usd=2.0))) as second:
        configure(home, (first, WIRES[0]), (second, WIRES[0]), extra="limits:\n  cost_usd_per_day: 1.0\n")
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
            assert outcome.answer == "for money"
            _, outcome = await play(runtime)
            assert outcome.end.code == "limits.cost_per_day"
        assert len(second.chats) == 1


async def test_a_person_who_chose_no_route_is_told_once_why_one_answers(home, monkeypatch):
    async with model_server(then=say("hello")) as server:
        monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-" + "v1-0123456789abcdef")
        home.mkdir(parents=True)
        (home / "config.yaml").write_text(f"version: 2\nproviders:\n  openrouter:\n    endpoint: {server.url}\n    model: m\n")
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            events, outcome = await play(runtime)
            assert outcome.route.name == "openrouter/m"
            (notice,) = notices(events, "model.not_chosen")
            assert "OPENROUTER_API_KEY is set" in notice.text
            events, _ = await play(runtime)
            assert notices(events, "model.not_chosen") == []
