"""Results that are too long for their room: how the room is shared, what stays, and where the whole lies."""

import pytest
from agent.rig import Echo, open_agent, play

from limen.agent.shelving import Room, Shelve
from limen.core.fault import StoreFault
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Image, Text, ToolResult, text_of
from limen.core.tool import Part, ToolAnswer
from limen.testing.scripted_model import ScriptedModel, call, say, use

pytestmark = pytest.mark.anyio
FULL = StoreFault("store.full", "The disk is full.")


class Kept:
    """A shelf in memory; one that is full takes nothing."""

    def __init__(self, *, full=False):
        self.texts = []
        self.full = full

    async def keep(self, text, *, session, tool, source):
        if self.full:
            raise FULL
        self.texts.append(text)
        return type("Evidence", (), {"id": f"ev_{len(self.texts)}"})


def part(text, **treatment):
    return Part(Text(text), Origin("tool", "test", Trust.TOOL, None, Treatment(**treatment)))


async def shelved(shelf, parts, *, chars=100_000, tokens=100_000, count=len):
    return await Shelve(shelf, count)(ToolAnswer(tuple(parts)), Room(chars, tokens), session="s", tool="echo")


def results(request):
    return [text_of((block,)) for message in request.messages for block in message.blocks if isinstance(block, ToolResult)]


async def test_short_leaves_stay_whole_beside_a_long_one():
    shelf = Kept()
    answer = await shelved(shelf, [part("short"), part("long line\n" * 2_000), part("also short")], chars=5_000)
    first, second, third = (one.block.text for one in answer.parts)
    assert (first, third) == ("short", "also short")
    assert 4_000 < len(second) < 5_000
    assert shelf.texts == ["long line\n" * 2_000]
    assert "ev_1" in second
    assert answer.evidence_id == "ev_1"


async def test_a_script_of_many_tokens_gets_room_by_its_own_measure():
    answer = await shelved(Kept(), [part("字" * 40_000)], tokens=10_000, count=lambda text: 2 * len(text))
    assert len(answer.parts[0].block.text) <= 5_000 + 200


async def test_a_result_that_fits_is_not_even_counted():
    def count(_text):
        raise AssertionError("nothing to count here")

    answer = await shelved(Kept(), [part("x" * 1_000)], tokens=4_000, count=count)
    assert answer.parts[0].origin.treatment.cut is None


async def test_a_picture_takes_no_room_of_the_texts():
    picture = Part(Image("image/png", b"x" * 9_000), Origin("tool", "test", Trust.TOOL))
    answer = await shelved(Kept(), [picture, part("y" * 900)], chars=1_000)
    assert answer.parts == (picture, part("y" * 900))


async def test_what_no_shelf_could_keep_is_cut_all_the_same_and_says_so():
    answer = await shelved(Kept(full=True), [part("z" * 9_000)], chars=2_000)
    (left,) = answer.parts
    assert len(left.block.text) <= 2_000
    assert "the whole could not be kept" in left.block.text
    assert left.origin.treatment.compacted is None
    assert left.origin.treatment.cut is not None
    assert answer.evidence_id is None


async def test_the_size_a_leaf_had_before_any_cut_stays_in_the_ledger():
    answer = await shelved(Kept(), [part("z" * 9_000, chars_in=70_000)], chars=2_000)
    assert answer.parts[0].origin.treatment.chars_in == 70_000


async def test_the_setting_bounds_what_one_call_puts_into_the_window(tmp_path):
    model = ScriptedModel([use(call("echo", text="line\n", repeat_times=1_000)), say("done")])
    async with open_agent(tmp_path, model, Echo(), result_chars=1_000) as (agent, _, _):
        await play(agent, "go")
    assert 800 < len(results(model.requests[1])[0]) <= 1_000


async def test_many_calls_of_one_reply_share_half_the_window(tmp_path):
    calls = [call("echo", str(number), text="line\n", repeat_times=2_000) for number in range(6)]
    model = ScriptedModel([use(*calls), say("done")])
    async with open_agent(tmp_path, model, Echo()) as (agent, _, _):  # a window of 8,000 tokens, each a character
        _, outcome = await play(agent, "go")
    shown = results(model.requests[1])
    assert len(shown) == 6
    assert sum(map(len, shown)) <= 4_000
    assert outcome.end.reason == "answered"
