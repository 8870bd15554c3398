import json
from contextlib import suppress

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
from limen.models.resolve import Routes
from limen.models.wire.http import Endpoint, Patience
from limen.testing.model_server import Answer, ModelServer, model_server

pytestmark = pytest.mark.anyio


def listing(*models):
    return lambda request: Answer.of(200, {"data": list(models)} if request.path.endswith("/models") else {"models": []})


class Case:
    def __init__(self, client, server, provider="llama.cpp", patience=None, **settings):
        self.routes = Routes(provider_table(), {provider: Settings(endpoint=server.url, **settings)})
        self.directory = Directory(Endpoint(lambda _route: client, Keyring((), lambda _: None), patience), self.routes)

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
