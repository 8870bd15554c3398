"""What every request carries stays small, for ever."""

import json

import pytest

from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server
from limen.testing.scripted_model import say

pytestmark = pytest.mark.anyio


async def test_the_default_toolset_and_the_first_request_fit_their_budgets(home):
    async with model_server(say("hello")) as server, open_runtime(RuntimeOptions(home=home)) as runtime:
        async with runtime.agent.turn("Hi", model=f"{server.url}#m") as turn:
            async for _ in turn:
                pass
        (request,) = server.chats
    tools = json.loads(request.body)["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["find", "read_file", "web_extract", "web_search"]
    assert len(json.dumps(tools)) <= 6_000
    assert len(request.body) <= 10_000
