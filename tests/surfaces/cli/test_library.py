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
from limen.testing.network import redirect, reply, serve


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
    assert "1 of other kinds: " in done.err
    assert "thing.xyz" in done.err
    listed = limen("library", "list")
    assert listed.out.splitlines()[0].split("\t") == ["id", "added", "sections", "title", "origin"]
    assert str(docs / "roses.html") in listed.out
    assert "lib:" in limen("search", "how do I cancel my task").out


def test_json_is_one_document_and_nothing_else(limen, docs):
    added = json.loads(limen("library", "add", str(docs), "--json").out)
    assert added == {
        "library": "default", "added": 2, "updated": 0, "unchanged": 0, "removed": 0, "failed": 0,
        "skipped": {"unsupported": 1}, "problems": [], "missing": [],
        "names": {"unsupported": [str(docs.resolve() / "thing.xyz")]}, "gone": [], "moved": {}, "stale": 0,
        "notes": {}, "partial": [],
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


def test_a_part_that_failed_is_said_and_fails(limen, docs):
    (docs / "locked.pdf").write_bytes(b"%PDF-1.7 and nothing that a reader of such could make anything of")
    done = limen("library", "add", str(docs))
    assert done.status == 1
    assert "2 documents added, 1 document could not be read" in done.err
    assert "locked.pdf" in done.err


def test_pages_that_scripts_draw_are_said_with_what_helps(limen, docs):
    root = "<div id=root></div><script src=app.js></script>"
    (docs / "app.html").write_text(f"<noscript>Please enable JavaScript.</noscript>{root}")
    (docs / "shop.html").write_text(f"<p>Welcome to the shop.</p>{root}<script>{'x = 1;' * 4_000}</script>")
    told = limen("library", "add", str(docs)).err
    assert "1 drawn by scripts alone, which need a browser: " in told
    assert "read in part: 1 whose rest scripts draw or a wall hides: " in told
    assert "→ open them in a browser, save what it shows" in told


def test_what_another_library_lacks_is_listed_there(limen):
    assert (
        "limen library list --library 'my work' shows the numbers" in limen("library", "--library", "my work", "remove", "7").err
    )


def test_a_document_of_another_library_is_opened_by_its_name(limen, docs):
    limen("library", "--library", "work", "add", str(docs / "tasks.md"))
    (document,) = json.loads(limen("library", "--library", "work", "list", "--json").out)
    refused = limen("open", document["ref"])
    assert refused.status == 1
    assert f"limen open --library work {document['ref']}" in refused.err
    assert "To cancel a task" in limen("open", "--library", "work", document["ref"]).out
    assert "cancel method" in limen("find", "--library", "work", document["ref"], "cancel").out


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


def sitemap(site, *paths: str) -> bytes:
    urls = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in paths)
    return reply(f"<urlset>{urls}</urlset>", headers={"content-type": "application/xml"})


@pytest.fixture
def opened(site, monkeypatch):
    """The site, which the settings open, read without pauses."""
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    monkeypatch.setenv("LIMEN_LIBRARY_CRAWL_DELAY_S", "0")
    start = '<title>Docs</title><a href="pots">Pots</a><h1>Docs</h1><p>All about pots and the pouring of tea.</p>'
    site.routes["/docs/"] = reply(start)
    site.routes["/docs/pots"] = reply("<title>Pots</title><h1>Pots</h1><p>A pot of clay keeps the tea warm for an hour.</p>")
    return site


def test_a_site_is_read_by_its_sitemap_or_its_links(limen, opened):
    opened.routes["/sitemap.xml"] = sitemap(opened, "/tea", "/docs/pots", "/none")
    told = limen("library", "add", opened.url("/sitemap.xml"))
    assert told.status == 0
    assert "2 documents added" in told.err
    assert "1 that are not there (404): " in told.err
    crawled = json.loads(limen("library", "add", "--library", "pots", "--crawl", opened.url("/docs/"), "--json").out)
    assert (crawled["added"], crawled["library"]) == (2, "pots")
    limited = json.loads(
        limen("library", "add", "--library", "few", "--crawl", "--max-pages", "1", opened.url("/docs/"), "--json").out
    )
    assert (limited["added"], limited["skipped"]) == (1, {"over_limit": 1})


def test_the_sources_of_a_library_are_listed(limen, opened, docs):
    opened.routes["/sitemap.xml"] = sitemap(opened, "/tea")
    limen("library", "add", str(docs), opened.url("/sitemap.xml"))
    limen("library", "add", "--library", "work", str(docs / "tasks.md"))
    listed = limen("library", "list", "--sources")
    assert [line.split("\t")[:2] for line in listed.out.splitlines()] == [
        ["kind", "documents"], ["path", "2"], ["sitemap", "1"]
    ]  # fmt: skip
    assert "other libraries: work (1 document)" in listed.err
    sources = json.loads(limen("library", "list", "--sources", "--json").out)
    assert [source["root"] for source in sources] == [str(docs), opened.url("/sitemap.xml")]
    opened.routes["/sitemap.xml"] = reply("down", status=500)
    down = limen("library", "refresh")
    assert "1 document kept as read before" in down.err
    assert "1 could not be read, the first: " in limen("library", "list").err
    assert limen("library", "remove", opened.url("/sitemap.xml")).status == 0
    assert len(json.loads(limen("library", "list", "--sources", "--json").out)) == 1


def test_what_is_gone_or_moved_is_said(limen, opened):
    opened.routes["/sitemap.xml"] = sitemap(opened, "/tea", "/docs/pots")
    limen("library", "add", opened.url("/sitemap.xml"))
    opened.routes |= {"/tea": reply("gone", status=410), "/docs/pots": redirect("/pots", status=301)}
    opened.routes["/pots"] = reply("<title>Pots</title><h1>Pots</h1><p>A pot of clay keeps the tea warm for an hour.</p>")
    told = limen("library", "refresh")
    assert f"no longer there, dropped: {opened.url('/tea')}" in told.err
    assert f"moved: {opened.url('/docs/pots')} is now {opened.url('/pots')}" in told.err


def test_a_named_library_is_searched_and_no_other(limen, docs):
    limen("library", "add", str(docs / "roses.html"))
    limen("library", "add", "--library", "work", str(docs / "tasks.md"))
    assert "Roses" in limen("search", "--library", "default", "roses want sun").out
    assert limen("search", "--library", "work", "roses want sun").out == ""
    assert "cancel" in limen("search", "--library", "work", "cancel a task").out
    unknown = limen("search", "--library", "wrok", "cancel a task")
    assert unknown.status == 1
    assert "there is 'default', 'work'" in unknown.err
    assert "limen library add --library wrok PATH" in unknown.err
    assert limen("search", "--library", "work", "--provider", "exa", "x").status == 2
    for name in ("", "a,b", "manual", "x" * 65, "a\nb"):
        assert limen("search", "--library", name, "x").status == 2
    assert "cancel its cancel method" not in limen("ask", "--library", "default", "How do I cancel a task?").out
    assert "call its cancel method" in limen("ask", "--library", "work", "How do I cancel a task?").out


@pytest.mark.parametrize("path", ["/sitemap.xml", "/docs/"])
def test_a_site_passes_the_gates_of_every_page(limen, site, path):
    arguments = ("library", "add", "--crawl", site.url(path)) if path == "/docs/" else ("library", "add", site.url(path))
    refused = limen(*arguments)
    assert refused.status == 3
    assert "[network.private_address]" in refused.err
    assert site.received == []
    assert json.loads(limen("library", "list", "--sources", "--json").out) == []


def test_a_repository_elsewhere_is_not_cloned(limen):
    refused = limen("library", "add", "https://host.example/team/guide.git")
    assert refused.status == 1
    assert "git clone --depth 1 https://host.example/team/guide.git guide && limen library add guide" in refused.err
