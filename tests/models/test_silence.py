"""A person hears of a server that says nothing."""

import anyio
import pytest

from limen.core.event import Notice
from limen.core.exchange import Alive, ModelReply, ModelRequest, TextDelta, Usage
from limen.core.fault import ModelFault
from limen.core.message import Text
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.model import Model
from limen.models.silence import Signs

pytestmark = pytest.mark.anyio

ROUTE = Route("p", "chat_completions", "m", "http://127.0.0.1:9/v1")


class Waiting:
    """A wire that says nothing until so many signs were given."""

    def __init__(self, signs, *before, fails=False):
        self._signs = signs
        self._before = before
        self._fails = fails
        self.told = []
        self._enough = anyio.Event()

    async def emit(self, event):
        if isinstance(event, Notice):
            self.told.append(event)
            if len(self.told) >= self._signs:
                self._enough.set()

    async def send(self, request):
        for item in self._before:
            yield item
        with anyio.fail_after(10):
            await self._enough.wait()
        if self._fails:
            raise ModelFault("network", "took too long")
        yield ModelReply((Text("hello"),), "end", Usage(), request.route)


async def ask(wire, signs):
    return await Model({"chat_completions": wire}, (), None, signs).ask(ModelRequest(ROUTE, Prompt(), ()), wire.emit)


async def test_who_is_waited_for_until_when_and_what_shortens_it_is_told_a_few_times():
    wire = Waiting(2)
    reply = await ask(wire, Signs((0.01, 0.02), idle_s=300.01))
    assert reply.blocks == (Text("hello"),)
    assert [sign.code for sign in wire.told] == ["model.silent", "model.silent"]
    assert wire.told[0].text.startswith("p/m has said nothing for 0.01 s. It is waited for until ")
    assert "300 s more" in wire.told[0].text
    assert "Ctrl-C" in wire.told[0].text
    assert wire.told[0].mend == "limen config set models.idle_s SECONDS"


@pytest.mark.parametrize("before", [TextDelta("Let me"), Alive()])
async def test_silence_in_the_midst_of_a_reply_counts_as_well(before):
    wire = Waiting(1, before)
    await ask(wire, Signs((0.01,)))
    assert len(wire.told) == 1


async def test_a_server_that_fails_after_all_fails_as_itself():
    with pytest.raises(ModelFault, match="took too long"):
        await ask(Waiting(1, fails=True), Signs((0.01,)))


async def test_nothing_is_told_where_the_wait_is_over_by_then():
    wire = Waiting(1)
    wire._enough.set()
    await ask(wire, Signs((0.0,), idle_s=0.0))
    assert wire.told == []


async def test_a_sign_that_cannot_be_given_costs_no_reply(caplog):
    class Deaf(Waiting):
        async def emit(self, event):
            await super().emit(event)
            if isinstance(event, Notice):
                raise OSError("nobody there")

    assert (await ask(Deaf(1), Signs((0.01,)))).blocks == (Text("hello"),)
    assert "model.silence_untold" in caplog.text
