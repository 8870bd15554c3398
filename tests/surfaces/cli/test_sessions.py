"""`limen sessions` over a real store: listing, reading, forking, exporting, deleting."""

import json
import stat

import anyio
import pytest
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.runtime import RuntimeOptions, open_runtime

SECRET = "AKI" + "A" + "QXZ7MPLKJHGFDSAB"
QUESTION = f"What is this key {SECRET} good for?"


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)` in this process, with the real runtime."""
    with in_process(load, capsys, monkeypatch) as call:
        yield call


async def _talk(*turns):
    async with open_runtime(RuntimeOptions()) as runtime:
        for session, text in turns:
            async with runtime.agent.turn(text, session=session, tools=False) as handle:
                async for _ in handle:
                    pass


def talk(*turns: tuple[str, str]) -> None:
    """Hold conversations, one turn for each pair of a key and a question."""
    anyio.run(_talk, *turns)


@pytest.fixture
def held(limen):
    """Two conversations, the first of two turns."""
    talk(("20261130-101502-a1b2", "What is a task?"), ("20261130-101502-a1b2", QUESTION), ("other", "What is a loop?"))
    return "20261130-101502-a1b2"


def test_an_empty_home_says_how_to_begin(limen):
    done = limen("sessions", "list")
    assert (done.status, done.out) == (0, "")
    assert "No conversations yet. Start one: limen chat" in done.err
    assert json.loads(limen("sessions", "list", "--json").out) == []


def test_listing(limen, held):
    done = limen("sessions", "list")
    header, first, second = done.out.splitlines()
    assert header.split("\t") == ["session", "changed", "turns", "route", "title"]
    assert [row.split("\t")[0] for row in (first, second)] == ["other", held]
    assert second.split("\t")[2] == "2"
    assert "there are more: --limit 2" in limen("sessions", "list", "--limit", "1").err


@pytest.mark.parametrize("part", ["a1b2", "20261130", "20261130-101502-a1b2", "0-101502-a1b2"])
def test_a_part_of_a_key_is_enough(limen, held, part):
    assert limen("sessions", "show", part).out.startswith("› What is a task?")


def test_a_part_that_fits_several_names_them(limen):
    talk(("20261130-1-aaaa", "x"), ("20261130-2-aaaa", "y"))
    for part in ("aaaa", "2026"):
        done = limen("sessions", "show", part)
        assert done.status == 1
        assert "session.ambiguous" in done.err
        assert "20261130-1-aaaa" in done.err
        assert "20261130-2-aaaa" in done.err


@pytest.mark.parametrize("verb", ["show", "export", "fork", "delete"])
def test_an_unknown_key_names_the_nearest(limen, held, verb):
    done = limen("sessions", verb, "20261130-101502-a1b3")
    assert done.status == 1
    assert "session.unknown" in done.err
    assert held in done.err


def test_reading_a_pipe_has_the_words_and_no_turns(limen, held):
    done = limen("sessions", "show", held)
    assert f"› {QUESTION}" in done.out
    assert "t_" not in done.out
    assert f"{held} · 2 turns · 0 sources" in done.err


def test_a_search_groups_its_hits(limen, held):
    done = limen("sessions", "search", "task")
    assert done.out.splitlines()[0] == f"{held}  What is a task?"
    assert "user ·" in done.out
    assert "was not said" in limen("sessions", "search", "xylophone").err


def test_a_fork_is_a_conversation_of_its_own(limen, held):
    done = limen("sessions", "fork", held, "--title", "Another way")
    key = done.out.strip()
    assert f"limen chat --session {key}" in done.err
    shown = json.loads(limen("sessions", "show", key, "--json").out)
    assert shown["session"]["parent"] == held
    assert shown["session"]["title"] == "Another way"
    assert shown["session"]["turns"] == 2
    assert limen("sessions", "show", key).out == limen("sessions", "show", held).out
    assert limen("sessions", "delete", held, "--yes").status == 0
    assert limen("sessions", "show", key).out.startswith("› What is a task?")
    assert f"{key}\t" in limen("sessions", "list").out
    assert "fork · Another way" in limen("sessions", "list").out


def test_a_fork_at_a_turn_ends_there(limen, held):
    first, _ = {message["turn"]: 0 for message in json.loads(limen("sessions", "show", held, "--json").out)["messages"]}
    made = json.loads(limen("sessions", "fork", held, "--at", first[:8], "--json").out)
    assert made["turns"] == 1
    assert "key" not in limen("sessions", "show", made["key"]).out
    done = limen("sessions", "fork", held, "--at", "t_nowhere")
    assert done.status == 1
    assert "store.no_turn" in done.err


def test_an_export_masks_what_was_typed(limen, held):
    done = limen("sessions", "export", held)
    assert SECRET not in done.out
    assert "What is this key" in done.out
    assert "masked; --unmasked leaves" in done.err
    done = limen("sessions", "export", held, "--unmasked")
    assert SECRET in done.out
    assert "masked" not in done.err


def test_an_export_as_json_is_complete(limen, held):
    document = json.loads(limen("sessions", "export", held, "--json").out)
    assert document == json.loads(limen("sessions", "export", held, "--format", "json").out)
    assert SECRET not in json.dumps(document)
    assert document["masked"] >= 1
    assert [message["place"] for message in document["messages"]][-1] == "assistant"
    assert len(document["ledger"]) == len(document["messages"])
    assert {"turn", "place", "message", "first", "block"} <= document["messages"][0].keys()


def test_an_export_as_lines_has_the_same_records(limen, held):
    document = json.loads(limen("sessions", "export", held, "--json").out)
    head, *records = map(json.loads, limen("sessions", "export", held, "--format", "jsonl").out.splitlines())
    assert head == {"record": "session", "masked": document["masked"], **document["session"]}
    for kind, name in (("message", "messages"), ("source", "sources"), ("ledger", "ledger")):
        assert [{**record, "record": kind} for record in document[name]] == [each for each in records if each["record"] == kind]


def test_an_export_into_a_file_is_private(limen, held, tmp_path):
    path = tmp_path / "talk.md"
    done = limen("sessions", "export", held, "-o", str(path))
    assert (done.status, done.out) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("# What is a task?")
    assert limen("sessions", "export", held, "-o", str(tmp_path)).status == 2
    done = limen("sessions", "export", held, "-o", str(path / "below"))
    assert done.status == 1
    assert "export.unwritable" in done.err


def test_renaming(limen, held):
    assert limen("sessions", "rename", "a1b2", "  Tasks\nand keys ").status == 0
    assert "Tasks and keys" in limen("sessions", "list").out
    assert limen("sessions", "rename", held, " ").status == 2
    assert limen("sessions", "rename", held, "x" * 5_000).status == 0
    assert "x" * 201 not in limen("sessions", "list").out


def test_deleting_needs_a_word(limen, held):
    done = limen("sessions", "delete", held)
    assert done.status == 2
    assert "--yes" in done.err
    assert json.loads(limen("sessions", "delete", "a1b2", "--yes", "--json").out) == {"deleted": held}
    assert limen("sessions", "show", held).status == 1


def test_a_conversation_with_a_running_turn_is_not_deleted(limen, held):
    async def claimed():
        async with open_runtime(RuntimeOptions()) as runtime:
            return await runtime.sessions.claim(held, "another process", 60.0)

    assert anyio.run(claimed)
    done = limen("sessions", "delete", held, "--yes")
    assert done.status == 1
    assert "session.busy" in done.err
    assert limen("sessions", "show", held).status == 0
