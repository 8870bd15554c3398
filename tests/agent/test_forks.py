"""A forked conversation goes on as its parent would have: the same window, the same prefix, the same evidence."""

import pytest
from agent.rig import open_agent, play

from limen.agent.window import WindowRoom
from limen.core.message import text_of
from limen.testing.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.anyio


def said(request):
    return [text_of(message.blocks) for message in request.messages]


async def test_a_forks_request_begins_with_its_parents(tmp_path):
    model = ScriptedModel([say("one"), say("two"), say("three")])
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        _, first = await play(agent, "first question", session="s")
        await play(agent, "second question", session="s")
        await sessions.fork("s", "f", at_turn=first.turn)
        await play(agent, "another second question", session="f")
    parent, fork = model.requests[1:]
    assert fork.prompt == parent.prompt
    assert fork.tools == parent.tools
    assert said(fork) == ["first question", "one", "another second question"]
    assert fork.messages[:-1] == parent.messages[:-1]


async def test_a_fork_of_a_folded_conversation_is_folded_as_it_was_and_outlives_it(tmp_path):
    model = ScriptedModel([say(f"answer {number} " + "y" * 200) for number in range(23)])
    async with open_agent(tmp_path, model, room=WindowRoom(most_blocks=10)) as (agent, sessions, _):
        for number in range(20):
            await play(agent, f"question {number}", session="s")
        await sessions.fork("s", "f")
        for key in ("s", "f"):
            await play(agent, "and now?", session=key)
        await sessions.delete("s")
        await play(agent, "and then?", session="f")
        ledger = await sessions.ledger("f")
        number, _ = await sessions.next_numbers("f")
    parent, fork, later = (said(request) for request in model.requests[-3:])
    assert "folded away" in fork[1]
    assert [text.replace("sessions show f", "sessions show s") for text in fork] == parent
    assert later[-1] == "and then?"
    assert [entry.n for entry in ledger] == list(range(1, number))
    assert [entry.session for entry in ledger] == sorted((entry.session for entry in ledger), reverse=True)
