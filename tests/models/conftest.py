"""What the tests of models share: requests, and wires on a plain client."""

from contextlib import asynccontextmanager

import httpx2
import pytest

from limen.core.exchange import ModelReply, ModelRequest
from limen.core.message import Message, Text
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.credentials import Keyring
from limen.models.wire.dialects import DIALECTS
from limen.models.wire.http import Endpoint, Patience
from limen.models.wire.stream import HttpWire

NO_KEYS = Keyring((), lambda _name: None)


@pytest.fixture
def route_to():
    """Makes a route to a server."""

    def make(url="http://127.0.0.1:1/v1", **fields):
        return Route(**{"provider": "recorded", "wire": "chat_completions", "model": "model", "endpoint": url, **fields})

    return make


@pytest.fixture
def request_to(route_to):
    """Makes a request to a server."""

    def make(url="http://127.0.0.1:1/v1", *blocks, quirks=(), wire="chat_completions", **fields):
        messages = (Message("user", blocks or (Text("Hello?"),)),)
        route = fields.pop("route", None) or route_to(url, quirks=frozenset(quirks), wire=wire)
        return ModelRequest(**{"route": route, "prompt": Prompt(), "messages": messages, **fields})

    return make


@pytest.fixture
def wire_of():
    """A wire for the length of a block, that of chats if no other is named."""

    @asynccontextmanager
    async def make(keys=NO_KEYS, idle_s=5.0, wire="chat_completions", table=None):
        async with httpx2.AsyncClient(trust_env=False) as client:
            endpoint = Endpoint(lambda _route: client, keys, Patience(connect_s=5.0, idle_s=idle_s), table)
            yield HttpWire(endpoint, DIALECTS[wire])

    return make


@pytest.fixture
def collect():
    """Sends a request: the pieces of text shown, and the reply or the fault."""

    async def send(wire, request):
        items = [item async for item in wire.send(request)]
        assert isinstance(items[-1], ModelReply)
        return items[:-1], items[-1]

    return send
