"""What a vendor is told of the past: in its own names, with its own thoughts or without them, and never in a loop."""

import msgspec
import pytest

from limen.core.event import Notice
from limen.core.exchange import Course, ModelReply, ModelRequest, PartialReply, Usage
from limen.core.fault import ModelFault
from limen.core.message import Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.models.asking import Asking, Heard
from limen.models.retelling import History
from limen.models.signatures import refuses_thoughts

pytestmark = pytest.mark.anyio

ROUTE = Route("p", "anthropic_messages", "m")
THOUGHT = Thinking("hm", "c2ln", "p/m")
PAST = (Message("user", (Text("a"),)), Message("assistant", (THOUGHT, Text("b"))), Message("user", (Text("c"),)))
REFUSALS = [
    # anthropics/anthropic-sdk-csharp#126
    "HTTP 400: messages.1.content.0: Invalid `signature` in `thinking` block",
    # vendor documentation of extended thinking
    "HTTP 400: messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
    # openai/codex#8145
    "HTTP 400: The encrypted content gAAA...DQ== could not be verified.",
    # kaitranntt/ccs#1402
    "HTTP 400: The encrypted content VPy0 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    # vendor documentation of reasoning items
    "HTTP 400: Item 'rs_68af40' of type 'reasoning' was provided without its required following item.",
    "HTTP 400: Thought signature is not valid.",
]
OTHERS = [
    "HTTP 400: Function call is missing a thought_signature in functionCall parts.",
    "HTTP 400: thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    "HTTP 400: Unsupported parameter: 'thinking'",
    "HTTP 400: invalid AWS signature",
]


class Stage:
    def __init__(self, *played):
        self.played = list(played)
        self.sent = []
        self.events = []
        self.gate = History()

    async def emit(self, event):
        self.events.append(event)

    async def proceed(self, asking):
        self.sent.append(asking)
        asking.attempts.sent += 1
        played = self.played.pop(0)
        if isinstance(played, ModelFault):
            raise played
        return ModelReply(tuple(played), "end", Usage(), asking.request.route, asking.attempts.sent)

    async def ask(self, messages=PAST, tools=(), route=ROUTE, **fields):
        request = ModelRequest(route, Prompt(), messages, tools, **fields)
        return await self.gate(Asking(request, self.emit, Heard(PartialReply())), self.proceed)


def thoughts(asking):
    return [block for message in asking.request.messages for block in message.blocks if isinstance(block, Thinking)]


@pytest.mark.parametrize("reason", REFUSALS)
async def test_thoughts_that_are_refused_are_left_out_once_and_the_person_is_told(reason):
    stage = Stage(ModelFault("shape", reason, status=400), [Text("d")], [Text("e")])
    reply = await stage.ask()
    assert [thoughts(asking) for asking in stage.sent] == [[THOUGHT], []]
    assert reply.attempts == 2
    (notice,) = stage.events
    assert isinstance(notice, Notice)
    assert notice.code == "model.thoughts_refused"
    newer = msgspec.structs.replace(THOUGHT, text="and hm")
    await stage.ask((*PAST, Message("assistant", (newer, Text("d"))), Message("user", (Text("f"),))))
    assert thoughts(stage.sent[-1]) == [newer]
    assert len(stage.events) == 1


@pytest.mark.parametrize(
    "fault",
    [
        *(ModelFault("shape", reason, status=400) for reason in OTHERS),
        ModelFault("upstream", REFUSALS[0], status=500),
        ModelFault("auth", REFUSALS[0], status=401),
    ],
)
async def test_other_failures_are_not_mended_so(fault):
    assert not refuses_thoughts(fault)
    stage = Stage(fault)
    with pytest.raises(ModelFault):
        await stage.ask()
    assert len(stage.sent) == 1


@pytest.mark.parametrize(("messages", "patient", "hits"), [(PAST[:1], True, 1), (PAST, False, 1), (PAST, True, 2)])
async def test_it_never_loops(messages, patient, hits):
    stage = Stage(*[ModelFault("shape", REFUSALS[0], status=400)] * 3)
    with pytest.raises(ModelFault):
        await stage.ask(messages, course=Course(patient=patient))
    assert len(stage.sent) == hits


async def test_nothing_is_asked_again_once_something_was_shown():
    stage = Stage(ModelFault("shape", REFUSALS[0], status=400))
    heard = Heard(PartialReply())
    heard.anything = True
    with pytest.raises(ModelFault):
        await stage.gate(Asking(ModelRequest(ROUTE, Prompt(), PAST), stage.emit, heard), stage.proceed)
    assert len(stage.sent) == 1


async def test_tools_go_out_by_legal_names_and_come_back_by_their_own():
    name = "mcp:files/read file"
    tool = ToolSchema(name, "Read.", {"anyOf": [{"required": ["a"]}], "properties": {"a": {}}})
    stage = Stage([ToolCall("c1", "?", "{}")], [Text("done")])
    stage.played[0] = [ToolCall("c1", stage.gate.told(ModelRequest(ROUTE, Prompt(), (), (tool,))).tools[0].name, "{}")]
    reply = await stage.ask(tools=(tool,))
    assert [call.name for call in reply.blocks] == [name]
    past = (*PAST, Message("assistant", reply.blocks), Message("tool", (ToolResult("c1", (Text("x"),)),)))
    await stage.ask(past, tools=(tool,))
    (sent,) = stage.sent[-1].request.tools
    (call,) = stage.sent[-1].request.messages[-2].blocks
    assert sent.name == call.name != name
    assert sent.parameters == {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    assert stage.sent[0].request.tools == stage.sent[1].request.tools


async def test_one_vendor_s_model_is_not_shown_the_thoughts_of_its_sister():
    """Opus, then Fable, then Opus: each gets its own, and a signature is never mixed up."""
    opus, fable = Route("anthropic", "anthropic_messages", "opus"), Route("anthropic", "anthropic_messages", "fable")
    past = (
        Message("user", (Text("a"),)),
        Message("assistant", (Thinking("of opus", "c2ln", opus.name), Text("b"))),
        Message("user", (Text("c"),)),
        Message("assistant", (Thinking("of fable", "c2lo", fable.name), Text("d"))),
        Message("user", (Text("e"),)),
    )
    gate = History()
    for route, own in ((opus, "of opus"), (fable, "of fable"), (opus, "of opus")):
        told = gate.told(ModelRequest(route, Prompt(), past))
        assert [block.text for message in told.messages for block in message.blocks if isinstance(block, Thinking)] == [own]
