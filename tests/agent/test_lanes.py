"""A session is given back with its turn's last events, whatever the store does then."""

import anyio
import pytest
from agent.rig import open_agent, play
from store.sqlite.rig import database

from limen.agent.lanes import Lane, Lanes
from limen.core.event import TurnEnded
from limen.core.fault import Refusal, StoreFault
from limen.kit.group import background_tasks
from limen.store.sqlite.sessions import SqliteSessions
from limen.testing.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.anyio
FULL = StoreFault("store.full", "The disk is full.")


class Failing:
    """A session store some of whose methods raise."""

    def __init__(self, store, *failing):
        self._store = store
        self._failing = failing

    def __getattr__(self, name):
        return self._raises if name in self._failing else getattr(self._store, name)

    async def _raises(self, *_arguments, **_named):
        raise FULL


def failing(*names):
    return lambda part: Failing(part, *names) if hasattr(part, "next_numbers") else part


async def test_an_answered_turn_leaves_its_events_and_its_session_free(tmp_path):
    async with open_agent(tmp_path, ScriptedModel([say("Hello.")])) as (agent, sessions, _):
        await play(agent, "hi", session="s")
        assert await sessions.claim("s", "another", 10)
        kinds = [type(stored.event).__name__ for stored in await sessions.events("s")]
    assert kinds == ["TurnStarted", "TurnEnded"]


async def test_a_store_that_takes_no_last_events_still_gets_the_session_back(tmp_path, caplog):
    async with open_agent(tmp_path, ScriptedModel([say("Hello.")]), watch=failing("end")) as (agent, sessions, _):
        events, outcome = await play(agent, "hi", session="s")
        assert await sessions.claim("s", "another", 10)
        assert list(await sessions.events("s")) == []
    assert (outcome.end.reason, outcome.answer) == ("answered", "Hello.")
    assert isinstance(events[-1], TurnEnded)
    assert "recorder.events_lost" in caplog.text


async def test_an_answer_stands_although_its_session_cannot_be_given_back(tmp_path, caplog):
    watch = failing("end", "release")
    async with open_agent(tmp_path, ScriptedModel([say("Hello.")]), watch=watch) as (agent, sessions, _):
        events, outcome = await play(agent, "hi", session="s")
        assert not await sessions.claim("s", "another", 10)
    assert (outcome.end.reason, events[-1].reason, outcome.answer) == ("answered", "answered", "Hello.")
    assert "lanes.not_given_back" in caplog.text


async def test_another_processes_session_is_refused_and_that_is_kept(tmp_path):
    async with open_agent(tmp_path, ScriptedModel([say("Hello.")])) as (agent, sessions, _):
        await sessions.open("s")
        await sessions.claim("s", "another", 10)
        _, outcome = await play(agent, "hi", session="s")
        kinds = [type(stored.event).__name__ for stored in await sessions.events("s")]
    assert (outcome.end.reason, outcome.end.code) == ("refused", "session.busy")
    assert kinds == ["Refused", "TurnEnded"]


async def test_claims_are_renewed_while_they_are_held_and_not_after(tmp_path):
    now = 1_000_000.0
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened, lambda: now)
        lanes = Lanes(sessions, "me", ttl_s=30)
        async with lanes.hold("s") as lane:
            assert isinstance(lane, Lane)
            for _ in range(4):
                now += 20
                await lanes.renew()
                assert not await sessions.claim("s", "another", 30)
        await lanes.renew()
        assert await sessions.claim("s", "another", 30)
        await lanes.renew()
        assert isinstance(await refused(lanes, "s"), Refusal)


async def test_a_claim_that_cannot_be_renewed_stops_nothing(tmp_path, caplog):
    async with database(tmp_path / "limen.db") as opened:
        lanes = Lanes(Failing(SqliteSessions(opened), "claim"), "me")
        async with lanes.hold("s"), lanes.hold("t"):
            await lanes.renew()
    assert caplog.text.count("lanes.renew_failed") == 2


async def test_what_is_kept_is_renewed_by_itself(tmp_path):
    class Counting(SqliteSessions):
        async def claim(self, key, owner, ttl_s):
            claimed.set()
            return await super().claim(key, owner, ttl_s)

    claimed = anyio.Event()
    async with database(tmp_path / "limen.db") as opened, background_tasks() as group:
        lanes = Lanes(Counting(opened), "me", ttl_s=0.03)
        group.start_soon(lanes.keep)
        async with lanes.hold("s"):
            with anyio.fail_after(30):
                await claimed.wait()


async def refused(lanes, key):
    async with lanes.hold(key) as lane:
        return lane
