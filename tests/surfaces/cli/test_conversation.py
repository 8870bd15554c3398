"""What is typed while a turn runs, before it runs, and too late for it."""

import io
import json

import anyio
import anyio.lowlevel
import pytest
from surfaces.cli.scripted_runtime import RuntimeOptions, open_runtime

from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.wiring import wired

pytestmark = pytest.mark.anyio


@pytest.fixture
async def conversation(home):
    async with wired(lambda: open_runtime(RuntimeOptions(home))) as wiring:
        made = Conversation(wiring, Screen(io.StringIO(), io.StringIO()))
        made.said = made.screen._err
        yield made


def turns(home):
    return [json.loads(line) for line in (home / "turns.jsonl").read_text().splitlines()]


async def test_what_comes_before_the_turn_is_open_is_given_to_it(conversation, home):
    conversation.begin()
    conversation.add("enough")
    assert await conversation.answer("slow") == DONE
    assert turns(home)[0]["steered"] == ["enough"]


async def test_what_comes_too_late_is_asked_next(conversation, home):
    conversation.begin()
    conversation.add("late echo")
    assert await conversation.answer("a question") == DONE
    assert [turn["question"] for turn in turns(home)] == ["a question", "late echo"]
    assert not conversation.running


async def test_what_a_stopped_turn_did_not_see_is_handed_back(conversation, home):
    conversation.begin()
    async with anyio.create_task_group() as group:
        group.start_soon(conversation.answer, "slow")
        while conversation.session is None:
            await anyio.lowlevel.checkpoint()
        conversation.add("never seen")
        conversation.stop()
    assert len(turns(home)) == 1
    assert "not sent: never seen" in conversation.said.getvalue()


async def test_a_stop_before_the_turn_is_open_stops_it(conversation, home):
    conversation.begin()
    conversation.stop()
    assert await conversation.answer("slow") == INTERRUPTED


async def test_a_stop_while_nothing_runs_harms_nothing(conversation):
    conversation.stop()
    assert await conversation.answer("a question") == DONE


async def test_after_a_failure_the_next_turn_runs(conversation):
    assert await conversation.answer("fail") == FAILED
    assert await conversation.answer("a question") == DONE


async def test_a_stop_leaves_what_is_queued(conversation, home):
    conversation.queued.append("waiting")
    conversation.begin()
    conversation.stop()
    assert await conversation.answer("slow") == INTERRUPTED
    assert list(conversation.queued) == ["waiting"]
