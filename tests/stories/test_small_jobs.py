"""Small jobs over real wires: who is asked when the main route is down, with which key, and what a conversation gets of them."""

import anyio
import pytest

from limen.core.fault import ModelFault
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import say

pytestmark = pytest.mark.anyio
DOWN = Answer.of(503, {"error": {"message": "overloaded"}})
NO_CREDIT = Answer.of(402, {"error": {"message": "Insufficient credits", "code": 402}})
KEYS = (
    "OPENROUTER_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "HF_TOKEN",
    "NOUS_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def configure(home, main, small=None, *, tasks="{}", route="main/m"):
    home.mkdir(parents=True, exist_ok=True)
    lines = ["version: 2", f"model: {{route: {route}}}", f"auxiliary: {tasks}", "models: {max_retries: 2}", "providers:"]
    lines += [f"  main: {{endpoint: '{main.url}', window_tokens: 50000}}"]
    if small is not None:
        lines += [f"  custom: {{endpoint: '{small.url}', window_tokens: 50000}}"]
    (home / "config.yaml").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("dead", [DOWN, NO_CREDIT])
async def test_a_dead_main_route_is_hit_once_and_then_passed_over(home, dead):
    async with model_server(then=dead) as main, model_server(then=say("a summary"), models=["small"]) as small:
        configure(home, main, small)
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            job = runtime.models.auxiliary("memory")
            for _ in range(3):
                done = await job.complete("Sum up.", "text")
                assert (done.text, done.route) == ("a summary", "custom/small")
                assert done.usage.output_tokens > 0
        assert len(main.chats) == 1
        assert len(small.chats) == 3


async def test_where_all_are_dead_few_requests_are_made_and_the_first_reason_is_told(home):
    async with model_server(then=DOWN) as main, model_server(then=DOWN, models=["small"]) as small:
        configure(home, main, small)
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            job = runtime.models.auxiliary("memory")
            with pytest.raises(ModelFault, match="overloaded"):
                await job.complete("Sum up.", "text")
            with pytest.raises(ModelFault, match="rests"):
                await job.complete("Sum up.", "text")
        assert (len(main.chats), len(small.chats)) == (1, 1)


async def test_no_job_sends_a_providers_key_to_somebody_elses_endpoint(home, monkeypatch):
    secret = "sk-" + "proj-0123456789abcdef0123456789abcdef"
    async with model_server(then=say("done"), models=["small"]) as server:
        configure(home, server, server, tasks=f"{{memory: '{server.url}#m', fetch: custom/m}}")
        for name in KEYS:
            monkeypatch.setenv(name, secret)
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            for task in ("memory", "fetch", "title"):
                assert (await runtime.models.auxiliary(task).complete("Do.", "text")).text == "done"
    assert len(server.chats) == 3
    for request in server.chats:
        assert secret not in repr(request.headers) + repr(request.body)


async def test_without_keys_and_without_a_model_there_is_nobody_to_ask(home):
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        for task in ("title", "fold", "fetch", "vision", "memory", "schedule"):
            assert not runtime.models.auxiliary(task).serves()


async def test_a_long_lived_process_titles_a_conversation_and_a_short_one_does_not(home):
    async with model_server(then=say("Four minutes.")) as main, model_server(then=say("Steeping tea"), models=["x"]) as small:
        configure(home, main, small, tasks="{title: custom/x}")
        for goes_on in (False, True):
            async with open_runtime(RuntimeOptions(home=home, goes_on=goes_on)) as runtime:
                async with runtime.agent.turn("How long does tea steep?", session=f"s{goes_on}") as turn:
                    async for _ in turn:
                        pass
                if not goes_on:
                    await anyio.wait_all_tasks_blocked()
                    assert small.chats == []
                    continue
                with anyio.fail_after(10):
                    while (await runtime.sessions.get("sTrue")).title != "Steeping tea":  # noqa: ASYNC110 - the store tells nobody
                        await anyio.sleep(0.01)
                assert (await runtime.sessions.get("sFalse")).title == "How long does tea steep?"
        assert len(small.chats) == 1


async def test_a_failing_title_fails_no_turn(home):
    async with model_server(then=say("Four minutes.")) as main, model_server(then=DOWN, models=["x"]) as small:
        configure(home, main, small, tasks="{title: custom/x}")
        async with open_runtime(RuntimeOptions(home=home, goes_on=True)) as runtime:
            for question in ("How long does tea steep?", "And coffee?"):
                async with runtime.agent.turn(question, session="s") as turn:
                    async for _ in turn:
                        pass
                assert turn.outcome.end.reason == "answered"
