"""How a reply's calls are run: what runs side by side, what waits, and what is kept when a turn is cut off in between."""

import json

import anyio
import msgspec
import pytest
from agent.rig import Echo, EchoArguments, open_agent, play

from limen.agent.limits import Limits
from limen.agent.toolbox import MOST_CALLS, schema_of
from limen.core.event import Refused, ToolFinished, ToolStarted
from limen.core.exchange import Course, ModelReply, RouteFailure
from limen.core.ledger import Origin, Trust
from limen.core.message import Text, ToolCall, ToolResult, text_of
from limen.core.tool import Part, ToolAnswer
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio


class Allows:
    async def ask(self, tool, effect, question):
        return "allow"


class Waits(Echo):
    """Ends when all of its calls have begun, so that it never ends where they do not run at once."""

    def __init__(self, together, **fields):
        super().__init__(**fields)
        self.together = together
        self.begun = 0
        self.all_begun = anyio.Event()

    async def run(self, arguments, context):
        self.begun += 1
        if self.begun == self.together:
            self.all_begun.set()
        await self.all_begun.wait()
        return await super().run(arguments, context)


class Hangs(Echo):
    """Never ends."""

    async def run(self, arguments, context):
        await anyio.sleep_forever()


class Logs(Echo):
    """Writes down when it begins and ends."""

    def __init__(self, log, **fields):
        super().__init__(**fields)
        self.log = log

    async def run(self, arguments, context):
        self.log.append(f"{arguments.text} begins")
        await anyio.lowlevel.checkpoint()
        self.log.append(f"{arguments.text} ends")
        return await super().run(arguments, context)


def results(request):
    return [text_of((block,)) for message in request.messages for block in message.blocks if isinstance(block, ToolResult)]


@pytest.mark.parametrize("effect", ["read", "fetch"])
async def test_neighbours_that_read_run_at_once(tmp_path, effect):
    calls = [call("echo", str(number), text=f"{number}") for number in range(4)]
    model = ScriptedModel([use(*calls), say("done")])
    async with open_agent(tmp_path, model, Waits(4, effect=effect)) as (agent, _, _):
        with anyio.fail_after(10):
            await play(agent, "go")
    assert results(model.requests[1]) == ["0", "1", "2", "3"]


async def test_a_call_that_changes_something_waits_for_those_before_it_and_holds_those_behind_it(tmp_path):
    log = []
    tools = (Logs(log, name="look"), Logs(log, name="change", effect="write"))
    calls = [
        call("look", "a", text="a"),
        call("change", "b", text="b"),
        call("change", "c", text="c"),
        call("look", "d", text="d"),
    ]
    model = ScriptedModel([use(*calls), say("done")])
    async with open_agent(tmp_path, model, *tools, approver=Allows()) as (agent, _, _):
        await play(agent, "go")
    assert log == [f"{name} {what}" for name in "abcd" for what in ("begins", "ends")]
    assert results(model.requests[1]) == ["a", "b", "c", "d"]


async def test_what_was_done_before_an_interrupt_is_told_to_the_model(tmp_path):
    tools = (Echo("write", "change"), Hangs())
    calls = [call("change", "a", text="changed"), call("echo", "b", text="x"), call("change", "c", text="never")]
    model = ScriptedModel([use(*calls), say("I know.")])
    async with open_agent(tmp_path, model, *tools, approver=Allows()) as (agent, _, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ToolStarted) and event.call.call_id == "b":
                    turn.interrupt()
        await play(agent, "what happened?", session="s")
    done, interrupted, never = results(model.requests[1])
    assert done == "changed"
    assert "turn.interrupted" in interrupted
    assert "turn.interrupted" in never
    assert len(tools[0].calls) == 1


class HandsOver(Echo):
    """Never ends by itself; given up, it says so."""

    def __init__(self, effect):
        super().__init__(effect)
        self.begun = anyio.Event()

    async def run(self, arguments, context):
        self.calls.append(arguments)
        self.begun.set()
        while not context.cancelled():  # noqa: ASYNC110 - it can only be asked
            await anyio.sleep(0.001)
        return await super().run(EchoArguments(f"half of {arguments.text}"), context)


@pytest.mark.parametrize("leave", ["interrupt", "leave", "time"])
async def test_a_reader_that_minds_the_end_of_its_turn_hands_over_what_it_has(tmp_path, leave):
    reader, limits = HandsOver("fetch"), Limits(time_s=0.2) if leave == "time" else Limits()
    model = ScriptedModel([use(call("echo", "a", text="page")), say("Going on.")])
    async with open_agent(tmp_path, model, reader, limits=limits) as (agent, _, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ToolStarted) and leave != "time":
                    await reader.begun.wait()
                    if leave == "leave":
                        break
                    turn.interrupt()
        await play(agent, "and now?", session="s")
    assert results(model.requests[1]) == ["half of page"]


async def test_readers_that_wait_for_a_place_are_not_begun_once_the_turn_is_to_end(tmp_path):
    reader = HandsOver("fetch")
    calls = [call("echo", str(number), text=f"{number}") for number in range(12)]
    model = ScriptedModel([use(*calls), say("Going on.")])
    async with open_agent(tmp_path, model, reader) as (agent, _, _):
        async with agent.turn("go", session="s") as turn:
            async for event in turn:
                if isinstance(event, ToolStarted) and event.call.call_id == "7":
                    turn.interrupt()
        await play(agent, "and now?", session="s")
    told = results(model.requests[1])
    assert len(told) == 12
    assert all("turn.interrupted" in text for text in told[8:])
    assert len(reader.calls) <= 16  # each of at most eight is noted twice: as it begins and as it hands over


async def test_a_refused_call_stands_in_the_ledger_under_its_tool_and_the_gate_that_refused_it(tmp_path):
    model = ScriptedModel([use(call("nobody", "a"), call("echo", "b", tex="x"), call("echo", "c", text="fail")), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, _):
        await play(agent, "go", session="s")
        entries = [entry for entry in await sessions.ledger("s") if entry.kind == "tool"]
    assert [(entry.source, *(one.code for one in entry.treatment.gates)) for entry in entries] == [
        ("nobody", "tool.unknown"),
        ("echo", "tool.invalid_arguments"),
        ("echo", "echo.failed"),
    ]


async def test_a_secret_that_a_tool_was_asked_about_is_masked_in_the_ledger_too(tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    class Searches(Echo):
        async def run(self, arguments, context):
            return ToolAnswer((Part(Text("nothing"), Origin("tool", f"search: {secret}", Trust.TOOL)),))

    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    async with open_agent(tmp_path, model, Searches()) as (agent, sessions, _):
        await play(agent, "go", session="s")
        (source,) = [entry.source for entry in await sessions.ledger("s") if entry.kind == "tool"]
    assert secret not in source
    assert source.startswith("search: ⟦masked ")


async def test_a_hanging_tool_ends_with_the_turns_time(tmp_path):
    model = ScriptedModel([use(call("echo", "a", text="x")), say("never")])
    async with open_agent(tmp_path, model, Hangs(), limits=Limits(time_s=0.2)) as (agent, sessions, _):
        _, outcome = await play(agent, "go", session="s")
        blocks = await sessions.blocks("s")
    assert outcome.end.code == "limits.time"
    assert isinstance(blocks[-1].block, ToolResult)


async def test_a_tool_knows_until_when_it_may_run(tmp_path):
    class Looks(Echo):
        async def run(self, arguments, context):
            self.left_s = context.deadline - anyio.current_time()
            return await super().run(arguments, context)

    tool = Looks()
    async with open_agent(tmp_path, ScriptedModel([use(call("echo", text="x")), say("ok")]), tool) as (agent, _, _):
        await play(agent, "go")
    assert 0 < tool.left_s <= Limits().time_s


async def test_a_reply_of_too_many_calls_runs_the_first_and_refuses_the_rest_once_each(tmp_path):
    tool = Echo()
    calls = [call("echo", str(number), text="x") for number in range(MOST_CALLS + 3)]
    model = ScriptedModel([use(*calls), say("done")])
    async with open_agent(tmp_path, model, tool) as (agent, _, _):
        events, outcome = await play(agent, "go")
    assert len(tool.calls) == MOST_CALLS
    assert [event.refusal.code for event in events if isinstance(event, Refused)] == ["tool.too_many_calls"] * 3
    assert len(results(model.requests[1])) == MOST_CALLS + 3
    assert len([event for event in events if isinstance(event, ToolFinished)]) == MOST_CALLS
    assert outcome.answer == "done"


async def test_megabytes_of_output_are_masked_cut_and_kept(tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = f"a line of no interest\n{secret}\n"
    model = ScriptedModel([use(call("echo", text=text, repeat_times=60_000)), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, sessions, evidence):
        _, outcome = await play(agent, "go", session="s")
        (entry,) = [entry for entry in await sessions.ledger("s") if entry.kind == "tool"]
        kept = await evidence.get(entry.treatment.compacted)
    assert outcome.answer == "done"
    assert entry.treatment.redacted == 60_000
    assert kept.chars > 2_000_000
    assert len(results(model.requests[1])[0]) <= 2_000


async def test_undecodable_output_reaches_the_model_and_the_next_turn(tmp_path):
    class Broken(Echo):
        async def run(self, arguments, context):
            return await super().run(arguments.__class__(text=b"caf\xe9".decode("utf-8", "surrogateescape")), context)

    model = ScriptedModel([use(call("echo", text="x")), say("ok"), say("still ok")])
    async with open_agent(tmp_path, model, Broken()) as (agent, _, _):
        await play(agent, "go", session="s")
        _, outcome = await play(agent, "on", session="s")
    assert outcome.answer == "still ok"
    assert results(model.requests[2]) == ["caf\udce9"]


class Asks(Echo):
    """Writes down what room it was given."""

    def __init__(self):
        super().__init__()
        self.rooms = []

    async def run(self, arguments, context):
        self.rooms.append(context.room_chars)
        return await super().run(arguments, context)


@pytest.mark.parametrize(("limit", "calls", "room"), [(1_000, 1, 1_000), (100_000, 1, 6_000), (100_000, 4, 3_000)])
async def test_a_tool_is_told_what_room_its_answer_has(tmp_path, limit, calls, room):
    tool = Asks()
    model = ScriptedModel([use(*(call("echo", str(number), text=f"{number}") for number in range(calls))), say("done")])
    async with open_agent(tmp_path, model, tool, result_chars=limit) as (agent, _, _):  # a window of 8,000 tokens
        await play(agent, "go")
    assert tool.rooms == [room] * calls


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}", "not a JSON object"),
        ('["text"]', "not a JSON object"),
        ('{"text": "x"', "not a JSON object"),
        ("NaN", "not a JSON object"),
        ('{"text": "x", "repeat_times": NaN}', "repeat_times"),
        ('{"text": "x", "repeat_times": -Infinity}', "repeat_times"),
        ('{"text": "x", "repeat_times": 1e999}', "repeat_times"),
    ],
)
async def test_arguments_that_cannot_be_are_said_and_the_turn_goes_on(tmp_path, arguments, said):
    model = ScriptedModel([use(ToolCall("c", "echo", arguments)), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):
        _, outcome = await play(agent, "go")
    assert outcome.answer == "done"
    assert "tool.invalid_arguments" in results(model.requests[1])[0]
    assert said in results(model.requests[1])[0]


async def test_whoever_is_asked_is_told_that_another_model_wants_the_call(tmp_path):
    class Asked:
        def __init__(self):
            self.questions = []

        async def ask(self, tool, effect, question):
            self.questions.append(question)
            return "deny"

    failed = (RouteFailure("first/m", "billing", "no credit"),)
    course = Course(failed, ("first/m",))

    class StandsIn(ScriptedModel):
        async def send(self, request):
            async for piece in super().send(request):
                yield msgspec.structs.replace(piece, failed=failed) if isinstance(piece, ModelReply) else piece

    person = Asked()
    model = StandsIn([use(call("echo", "c1", text="x")), say("done")])
    async with open_agent(tmp_path, model, Echo(effect="send"), approver=person, course=course) as (agent, _, _):
        events, outcome = await play(agent, "go")
    assert person.questions == ['test/scripted, in place of first/m: {"text":"x"}']
    assert [event.route for event in events if isinstance(event, ToolStarted)] == ["test/scripted"]
    assert outcome.failed == failed


def test_a_schema_holds_what_its_arguments_are_made_of():
    class Place(msgspec.Struct):
        line: int

    class Range(msgspec.Struct):
        first: Place
        last: Place | None = None

    tool = Echo()
    tool.spec = msgspec.structs.replace(tool.spec, arguments=Range)
    schema, _ = schema_of(tool)
    place = {"title": "Place", "type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}
    assert schema.parameters["properties"]["first"] == place
    assert "$" not in json.dumps(schema.parameters)
