"""Each wire we ship, and the double that stands in for one, keeps the contract of wires."""

from contextlib import asynccontextmanager

import pytest

from limen.core.fault import ModelFault
from limen.testing import chat_format, messages_format, responses_format
from limen.testing.model_server import Stream, model_server
from limen.testing.scripted_model import Broken, ScriptedModel, Stall, say
from limen.testing.wire_contract import WIRE_CHECKS

pytestmark = pytest.mark.anyio


FORMATS = {
    "chat_completions": (chat_format, 3),
    "anthropic_messages": (messages_format, 3),
    "codex_responses": (responses_format, 2),
}
"""How each wire's replies are written, and how many events their end takes."""


class HttpCase:
    """A wire against a server on loopback."""

    def __init__(self, wire_of, request_to, wire, *quirks):
        self._wire_of = wire_of
        self._request_to = request_to
        self._wire = wire
        self._quirks = quirks

    @asynccontextmanager
    async def _against(self, *steps):
        async with model_server(*steps) as server, self._wire_of(wire=self._wire) as wire:
            yield wire, self._request_to(server.url, quirks=self._quirks, wire=self._wire)

    def _begun(self, text, *rest):
        written, end = FORMATS[self._wire]
        return self._against(Stream((*list(written.events(say(text), "m"))[:-end], *rest)))

    def answering(self, reply, times=1):
        return self._against(*[reply] * times)

    def breaking(self, text):
        return self._begun(text, "reset")

    def silent(self, text):
        return self._begun(text, "hang")


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


@pytest.fixture(params=[*FORMATS, "chat, flat and alternating", "scripted"])
def case(request, wire_of, request_to):
    match request.param:
        case "scripted":
            return ScriptedCase(request_to)
        case "chat, flat and alternating":
            return HttpCase(wire_of, request_to, "chat_completions", "flat_content", "alternate")
        case wire:
            return HttpCase(wire_of, request_to, wire)


@pytest.mark.parametrize("check", WIRE_CHECKS, ids=lambda check: check.__name__)
async def test_contract(check, case):
    await check(case)
