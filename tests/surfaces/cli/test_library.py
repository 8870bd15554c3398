"""`limen library`: what is printed where, how it ends, and that it does what it says."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from reading.made_pdf import made_pdf
from surfaces.cli.conftest import environment, in_process

from limen.main import load
from limen.testing.network import reply, serve


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)` in this process, with the real runtime."""
    with in_process(load, capsys, monkeypatch) as call:
        yield call


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tasks.md").write_text("# Tasks\n\nTo cancel a task, call its cancel method, and wait until it is done with it.\n")
    (folder / "roses.html").write_text("<title>Roses</title><h1>Roses</h1><p>Roses want sun and water, and room around them.</p>")
    (folder / "thing.xyz").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return folder


def test_adding_listing_and_searching(limen, docs):
    done = limen("library", "add", str(docs))
    assert (done.status, done.out) == (0, "")
    assert "2 documents added" in done.err
    assert "1 of other kinds" in done.err
    listed = limen("library", "list")
    assert listed.out.splitlines()[0].split("\t") == ["id", "added", "sections", "title", "origin"]
    assert str(docs / "roses.html") in listed.out
    assert "lib:" in limen("search", "how do I cancel my task").out


def test_json_is_one_document_and_nothing_else(limen, docs):
    added = json.loads(limen("library", "add", str(docs), "--json").out)
    assert added == {
        "library": "default", "added": 2, "updated": 0, "unchanged": 0, "removed": 0, "failed": 0,
        "skipped": {"unsupported": 1}, "problems": [], "missing": [], "names": {}, "gone": [], "moved": {}, "stale": 0, "notes": {},
    }  # fmt: skip
    listed = json.loads(limen("library", "list", "--json").out)
    assert [document["origin"] for document in listed] == [str(docs / "roses.html"), str(docs / "tasks.md")]
    assert set(listed[0]) == {"id", "origin", "title", "media_type", "chars", "sections", "added_at", "ref"}
    assert json.loads(limen("library", "refresh", "--json").out)["unchanged"] == 2
    assert json.loads(limen("library", "remove", str(listed[0]["id"]), "--json").out) == {"removed": 1}


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("add", "no/such/path"), 1, "library.no_such_path"),
        (("add", "empty"), 1, "library.nothing_readable"),
        (("add", "thing.xyz"), 1, "library.nothing_readable"),
        (("remove", "77"), 1, "library.unknown"),
        (("remove", "nowhere.md"), 1, "library.unknown"),
        (("add",), 2, ""),
        (("remove",), 2, ""),
        (("--library", "", "list"), 2, ""),
        (("list",), 0, ""),
        (("refresh",), 0, ""),
    ],
)
def test_how_it_ends(limen, docs, monkeypatch, arguments, status, code):
    monkeypatch.chdir(docs)
    (docs / "empty").mkdir()
    done = limen("library", *arguments)
    assert done.status == status
    assert code in done.err
    assert "Traceback" not in done.err


def test_an_error_in_json_has_code_reason_and_mend(limen):
    done = limen("library", "add", "/no/such/path", "--json")
    assert done.status == 1
    assert json.loads(done.out)["error"]["code"] == "library.no_such_path"
    assert json.loads(done.out)["error"]["mend"]


def test_people_read_words_and_programs_codes(limen, docs):
    os.mkfifo(docs / "pipe.md")
    (docs / "zeros.md").write_bytes(bytes(4_000))
    (docs / "nowhere.md").symlink_to(docs / "gone.md")
    told = limen("library", "add", str(docs))
    assert (told.status, "2 documents added" in told.err) == (0, True)
    assert "1 no ordinary file (pipe, socket or device): " in told.err
    assert "pipe.md" in told.err
    assert "1 binary" in told.err
    assert not any(code in told.err for code in ("not_a_file", "broken_link", "unsupported"))
    listed = json.loads(limen("library", "refresh", "--json").out)
    assert listed["skipped"] == {"binary": 1, "broken_link": 1, "not_a_file": 1, "unsupported": 1}
    assert listed["names"]["not_a_file"] == [str(docs / "pipe.md")]
    refused = json.loads(limen("library", "add", str(docs / "pipe.md"), "--json").out)["error"]
    assert refused["skipped"] == {"not_a_file": 1}
    assert "not_a_file" not in refused["reason"]


def test_a_library_may_be_named_before_or_behind_the_verb(limen, docs):
    assert "limen config set library.search" in limen("library", "--library", "work", "add", str(docs)).err
    assert json.loads(limen("library", "list", "--library", "work", "--json").out)
    assert json.loads(limen("library", "list", "--json").out) == []


def test_what_a_file_is_called_does_not_move_the_cursor(limen, docs):
    (docs / "evil\x1b[31m\n.md").write_text(
        "# Evil\x1b]0;owned\x07\n\nA document with words in it that are long enough to be kept.\n"
    )
    done = limen("library", "add", str(docs))
    listed = limen("library", "list")
    assert done.status == 0
    assert "\x1b" not in listed.out + done.err
    assert len(listed.out.splitlines()) == 4


PAGE = "<title>Tea</title><h1>Tea</h1><p>Green tea is steeped for two minutes at eighty degrees.</p>"


@pytest.fixture
def site():
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serve({"/tea": reply(PAGE)})) as server:
        yield server


def test_a_refused_address_ends_as_a_gate_s_no_and_is_mended_by_name(limen, docs):
    alone = limen("library", "add", "http://10.0.0.1/", "--json")
    assert alone.status == 3
    assert json.loads(alone.out)["error"]["code"] == "network.private_address"
    assert "limen config set security.allow_private_hosts" in alone.err
    mixed = limen("library", "add", str(docs), "http://10.0.0.1/")
    assert mixed.status == 3
    assert "2 documents added" in mixed.err
    assert "[network.private_address]" in mixed.err
    assert "limen config set security.allow_private_hosts" in mixed.err


def test_a_server_that_is_down_is_said_and_its_page_is_kept(limen, site, monkeypatch):
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    assert limen("library", "add", site.url("/tea")).status == 0
    site.routes["/tea"] = reply("down", status=503)
    down = limen("library", "refresh")
    assert down.status == 1
    assert "nothing there" not in down.err
    assert "[network.http_status]" in down.err
    assert site.url("/tea") in limen("library", "list").out
    site.routes["/tea"] = reply(PAGE)
    assert limen("library", "refresh").status == 0


def test_a_pdf_is_a_document(limen, docs):
    (docs / "tariff.pdf").write_bytes(made_pdf("The tariff of the harbour is thirty five euro a night, and holds until May."))
    (docs / "scan.pdf").write_bytes(made_pdf(""))
    done = limen("library", "add", str(docs))
    assert "3 documents added" in done.err
    assert "1 without text" in done.err
    assert "tariff.pdf" in limen("search", "tariff of the harbour").out
    locked = docs / "locked.pdf"
    locked.write_bytes(made_pdf("x", locked=True))
    refused = limen("library", "add", str(locked))
    assert refused.status == 1
    assert "[reading.pdf_encrypted]" in refused.err
    assert "without a password" in refused.err


def started(home: Path, *arguments: str, **streams) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "limen", "library", *arguments]
    return subprocess.Popen(line, stdin=subprocess.DEVNULL, env=environment(LIMEN_HOME=str(home)), **streams)


def test_a_terminal_gets_a_progress_bar_and_a_pipe_gets_none(home, docs):
    terminal, end = pty.openpty()
    process = started(home, "add", str(docs), stdout=subprocess.PIPE, stderr=end)
    os.close(end)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 4_096)
        except OSError:  # the other end is closed
            break
        shown += piece
    os.close(terminal)
    assert process.communicate()[0] == b""
    assert b"2/2" in shown
    piped = started(home, "refresh", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"/2" not in piped.communicate()[1]


def stored(database: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM library_documents").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_ctrl_c_stops_at_once_and_keeps_what_was_read(home, docs):
    for number in range(3_000):
        (docs / f"{number}.md").write_text(
            f"# Chapter {number}\n\nA chapter that has some words in it, and number {number} too.\n"
        )
    process = started(home, "add", str(docs), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and not stored(home / "limen.db"):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert b"is kept" in err
    assert b"Traceback" not in err
    assert 0 < stored(home / "limen.db") < 3_002
