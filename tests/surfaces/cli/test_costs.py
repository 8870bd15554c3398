"""`limen model costs` against the real runtime: what was asked before is there, by day and route, and a day's limit holds."""

import json
import sqlite3
import sys
from contextlib import closing
from datetime import datetime, timedelta

import pytest
from anyio.from_thread import start_blocking_portal
from rich.cells import cell_len
from surfaces.cli.conftest import environment, in_process
from surfaces.cli.pseudo_terminal import PseudoTerminal

from limen.core.exchange import Usage
from limen.main import load
from limen.testing.model_server import model_server
from limen.testing.scripted_model import say

ROWS = [
    (0, "openrouter/anthropic/claude-sonnet-4.5", 41, 2_204_331, 1_900_000, 32_010, 1.23, 0),
    (0, "llama.cpp/qwen3-30b", 7, 40_100, 0, 5_000, 0.0, 0),
    (0, "lab/a-very-long-name-of-a-model-that-somebody-tunes-at-home-2026-11-30", 3, 9_000, 0, 300, 0.01, 2),
    (3, "lab/own", 1, 900, 0, 12, 0.0, 1),
    (9, "openai/old", 1, 900, 0, 12, 9.0, 0),
]


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)`: status, stdout, stderr."""
    for name in ("LIMEN_MODEL", "LIMEN_LIMITS_COST_USD_PER_DAY"):
        monkeypatch.delenv(name, raising=False)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


@pytest.fixture
def provider():
    """The URL of a provider on loopback each of whose replies costs 40 cents; and what it was asked."""
    with start_blocking_portal() as portal:
        priced = say("ready", usage=Usage(1_000, 10, cost_usd=0.4))
        with portal.wrap_async_context_manager(model_server(then=priced)) as server:
            yield server


def this_day():
    """The local day, asked anew: a run of all tests may go past midnight."""
    return datetime.now().astimezone().date()


def fill(home, rows=ROWS):
    connection = sqlite3.connect(home / "limen.db")
    for ago, *row in rows:
        day = (this_day() - timedelta(days=ago)).isoformat()
        connection.execute("INSERT INTO spending VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (day, *row))
    connection.commit()
    connection.close()


def test_before_anything_was_asked_it_says_so(limen):
    status, out, err = limen("model", "costs")
    assert (status, out) == (0, "")
    assert "No model was asked in the last 7 days." in err
    assert "No model was asked today." in limen("model", "costs", "--days", "1").err
    shape = json.loads(limen("model", "costs", "--json").out)
    assert (shape["rows"], shape["today_usd"], shape["limit_usd_per_day"]) == ([], 0.0, None)


def test_a_pipe_gets_a_line_for_each_day_and_route_and_nothing_else(limen, home):
    limen("model", "costs")
    fill(home)
    _, out, err = limen("model", "costs")
    lines = [line.split("\t") for line in out.splitlines()]
    today = this_day().isoformat()
    assert lines[0] == ["day", "route", "asked", "in", "cached", "out", "cost"]
    assert lines[1] == [today, ROWS[0][1], "41", "2,204,331", "86%", "32,010", "$1.23"]
    assert [line[-1] for line in lines[2:]] == ["$0.0100 + ?", "free", "unknown"]
    assert "$1.24 for 52 requests on 2 days" in err
    assert "no price is known for 3 of them" in err
    assert "openai/old" in limen("model", "costs", "--days", "10").out


def test_json_has_rows_and_their_sum(limen, home):
    limen("model", "costs")
    fill(home)
    limen("config", "set", "limits.cost_usd_per_day", "5")
    shape = json.loads(limen("model", "costs", "--json").out)
    assert len(shape["rows"]) == 4
    assert shape["since"] == (this_day() - timedelta(days=6)).isoformat()
    assert shape["rows"][0]["cached_tokens"] == 1_900_000
    assert shape["total"] == {
        "requests": 52,
        "input_tokens": 2_254_331,
        "cached_tokens": 1_900_000,
        "output_tokens": 37_322,
        "cost_usd": pytest.approx(1.24),
        "unpriced": 3,
    }
    assert (shape["today_usd"], shape["limit_usd_per_day"]) == (pytest.approx(1.24), 5.0)


@pytest.mark.parametrize("days", ["0", "-1", "x", "99999999"])
def test_a_number_of_days_that_is_none_is_wrong_usage(limen, days):
    assert limen("model", "costs", "--days", days).status == 2


def test_every_reply_is_booked_and_once_the_day_is_dear_enough_nothing_is_asked(limen, provider):
    """Trials as well as turns, each command as a process has it."""
    limen("model", "set", f"{provider.url}#scripted")
    limen("config", "set", "limits.cost_usd_per_day", "1")
    assert limen("model", "test").status == 0
    assert json.loads(limen("ask", "--no-tools", "--json", "hello").out)["usage"]["cost_usd"] == 0.4
    assert " · $0.40\n" in limen("ask", "--no-tools", "again").err
    for arguments in (("ask", "--no-tools", "once more"), ("model", "test")):
        refused = limen(*arguments)
        assert refused.status in (1, 3)
        assert "Models have cost $1.20 today; a day may cost $1.00. [limits.cost_per_day]" in refused.err
        assert "limen config set limits.cost_usd_per_day NUMBER" in refused.err
    assert len(provider.chats) == 3
    assert limen("ask", "--no-tools", "--model", "limen", "what is free").status == 0
    (row,) = json.loads(limen("model", "costs", "--json").out)["rows"]
    assert (row["requests"], row["cost_usd"]) == (3, pytest.approx(1.2))


@pytest.mark.parametrize("columns", [80, 100])
def test_it_fits_a_terminal(home, limen, columns):
    """A day is named once and summed up where it has several routes; long names give way."""
    limen("model", "costs")
    fill(home)
    arguments = [sys.executable, "-m", "limen", "model", "costs"]
    with closing(PseudoTerminal(arguments, environment(COLUMNS=str(columns)))) as terminal:
        assert terminal.wait() == 0
        lines = [line.rstrip() for line in terminal.text.splitlines()]
    assert max(cell_len(line) for line in lines) <= columns
    today = this_day().strftime("%d %b")
    assert [line[:6].strip() for line in lines[:6]] == [
        "day",
        today,
        "",
        "",
        "",
        (this_day() - timedelta(days=3)).strftime("%d %b"),
    ]
    assert lines[4].split() == ["together", "51", "2,253k", "84%", "37k", "$1.24", "+", "?"]
