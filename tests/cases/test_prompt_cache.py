"""Rows about the beginning of a request, which a provider keeps: nothing changes it unsaid, and every miss has its reason."""

from datetime import UTC, datetime

import pytest
from agent.rig import Echo, open_agent, play
from cases.table import case
from stories.test_fallback import NO_CREDIT, configure, notices
from stories.test_fallback import play as play_turn
from stories.test_prompt_cache import LONG, misses
from stories.test_threshold import ask, over

from limen.agent.window import WindowRoom
from limen.core.event import Folded
from limen.core.route import Route
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.kept_prefixes import KeptPrefixes
from limen.testing.model_server import model_server
from limen.testing.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.anyio

CHAT = "chat_completions"
MILLION = Route("test", "embedded", "scripted", window_tokens=1_000_000)


@case("PC-001")
async def test_two_requests_a_minute_apart_begin_alike(row, tmp_path):
    moments = iter(datetime(2026, 11, 30, 10, minute, tzinfo=UTC) for minute in range(60))
    model = ScriptedModel([say("one"), say("two")])
    async with open_agent(tmp_path, model, Echo(), now=lambda: next(moments)) as (agent, _, _):
        for _ in range(2):
            await play(agent, "go", session="s")
    first, second = model.requests
    assert (first.prompt, first.tools) == (second.prompt, second.tools)
    assert second.messages[: len(first.messages)] == first.messages


@case("PC-003")
async def test_the_order_in_which_tools_come_does_not_show(row, tmp_path):
    tools = [Echo(name=name) for name in ("delta", "alpha", "charlie", "bravo")]
    model = ScriptedModel(then=say("fine"))
    for shuffled in (tools, tools[::-1], [*tools[2:], *tools[:2]]):
        async with open_agent(tmp_path, model, *shuffled) as (agent, _, _):
            await play(agent, "go", session="s")
    assert len({tuple(schema.name for schema in request.tools) for request in model.requests}) == 1
    assert len({request.prompt for request in model.requests}) == 1


@case("PC-004")
async def test_a_switch_and_back_keeps_the_stored_prompt(row, home):
    kept, other = KeptPrefixes(), KeptPrefixes()
    async with model_server(then=kept.reply(say("A."))) as a, model_server(then=other.reply(say("B."))) as b:
        async with open_runtime(over(CHAT, home, a)) as runtime:
            await ask(runtime, LONG, model="custom/m", session="s")
            await ask(runtime, "And?", model=f"{b.url}#m", session="s")
            _, outcome = await ask(runtime, "Well?", model="custom/m", session="s")
            (one,) = outcome.cache
    assert one.miss is None
    assert one.cached_tokens > 0.9 * one.expected_tokens


@case("PC-008")
async def test_each_turn_tells_its_figures_and_a_change_its_name(row, home):
    kept = KeptPrefixes()
    async with model_server(then=kept.reply(say("Yes."))) as server:
        options = over(CHAT, home, server)
        async with open_runtime(options) as runtime:
            turns = [(await ask(runtime, text, model="custom/m", session="s"))[1] for text in (LONG, "And?", "Sure?")]
        async with open_runtime(RuntimeOptions(home=home, flags={**options.flags, "web.mode": "off"})) as runtime:
            turns.append((await ask(runtime, "Well?", model="custom/m", session="s"))[1])
    assert [misses(turn) for turn in turns] == [["first_request"], [None], [None], ["tools_changed"]]
    assert all(use.input_tokens > 0 for turn in turns for use in turn.cache)


@case("PC-010")
async def test_a_swap_says_how_much_is_read_anew(row, home):
    async with model_server(say("one"), then=NO_CREDIT) as first, model_server(then=say("two")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            await play_turn(runtime, LONG * 10)
            events, _ = await play_turn(runtime, "And?")
            counted = sum(entry.tokens_out for entry in await runtime.last_request("s"))
    (notice,) = notices(events, "model.fell_back")
    assert f"about {round(counted, -3):,} tokens are read anew" in notice.text


@case("PC-012")
async def test_a_window_of_a_million_has_a_limit_of_its_own(row, tmp_path):
    model = ScriptedModel(then=say("x" * 200))
    room = WindowRoom(at_tokens=20_000)
    events = []
    async with open_agent(tmp_path, model, room=room, route=MILLION) as (agent, _, _):
        for number in range(60):
            told, _ = await play(agent, f"{number} " + "word " * 200, session="s")
            events += told
    assert max(request.input_tokens for request in model.requests) <= 20_000
    assert any(isinstance(event, Folded) for event in events)
