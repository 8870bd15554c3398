"""`limen search` over the wired program and a SearXNG in a loopback server: what is asked, and what is said of the answer."""

import json
from functools import partial
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.testing.network import reply, serve

pytestmark = pytest.mark.anyio
TEA = "# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n"


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path):
    """`await limen(*arguments)`: the real command beside the servers of a test."""
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:

        async def run(*arguments):
            return await anyio.to_thread.run_sync(partial(call, *arguments))

        yield run


def answering(*hosts, **more):
    rows = [
        {"url": f"https://{host}/a", "title": f"Page of {host}", "content": "Some <b>words</b> of it. " * 40} for host in hosts
    ]
    return reply(json.dumps({"results": rows, **more}), headers={"content-type": "application/json"})


async def searched(limen, monkeypatch, answer, *arguments):
    """What the command says where SearXNG answers so, and what SearXNG was asked."""
    async with serve({"/search": answer}) as server:
        monkeypatch.setenv("SEARXNG_URL", server.url("").rstrip("/"))
        done = await limen("search", *arguments)
    return done, [{name: values[0] for name, values in parse_qs(urlsplit(one.target).query).items()} for one in server.received]


async def test_hits_and_who_gave_them(limen, monkeypatch):
    done, (asked,) = await searched(limen, monkeypatch, answering("a.example", "b.example"), "heron words", "--limit", "2")
    assert (done.status, asked["q"]) == (0, "heron words")
    assert done.out.startswith(" 1 Page of a.example\n")
    assert "https://a.example/a" in done.out
    assert done.err == "searxng\n"


async def test_every_option_goes_where_it_can_and_the_rest_is_said(limen, monkeypatch):
    options = (
        "--type",
        "news",
        "--recency-days",
        "7",
        "--region",
        "br-pt",
        "--context-size",
        "high",
        "--live",
        "--max-chars",
        "9",
    )
    done, (asked,) = await searched(limen, monkeypatch, answering("a.example"), "heron", "--limit", "1", *options, "--json")
    assert (asked["categories"], asked["language"], asked["time_range"]) == ("news", "pt-BR", "week")
    document = json.loads(done.out)
    assert document["source"]["ignored"] == ["context_size", "live"]
    assert document["results"][0]["snippet"] == "Some wor…"


async def test_the_same_search_is_answered_from_disk_and_says_so(limen, monkeypatch):
    async with serve({"/search": answering("a.example")}) as server:
        monkeypatch.setenv("SEARXNG_URL", server.url("").rstrip("/"))
        first, second = [await limen("search", "heron", "--limit", "1", "-v") for _ in range(2)]
        live = await limen("search", "heron", "--limit", "1", "--live")
    assert len(server.received) == 2
    assert all("https://a.example/a" in done.out for done in (first, second, live))
    assert second.err.startswith("memo.hit: heron: searxng answered ")
    assert "searxng · cached " in second.err
    assert "cached" not in live.err


async def test_nothing_found_is_said_as_that_and_a_failure_as_its_own(limen, monkeypatch):
    done, _ = await searched(limen, monkeypatch, answering(), "heron")
    assert (done.status, done.out) == (0, "")
    assert 'no results for "heron" from searxng' in done.err
    blocked = answering(unresponsive_engines=[["startpage", "Suspended: CAPTCHA"]])
    done, _ = await searched(limen, monkeypatch, blocked, "stork")
    assert done.status == 1
    assert "startpage (Suspended: CAPTCHA)" in done.err
    assert "[search.engines_failed]" in done.err


async def test_the_library_behind_a_failed_vendor_answers_and_says_so(limen, monkeypatch, tmp_path):
    (tmp_path / "tea.md").write_text(TEA)
    assert (await limen("library", "add", "tea.md")).status == 0
    done, _ = await searched(limen, monkeypatch, reply("down", status=503), "how long to steep green tea")
    assert "Steeping" in done.out
    said = "searxng answered with status 503: try again later, or choose another provider"
    assert done.err.endswith(f"library · failed: searxng: search.failed · {said}\n")


async def test_blocked_hits_are_counted(limen, monkeypatch):
    monkeypatch.setenv("LIMEN_WEB_BLOCKED_DOMAINS", "a.example")
    done, _ = await searched(limen, monkeypatch, answering("x.a.example", "b.example"), "heron", "--limit", "2", "-v")
    assert "x.a.example" not in done.out
    assert "permission.blocked_domain: https://x.a.example/a: left out of the hits" in done.err
    assert done.err.endswith("searxng · 1 dropped by policy\n")


async def test_a_choice_that_cannot_search_is_refused_with_what_to_type(limen, monkeypatch):
    monkeypatch.setenv("LIMEN_WEB_SEARCH_BACKEND", "local")
    done, asked = await searched(limen, monkeypatch, answering("a.example"), "heron")
    assert (done.status, asked) == (3, [])
    assert "[web.extract_only]" in done.err
    assert "limen config set web.search_backend NAME, where NAME is one of: " in done.err


@pytest.mark.parametrize(
    "wrong",
    [("--recency-days", "0"), ("--max-chars", "0"), ("--type", "maps"), ("--context-size", "huge"), ("--recency-days", "soon")],
)
async def test_what_no_search_takes_is_wrong_usage(limen, wrong):
    assert (await limen("search", "heron", *wrong)).status == 2
