"""Toolsets: what a session begins with stays, and a turn may leave some of it off."""

import pytest
from agent.rig import Echo, open_agent, play

from limen.agent.toolsets import select, toolset_problems
from limen.core.event import Notice
from limen.core.message import ToolResult, text_of
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio


def tools(**sets):
    """Tools by name, each with its toolset."""
    return {name: Echo(name=name, toolset=toolset) for name, toolset in sets.items()}


def names(request):
    return [tool.name for tool in request.tools]


def notices(events):
    return [event.code for event in events if isinstance(event, Notice)]


def results(request):
    return [text_of((block,)) for message in request.messages for block in message.blocks if isinstance(block, ToolResult)]


TABLE = tools(search="web", read="files", find="files")


@pytest.mark.parametrize(
    ("starts_with", "frozen", "wanted", "use_any", "offered", "on"),
    [
        (None, (), None, True, {"search", "read", "find"}, {"search", "read", "find"}),
        (frozenset({"files"}), (), None, True, {"read", "find"}, {"read", "find"}),
        (frozenset({"files"}), (), frozenset({"web"}), True, {"search"}, {"search"}),
        (None, (), None, False, set(), set()),
        (None, ("search",), None, True, {"search"}, {"search"}),
        (None, ("search", "read", "find"), frozenset({"web"}), True, {"search", "read", "find"}, {"search"}),
        (None, ("search", "read", "find"), None, False, {"search", "read", "find"}, set()),
        (None, ("search",), frozenset({"files"}), True, {"search", "read", "find"}, {"read", "find"}),
        (None, ("gone",), None, True, set(), set()),
    ],
)
def test_a_turns_tools(starts_with, frozen, wanted, use_any, offered, on):
    chosen = select(TABLE, starts_with=starts_with, frozen=frozen, wanted=wanted, use=use_any)
    assert set(chosen.offered) == offered
    assert chosen.on == on


async def test_a_session_that_began_with_some_sets_keeps_them(tmp_path):
    model = ScriptedModel(then=say("ok"))
    async with open_agent(tmp_path, model, *TABLE.values()) as (agent, _, _):
        await play(agent, "one", session="s", toolsets=["web"])
        events, _ = await play(agent, "two", session="s")
    assert [names(request) for request in model.requests] == [["search"], ["search"]]
    assert notices(events) == []


async def test_a_turn_that_leaves_a_set_off_keeps_the_prompt_and_refuses_its_calls(tmp_path):
    model = ScriptedModel([say("ok"), use(call("read", text="x")), use(call("search", text="y")), say("done")])
    async with open_agent(tmp_path, model, *TABLE.values()) as (agent, _, _):
        await play(agent, "one", session="s")
        events, outcome = await play(agent, "two", session="s", toolsets=["web"])
    assert [names(request) for request in model.requests] == [["find", "read", "search"]] * 4
    assert notices(events) == []
    refused, answered = results(model.requests[-1])
    assert "tool.off" in refused
    assert "Use one of these: search." in refused
    assert answered == "y"
    assert [refusal.code for refusal in outcome.refusals] == ["tool.off"]


async def test_a_turn_without_tools_keeps_the_prompt_and_runs_no_call(tmp_path):
    model = ScriptedModel([say("ok"), use(call("read", text="x")), say("done")])
    table = tools(read="files")
    async with open_agent(tmp_path, model, *table.values()) as (agent, _, _):
        await play(agent, "one", session="s")
        await play(agent, "two", session="s", tools=False)
    assert [names(request) for request in model.requests] == [["read"]] * 3
    assert [request.may_call for request in model.requests] == [True, False, False]
    assert "Answer without tools." in results(model.requests[-1])[0]
    assert table["read"].calls == []


async def test_a_set_that_the_session_lacks_is_added_aloud_when_asked_for(tmp_path):
    model = ScriptedModel(then=say("ok"))
    async with open_agent(tmp_path, model, *TABLE.values()) as (agent, _, _):
        await play(agent, "one", session="s", toolsets=["web"])
        events, _ = await play(agent, "two", session="s", toolsets=["web", "files"])
    assert names(model.requests[-1]) == ["find", "read", "search"]
    assert notices(events) == ["context.tools_changed"]


async def test_a_session_begun_without_tools_gets_them_when_a_turn_uses_some(tmp_path):
    model = ScriptedModel(then=say("ok"))
    async with open_agent(tmp_path, model, *TABLE.values()) as (agent, _, _):
        await play(agent, "one", session="s", tools=False)
        await play(agent, "two", session="s")
    assert [names(request) for request in model.requests] == [[], ["find", "read", "search"]]


async def test_an_unknown_set_is_refused_with_the_nearest(tmp_path):
    async with open_agent(tmp_path, ScriptedModel(), *TABLE.values()) as (agent, sessions, _):
        _, outcome = await play(agent, "go", toolsets=["fils"])
        assert await sessions.list() == []
    assert outcome.end.code == "turn.unknown_toolset"
    assert "Did you mean 'files'?" in outcome.end.text
    assert outcome.end.mend == "There are: files, web."


def test_a_setting_that_names_no_set_is_said():
    assert toolset_problems(("web", "files"), TABLE) == ()
    (problem,) = toolset_problems(("files", "terminl"), TABLE)
    assert (problem.code, problem.level) == ("config.unknown_toolset", "warning")
    assert "terminl" in problem.text


def test_the_webs_tools_may_be_away_by_another_setting():
    assert toolset_problems(("web", "files"), tools(read="files")) == ()
