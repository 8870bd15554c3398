"""Whole turns whose first provider is down, answered by a real llama.cpp server over each of its protocols."""

import pytest
from real.llama_server import running
from stories.test_fallback import DOWN, WIRES, configure, notices, play

from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server

pytestmark = [pytest.mark.anyio, pytest.mark.real("llama.cpp")]


class Llama:
    """A server as `configure` takes one."""

    def __init__(self, url):
        self.url = url


@pytest.fixture(scope="module")
def llama():
    with running("--temp", "0", "-n", "24") as url:
        yield Llama(url)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_real_server_answers_in_place_of_one_that_is_down(home, llama, wire):
    async with model_server(then=DOWN) as first:
        configure(home, (first, WIRES[0]), (llama, wire), windows=(100_000, 4_096))
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            events, outcome = await play(runtime, "Say hello.", tools=False)
            assert outcome.route.name == "other1/m"
            assert outcome.usage.output_tokens > 0
            assert len(notices(events, "model.fell_back")) == 1
            events, outcome = await play(runtime, "Say it again.", tools=False)
            assert notices(events, "model.fell_back") == []
            assert outcome.route.name == "other1/m"
    assert len(first.chats) == 1
