"""`limen doctor` over homes that are well, and homes that are not."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest
from surfaces.cli.conftest import in_process

from limen.main import load

HOLDING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print(flush=True)
input()
"""


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path):
    """`limen(*arguments)` in this process, with the real runtime, in an empty folder."""
    monkeypatch.delenv("LIMEN_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


@pytest.fixture(autouse=True)
def chromium(monkeypatch, tmp_path):
    """A program that is found as the browser and never started."""
    program = tmp_path / "chromium"
    program.touch()
    monkeypatch.setenv("LIMEN_BROWSER_EXECUTABLE", str(program))
    return program


@pytest.fixture
def used(limen, home):
    """A home with a database."""
    assert limen("sessions", "list").status == 0
    return home


def findings(limen, *options):
    done = limen("doctor", "--json", *options)
    document = json.loads(done.out)
    assert document["ok"] is (done.status == 0)
    return done.status, document["checks"]


def of(checks, name):
    return [check for check in checks if check["check"] == name]


def test_every_part_is_looked_at(limen, used):
    status, checks = findings(limen)
    assert status == 0
    assert [check["check"] for check in checks if check["state"] != "ok"] == ["library"]
    parts = {"program", "home", "settings", "store", "library", "web", "browser", "model", "tokens"}
    assert {check["check"] for check in checks} == parts
    assert all(check["mend"] for check in checks if check["state"] != "ok")


def test_who_would_be_told_what_is_looked_for_is_said(limen, used, monkeypatch):
    (web,) = of(findings(limen)[1], "web")
    assert web["text"] == "searches with library; pages are read by local"
    monkeypatch.setenv("EXA_API_KEY", "synthetic")
    (web,) = of(findings(limen)[1], "web")
    assert web["text"] == "searches with exa, and with your library; pages are read by exa"


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("off", "web.mode is off: nothing is searched, and no page is read"),
        ("cached", "web.mode is cached: nobody outside is asked; the library and what was read before answer"),
        ("indexed", "web.mode is indexed: no page is read; searches with library"),
    ],
)
def test_a_mode_in_which_fewer_are_asked_names_nobody_else(limen, used, monkeypatch, mode, text):
    monkeypatch.setenv("LIMEN_WEB_MODE", mode)
    (web,) = of(findings(limen)[1], "web")
    assert (web["state"], web["text"]) == ("ok", text)


def test_the_browser_is_named_or_how_to_have_one(limen, used, chromium, monkeypatch):
    pytest.importorskip("playwright")
    (found,) = of(findings(limen)[1], "browser")
    assert found["state"] == "ok"
    assert str(chromium) in found["text"]
    chromium.unlink()
    (missing,) = of(findings(limen)[1], "browser")
    assert (missing["state"], missing["code"]) == ("warn", "browser.no_chromium")
    assert "browser.executable" in missing["mend"]


@pytest.mark.parametrize(("toolsets", "state"), [("web,files", "ok"), ("web,browser", "warn")])
def test_the_extra_is_asked_for_where_a_browser_is_wanted(limen, used, monkeypatch, toolsets, state):
    monkeypatch.setitem(sys.modules, "playwright", None)  # as where it is not installed
    monkeypatch.setenv("LIMEN_TOOLS_TOOLSETS", toolsets)
    (found,) = of(findings(limen)[1], "browser")
    assert (found["state"], found["mend"]) == (state, "pip install 'limen-agent[browser]'")


def test_a_toolset_that_nobody_has_is_told_once(limen, used, monkeypatch):
    monkeypatch.setenv("LIMEN_TOOLS_TOOLSETS", "web,nonsense")
    told = [check for check in findings(limen)[1] if check["code"] == "config.unknown_toolset"]
    assert [check["state"] for check in told] == ["warn"]
    assert "browse" in told[0]["mend"]


def untouched(limen, database):
    before = database.read_bytes()
    assert findings(limen)[0] == 0
    return database.read_bytes() == before


def test_trying_the_database_leaves_nothing_behind(limen, used):
    # Once in a day a process tidies up; one that ends sooner leaves that to the next.
    assert any(untouched(limen, used / "limen.db") for _ in range(4))
    with closing(sqlite3.connect(used / "limen.db")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    assert not [name for name in names if "doctor" in name]


def test_a_database_that_another_process_keeps_is_told_with_that_process(limen, used):
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, used / "limen.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        status, checks = findings(limen)
    finally:
        holder.communicate(b"\n")
    assert status == 1
    busy, who = [check for check in of(checks, "store") if check["state"] != "ok"]
    assert busy["code"] == "store.busy"
    assert str(holder.pid) in who["text"]
    assert findings(limen)[0] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere: run as another user")
def test_a_home_that_cannot_be_written(limen, used):
    used.chmod(0o500)
    status, checks = findings(limen)
    used.chmod(0o700)
    assert status == 1
    assert of(checks, "home")[0]["code"] == "home.not_writable"


def test_a_damaged_page_is_found(limen, used):
    for number in range(60):
        with sqlite3.connect(used / "limen.db") as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS filler(x)")
            connection.execute("INSERT INTO filler VALUES (?)", (f"{number}" * 900,))
        connection.close()
    with sqlite3.connect(used / "limen.db") as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'filler'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with (used / "limen.db").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    status, checks = findings(limen)
    assert status == 1
    assert "store.corrupt" in {check["code"] for check in of(checks, "store")}


def test_modes_are_narrowed_only_on_demand(limen, used):
    (used / "pages").mkdir(mode=0o755)
    page = used / "pages" / "page.md"
    page.write_text("text")
    page.chmod(0o644)
    (used / ".env").write_text("")
    (used / ".env").chmod(0o640)
    status, checks = findings(limen)
    assert status == 0
    wide = [check["text"] for check in of(checks, "home") if check["code"] == "home.mode"]
    assert [text.split()[-1] for text in wide] == [str(used / ".env"), str(used / "pages"), str(page)]
    assert stat.S_IMODE(page.stat().st_mode) == 0o644
    assert of(findings(limen, "--fix")[1], "settings")[0]["state"] == "ok"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (used / ".env", used / "pages", page)] == [0o600, 0o700, 0o600]
    assert [check["code"] for check in of(findings(limen)[1], "home")] == [""]


def test_a_link_in_the_home_is_left_alone(limen, used, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    outside.chmod(0o644)
    (used / "history").symlink_to(outside)
    findings(limen, "--fix")
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("variable", "value", "said", "mend"),
    [
        ("LIMEN_WEB_SEARCH_BACKEND", "librar", "Did you mean 'library'?", "web.search_backend"),
        ("LIMEN_WEB_EXTRACT_BACKEND", "lokal", "Did you mean 'local'?", "web.extract_backend"),
    ],
)
def test_a_provider_that_is_not_there_is_named_with_the_nearest(limen, used, monkeypatch, variable, value, said, mend):
    monkeypatch.setenv(variable, value)
    status, checks = findings(limen)
    assert status == 1
    (finding,) = [check for check in of(checks, "web") if check["state"] == "broken"]
    assert said in finding["text"]
    assert mend in finding["mend"]


def test_a_file_where_the_home_should_be_is_said_once(limen, home):
    home.write_text("a file")
    status, checks = findings(limen)
    assert status == 1
    assert [check["code"] for check in checks if check["state"] == "broken"] == ["home.not_a_folder"]


def test_settings_that_cannot_be_parsed_are_said_once(limen, used):
    (used / "config.yaml").write_text("web: [\n")
    status, checks = findings(limen)
    assert status == 1
    assert [check["code"] for check in checks if check["state"] == "broken"] == ["config.unreadable"]


def test_the_route_that_a_key_suggests_is_the_one_looked_at(limen, monkeypatch):
    monkeypatch.setenv("MISTRAL_API_KEY", "k-" + "1234567890")
    (found,) = of(findings(limen)[1], "model")
    assert (found["state"], found["text"].split("/")[0]) == ("ok", "mistral")


@pytest.mark.parametrize(
    ("route", "state", "words"),
    [("zai/x", "broken", "GLM_API_KEY"), ("codex/x", "broken", "no key at oauth:codex"), ("ollama/x", "ok", "not asked")],
)
def test_a_key_that_is_not_there_is_named(route, state, words, limen, monkeypatch):
    monkeypatch.setenv("LIMEN_MODEL", route)
    (found,) = of(findings(limen)[1], "model")
    assert found["state"] == state
    assert words in found["text"]
