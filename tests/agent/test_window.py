"""The window: one door, a prefix that stays, folds that are said, and stored blocks that rebuild it."""

import hashlib
from datetime import UTC, datetime

import anyio
import msgspec
import pytest
from agent.rig import ROUTE, Echo, open_agent, play
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.agent.request import build_request
from limen.agent.toolbox import schema_of
from limen.agent.window import Window, WindowRoom, leaf_chars
from limen.core.context import silent
from limen.core.event import Folded, Notice
from limen.core.fault import StoreFault
from limen.core.ledger import Origin, Trust
from limen.core.message import Image, Text, ToolResult, digest, leaves, message_leaves, text_of
from limen.prompt.assemble import assemble
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio


def leaf_digests(request):
    """What a request is made of, as digests: prompt, schemas, then messages."""
    prompt = [digest(part.block) for part in request.prompt.parts]
    return prompt + [digest(leaf) for message in request.messages for leaf in message_leaves(message)]


async def test_a_requests_leaves_are_the_ledgers_live_entries(tmp_path):
    model = ScriptedModel([use(call("echo", "a", text="one"), call("echo", "b", text="two")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, _):
        _, outcome = await play(agent, "go")
        ledger = await sessions.ledger(outcome.session)
    sent = leaf_digests(model.requests[1])
    assert sent == [entry.digest for entry in ledger[:-1] if entry.kind != "tools"]


async def test_each_request_starts_with_the_one_before(tmp_path):
    steps = [use(call("echo", text=str(number))) if number % 3 else say(f"answer {number}") for number in range(1, 31)]
    model = ScriptedModel(steps)
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        for number in range(10):
            await play(agent, f"question {number}", session="s")
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        earlier, later = leaf_digests(before), leaf_digests(after)
        assert later[: len(earlier)] == earlier
        assert after.tools == before.tools


async def test_a_full_window_folds_its_middle_says_so_and_goes_on(tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        folds = []
        for number in range(30):
            events, _ = await play(agent, f"question {number} " + "x" * 200, session="s")
            folds += [event for event in events if isinstance(event, Folded)]
        everything = await sessions.blocks("s")
    assert len(folds) >= 2
    last = model.requests[-1]
    texts = [leaf.text for message in last.messages for leaf in message_leaves(message)]
    assert texts[0].startswith("question 0 ")
    assert "folded away" in texts[1]
    assert texts[-1].startswith("question 29 ")
    assert sum(len(text) for text in texts) < ROUTE.window_tokens
    assert sum(1 for block in everything if block.place == "user") == 30
    assert folds[-1].first == folds[0].first
    assert folds[-1].last > folds[0].last


MILLION = msgspec.structs.replace(ROUTE, window_tokens=1_000_000)


async def test_a_window_of_a_million_tokens_folds_where_the_setting_says(tmp_path):
    """Three hundred turns never cost more than the setting; that it folds early is said once, also after a restart."""
    model = ScriptedModel(then=lambda request: say("word " * 400))
    events, room = [], WindowRoom(at_tokens=20_000, most_blocks=100_000)
    for process in range(3):
        async with open_agent(tmp_path, model, room=room, route=MILLION) as (agent, _, _):
            for number in range(100):
                said, _ = await play(agent, f"question {process} {number} " + "x" * 1_000, session="s")
                events += said
    folds = [event for event in events if isinstance(event, Folded)]
    notices = [event for event in events if isinstance(event, Notice)]
    assert len(folds) > 10
    assert {fold.because for fold in folds} == {"context.fold_at_tokens"}
    assert [notice.code for notice in notices] == ["context.folded_early"]
    assert "20,000 tokens" in notices[0].text
    assert "1,000,000" in notices[0].text
    largest = max(
        sum(len(leaf.text) for message in request.messages for leaf in message_leaves(message)) for request in model.requests
    )
    assert 18_000 < largest <= 20_000


@pytest.mark.parametrize("at_tokens", [None, 6_000, 10**8])
async def test_a_limit_in_tokens_over_the_share_changes_nothing(tmp_path, at_tokens):
    """ROUTE folds at 6,000 of its 8,000 tokens."""
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model, room=WindowRoom(at_tokens=at_tokens)) as (agent, _, _):
        events = [event for number in range(20) for event in (await play(agent, f"{number} " + "x" * 200, session="s"))[0]]
    assert {event.because for event in events if isinstance(event, Folded)} == {"room"}
    assert not any(isinstance(event, Notice) for event in events)


async def test_between_folds_the_prefix_stays(tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model) as (agent, _, _):
        breaks, folds = 0, 0
        for number in range(30):
            events, _ = await play(agent, f"question {number} " + "x" * 200, session="s")
            folds += any(isinstance(event, Folded) for event in events)
            if number:
                earlier, later = leaf_digests(model.requests[-2]), leaf_digests(model.requests[-1])
                breaks += later[: len(earlier)] != earlier
    assert breaks == folds > 0


async def test_a_fold_inside_one_long_turn_keeps_the_question(tmp_path):
    model = ScriptedModel([*(use(call("echo", str(n), text=f"{n} " + "y" * 900)) for n in range(12)), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        events, outcome = await play(agent, "the real question", session="s")
    assert any(isinstance(event, Folded) for event in events)
    assert outcome.answer == "done"
    last = model.requests[-1]
    assert any(
        "the real question" in leaf.text
        for message in last.messages
        for leaf in message_leaves(message)
        if isinstance(leaf, Text)
    )
    calls = {block.call_id for message in last.messages for block in message.blocks if type(block).__name__ == "ToolCall"}
    given = {block.call_id for message in last.messages for block in message.blocks if isinstance(block, ToolResult)}
    assert calls == given


async def test_stored_blocks_rebuild_the_request(tmp_path):
    model = ScriptedModel([use(call("echo", text="one")), say("done"), say("more")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, _):
        await play(agent, "go", session="s")
        await play(agent, "on", session="s")
        window = Window("s", "t_other", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), ROUTE.window_tokens, silent)
    rebuilt = build_request(window.live[:-1], ROUTE)
    assert rebuilt == model.requests[-1]


async def test_the_window_comes_back_the_same_after_folds(tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        for number in range(20):
            await play(agent, f"question {number} " + "x" * 200, session="s")
        window = Window("s", "t_other", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), ROUTE.window_tokens, silent)
    assert build_request(window.live[:-1], ROUTE) == model.requests[-1]


async def test_a_session_too_long_for_a_smaller_window_is_folded_at_loading(tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        for number in range(9):
            await play(agent, f"question {number}", session="s")
        said = []

        async def emit(event):
            said.append(event)

        window = Window("s", "t_other", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), 3_000, emit)
    assert any(isinstance(event, Folded) and event.because == "loading" for event in said)
    assert window.tokens <= 3_000 + 1_500
    assert window.live[-1].entries[0].kind == "model"


async def test_changed_tools_freeze_the_prompt_anew_and_say_so(tmp_path):
    model = ScriptedModel([say("a"), say("b")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "one", session="s")
    async with open_agent(tmp_path, model, Echo(), Echo(name="echo_more")) as (agent, _, _):
        events, _ = await play(agent, "two", session="s")
    assert [event.code for event in events if isinstance(event, Notice)] == ["context.tools_changed"]
    assert [tool.name for tool in model.requests[1].tools] == ["echo", "echo_more"]
    assert len(model.requests[1].prompt.parts) == len(model.requests[0].prompt.parts)


async def test_no_tools_leaves_the_frozen_prompt_alone(tmp_path):
    model = ScriptedModel([say("a"), say("b")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "one", session="s")
        events, _ = await play(agent, "two", session="s", tools=False)
    assert not [event for event in events if isinstance(event, Notice)]
    assert model.requests[1].tools == model.requests[0].tools
    assert [request.may_call for request in model.requests] == [True, False]


async def test_a_fold_of_a_fold_still_holds_the_question_being_answered(tmp_path):
    steps = [say("first"), *(use(call("echo", str(n), text=f"{n} " + "y" * 1_500)) for n in range(20)), say("done")]
    model = ScriptedModel(steps)
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "an earlier question", session="s")
        events, _ = await play(agent, "the real question", session="s")
    assert len([event for event in events if isinstance(event, Folded)]) > 1
    texts = [text_of(message.blocks) for message in model.requests[-1].messages]
    assert texts[0] == "an earlier question"
    assert sum(text.count("the real question") for text in texts) == 1


async def test_a_session_whose_last_message_fits_no_smaller_window_says_what_is_missing(tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 1_000))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        await play(agent, "one", session="s")
        said = []

        async def emit(event):
            said.append(event)
            await sessions.record("s", "t_other", [event])

        window = Window("s", "t_other", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), 3_000, emit)
        again = Window("s", "t_again", sessions, len, WindowRoom())
        await again.load(await sessions.next_numbers("s"), 3_000, emit)
    assert [event.because for event in said if isinstance(event, Folded)] == ["loading"]
    assert [block.place for block in window.live if block.message >= 0 or block.place == "summary"] == ["user", "summary"]
    assert again.live == window.live


async def test_a_prompt_is_frozen_whole_or_not_at_all(tmp_path):
    async with open_agent(tmp_path, ScriptedModel(), Echo()) as (_, sessions, _):
        await sessions.open("s")
        window = Window("s", "t_1", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), 8_000, silent)
        with anyio.CancelScope() as scope:

            async def leave(_event):
                scope.cancel()
                await anyio.lowlevel.checkpoint()

            await window.freeze(assemble(session="s", now=datetime.now(UTC), tools=("echo",)), [schema_of(Echo())], leave)
        stored = await sessions.prompt("s")
    assert [block.place for block in stored] == ["stable", "stable", "session", "tools"]


async def test_the_next_turn_in_this_process_sees_what_another_process_added(tmp_path):
    model = ScriptedModel(then=lambda request: say("ok"))
    async with open_agent(tmp_path, model) as (here, _, _), open_agent(tmp_path, model, owner="them") as (there, _, _):
        await play(here, "one", session="s")
        await play(there, "two", session="s")
        await play(here, "three", session="s")
        asked = [text_of(message.blocks) for message in model.requests[-1].messages if message.role == "user"]
    assert asked == ["one", "two", "three"]


async def test_a_session_made_anew_under_its_old_name_is_empty(tmp_path):
    model = ScriptedModel(then=lambda request: say("ok"))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        await play(agent, "one", session="s")
        await sessions.delete("s")
        await play(agent, "one", session="s")
    assert len(model.requests[-1].messages) == 1


async def test_trust_is_that_of_the_lowest_source(tmp_path):
    model = ScriptedModel([use(call("echo", text="from a page")), say("done")])
    async with open_agent(tmp_path, model, Echo(trust=Trust.WEB)) as (agent, sessions, _):
        _, outcome = await play(agent, "go")
        ledger = await sessions.ledger(outcome.session)
    assert [entry.trust for entry in ledger if entry.kind == "model"] == [Trust.TOOL, Trust.WEB]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    blocks=st.lists(
        st.one_of(st.builds(Text, st.text(max_size=50)), st.builds(Image, st.just("image/png"), st.binary(max_size=9))),
        min_size=1,
        max_size=8,
    )
)
async def test_whatever_is_admitted_is_counted_once_and_comes_back(tmp_path, blocks):
    key = hashlib.sha256(repr(blocks).encode()).hexdigest()
    async with open_agent(tmp_path / key, ScriptedModel()) as (_, sessions, _):
        await sessions.open("s")
        window = Window("s", "t_1", sessions, len, WindowRoom())
        await window.load(await sessions.next_numbers("s"), 8_000, silent)
        for block in blocks:
            await window.admit((block, [Origin("user", "user", Trust.USER)]), role="user", emit=silent)
        ledger = await sessions.ledger("s")
    assert [entry.digest for entry in ledger] == [digest(leaf) for block in blocks for leaf in leaves(block)]
    assert [entry.chars_out for entry in ledger] == [leaf_chars(block) for block in blocks]


async def test_blocks_that_enter_together_are_one_message_or_several_and_all_are_kept_or_none(tmp_path):
    user, model = [Origin("user", "user", Trust.USER)], [Origin("model", "test/m", Trust.TOOL)]
    async with open_agent(tmp_path, ScriptedModel([])) as (_, sessions, _):
        await sessions.open("s")
        window = Window("s", "t_1", sessions, len, WindowRoom())
        await window.load((1, 0), 8_000, silent)
        await window.admit((Text("one"), user), (Text("two"), user), role="user", emit=silent)
        await window.admit((Text("a"), model), (Text("b"), model), role="assistant", emit=silent)
        assert await window.admit(role="assistant", emit=silent) == ()
        await window.admit((Text("c"), model), role="assistant", emit=silent)
        assert [block.message for block in window.live] == [0, 1, 2, 2, 2]
        await sessions.append("s", [msgspec.structs.replace(window.live[-1], entries=(entry_after(window.live[-1]),))])
        before = window.live
        with pytest.raises(StoreFault, match=r"store\.conflict"):
            await window.admit((Text("d"), model), (Text("e"), model), role="assistant", emit=silent)
        assert window.live == before
        assert len(await sessions.blocks("s")) == len(before) + 1


def entry_after(block):
    return msgspec.structs.replace(block.entries[-1], n=block.last + 1)
