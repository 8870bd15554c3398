"""The commands over a real home: sessions, ledger, evidence, doctor, and homes that are not well."""

import json
import os
import sqlite3
import stat
import subprocess
import sys

import anyio
import pytest
from surfaces.cli.conftest import environment, in_process

from limen.main import load
from limen.runtime import RuntimeOptions, open_runtime

PAGE = "# Cancelling tasks\n\nTo cancel an asyncio task, call its `cancel` method. It throws CancelledError into the coroutine.\n"


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path):
    """`limen(*arguments)` in this process, with the real runtime, in an empty folder."""
    monkeypatch.delenv("LIMEN_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


@pytest.fixture
def asked(limen, tmp_path):
    """A home with one document and one conversation; its JSON answer."""
    (tmp_path / "tasks.md").write_text(PAGE)
    assert limen("library", "add", str(tmp_path / "tasks.md")).status == 0
    done = limen("ask", "How do I cancel an asyncio task?", "--json")
    assert done.status == 0
    return json.loads(done.out)


def test_one_conversation_through_every_command(limen, asked, tmp_path):
    key, turn = asked["session"], asked["turn"]
    (session,) = json.loads(limen("sessions", "list", "--json").out)
    assert (session["key"], session["turns"]) == (key, 1)
    shown = limen("sessions", "show", key)
    assert "How do I cancel an asyncio task?" in shown.out
    assert "throws CancelledError" in shown.out
    assert key in limen("sessions", "search", "cancel").out
    assert limen("sessions", "rename", key, "Another title").status == 0
    assert "Another title" in limen("sessions", "list").out
    target = tmp_path / "conversation.md"
    assert limen("sessions", "export", key, "-o", str(target)).status == 0
    assert target.read_text().startswith("# Another title")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    ledger = json.loads(limen("ledger", "--json").out)
    assert ledger == json.loads(limen("ledger", turn, "--json").out) == json.loads(limen("ledger", key, "--json").out)
    assert ledger[: len(asked["ledger"])] == asked["ledger"]
    assert limen("sessions", "delete", key).status == 2
    assert limen("sessions", "delete", key, "--yes").status == 0
    assert limen("sessions", "show", key).status == 1
    assert limen("ledger").status == 1


def test_search_open_and_find_speak_of_the_same_document(limen, asked):
    (hit,) = json.loads(limen("search", "cancel task", "--json").out)["results"]
    assert "throws CancelledError" in limen("open", hit["ref"]).out
    (found,) = json.loads(limen("find", hit["ref"], "CancelledError", "--json").out)["matches"]
    assert found["line"] == 3
    assert limen("open", "lib:99").status == 1
    assert limen("open", "/etc/passwd").status == 1


def test_the_ledger_accounts_for_the_last_request(limen, asked):
    lines = json.loads(limen("ledger", "--last", "--json").out)
    assert {"identity", "tools", "user", "tool"} <= {line["kind"] for line in lines}


def keep(home, session: str, text: str) -> str:
    async def job() -> str:
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            kept = await runtime.evidence.keep(text, session=session, tool="report", source="here", media_type="text/plain")
            return kept.id

    return anyio.run(job)


def test_evidence_is_counted_searched_and_purged(limen, asked, home):
    evidence_id = keep(home, asked["session"], "\n".join(f"line {number}: gizmo {number * 7}" for number in range(1, 400)))
    shown = limen("evidence", "show", evidence_id, "10", "12")
    assert shown.out == "line 10: gizmo 70\nline 11: gizmo 77\nline 12: gizmo 84\n"
    assert json.loads(limen("evidence", "show", evidence_id, "10", "12", "--json").out)["total_lines"] == 399
    (found,) = json.loads(limen("evidence", "search", "gizmo 777", "--json").out)["matches"]
    assert (found["id"], found["line"]) == (evidence_id, 111)
    assert "line 111" in limen("open", evidence_id).out
    assert json.loads(limen("evidence", "status", "--json").out)["session"]["records"] == 1
    status = json.loads(limen("evidence", "status", "--json").out)
    assert {"seen", "compacted", "left", "chars_in", "chars_out", "chars_saved", "records", "oldest", "redactions"} <= status[
        "session"
    ].keys()
    assert "kept" in limen("evidence", "status").out
    assert limen("evidence", "search", "nothing of the kind").status == 0
    assert limen("evidence", "show", "ev_000000000000").status == 1
    assert limen("evidence", "search", "x", "--id", "ev_000000000000").status == 1
    assert limen("evidence", "purge").status == 0
    assert limen("evidence", "purge", "--all").status == 2
    assert json.loads(limen("evidence", "purge", "--all", "--yes", "--json").out)["purged"] >= 0
    assert json.loads(limen("evidence", "status", "--json").out)["profile"]["records"] == 0


def test_doctor_of_an_empty_home(limen, home):
    done = limen("doctor", "--json")
    assert done.status == 0
    checks = json.loads(done.out)["checks"]
    looked_at = {"program", "home", "settings", "store", "library", "web", "browser", "model", "tokens"}
    assert {check["check"] for check in checks} == looked_at
    # Whether there is a browser is the machine's affair.
    assert [check["check"] for check in checks if check["state"] != "ok" and check["check"] != "browser"] == ["library"]
    assert "limen library add" in limen("doctor").out


def test_doctor_says_what_is_wrong_and_how_to_mend_it(limen, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("model:\n  route: nobody/nothing\nwbe: 1\n")
    (home / "config.yaml").chmod(0o644)
    done = limen("doctor")
    assert done.status == 1
    for text in ("model.unknown_provider", "wbe", "limen doctor --fix"):
        assert text in done.out
    limen("doctor", "--fix")
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600


def test_doctor_asks_the_server_only_when_told(limen, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("model:\n  route: mine/m\nproviders:\n  mine:\n    endpoint: http://127.0.0.1:9/v1\n")
    assert limen("doctor").status == 0
    done = limen("doctor", "--online")
    assert done.status == 1
    assert "model." in done.out


def test_a_damaged_database_is_told_and_not_touched(limen, home):
    home.mkdir(mode=0o700)
    (home / "limen.db").write_bytes(b"this is no database at all " * 100)
    for arguments in (("ask", "x"), ("sessions", "list"), ("doctor",)):
        done = limen(*arguments)
        assert done.status == 1
        assert "store." in done.out + done.err
        assert "limen.bug" not in done.out + done.err
    assert (home / "limen.db").read_bytes().startswith(b"this is no database")


def test_a_newer_database_is_told(limen, home):
    limen("sessions", "list")
    with sqlite3.connect(home / "limen.db") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    done = limen("ask", "x")
    assert done.status == 1
    assert "store.newer" in done.err


@pytest.mark.parametrize("content", ["a: [", "- just\n- a list\n", "\0\x01", "model: 5\n"])
def test_a_configuration_that_cannot_be_used(limen, home, content):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(content)
    done = limen("doctor")
    assert "config." in done.out
    assert "limen.bug" not in limen("search", "x").err


@pytest.mark.parametrize("options", [("--home", "/dev/null/x"), ("--profile", "../up"), ("--home", "/proc/nowhere")])
def test_a_home_that_cannot_be(limen, options):
    for arguments in (("sessions", "list"), ("doctor",)):
        done = limen(*arguments, *options)
        assert done.status in (1, 2)
        assert "limen.bug" not in done.err
        assert "home" in done.out + done.err


def test_profiles_do_not_see_each_other(limen, asked):
    assert json.loads(limen("sessions", "list", "--json", "--profile", "work").out) == []
    assert len(json.loads(limen("--profile", "main", "sessions", "list", "--json").out)) == 1


def test_two_processes_on_one_home(home, tmp_path):
    command = [sys.executable, "-m", "limen", "ask", "What is this?", "--json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), cwd=tmp_path) for _ in range(3)]
    answers = [json.loads(child.communicate(timeout=60)[0]) for child in running]
    assert [child.returncode for child in running] == [0, 0, 0]
    assert len({answer["session"] for answer in answers}) == 3


def test_a_session_goes_on(limen, asked):
    again = json.loads(limen("ask", "And what is thrown?", "--session", asked["session"], "--json").out)
    assert again["session"] == asked["session"]
    assert again["ledger"][0]["n"] > asked["ledger"][-1]["n"] - 1
    assert json.loads(limen("sessions", "list", "--json").out)[0]["turns"] == 2


def test_no_tools_means_none(limen, asked):
    answer = json.loads(limen("ask", "How do I cancel a task?", "--no-tools", "--json").out)
    assert "tools" not in {line["kind"] for line in answer["ledger"]}


def test_a_private_address_is_refused_by_its_gate(limen):
    done = limen("extract", "http://127.0.0.1:9/", "http://169.254.169.254/latest")
    assert done.status == 3
    assert done.err.count("network.") == 2
    assert "security.allow_private_hosts" in done.err


def test_a_home_that_cannot_be_written(home, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere; run the tests as another user: su nobody -s /bin/sh -c 'make test'")
    home.mkdir(mode=0o500)
    done = subprocess.run([sys.executable, "-m", "limen", "ask", "x"], env=environment(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"home.not_writable" in done.stderr
