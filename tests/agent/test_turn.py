"""Whole turns over a real store: what is asked, run, admitted, refused, cut short."""

from functools import partial

import anyio
import pytest
from agent.rig import Echo, Straight, open_agent, play

from limen.agent.limits import Limits
from limen.core.event import BlockAdmitted, Lagged, ReplyDelta, ToolFinished, ToolStarted, TurnEnded, TurnStarted
from limen.core.exchange import Usage
from limen.core.fault import ModelFault
from limen.core.message import Text, ToolResult, text_of
from limen.core.route import Route
from limen.models.fallback import Fallback
from limen.models.health import Health
from limen.models.model import Model
from limen.testing.health import MemoryHealth
from limen.testing.scripted_model import Broken, Reply, ScriptedModel, Stall, call, say, use

pytestmark = pytest.mark.anyio


def results(request):
    """The text of every tool result in a request, in order."""
    blocks = [block for message in request.messages for block in message.blocks]
    return [text_of((block,)) for block in blocks if isinstance(block, ToolResult)]


async def test_a_question_is_answered_and_told_as_events(tmp_path):
    model = ScriptedModel([say("It is blue.")])
    async with open_agent(tmp_path, model) as (agent, _, _):
        events, outcome = await play(agent, "What colour?")
    assert outcome.answer == "It is blue."
    assert outcome.end.reason == "answered"
    assert isinstance(events[0], TurnStarted)
    assert isinstance(events[-1], TurnEnded)
    assert "".join(event.text for event in events if isinstance(event, ReplyDelta)) == "It is blue."


async def test_calls_run_and_their_results_follow_in_the_calls_order(tmp_path):
    model = ScriptedModel([use(call("echo", "a", text="one"), call("echo", "b", text="two")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        events, outcome = await play(agent, "go")
    assert outcome.answer == "done"
    assert results(model.requests[1]) == ["one", "two"]
    assert [type(event) for event in events if isinstance(event, ToolStarted | ToolFinished)].count(ToolFinished) == 2


async def test_every_block_of_a_request_is_in_the_ledger_once(tmp_path):
    model = ScriptedModel([use(call("echo", text="one")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, _):
        events, outcome = await play(agent, "go")
        ledger = await sessions.ledger(outcome.session)
    assert [entry.kind for entry in ledger] == ["identity", "identity", "identity", "tools", "user", "model", "tool", "model"]
    assert [entry.n for entry in ledger] == list(range(1, 9))
    assert ledger == [event.entry for event in events if isinstance(event, BlockAdmitted)]


async def test_an_unknown_tool_and_wrong_arguments_go_back_to_the_model_with_their_mend(tmp_path):
    steps = [
        use(call("ecko", text="x")),
        use(call("echo", txet="x")),
        use(call("echo", text="")),
        use(call("echo", repeat_times="many", text="x")),
        say("done"),
    ]
    model = ScriptedModel(steps)
    tool = Echo()
    async with open_agent(tmp_path, model, tool) as (agent, _, _):
        _, outcome = await play(agent, "go")
    unknown, misspelt, empty, wrong = results(model.requests[4])
    assert "tool.unknown" in unknown
    assert "Use echo." in unknown
    assert "Did you mean 'text'?" in misspelt
    assert "Accepted arguments: text, repeat_times." in misspelt
    assert "tool.invalid_arguments" in empty
    assert "length" in empty
    assert "Expected `int`" in wrong
    assert tool.calls == []
    assert [refusal.code for refusal in outcome.refusals] == ["tool.unknown"] + ["tool.invalid_arguments"] * 3


async def test_a_name_in_another_spelling_is_healed(tmp_path):
    model = ScriptedModel([use(call("echo", text="x", repeatTimes=3)), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "go")
    assert results(model.requests[1]) == ["xxx"]


async def test_malformed_arguments_go_back_to_the_model(tmp_path):
    broken = call("echo", text="x")
    broken = type(broken)(broken.call_id, broken.name, '{"text": "x"')
    model = ScriptedModel([use(broken), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "go")
    assert "not a JSON object" in results(model.requests[1])[0]


async def test_the_third_identical_failure_is_stopped(tmp_path):
    model = ScriptedModel([use(call("echo", text="fail")) for _ in range(3)] + [say("done")])
    tool = Echo()
    async with open_agent(tmp_path, model, tool) as (agent, _, _):
        await play(agent, "go")
    assert len(tool.calls) == 2
    assert "tool.repeated" in results(model.requests[3])[2]


async def test_a_crashing_tool_costs_its_call_not_the_turn(tmp_path):
    model = ScriptedModel([use(call("echo", text="crash")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert outcome.end.reason == "answered"
    assert "ZeroDivisionError" in results(model.requests[1])[0]


@pytest.mark.parametrize("effect", ["write", "send", "run", "spend"])
async def test_an_effect_that_needs_approval_is_refused_where_nobody_can_be_asked(tmp_path, effect):
    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    tool = Echo(effect)
    async with open_agent(tmp_path, model, tool) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert tool.calls == []
    assert outcome.refusals[0].code == "approval.nobody"


async def test_a_secret_in_a_tools_output_is_masked_and_counted(tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    model = ScriptedModel([use(call("echo", text=f"token {secret}!")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, _):
        _, outcome = await play(agent, "go")
        entry = next(entry for entry in await sessions.ledger(outcome.session) if entry.kind == "tool")
    assert results(model.requests[1]) == ["token ⟦masked github-token⟧!"]
    assert entry.treatment.redacted == 1


async def test_a_long_output_is_cut_and_the_whole_kept(tmp_path):
    model = ScriptedModel([use(call("echo", text="line\n", repeat_times=5_000)), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, evidence):
        _, outcome = await play(agent, "go")
        entry = next(entry for entry in await sessions.ledger(outcome.session) if entry.kind == "tool")
        excerpt = await evidence.show(entry.treatment.compacted, 1, None)
    assert excerpt.text == "line\n" * 5_000
    assert entry.chars_in == 25_000
    assert entry.chars_out <= 8_000
    shown = results(model.requests[1])[0]
    assert entry.treatment.compacted in shown
    assert len(shown) == entry.chars_out


async def test_steps_are_limited_and_the_last_reply_has_no_tools(tmp_path):
    model = ScriptedModel(then=lambda request: use(call("echo", text="on")) if request.may_call else say("So far."))
    async with open_agent(tmp_path, model, Echo(), limits=Limits(steps=3)) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code) == ("limit", "limits.steps")
    assert outcome.answer == "So far."
    assert len(model.requests) == 4


async def test_cost_is_limited_and_nothing_more_is_spent(tmp_path):
    costly = Reply(calls=(call("echo", text="x"),), usage=Usage(1_000, 100, cost_usd=0.6))
    async with open_agent(tmp_path, ScriptedModel([costly, costly]), Echo(), limits=Limits(cost_usd=1.0)) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert outcome.end.code == "limits.cost"
    assert outcome.usage.cost_usd == pytest.approx(1.2)


async def test_tokens_are_limited_and_nothing_more_is_sent(tmp_path):
    big = Reply("So far.", calls=(call("echo", text="x"),), usage=Usage(900, 200))
    model = ScriptedModel([big])
    async with open_agent(tmp_path, model, Echo(), limits=Limits(tokens=1_000)) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code) == ("limit", "limits.tokens")
    assert outcome.answer == "So far."
    assert len(model.requests) == 1


async def test_time_is_limited_even_while_the_model_says_nothing(tmp_path):
    model = ScriptedModel([Stall("Thinking about")])
    async with open_agent(tmp_path, model, limits=Limits(time_s=0.2)) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code) == ("limit", "limits.time")
    assert outcome.answer == "Thinking about"


async def test_an_interrupt_keeps_what_was_said(tmp_path):
    model = ScriptedModel([Stall("The answer is"), say("Again.")])
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ReplyDelta):
                    turn.interrupt()
        assert turn.outcome.end.reason == "interrupted"
        assert turn.outcome.answer.startswith("The ans")
        blocks = await sessions.blocks("s")
        assert text_of((blocks[-1].block,)) == turn.outcome.answer
        _, outcome = await play(agent, "and?", session="s")
    assert outcome.answer == "Again."


async def test_what_is_interrupted_behind_a_swap_names_the_route_that_failed(tmp_path):
    first, second = (Route("p", "embedded", name, window_tokens=8_000) for name in ("first", "second"))
    health = Health(MemoryHealth())

    async def settle(route):
        return route

    class Wires:
        """The first route fails, the second begins to speak."""

        def send(self, request):
            script = ScriptedModel([ModelFault("auth", "no") if request.route.model == "first" else Stall("The answer is")])
            return script.send(request)

    async def resting(_route):
        return None

    model = Model({"embedded": Wires()}, [Fallback([second], health, settle, resting)])

    def behind_gates(part):
        return model if isinstance(part, Straight) else part

    async with open_agent(tmp_path, None, route=first, watch=behind_gates) as (agent, _, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ReplyDelta):
                    turn.interrupt()
    outcome = turn.outcome
    assert outcome.end.reason == "interrupted"
    assert outcome.answer.startswith("The ans")
    assert outcome.route == second
    assert [(failure.route, failure.kind) for failure in outcome.failed] == [("p/first", "auth")]


async def test_an_owner_who_leaves_interrupts_and_the_call_gets_its_result(tmp_path):
    class Hanging(Echo):
        async def run(self, arguments, context):
            await anyio.sleep_forever()

    model = ScriptedModel([use(call("echo", text="x"), text="Let me see.")])
    async with open_agent(tmp_path, model, Hanging()) as (agent, sessions, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ToolStarted):
                    break
        blocks = await sessions.blocks("s")
        events = await sessions.events("s")
    assert isinstance(blocks[-1].block, ToolResult)
    assert "turn.interrupted" in text_of((blocks[-1].block,))
    assert events[-1].event.reason == "interrupted"


async def test_cancelling_the_whole_task_still_stores_the_end(tmp_path):
    model = ScriptedModel([Stall("Half")])
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        with anyio.move_on_after(5) as scope:
            async with agent.turn("go", session="s") as turn:
                async for event in turn:
                    if isinstance(event, ReplyDelta):
                        scope.cancel()
        events = await sessions.events("s")
        blocks = await sessions.blocks("s")
    assert events[-1].event.reason == "interrupted"
    assert text_of((blocks[-1].block,)).startswith("Hal")


async def test_a_cut_reply_runs_no_call(tmp_path):
    tool = Echo()
    model = ScriptedModel([Reply(text="I", calls=(call("echo", text="x"),), stop="length"), say("done")])
    async with open_agent(tmp_path, model, tool) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert tool.calls == []
    assert "model.cut_reply" in results(model.requests[1])[0]
    assert outcome.answer == "done"


async def test_a_providers_fault_ends_the_turn_with_its_code_and_keeps_what_was_said(tmp_path):
    model = ScriptedModel([Broken("Half an", ModelFault("overload", "Too busy.", "Try later."))])
    async with open_agent(tmp_path, model) as (agent, _, _):
        events, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code, outcome.end.mend) == ("failed", "model.overload", "Try later.")
    assert outcome.answer == "Half an"
    assert isinstance(events[-1], TurnEnded)


async def test_steering_is_seen_before_the_next_reply_and_keeps_the_turn_going(tmp_path):
    model = ScriptedModel([say("First."), say("Second.")])
    async with open_agent(tmp_path, model) as (agent, _, _), agent.turn("go") as turn:
        async for event in turn:
            if isinstance(event, ReplyDelta) and len(model.requests) == 1:
                turn.steer("in French please")
    assert len(model.requests) == 2
    assert "in French please" in text_of(model.requests[1].messages[-1].blocks)
    assert turn.outcome.answer == "Second."


async def test_steering_that_comes_too_late_is_given_back(tmp_path):
    async with open_agent(tmp_path, ScriptedModel([Stall("Well")])) as (agent, _, _):
        async with agent.turn("go") as turn:
            async for event in turn:
                if isinstance(event, ReplyDelta):
                    assert turn.steer("and in French")
                    turn.interrupt()
                if isinstance(event, TurnEnded):
                    assert not turn.steer("hello?")
    assert turn.outcome.unheard == ("and in French",)


async def test_two_turns_on_one_session_run_one_after_the_other(tmp_path):
    model = ScriptedModel(then=lambda request: say("ok"))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(partial(play, agent, f"question {number}", session="s"))
        places = [block.place for block in await sessions.blocks("s") if block.message >= 0]
    assert places == ["user", "assistant"] * 5


async def test_a_session_that_another_process_answers_is_busy(tmp_path):
    model = ScriptedModel([Stall("Well")])
    async with open_agent(tmp_path, model) as (here, _, _), open_agent(tmp_path, ScriptedModel(), owner="them") as (there, _, _):
        async with here.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ReplyDelta):
                    _, refused = await play(there, "me too", session="s")
                    turn.interrupt()
    assert (refused.end.reason, refused.end.code) == ("refused", "session.busy")


async def test_an_observer_who_never_looks_holds_no_turn_up(tmp_path):
    model = ScriptedModel([say("word " * 3_000)])
    async with open_agent(tmp_path, model) as (agent, _, _):
        with agent.observers.observe() as observer, anyio.fail_after(30):
            events, outcome = await play(agent, "go")
    seen = [event async for event in observer]
    assert outcome.end.reason == "answered"
    assert isinstance(seen[-1], Lagged)
    assert len(seen) - 1 + seen[-1].missed == len(events)


async def test_an_empty_question_is_refused_before_anything_is_stored(tmp_path):
    async with open_agent(tmp_path, ScriptedModel()) as (agent, sessions, _):
        _, outcome = await play(agent, " \n ")
        assert (outcome.end.reason, outcome.end.code) == ("refused", "turn.empty")
        assert await sessions.list() == []


async def test_a_question_larger_than_the_window_is_refused_with_a_way_out(tmp_path):
    async with open_agent(tmp_path, ScriptedModel()) as (agent, _, _):
        _, outcome = await play(agent, "x" * 5_000)
    assert outcome.end.code == "turn.too_large"
    assert "library add" in outcome.end.mend


async def test_lone_surrogates_do_no_harm(tmp_path):
    async with open_agent(tmp_path, ScriptedModel([say("ok")])) as (agent, _, _):
        _, outcome = await play(agent, "a\ud800b")
    assert outcome.answer == "ok"


async def test_a_session_is_titled_by_its_first_question(tmp_path):
    model = ScriptedModel([say("a"), say("b")])
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        await play(agent, "How long is a piece of string?", session="s")
        await play(agent, "And now?", session="s")
        session = await sessions.get("s")
    assert session.title == "How long is a piece of string?"
    assert session.turns == 2
    assert session.route == "test/scripted"


async def test_a_credential_in_a_question_reaches_the_model_and_no_title(tmp_path):
    key = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    question = f"Why does the token {'x' * 20} {key} not work any more?"
    model = ScriptedModel([say("a")])
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        await play(agent, question, session="s")
        session = await sessions.get("s")
        (said,) = [block.block.text for block in await sessions.blocks("s") if block.place == "user"]
    assert key[:12] not in session.title
    assert session.title.startswith("Why does the token")
    assert said == question
    assert text_of(model.requests[0].messages[-1].blocks) == question


async def test_a_tools_text_block_is_what_the_model_gets(tmp_path):
    model = ScriptedModel([use(call("echo", text="plain")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        await play(agent, "go")
    assert Text("plain") in model.requests[1].messages[-1].blocks[0].blocks


async def test_a_model_that_never_comes_to_an_end_is_stopped(tmp_path):
    model = ScriptedModel(then=Reply(text="and on ", stop="length"))
    async with open_agent(tmp_path, model) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert (outcome.end.reason, outcome.end.code) == ("limit", "model.length")
    assert len(model.requests) == 3
