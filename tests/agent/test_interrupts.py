"""A turn cut off at each of its waits: what was said is kept, every call has its result, and the session goes on."""

import shutil
from functools import partial

import anyio
import pytest
from agent.rig import ROUTE, Echo, open_agent, play

from limen.agent.live import live_blocks
from limen.agent.window import Window, WindowRoom
from limen.core.event import Folded, TurnEnded, TurnStarted
from limen.core.message import ToolCall, ToolResult, digest, message_leaves
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio

# Every wait of the turn below is passed by then; a turn that was not cut off any more ends the test's loop.
MOST_POINTS = 400


class Points:
    """Counts the waits that a turn comes to, and acts at one of them."""

    def __init__(self, at):
        self.at = at
        self.passed = 0
        self.act = None

    async def reach(self):
        self.passed += 1
        if self.passed == self.at and self.act is not None:
            self.act()
            await anyio.lowlevel.checkpoint()


class Watched:
    """Another object, each of whose asynchronous methods is a point before and after."""

    def __init__(self, inner, points):
        self._inner = inner
        self._points = points

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        if not callable(value):
            return value

        async def watched(*arguments, **named):
            await self._points.reach()
            answer = await value(*arguments, **named)
            await self._points.reach()
            return answer

        return watched


def script():
    calls = (call("echo", "a", text="one " * 200), call("change", "b", text="two"), call("echo", "c", text="fail"))
    return [use(*calls, text="Let me see."), use(call("echo", "d", text="x" * 1_900)), say("Here is the answer.")]


class Allows:
    async def ask(self, tool, effect, question):
        return "allow"


async def begun(folder):
    """A session that has had a turn."""
    async with open_agent(folder, ScriptedModel([say("Earlier. " * 300)]), Echo(), Echo("write", "change")) as (agent, _, _):
        await play(agent, "first " * 300, session="s")
    return folder


async def cut_off(folder, at, leave_by):
    """Run the script's turn in that session, cut off at a wait; True when the turn got to that wait."""
    points = Points(at)
    tools = (Echo(), Echo("write", "change"))
    model = ScriptedModel(script())
    async with open_agent(folder, model, *tools, watch=lambda part: Watched(part, points), approver=Allows()) as (agent, _, _):
        await leave_by(agent, points)
    return points.passed >= at


async def by_interrupt(agent, points):
    async with agent.turn("go", session="s") as turn:
        points.act = turn.interrupt
        turn.steer("and quickly")
        async for _ in turn:
            await points.reach()


async def by_leaving(agent, points):
    with anyio.CancelScope() as scope:
        points.act = scope.cancel
        async with agent.turn("go", session="s") as turn:
            turn.steer("and quickly")
            async for _ in turn:
                await points.reach()


async def by_closing(agent, points):
    class Left(Exception):
        pass

    def leave():
        raise Left

    try:
        async with agent.turn("go", session="s") as turn:
            async for _ in turn:
                points.act = leave  # only here: at other points it would be the store's failure
                await points.reach()
                points.act = None
    except Left:
        pass


@pytest.mark.parametrize("leave_by", [by_interrupt, by_leaving, by_closing])
async def test_a_turn_cut_off_at_any_wait_leaves_a_session_that_goes_on(tmp_path, leave_by):
    before = await begun(tmp_path / "before")
    for at in range(1, MOST_POINTS):
        folder = shutil.copytree(before, tmp_path / str(at))
        reached = await cut_off(folder, at, leave_by)
        await check(folder)
        if not reached:
            return
    raise AssertionError(f"the turn has more than {MOST_POINTS} waits")


async def keep(sessions, event):
    """What a turn's recorder does with a fold."""
    if isinstance(event, Folded):
        await sessions.record("s", "t_other", [event])


async def check(folder):
    model = ScriptedModel([say("Going on.")])
    async with open_agent(folder, model, Echo(), Echo("write", "change"), owner="next") as (agent, sessions, _):
        events = [stored.event for stored in await sessions.events("s")]
        started = sum(isinstance(event, TurnStarted) for event in events)
        assert sum(isinstance(event, TurnEnded) for event in events) in (started, started + 1)
        blocks = [stored.block for stored in await sessions.blocks("s")]
        made = [block.call_id for block in blocks if isinstance(block, ToolCall)]
        answered = [block.call_id for block in blocks if isinstance(block, ToolResult)]
        assert answered == made
        window = Window("s", "t_other", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), ROUTE.window_tokens, partial(keep, sessions))
        assert window.live == await live_blocks(sessions, "s")
        _, outcome = await play(agent, "and then?", session="s")
        assert outcome.answer == "Going on."
        ledger = {entry.digest for entry in await sessions.ledger("s")}
    sent = [digest(leaf) for message in model.requests[0].messages for leaf in message_leaves(message)]
    assert set(sent) <= ledger
    assert len(model.requests[0].prompt.parts) == 3
    assert [tool.name for tool in model.requests[0].tools] == ["change", "echo"]
