"""Each wire we ship, and the double that stands in for one, keeps the contract of wires."""

from contextlib import asynccontextmanager

import pytest

from limen.core.fault import ModelFault
from limen.testing.chat_format import events
from limen.testing.model_server import Stream, model_server
from limen.testing.scripted_model import Broken, ScriptedModel, Stall, say
from limen.testing.wire_contract import WIRE_CHECKS

pytestmark = pytest.mark.anyio


class ChatCase:
    """The chat wire against a server on loopback."""

    def __init__(self, wire_of, request_to, *quirks):
        self._wire_of = wire_of
        self._request_to = request_to
        self._quirks = quirks

    @asynccontextmanager
    async def _against(self, *steps):
        async with model_server(*steps) as server, self._wire_of() as wire:
            yield wire, self._request_to(server.url, quirks=self._quirks)

    def answering(self, reply, times=1):
        return self._against(*[reply] * times)

    def breaking(self, text):
        return self._against(Stream((*list(events(say(text), "m"))[:-3], "reset")))

    def silent(self, text):
        return self._against(Stream((*list(events(say(text), "m"))[:-3], "hang")))


class ScriptedCase:
    """The scripted model, which needs no far side."""

    def __init__(self, request_to):
        self._request = request_to()

    @asynccontextmanager
    async def _playing(self, *steps):
        yield ScriptedModel(steps), self._request

    def answering(self, reply, times=1):
        return self._playing(*[reply] * times)

    def breaking(self, text):
        return self._playing(Broken(text, ModelFault("network", "cut")))

    def silent(self, text):
        return self._playing(Stall(text))


@pytest.fixture(params=["chat", "chat, flat and alternating", "scripted"])
def case(request, wire_of, request_to):
    match request.param:
        case "chat":
            return ChatCase(wire_of, request_to)
        case "scripted":
            return ScriptedCase(request_to)
        case _:
            return ChatCase(wire_of, request_to, "flat_content", "alternate")


@pytest.mark.parametrize("check", WIRE_CHECKS, ids=lambda check: check.__name__)
async def test_contract(check, case):
    await check(case)
