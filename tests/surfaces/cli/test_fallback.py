"""`limen fallback` against the real runtime: the order of other routes, their states, and the file it writes."""

import json

import anyio
import pytest
from surfaces.cli.conftest import in_process

from limen.config.paths import Home
from limen.core.fault import ModelFault
from limen.core.route import Route
from limen.main import load
from limen.models.health import Health, route_subject
from limen.store.sqlite.database import Database
from limen.store.sqlite.health import SqliteHealth

NO_KEYS = ("LIMEN_MODEL", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GROQ_API_KEY", "OWN_KEY", "ANTHROPIC_API_KEY")


@pytest.fixture
def limen(home, capsys, monkeypatch):
    for name in NO_KEYS:
        monkeypatch.delenv(name, raising=False)
    with in_process(load, capsys, monkeypatch) as call:
        yield lambda *arguments: call("fallback", *arguments)


@pytest.fixture
def file(home):
    Home(home).ensure()
    return Home(home).config_file


def rows(limen):
    return json.loads(limen("list", "--json").out)["routes"]


def test_without_a_chain_it_says_so_and_how_to_have_one(limen):
    ran = limen()
    assert (ran.status, ran.out) == (0, "")
    assert "no other route: when limen/extractive cannot answer" in ran.err
    assert "fallback add" in ran.err


def test_add_list_remove_clear(limen, file):
    assert limen("add", "llama.cpp/qwen").status == 0
    assert limen("add", "http://127.0.0.1:9/v1#small", "--at", "1", "--window", "8000").status == 0
    ran = limen("add", "custom/own", "--base-url", "https://llm.example/v1", "--key", "env:OWN_KEY", "--json")
    assert json.loads(ran.out) == {"route": "custom/own", "number": 3, "key": "missing", "file": str(file)}
    assert [(row["route"], row["state"]) for row in rows(limen)] == [
        ("custom/small", "usable"), ("llama.cpp/qwen", "usable"), ("custom/own", "key missing"),
    ]  # fmt: skip
    out = limen("list").out
    assert "2\tllama.cpp/qwen\tusable" in out
    assert "no key at env:OWN_KEY" in out
    assert limen("remove", "2").status == 0
    assert limen("remove", "custom/own").status == 0
    assert [row["route"] for row in rows(limen)] == ["custom/small"]
    assert json.loads(limen("clear", "--json").out)["removed"] == 1
    assert "fallback" not in file.read_text()


@pytest.mark.parametrize("typed", ["http://127.0.0.1:9/v1#small", "http://127.0.0.1:8/v1", "LlamaCPP", "llama.cpp/auto"])
def test_a_route_is_removed_by_what_added_it(typed, limen, file):
    for route in ("http://127.0.0.1:9/v1#small", "http://127.0.0.1:8/v1", "LlamaCPP"):
        assert limen("add", route).status == 0
    listed = limen("list").out
    assert "custom/small at http://127.0.0.1:9/v1\t" in listed
    assert limen("remove", typed).status == 0
    assert len(rows(limen)) == 2
    assert "[fallback.unknown]" in limen("remove", typed).err
    assert "[fallback.unknown]" in limen("remove", "nobody/small").err


@pytest.mark.parametrize(
    ("typed", "meant"), [("http://127.0.0.1:9/v1#a b", "'http://127.0.0.1:9/v1#a b'"), ("LlamaCPP/m", "llama.cpp/m")]
)
def test_what_needs_no_key_says_so_and_is_tried_by_what_means_it(typed, meant, limen, file):
    said = json.loads(limen("add", typed, "--json").out)
    assert said["key"] == "none needed"
    assert limen("clear").status == 0
    assert f"try it: limen model test {meant}\n" in limen("add", typed).err


def test_a_provider_alone_means_the_model_that_its_server_offers(limen, file):
    assert limen("add", "LlamaCPP").status == 0
    assert "- llama.cpp/auto\n" in file.read_text()
    assert limen("add", "limen").status == 1  # it answers first anyway


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["opnrouter/x"], "model.unknown_provider"),
        (["huggingface"], "model.no_model"),
        (["limen/extractive"], "fallback.is_first"),
        (["ollama/llama3"], "fallback.duplicate"),
        (["custom/m"], "model.no_endpoint"),
        (["custom/m", "--base-url", "nonsense"], "fallback.bad_entry"),
        (["openai/m", "--window", "12"], "fallback.bad_entry"),
        (["openai/m", "--key", "sk-" + "0123456789abcdef"], "fallback.key_in_clear"),
    ],
)
def test_what_would_only_be_passed_over_is_not_written(limen, file, arguments, code):
    file.write_text("fallback_providers: [ollama/llama3]\n")
    ran = limen("add", *arguments)
    assert ran.status == 1
    assert f"[{code}]" in ran.err
    assert "0123456789abcdef" not in ran.out + ran.err
    assert file.read_text() == "fallback_providers: [ollama/llama3]\n"


def test_bad_entries_are_listed_with_what_is_wrong_and_can_be_removed(limen, file):
    file.write_text("fallback_providers:\n- ollama/a\n- {provider: ollama, modle: b}  # oops\n- ollama/a\n# end\n")
    listed = rows(limen)
    assert [row["state"] for row in listed] == ["usable", "passed over", "passed over"]
    assert [row["number"] for row in listed] == [1, 2, 3]
    assert "modle" in listed[1]["reason"]
    assert listed[1]["place"] == f"{file}:3"
    assert "fallback remove 3" in listed[2]["mend"]
    ran = limen("remove", "ollama/a")
    assert (ran.status, "[fallback.ambiguous]" in ran.err) == (1, True)
    assert limen("remove", "3").status == 0
    assert limen("remove", "2").status == 0
    assert file.read_text() == "fallback_providers:\n- ollama/a\n# end\n"
    assert "[fallback.unknown]" in limen("remove", "7").err


def test_the_older_setting_is_shown_and_moved_by_the_next_add(limen, file):
    file.write_text("fallback_model: {provider: openai, model: m, api_key_env: OWN_KEY}\n")
    ran = limen("list")
    assert "1\topenai/m\tkey missing" in ran.out
    assert "older name" in ran.err
    assert limen("add", "ollama/a", "--at", "1").status == 0
    assert [row["at"] for row in rows(limen)] == ["fallback_providers[1]", "fallback_providers[2]"]
    assert [row["route"] for row in rows(limen)] == ["ollama/a", "openai/m"]


def test_a_route_that_rests_says_until_when(limen, file, home):
    file.write_text("fallback_providers: [ollama/a, ollama/b]\n")

    route = Route("ollama", "chat_completions", "a", endpoint="http://127.0.0.1:11434/v1")

    async def book():
        database = await Database.open(Home(home).database)
        health = Health(SqliteHealth(database))
        await health.failed(route_subject(route), ModelFault("network", "nobody listens", retry_after_s=600))
        await database.close()

    anyio.run(book)
    first, second = rows(limen)
    assert (first["state"], first["reason"], second["state"]) == ("resting", "nobody listens", "usable")
    assert first["mend"] == "limen model test ollama/a"
    assert first["until"].endswith("Z")
    assert f"resting until {first['until']}" in limen("list").out


def test_config_check_and_doctor_know_the_chain(limen, file, home, capsys, monkeypatch):
    file.write_text("fallback_model: {provider: openai, model: m}\nfallback_providers: [ollama/a, nope/b, ollama/a]\n")
    with in_process(load, capsys, monkeypatch) as call:
        checked = json.loads(call("config", "check", "--json").out)["problems"]
        assert [(problem["code"], problem["place"]) for problem in checked if "fallback" in problem["key"]] == [
            ("config.older_name", f"{file}:1"), ("fallback.bad_entry", f"{file}:2"), ("fallback.duplicate", f"{file}:2"),
        ]  # fmt: skip
        found = json.loads(call("doctor", "--json").out)["checks"]
    assert {"fallback.bad_entry", "fallback.duplicate"} <= {finding["code"] for finding in found}
    states = [(one["state"], one["text"]) for one in found if one["check"] == "fallback"]
    assert ("ok", "then ollama/a") in states
    assert any(state == "warn" and "openai/m" in text and "no key" in text for state, text in states)
