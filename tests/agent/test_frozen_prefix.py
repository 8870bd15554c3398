"""What a session's requests begin with stays byte for byte, over every wire, whatever happens around it: only a fold ends it."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import msgspec
import pytest
from agent.rig import ROUTE, Echo, open_agent
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.agent.request import schema_text
from limen.agent.window import WindowRoom
from limen.core.event import Folded
from limen.core.tool import ToolSchema
from limen.models.history import render
from limen.models.wire.bodies import encoded
from limen.models.wire.dialects import DIALECTS
from limen.testing.carried.prefix import canonical
from limen.testing.scripted_model import ScriptedModel, call, say, use

WIRES = sorted(DIALECTS)
ENDS = 1_000_000

# One turn: how many times a tool is called, whether something is added meanwhile, and what has happened before it.
turns = st.tuples(
    st.integers(0, 2),
    st.booleans(),
    st.sampled_from(["nothing", "new process", "other clock", "tools shuffled", "without tools"]),
    st.integers(1, 400),
)


def sent(request, wire):
    """A request's canonical bytes over a wire."""
    route = msgspec.structs.replace(request.route, wire=wire, endpoint="http://127.0.0.1:1/v1")
    messages = render(request.messages, route).messages
    return canonical(encoded(msgspec.structs.replace(request, route=route, messages=messages)))


class Session:
    """A session that lives through processes; keeps each request, and which of them came behind a fold."""

    def __init__(self, folder, room, window_tokens):
        self._folder = folder
        self._room = room
        self._route = msgspec.structs.replace(ROUTE, window_tokens=window_tokens)
        self._now = datetime(2026, 11, 30, 10, tzinfo=UTC)
        self._names = ["echo", "find", "list", "read"]
        self._replies = []
        self._model = ScriptedModel(then=lambda _request: self._replies.pop(0) if self._replies else say("Well."))
        self.folded = set()
        self.prompts = set()

    @property
    def requests(self):
        return self._model.requests

    async def run(self, script):
        async with AsyncExitStack() as process:
            for number, (calls, steered, before, size) in enumerate(script):
                if number == 0 or before != "nothing":
                    await process.aclose()
                    agent, sessions = await self._start(process, before)
                self._replies[:] = [use(call("echo", f"c{number}.{n}", text="abc " * size)) for n in range(calls)]
                await self._turn(agent, f"Question {number}. " + "more " * size, steered, tools=before != "without tools")
                self.prompts.add(tuple(stored.block.text for stored in await sessions.prompt("s")))

    async def _start(self, process, before):
        if before == "other clock":
            self._now += timedelta(days=1, minutes=7)
        if before == "tools shuffled":
            self._names = self._names[2:] + self._names[:2][::-1]
        tools = (Echo(name=name) for name in self._names)
        opened = open_agent(self._folder, self._model, *tools, room=self._room, route=self._route, now=lambda: self._now)
        agent, sessions, _ = await process.enter_async_context(opened)
        return agent, sessions

    async def _turn(self, agent, text, steered, *, tools):
        async with agent.turn(text, session="s", tools=tools) as turn:
            if steered:
                turn.steer("And this.")
            async for event in turn:
                if isinstance(event, Folded):
                    self.folded.add(event.marker)


def live(script, room=None, window_tokens=ENDS):
    with TemporaryDirectory() as folder:
        session = Session(Path(folder), room or WindowRoom(), window_tokens)
        anyio.run(partial(session.run, script))
    return session


@settings(max_examples=25, deadline=None)
@given(st.lists(turns, min_size=2, max_size=6))
def test_nothing_around_a_session_changes_how_its_requests_begin(script):
    script = [(*script[0][:2], "nothing", script[0][3]), *script[1:]]
    session = live(script)
    assert len(session.prompts) == 1
    assert session.folded == set()
    for wire in WIRES:
        for before, after in pairwise(sent(request, wire) for request in session.requests):
            assert after.startswith(before)
    assert len({request.cache_key for request in session.requests}) == 1


@settings(max_examples=15, deadline=None)
@given(st.lists(turns, min_size=8, max_size=12))
def test_only_a_fold_ends_a_prefix(script):
    script = [(*script[0][:2], "nothing", script[0][3]), *script[1:]]
    session = live(script, WindowRoom(most_blocks=6), window_tokens=9_000)
    folds = {request.fold for request in session.requests}
    assert session.folded
    assert folds - {0} <= session.folded
    assert len(folds) > 1
    for before, after in pairwise(session.requests):
        for wire in WIRES:
            goes_on = sent(after, wire).startswith(sent(before, wire))
            assert goes_on if before.fold == after.fold else not goes_on or len(before.messages) == 1


@pytest.mark.parametrize("wire", WIRES)
def test_two_sessions_with_the_same_tools_in_another_order_send_the_same(wire):
    """Tools are sent by name, and a schema's members by theirs: who connected first does not show."""

    def told(request):
        text = sent(request, wire)
        return text[: text.index(b"Question 0")]

    straight = live([(0, False, "nothing", 1)])
    shuffled = live([(0, False, "tools shuffled", 1)])
    assert told(straight.requests[0]) == told(shuffled.requests[0])
    assert straight.requests[0].cache_key != shuffled.requests[0].cache_key


@given(st.permutations(["type", "properties", "required", "description"]))
def test_the_order_in_which_a_server_writes_a_schema_does_not_show(order):
    parameters = {"type": "object", "properties": {"b": {}, "a": {}}, "required": ["b"], "description": "Any."}
    written = ToolSchema("find", "Find.", {name: parameters[name] for name in order})
    assert schema_text(written) == schema_text(ToolSchema("find", "Find.", parameters))
