"""What is handed to a tool in place of `{{ev_...}}`: the stored text to the letter, and to nobody else."""

import json

import pytest
from agent.rig import Echo, open_agent, play

from limen.agent import handing
from limen.agent.handing import Handing
from limen.core.event import ToolProgress, ToolStarted
from limen.core.message import ToolCall, ToolResult, text_of
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio
WHOLE = "first\r\n\n  {{ev_000000000000}} é 𝛼\nlast\n\n"


class Asked:
    def __init__(self):
        self.questions = []

    async def ask(self, tool, effect, question):
        self.questions.append(question)
        return "allow"


class Quiet(Echo):
    """Takes a text and says no word of it."""

    async def run(self, arguments, context):
        self.calls.append(arguments)
        return await super().run(type(arguments)("done"), context)


async def kept(path, text):
    database = await Database.open(path / "limen.db")
    try:
        store = SqliteEvidence(database)
        return (await store.keep(text, session="another", tool="t", source="s", media_type="text/plain")).id
    finally:
        await database.close()


async def hand(path, text, effect="write", person=None):
    """One turn in which the model calls the tool with a text: the tool's calls, the events, the second request."""
    database = await Database.open(path / "limen.db")
    tool, model = Quiet(effect), ScriptedModel([use(call("echo", "c1", text=text)), say("done")])
    try:
        async with open_agent(path, model, tool, handing=Handing(SqliteEvidence(database)), approver=person or Asked()) as (
            agent,
            _,
            _,
        ):
            events, _ = await play(agent, "go")
    finally:
        await database.close()
    return [one.text for one in tool.calls if one.text != "done"] or [one.text for one in tool.calls], events, model.requests[1]


@pytest.mark.parametrize("effect", ["write", "run", "send"])
async def test_a_tool_gets_the_stored_text_to_the_letter_and_the_history_keeps_its_place(tmp_path, effect):
    one, person = await kept(tmp_path, WHOLE), Asked()
    (got,), events, request = await hand(tmp_path, f"{{{{{one}}}}}", effect, person)
    assert got == WHOLE
    assert person.questions == [f'{{"text":"{{{{{one}}}}}"}}\nhands on {one} ({len(WHOLE):,} characters)']
    assert [event.text for event in events if isinstance(event, ToolProgress)] == [f"{one} ({len(WHOLE):,} characters)"]
    assert [one in event.call.arguments for event in events if isinstance(event, ToolStarted)] == [True]
    calls = [block for message in request.messages for block in message.blocks if isinstance(block, ToolCall)]
    assert [json.loads(each.arguments) for each in calls] == [{"text": f"{{{{{one}}}}}"}]
    assert "last" not in repr(events) + repr(request)


async def test_the_ledger_says_that_something_was_handed(tmp_path):
    one, database = await kept(tmp_path, WHOLE), await Database.open(tmp_path / "limen.db")
    model = ScriptedModel([use(call("echo", text=f"{{{{{one}}}}}")), say("done")])
    store = Handing(SqliteEvidence(database))
    async with open_agent(tmp_path, model, Quiet("send"), handing=store, approver=Asked()) as (agent, sessions, _):
        await play(agent, "go", session="s")
        codes = [gate.code for entry in await sessions.ledger("s") for gate in entry.treatment.gates]
    await database.close()
    assert codes.count("evidence.handed") == 1


async def test_places_inside_a_text_are_filled_each(tmp_path):
    one = await kept(tmp_path, "ab\n")
    (got,), _, _ = await hand(tmp_path, f"<{{{{{one}}}}}|{{{{ {one} }}}}> {{{{ev_}}}}")
    assert got == "<ab\n|ab\n> {{ev_}}"


@pytest.mark.parametrize("effect", ["read", "fetch", "spend"])
async def test_tools_that_write_run_or_send_nothing_get_what_the_model_wrote(tmp_path, effect):
    one = await kept(tmp_path, WHOLE)
    (got,), _, _ = await hand(tmp_path, f"{{{{{one}}}}}", effect)
    assert got == f"{{{{{one}}}}}"


async def test_an_unknown_id_is_refused_before_anybody_is_asked(tmp_path):
    person = Asked()
    got, _, request = await hand(tmp_path, "{{ev_0123456789ab}}", person=person)
    assert (got, person.questions) == ([], [])
    assert "evidence.unknown" in results(request)


async def test_more_than_a_call_may_be_handed_is_refused(tmp_path):
    one = await kept(tmp_path, "x" * (handing.MOST_CHARS // 2 + 1))
    got, _, request = await hand(tmp_path, f"{{{{{one}}}}}{{{{{one}}}}}")
    assert got == []
    assert "evidence.too_long" in results(request)


def results(request):
    return " ".join(
        text_of((block,)) for message in request.messages for block in message.blocks if isinstance(block, ToolResult)
    )
