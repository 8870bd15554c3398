"""Titles by a second model: in the background, after the first answer, never over one that a person gave."""

from contextlib import asynccontextmanager

import anyio
import pytest
from agent.rig import REDACTOR, open_agent

from limen.agent.title import ModelTitles, title_in
from limen.core.exchange import Usage
from limen.core.fault import ModelFault
from limen.core.ports import Completion, Redaction
from limen.kit.group import background_tasks
from limen.kit.log import fail_open_counts
from limen.testing.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.anyio
SECRET = "sk-ant-" + "api03-0123456789abcdef0123456789abcdef"


class Masks:
    """A `Redactor` that knows one secret."""

    def redact(self, text):
        return Redaction(text.replace(SECRET, "[masked]"), text.count(SECRET))


class SecondModel:
    """An `Auxiliary` that says what it is told to once `go` is set."""

    def __init__(self, said="Tea and patience", *, there=True):
        self.said = said
        self.there = there
        self.asked = []
        self.go = anyio.Event()
        self.begun = anyio.Event()
        self.done = anyio.Event()

    def serves(self, main=""):
        return self.there

    async def room_chars(self, *, output_tokens=None, main=""):
        return 10_000

    async def complete(self, task, text, *, output_tokens=None, images=(), main=""):
        self.asked.append((text, main))
        self.begun.set()
        try:
            await self.go.wait()
            if isinstance(self.said, Exception):
                raise self.said
            return Completion(self.said, "test/small", Usage(1, 1))
        finally:
            self.done.set()


@asynccontextmanager
async def titled(folder, second, *replies):
    """An agent with such titles: `ask(question)` runs a turn of the one session, `title()` waits until there is one to come."""
    async with background_tasks() as group:
        late = Late()
        async with open_agent(folder, ScriptedModel(replies), titles=late) as (agent, sessions, *_):
            late.titles = ModelTitles(second, sessions, REDACTOR, group)

            async def ask(question):
                async with agent.turn(question, session="s") as events:
                    async for _ in events:
                        pass

            async def title(expected):
                with anyio.fail_after(5):
                    while (await sessions.get("s")).title != expected:  # noqa: ASYNC110 - the store tells nobody of a title
                        await anyio.sleep(0.01)

            yield ask, title, sessions


class Late:
    """Hands on to titles that are made after the agent."""

    def ended(self, *told, **how):
        self.titles.ended(*told, **how)


async def settled(second):
    """Wait until the second model was asked and everything after it has run."""
    second.go.set()
    with anyio.fail_after(5):
        await second.done.wait()
    await anyio.wait_all_tasks_blocked()
    await anyio.sleep(0.05)


async def test_after_the_first_answer_the_title_is_the_second_models(tmp_path):
    second = SecondModel("“Tea and patience”.\nmore")
    async with titled(tmp_path, second, say("Four minutes."), say("Green.")) as (ask, title, _):
        await ask("How long does tea steep?")
        await title("How long does tea steep?")  # the turn has ended, and nobody has waited for the second model
        second.go.set()
        await title("Tea and patience")
        await ask("And which tea?")
        await anyio.sleep(0.05)
    assert [main for _, main in second.asked] == ["test/scripted"]
    assert second.asked[0][0] == "How long does tea steep?\n\nFour minutes."


async def test_a_title_that_a_person_gave_meanwhile_stays(tmp_path):
    second = SecondModel()
    async with titled(tmp_path, second, say("Four.")) as (ask, _, sessions):
        await ask("How long?")
        with anyio.fail_after(5):
            await second.begun.wait()
        await sessions.rename("s", "Mine")
        await settled(second)
        assert (await sessions.get("s")).title == "Mine"


async def test_secrets_are_masked_on_the_way_there_and_back(tmp_path):
    second = SecondModel(f"About {SECRET}")
    async with titled(tmp_path, second, say(f"It is {SECRET}.")) as (ask, title, _):
        await ask(f"What is {SECRET}?")
        second.go.set()
        await title(REDACTOR.redact(f"About {SECRET}").text)
    assert SECRET not in second.asked[0][0]
    assert SECRET not in REDACTOR.redact(f"About {SECRET}").text


@pytest.mark.parametrize("said", [ModelFault("rate", "slow down"), ZeroDivisionError("a bug"), "   \n"])
async def test_a_failing_second_model_fails_nothing_and_is_logged(tmp_path, said):
    before = fail_open_counts["title.not_given"]
    second = SecondModel(said)
    async with titled(tmp_path, second, say("Four."), say("Five.")) as (ask, _, sessions):
        await ask("How long?")
        await settled(second)
        await ask("Really?")
        assert (await sessions.get("s")).title == "How long?"
    assert fail_open_counts["title.not_given"] == before + isinstance(said, Exception)


async def test_without_a_second_model_nobody_is_asked(tmp_path):
    second = SecondModel(there=False)
    async with titled(tmp_path, second, say("Four.")) as (ask, _, sessions):
        await ask("How long?")
        assert (await sessions.get("s")).title == "How long?"
    assert second.asked == []


async def test_a_turn_without_an_answer_gives_no_title_and_the_next_one_does(tmp_path):
    second = SecondModel("Tea")
    async with titled(tmp_path, second, ModelFault("auth", "no key"), say("Four.")) as (ask, title, _):
        await ask("How long?")
        assert second.asked == []
        await ask("Again, please.")
        second.go.set()
        await title("Tea")


async def test_leaving_does_not_wait_for_a_title(tmp_path):
    second = SecondModel()
    with anyio.fail_after(5):
        async with titled(tmp_path, second, say("Four.")) as (ask, _, _):
            await ask("How long?")
            await anyio.wait_all_tasks_blocked()


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Tea at Four"', "Tea at Four"),
        ("**Title: Tea**\n\nBecause…", "Tea"),
        ("\n\n# Tea\n", "Tea"),
        ("Tea\x1b[2J now", "Tea"),
        ("", ""),
        ("x" * 300, "x" * 59 + "…"),
    ],
)
def test_of_what_was_said_the_title_is_one_short_harmless_line(said, title):
    found = title_in(said, Masks())
    assert found.startswith(title[:3])
    assert "\x1b" not in found
    assert len(found) <= 60
