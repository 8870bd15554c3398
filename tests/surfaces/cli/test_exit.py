"""How commands end: exit statuses, what goes to which stream, and what a person is told."""

import json
import os
import subprocess

import pytest
from surfaces.cli.conftest import command, environment

from limen.surfaces.cli.app import run

NETWORK = "network.private_address"


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("ask", "a question"), 0, ""),
        (("ask", "fail"), 1, "model.auth"),
        (("ask", "limit"), 1, "limits.steps"),
        (("ask", "refuse all"), 3, NETWORK),
        (("ask", "bug"), 1, "limen.bug"),
        (("search", "cancel"), 0, ""),
        (("search", "nothing"), 0, ""),
        (("search", "refuse"), 3, NETWORK),
        (("search", "unavailable"), 1, "search.unavailable"),
        (("extract", "https://example.org/"), 0, ""),
        (("extract", "https://example.org/", "http://10.0.0.1/"), 3, NETWORK),
        (("extract", "https://example.org/missing"), 1, "network.http_status"),
        (("extract", "https://example.org/missing", "http://10.0.0.1/"), 3, NETWORK),
        (("extract", "https://example.org/?secret"), 3, NETWORK),
        (("open", "lib:1"), 0, ""),
        (("open", "lib:9"), 1, "library.unknown"),
        (("find", "lib:1", "two"), 0, ""),
        (("find", "lib:1", "four"), 0, ""),
        (("ledger",), 0, ""),
        (("ledger", "t_0123"), 0, ""),
        (("ledger", "nowhere"), 1, "session.unknown"),
        (("sessions", "show", "s2"), 1, "session.unknown"),
    ],
)
def test_status_and_code(limen, arguments, status, code):
    done = limen(*arguments)
    assert done.status == status
    assert code in done.err
    assert "Traceback" not in done.err


def test_a_reader_that_has_gone_ends_a_command_quietly(home):
    """As `| head -1` does, before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(command("open", "lib:1"), stdout=gone, stderr=subprocess.PIPE, env=environment(), timeout=60)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "  "),
        ("ask", "one", "two"),
        ("ask", "--nonsense", "x"),
        ("search", ""),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--site", "a.org", "--not-site", "b.org"),
        ("extract",),
        ("extract", "u", "--format", "pdf"),
        ("find", "lib:1", " "),
        ("open", "lib:1", "--line", "99"),
        ("sessions",),
        ("evidence", "purge", "--days", "1", "--all"),
        ("evidence", "show", "ev_1", "9", "3"),
        ("nonsense",),
        (),
    ],
)
def test_wrong_usage_is_2_and_says_nothing_on_stdout(limen, arguments):
    done = limen(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert "Usage: limen" in done.err
    asked = limen("--json", *arguments)
    assert asked.status == 2
    error = json.loads(asked.out)["error"]
    assert error["code"] == "cli.usage"
    assert error["reason"]
    assert error["mend"].endswith("--help")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nonsense",), "cli.usage"),
        (("open", "lib:9"), "library.unknown"),
        (("search", "refuse"), NETWORK),
        (("ask", "bug"), "limen.bug"),
        (("ask", "x", "--profile", "../x"), "home.bad_profile"),
    ],
)
def test_every_error_is_one_json_document_where_that_was_asked_for(limen, arguments, code):
    assert json.loads(limen(*arguments, "--json").out)["error"]["code"] == code


@pytest.mark.parametrize("more", [(), ("-v",), ("--json",), ("--json", "-v")])
def test_a_bug_shows_no_credential(limen, more):
    done = limen("ask", "bug", *more)
    assert "Hunter2Kx9" not in done.out + done.err
    assert "⟦masked named-password⟧" in done.err
    assert ("Traceback" in done.err) is ("-v" in more)


def test_what_cannot_be_masked_is_withheld(capsys):
    def load(dotted):
        raise ImportError(f"no {dotted}: password: Hunter2Kx9")

    assert run({"ask": ("limen.surfaces.cli.ask:ask", "")}, load, ["ask", "-v"]) == 1
    done = capsys.readouterr()
    assert "withheld" in done.err
    assert "Hunter2Kx9" not in done.out + done.err


def test_json_behind_two_dashes_is_a_word(limen):
    done = limen("search", "--", "--json")
    assert done.status == 0
    assert "Coroutines" in done.out


@pytest.mark.parametrize(
    ("typed", "meant"), [(("sesions", "list"), "sessions"), (("library", "ad", "x"), "add"), (("config", "chek"), "check")]
)
def test_an_unknown_command_is_answered_with_the_nearest(limen, typed, meant):
    done = limen(*typed)
    assert done.status == 2
    assert f"'{meant}'" in done.err


def test_a_reason_that_quotes_a_book_is_cut(limen):
    done = limen("open", "x" * 50_000)
    assert done.status == 1
    assert len(done.err) < 3_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "a question"),
        ("ask", "refuse one asides"),
        ("ask", "hostile"),
        ("ask", "fail"),
        ("ask", "refuse all"),
        ("ask", "bug"),
        ("search", "cancel"),
        ("search", "nothing"),
        ("search", "refuse"),
        ("extract", "https://example.org/", "http://10.0.0.1/"),
        ("extract", "https://example.org/?secret"),
        ("open", "lib:1"),
        ("open", "lib:9"),
        ("find", "lib:1", "two"),
        ("ledger",),
        ("sessions", "list"),
        ("sessions", "show", "s1"),
        ("sessions", "show", "s2"),
        ("sessions", "search", "cancel"),
        ("sessions", "export", "s1"),
    ],
)
def test_json_is_one_document_and_nothing_else(limen, arguments):
    done = limen(*arguments, "--json")
    json.loads(done.out)
    assert not ({chr(code) for code in (*range(32), *range(0x7F, 0xA0))} - {"\n"}) & set(done.out)


def test_json_may_stand_before_the_command(limen):
    assert json.loads(limen("--json", "search", "cancel").out) == json.loads(limen("search", "cancel", "--json").out)


def test_ask_json_has_the_published_shape(limen):
    answer = json.loads(limen("ask", "a question", "--json").out)
    assert answer["answer"].startswith("Call `task.cancel()`")
    assert answer["sources"][0] == {
        "n": 1,
        "title": "Coroutines and Tasks",
        "url": "file:///doc/asyncio-task.html",
        "read": True,
        "ref": "lib:1",
        "quotes": [{"text": "cancel() arranges", "line": 412}],
        "cited": True,
    }
    assert {"model", "route", "fell_back_from", "usage", "ledger", "session", "turn"} <= answer.keys()
    assert answer["ledger"][2]["cut"] == {"head": 9_000, "tail": 3_000}
    assert "error" not in answer


def test_ask_json_tells_a_failure_in_the_document_too(limen):
    done = limen("ask", "fail", "--json")
    assert json.loads(done.out)["error"]["code"] == "model.auth"
    assert "limen credentials add openai" in done.err


def test_a_call_refused_whole_keeps_its_shape(limen):
    document = json.loads(limen("extract", "https://example.org/?secret", "--json").out)
    assert document["results"] == []
    assert document["error"]["gate"] == "network"


def test_a_refused_page_keeps_its_place(limen):
    done = limen("extract", "http://10.0.0.1/", "https://example.org/", "--json")
    first, second = json.loads(done.out)["results"]
    assert (first["url"], first["error"]["code"]) == ("http://10.0.0.1/", NETWORK)
    assert (second["url"], second["error"]) == ("https://example.org/", None)


def test_stdout_has_the_answer_and_its_sources_and_stderr_the_rest(limen):
    done = limen("ask", "refuse one asides")
    assert done.out.startswith("Call `task.cancel()`")
    assert "void" not in done.out
    assert "[1] Coroutines and Tasks · read · line 412" in done.out
    assert "· snippet only" in done.out
    for word in ("web_search", "5 hits", NETWORK, "allow_private_hosts", "left the window", "starting over", "context in"):
        assert word in done.err
        assert word not in done.out


def test_a_refusal_is_told_once(limen):
    assert limen("ask", "refuse one").err.count(NETWORK) == 1
    assert limen("ask", "refuse all").err.count(NETWORK) == 1


def test_quiet_says_nothing_but_errors(limen):
    assert limen("ask", "a question", "-q").err == ""
    assert limen("-q", "ask", "asides").err == ""
    assert "model.auth" in limen("ask", "fail", "-q").err


def test_verbose_shows_what_entered_and_the_trace_of_a_bug(limen):
    assert "limen/extractive: the default" in limen("ask", "a question", "-v").err
    assert "Traceback" in limen("ask", "bug", "-v").err
    assert "-v" in limen("ask", "bug").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "hostile"),
        ("ask", "bug"),
        ("ask", "bug", "-v"),
        ("search", "cancel"),
        ("extract", "https://example.org/"),
        ("open", "lib:1"),
        ("find", "lib:1", "two"),
        ("sessions", "list"),
        ("sessions", "show", "s1"),
        ("sessions", "export", "s1"),
        ("sessions", "show", "\x1b[2J"),
        ("open", "\x1b[2J"),
    ],
)
def test_no_foreign_control_character_reaches_the_screen(limen, arguments):
    done = limen(*arguments)
    assert not set(done.out + done.err) & {chr(code) for code in (*range(9), *range(11, 32), *range(0x7F, 0xA0))}


def test_a_problem_of_the_settings_is_said_and_stops_nothing(limen, home):
    home.mkdir()
    (home / "config.yaml").write_text("wbe:\n  mode: live\n")
    done = limen("search", "cancel", "--json")
    assert done.status == 0
    json.loads(done.out)
    assert "wbe" in done.err
    assert limen("search", "cancel", "-q").err == ""


def test_colour_can_be_forced_and_forbidden(limen, home):
    home.mkdir()
    assert "\x1b[" not in limen("search", "cancel").out
    (home / "config.yaml").write_text("ui:\n  color: always\n")
    assert "\x1b[" in limen("search", "cancel").out


def test_a_pipe_gets_rows_with_tabs_and_a_heading(limen):
    header, *rows = limen("ledger").out.splitlines()
    assert header.split("\t")[:3] == ["n", "turn", "kind"]
    assert len(rows) == 4
    assert rows[2].split("\t")[3].endswith("asyncio-task.html")


def test_ledger_of_a_session_and_of_its_last_request(limen):
    assert len(json.loads(limen("ledger", "s1", "--json").out)) == 4
    assert len(json.loads(limen("ledger", "--last", "--json").out)) == 3
