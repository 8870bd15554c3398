"""Limen from Python: names that load late, functions that work with and without a running loop."""

import subprocess
import sys

import anyio
import pytest

import limen
from limen.core.event import TurnEnded
from limen.core.fault import ConfigFault

PAGE = "# Cancelling tasks\n\nTo cancel an asyncio task, call its `cancel` method. It throws CancelledError into the coroutine.\n"


@pytest.fixture
def document(tmp_path, home):
    path = tmp_path / "docs" / "tasks.md"
    path.parent.mkdir()
    path.write_text(PAGE)

    async def add():
        async with limen.library() as index:
            await index.add([str(path)])

    anyio.run(add)
    return path


def test_importing_costs_nothing_and_names_load_when_used():
    names = "[m for m in sys.modules if m[:5] == 'limen']"
    text = f"import sys, limen; print({names}); limen.read; print('limen.runtime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["['limen']", "False"]


def test_every_name_that_is_listed_is_there():
    assert set(limen.__all__) <= set(dir(limen))
    for name in limen.__all__:
        assert getattr(limen, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = limen.nonsense


def test_ask_answers_from_a_document(document):
    outcome = limen.ask("How do I cancel an asyncio task?")
    assert outcome.end.reason == "answered"
    assert "cancel" in outcome.answer
    assert [source.title for source in outcome.sources if source.read] == ["Cancelling tasks"]


def test_ask_says_how_it_ended_instead_of_raising(home):
    assert limen.ask(" ").end.code == "turn.empty"
    assert limen.ask("x", model="nobody/nothing").end.code == "model.unknown_provider"


@pytest.mark.anyio
async def test_functions_are_safe_inside_a_running_loop(home, tmp_path):
    path = tmp_path / "tasks.md"
    path.write_text(PAGE)
    async with limen.library() as index:
        await index.add([str(path)])
    assert limen.search("cancel asyncio task").hits[0].title.startswith("Cancelling tasks")


def test_no_results_and_could_not_search_are_not_the_same(home):
    nothing = limen.search("zzyzx quuxification")
    assert (nothing.hits, nothing.refusal) == ((), None)
    assert limen.search(" ").refusal.code == "search.empty_query"


def test_extract_keeps_the_place_of_what_it_could_not_read(home):
    answer = limen.extract(["http://10.0.0.1/", "ftp://example.org/"])
    assert [entry.requested for entry in answer.entries] == ["http://10.0.0.1/", "ftp://example.org/"]
    assert limen.extract("http://10.0.0.1/").entries[0].refusal.gate == "network"


def test_read_needs_no_home(home):
    assert limen.read(b"<h1>Title</h1><p>text</p>", content_type="text/html").title == "Title"
    assert not home.exists()


@pytest.mark.anyio
async def test_an_agent_runs_turns_inside_its_block(home):
    agent = limen.Agent(home=home, settings={"limits.steps": "5"})
    with pytest.raises(RuntimeError, match="async with"):
        agent.turn("x")
    async with agent, agent.turn("What is a task?") as events:
        seen = [event async for event in events]
    assert isinstance(seen[-1], TurnEnded)
    assert events.outcome.session == events.session


@pytest.mark.anyio
async def test_a_setting_that_cannot_be_is_a_fault(home):
    with pytest.raises(ConfigFault):
        async with limen.Agent(home=home, settings={"limits.steps": "many"}):
            pass
