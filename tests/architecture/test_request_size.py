"""What every request carries stays small, for ever."""

import json

import anyio
import msgspec
import pytest

from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server
from limen.testing.scripted_model import say

DEFAULT_TOOLS = [
    "evidence_inspect", "evidence_search", "evidence_status", "find", "read_file", "web_extract", "web_search",
]  # fmt: skip
MOST_SCHEMA_BYTES = 6_000
MOST_REQUEST_BYTES = 10_000


async def first_request(home):
    """The bytes of the first request of a first turn, without context files, as a server received them."""
    async with model_server(say("hello")) as server, open_runtime(RuntimeOptions(home=home, workspace=home)) as runtime:
        async with runtime.agent.turn("Hi", model=f"{server.url}#m") as turn:
            async for _ in turn:
                pass
        (request,) = server.chats
    return request.body


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    return anyio.run(first_request, tmp_path_factory.mktemp("first") / "home")


def test_the_default_toolset_is_small(body):
    tools = json.loads(body)["tools"]
    assert [tool["function"]["name"] for tool in tools] == DEFAULT_TOOLS
    faces = [[tool["function"][part] for part in ("name", "description", "parameters")] for tool in tools]
    assert len(msgspec.json.encode(faces)) <= MOST_SCHEMA_BYTES
    assert len(json.dumps(tools)) <= MOST_SCHEMA_BYTES


def test_the_first_request_is_small(body):
    assert len(body) <= MOST_REQUEST_BYTES


def test_every_tool_and_argument_explains_itself(body):
    for tool in json.loads(body)["tools"]:
        assert len(tool["function"]["description"]) >= 30
        assert set(tool["function"]["parameters"]) >= {"type", "properties"}
