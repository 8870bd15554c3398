"""Rows about whole turns with several routes and keys, each through the whole program and over loopback servers."""

from contextlib import asynccontextmanager

import anyio
import pytest
from cases.table import case
from stories.test_fallback import configure, notices, play

from limen.runtime import RuntimeOptions, open_runtime
from limen.store.ports import Rest
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import say

pytestmark = pytest.mark.anyio

CHAT = "chat_completions"
KEY = "sk-test-" + "0123456789abcdef"
DAILY = Answer.of(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
RATE = Answer.of(429, {"error": {"message": "rate limit reached"}}, {"retry-after": "600"})
NO_CREDIT = Answer.of(402, {"error": {"message": "Insufficient credits"}})
DOWN = Answer.of(500, {"error": {"message": "internal error"}})


@asynccontextmanager
async def runtime_in(home, **flags):
    async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
        yield runtime


def with_keys(home, monkeypatch, provider="first", count=1):
    """Give a provider of the settings file so many keys."""
    names = [f"{provider.upper()}_KEY_{number}" for number in range(count)]
    for number, name in enumerate(names):
        monkeypatch.setenv(name, f"{KEY}{number:02}")
    settings = home / "config.yaml"
    further = ", ".join(f"env:{name}" for name in names[1:])
    block = f"  {provider}:\n    api_key_env: {names[0]}\n    keys: [{further}]\n"
    settings.write_text(settings.read_text().replace(f"  {provider}:\n", block, 1))


def keys_of(server):
    return [request.headers["authorization"].removeprefix(f"Bearer {KEY}") for request in server.chats]


@case("FB-010")
async def test_one_key_with_its_day_used_up_goes_over_at_once(row, home, monkeypatch):
    async with model_server(then=DAILY) as first, model_server(then=say("hello")) as second:
        configure(home, (first, CHAT), (second, CHAT), retries=2)
        with_keys(home, monkeypatch)
        async with runtime_in(home) as runtime:
            for _ in range(3):
                _, outcome = await play(runtime)
                assert outcome.answer == "hello"
        assert (len(first.chats), len(second.chats)) == (1, 3)


@case("FB-011")
async def test_rotation_costs_no_retries(row, home, monkeypatch):
    async with model_server(*[RATE] * 9, then=say("from the tenth")) as first, model_server(then=say("other")) as second:
        configure(home, (first, CHAT), (second, CHAT), retries=3)
        with_keys(home, monkeypatch, count=10)
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
        assert outcome.answer == "from the tenth"
        assert len(set(keys_of(first))) == 10
        assert second.chats == []


@case("FB-012")
async def test_each_failure_is_booked_to_the_key_and_the_host_that_sent_it(row, home, monkeypatch):
    async with model_server(then=RATE) as first, model_server(then=NO_CREDIT) as second, model_server(then=say("c")) as third:
        configure(home, (first, CHAT), (second, CHAT), (third, CHAT))
        with_keys(home, monkeypatch)
        with_keys(home, monkeypatch, "other1")
        async with runtime_in(home) as runtime:
            await play(runtime)
            rests = {rest.kind: rest.subject for rest in (await runtime.models.health.known()).values()}
        assert set(rests) == {"rate", "billing"}
        assert str(first.url.split(":")[2].removesuffix("/v1")) in rests["rate"] or "FIRST_KEY" in rests["rate"]
        assert "OTHER1_KEY" in rests["billing"]
        assert "FIRST_KEY" not in rests["billing"]


@case("FB-013", "FB-042")
async def test_a_session_starts_on_the_other_route_while_the_only_key_cools_down(row, home, monkeypatch):
    async with model_server(then=RATE) as first, model_server(then=say("hello")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        with_keys(home, monkeypatch)
        async with runtime_in(home) as runtime:
            await play(runtime)
        async with runtime_in(home) as runtime:
            events, outcome = await play(runtime, session="new")
            assert outcome.answer == "hello"
            (notice,) = notices(events, "model.fell_back")
            assert "no key" not in notice.text
            assert "rests until" in notice.text
            assert "rate limit reached" in notice.text
        assert len(first.chats) == 1


@case("FB-027")
async def test_a_chain_walked_to_its_end_is_walked_again_at_the_next_failure(row, home):
    async with model_server(DOWN, say("back"), DOWN) as first, model_server(DOWN, then=say("b")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
            assert outcome.end.reason == "failed"
            for expected in ("back", "b"):
                for subject in list(await runtime.models.health.known()):
                    await runtime.models.health.worked(subject)
                _, outcome = await play(runtime)
                assert outcome.answer == expected


@case("FB-029", "FB-037")
async def test_what_is_remembered_is_the_route_that_answered_and_every_one_that_did_not(row, home):
    async with model_server(then=DOWN) as first, model_server(then=DOWN) as second, model_server(then=say("c")) as third:
        configure(home, (first, CHAT), (second, CHAT), (third, CHAT), extra="fallback:\n  return: sticky\n")
        async with runtime_in(home) as runtime:
            await play(runtime)
            assert (await runtime.sessions.get("s")).route == "other2/m"
            resting = {subject.split()[1] for subject in await runtime.models.health.known()}
            assert resting == {"first/m", "other1/m"}
            _, outcome = await play(runtime)
            assert outcome.answer == "c"
        assert (len(first.chats), len(second.chats), len(third.chats)) == (1, 1, 2)


@case("FB-038")
async def test_a_rest_that_was_begun_before_a_restart_ends_when_it_was_to_end(row, home):
    async with model_server(then=DOWN) as first, model_server(then=say("b")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        async with runtime_in(home) as runtime:
            await play(runtime)
            (before,) = (await runtime.models.health.known()).values()
        async with runtime_in(home) as runtime:
            await play(runtime)
            (after,) = (await runtime.models.health.known()).values()
        assert after == before
        assert isinstance(after, Rest)
        assert after.until - after.since == 60.0


@case("FB-041")
async def test_an_account_without_credit_ends_one_turn_and_nothing_else(row, home):
    async with model_server(NO_CREDIT, then=say("hello")) as first:
        configure(home, (first, CHAT))
        async with runtime_in(home) as runtime:
            outcomes = {}

            async def chat(name):
                _, outcomes[name] = await play(runtime, session=name)

            async with anyio.create_task_group() as group:
                group.start_soon(chat, "one")
                group.start_soon(chat, "two")
            assert sorted(outcome.end.reason for outcome in outcomes.values()) == ["answered", "failed"]
            _, outcome = await play(runtime, session="three")
            assert outcome.answer == "hello"


@case("FB-032")
async def test_a_call_says_which_route_wants_it(row, home):
    # Whoever is asked is told as well: tests/agent/test_toolbox.py.
    async with model_server(then=NO_CREDIT) as first, model_server(then=say("b")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
            ledger = await runtime.sessions.ledger("s")
        assert {entry.source for entry in ledger if entry.kind == "model"} == {"other1/m"}
        assert outcome.route.name == "other1/m"
