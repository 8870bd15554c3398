import json
from contextlib import asynccontextmanager, suppress

import anyio
import httpx2
import pytest
from anyio.abc import SocketAttribute

from limen.builtin.providers import provider_table
from limen.config.schema import Provider as Settings
from limen.core.fault import ModelFault
from limen.kit.group import background_tasks
from limen.kit.log import fail_open_counts, logger
from limen.models.credentials import Keyring
from limen.models.directory import Directory, Offer
from limen.models.health import Health
from limen.models.resolve import Routes
from limen.models.resting import ways_of
from limen.models.wire.http import Endpoint, Patience
from limen.testing.health import MemoryHealth
from limen.testing.model_server import Answer, ModelServer, model_server

pytestmark = pytest.mark.anyio


def listing(*models):
    return lambda request: Answer.of(200, {"data": list(models)} if request.path.endswith("/models") else {"models": []})


class Case:
    def __init__(self, client, server, provider="llama.cpp", patience=None, secrets=None, **settings):
        self.routes = Routes(provider_table(), {provider: Settings(endpoint=server.url, **settings)})
        self.keys = Keyring(self.routes.bindings(), (secrets or {}).get)
        self.health = Health(MemoryHealth())
        endpoint = Endpoint(lambda _route: client, self.keys, patience)
        self.directory = Directory(endpoint, self.routes, lambda route: ways_of(route, self.health, self.keys))

    async def settle(self, name):
        return await self.directory.settle(self.routes.route(name))


@pytest.fixture
async def client():
    async with httpx2.AsyncClient(trust_env=False) as client:
        yield client


async def test_a_model_that_was_not_named_is_the_first_offered(client):
    async with model_server(models=("one", "two")) as server:
        case = Case(client, server)
        route = await case.settle("llama.cpp")
        assert route.model == "one"
        assert await case.settle("llama.cpp") == route
        assert len(server.received) == 1
        assert await case.directory.offers(route) == (Offer("one"), Offer("two"))


@pytest.mark.parametrize(
    "fields",
    [
        {"meta": {"n_ctx": 8_192, "n_ctx_train": 131_072}},
        {"context_length": 8_192},
        {"context_window": 8_192},
        {"max_model_len": 8_192},
        {"max_context_length": 8_192},
    ],
)
async def test_a_window_is_what_the_server_says(fields, client):
    async with model_server(listed=[{"id": "m", **fields}]) as server:
        route = await Case(client, server).settle("llama.cpp/m")
    assert (route.window_tokens, route.output_tokens) == (8_192, 1_024)


async def test_a_window_that_a_person_set_stays_and_saves_the_question(client):
    async with model_server(listed=[{"id": "m", "context_length": 8_192}]) as server:
        case = Case(client, server, window_tokens=2_000)
        assert (await case.settle("llama.cpp/m")).window_tokens == 2_000
        assert server.received == []
        assert (await case.settle("llama.cpp")).window_tokens == 2_000


async def test_ollama_says_the_window_of_a_running_model(client):
    running = Answer.of(200, {"models": [{"name": "m", "context_length": 32_768}]})
    async with model_server(running, models=("m",)) as server:
        route = await Case(client, server, "ollama").settle("ollama/m")
        assert [request.path for request in server.received] == ["/v1/models", "/api/ps"]
    assert route.window_tokens == 32_768


async def test_ollama_without_a_running_model_keeps_the_default(client):
    async with model_server(Answer.of(404, {"error": "no"}), models=("m",)) as server:
        assert (await Case(client, server, "ollama").settle("ollama/m")).window_tokens == 4_096


async def test_other_wires_and_vendors_are_not_asked(client):
    async with model_server() as server:
        case = Case(client, server)
        for name in ("limen/extractive", "openai/gpt-4.1"):
            route = case.routes.route(name)
            assert await case.directory.settle(route) is route
        assert server.received == []


async def test_a_server_that_does_not_run_says_how_to_start_it(client):
    async with model_server() as server:
        case = Case(client, server)
    with pytest.raises(ModelFault, match="llama-server") as caught:
        await case.settle("llama.cpp")
    assert caught.value.kind == "network"


async def test_a_named_model_goes_on_without_the_list_and_it_is_said_with_what(client, caplog, monkeypatch):
    monkeypatch.setattr(logger, "propagate", True)
    async with model_server(listed=Answer.of(404, {"error": {"message": "no such path"}})) as server:
        before = fail_open_counts["model.window_unknown"]
        assert (await Case(client, server).settle("llama.cpp/m")).window_tokens == 4_096
    assert fail_open_counts["model.window_unknown"] == before + 1
    assert "llama.cpp/m: its window is taken to be 4,096 tokens (HTTP 404: no such path)." in caplog.text
    assert "limen config set providers.llamacpp.window_tokens TOKENS" in caplog.text


@pytest.mark.parametrize(("status", "lasting"), [(503, False), (404, True)])
async def test_a_server_that_is_not_up_yet_is_asked_again_and_one_without_a_list_is_not(status, lasting):
    answers = [httpx2.Response(status, json={}), httpx2.Response(200, json={"data": [{"id": "m", "max_model_len": 8_192}]})]
    transport = httpx2.MockTransport(lambda _request: answers.pop(0))
    async with httpx2.AsyncClient(transport=transport) as client:
        server = ModelServer((), Answer(), None)
        server.url = "http://127.0.0.1:1/v1"
        case = Case(client, server)
        windows = [(await case.settle("llama.cpp/m")).window_tokens for _ in range(3)]
    assert windows == ([4_096] * 3 if lasting else [4_096, 8_192, 8_192])


async def test_a_server_that_does_not_say_what_it_serves_is_not_waited_for(client):
    async def say_nothing(stream):
        async with stream:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                while True:
                    await stream.receive()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, background_tasks() as group:
        server = ModelServer((), Answer(), Answer())
        server.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/v1"
        group.start_soon(listener.serve, say_nothing)
        case = Case(client, server, patience=Patience(list_s=0.05))
        assert (await case.settle("llama.cpp/m")).window_tokens == 4_096
        with pytest.raises(ModelFault, match=r"did not say within 0\.05 s what it serves") as caught:
            await case.settle("llama.cpp")
    assert caught.value.fault_class == "network"


@pytest.mark.parametrize("body", [{"data": []}, {"data": None}, {}, {"data": [{"id": ""}]}])
async def test_a_server_without_a_model_is_said(body, client):
    async with model_server(listed=Answer.of(200, body)) as server:
        with pytest.raises(ModelFault, match="offers no model"):
            await Case(client, server).settle("llama.cpp")


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", json.dumps({"data": [1]}).encode(), b"\xff"])
async def test_a_list_that_is_none_is_a_fault(body, client):
    async with model_server(listed=Answer(200, body)) as server:
        with pytest.raises(ModelFault):
            await Case(client, server).settle("llama.cpp")


async def test_what_keeps_the_list_away_is_left_to_the_reply_to_say(client, caplog, monkeypatch):
    monkeypatch.setattr(logger, "propagate", True)
    async with model_server(listed=Answer.of(401, {"error": {"message": "bad key"}})) as server:
        assert (await Case(client, server).settle("llama.cpp/m")).window_tokens == 4_096
    assert "its window is taken to be 4,096 tokens (its server did not say)" in caplog.text
    assert "bad key" not in caplog.text


KEYS = {"env:ONE": "first-key-" + "0001", "env:TWO": "second-key-" + "0002"}


@asynccontextmanager
async def asked_with(*keys, answers):
    """A server with a list behind keys, and which keys it was asked with."""
    asked = []

    def answer(request):
        asked.append(next((name for name, key in KEYS.items() if request.headers.get("authorization") == f"Bearer {key}"), ""))
        status = answers.get(asked[-1], 200)
        return httpx2.Response(status, json={"data": [{"id": "m", "max_model_len": 8_192}]})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        server = ModelServer((), Answer(), None)
        server.url = "http://127.0.0.1:1/v1"
        yield Case(client, server, secrets={name: KEYS[name] for name in keys}, keys=tuple(KEYS)), asked


@pytest.mark.parametrize("name", ["llama.cpp", "llama.cpp/m"])
async def test_a_key_that_rests_is_not_asked_with(name):
    async with asked_with(*KEYS, answers={"env:ONE": 429}) as (case, asked):
        route = case.routes.route(name)
        subject = case.keys.subject("env:ONE", route.endpoint)
        await case.health.failed(subject, ModelFault("rate", "too many", retry_after_s=60))
        settled = await case.settle(name)
    assert asked == ["env:TWO"]
    assert (settled.window_tokens, settled.references) == (8_192, tuple(KEYS))


@pytest.mark.parametrize(("status", "then"), [(401, ["env:TWO"]), (402, ["env:TWO"]), (429, ["env:TWO"]), (404, []), (503, [])])
async def test_another_key_is_tried_where_one_fails_for_itself(status, then):
    async with asked_with(*KEYS, answers={"env:ONE": status}) as (case, asked):
        settled = await case.settle("llama.cpp/m")
    assert asked == ["env:ONE", *then]
    assert settled.window_tokens == (8_192 if then else 4_096)


async def test_a_key_that_is_missing_is_passed_over_in_the_list_too():
    async with asked_with("env:TWO", answers={}) as (case, asked):
        assert (await case.settle("llama.cpp")).model == "m"
    assert asked == ["env:TWO"]


async def test_where_all_keys_rest_the_list_is_asked_for_once():
    async with asked_with(*KEYS, answers=dict.fromkeys(KEYS, 429)) as (case, asked):
        for name in KEYS:
            subject = case.keys.subject(name, case.routes.route("llama.cpp").endpoint)
            await case.health.failed(subject, ModelFault("rate", "too many", retry_after_s=60))
        assert (await case.settle("llama.cpp/m")).window_tokens == 4_096
    assert asked == ["env:ONE"]
