"""The published JSON shapes of `extract`, `search` and `ask`: every documented field is there, with its documented type."""

import json

import pytest
from anyio.from_thread import start_blocking_portal
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.testing.network import reply, serve

TEA = "<html><head><title>Tea</title></head><body><h1>Tea</h1><p>Green tea is brewed at 80 degrees.</p></body></html>"
LONG = f"<html><body><h1>Long</h1>{'<p>One more paragraph about tea and its leaves.</p>' * 2_000}</body></html>"
TEXT, NUMBER, MAYBE = str, (int, float), (str, type(None))
SOURCE = {
    "final_url": TEXT, "provider": TEXT, "media_type": TEXT, "fetched_at": TEXT, "cached": bool, "age_s": NUMBER,
    "rescued_from": MAYBE, "rescue_cause": MAYBE, "ignored": list, "chars_total": int, "chars_shown": int, "stored_path": MAYBE,
    "cache_path": MAYBE, "next_line": (int, type(None)),
}  # fmt: skip
ENTRY = {"url": TEXT, "title": TEXT, "content": TEXT, "error": (dict, type(None))}
ERROR = {"code": TEXT, "gate": TEXT, "reason": TEXT, "mend": TEXT}
HIT = {
    "title": TEXT, "url": TEXT, "snippet": TEXT, "position": int, "ref": TEXT, "site": TEXT, "published": TEXT,
}  # fmt: skip
SEARCHED = {
    "provider": TEXT, "cached": bool, "age_s": NUMBER, "rescued_from": MAYBE, "rescue_cause": MAYBE, "engines_failed": list,
    "ignored": list,
}  # fmt: skip
ANSWER = {
    "answer": TEXT, "sources": list, "model": TEXT, "route": TEXT, "fell_back_from": MAYBE, "usage": dict, "ledger": list,
    "session": TEXT, "turn": TEXT, "pages": list, "unverified_quotes": list,
}  # fmt: skip
CITED = {"n": int, "title": TEXT, "url": TEXT, "read": bool, "ref": TEXT, "quotes": list}


def check(shape, fields):
    for name, kind in fields.items():
        assert name in shape, f"{name} is missing"
        assert isinstance(shape[name], kind), f"{name} is {shape[name]!r}"
        assert bool in (kind if isinstance(kind, tuple) else (kind,)) or not isinstance(shape[name], bool), name


@pytest.fixture(scope="module")
def site():
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serve({"/tea": reply(TEA), "/long": reply(LONG)})) as server,
    ):
        yield server


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path, site):
    monkeypatch.delenv("LIMEN_MODEL", raising=False)
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def test_a_page(limen, site):
    (entry,) = json.loads(limen("extract", site.url("/tea"), "--json").out)["results"]
    check(entry, ENTRY)
    check(entry["source"], SOURCE)
    assert entry["error"] is None
    assert (entry["source"]["provider"], entry["source"]["cached"], entry["source"]["next_line"]) == ("local", False, None)
    assert entry["source"]["chars_total"] == entry["source"]["chars_shown"] == len(entry["content"])


def test_a_page_that_is_cut_says_where_to_go_on(limen, site):
    (entry,) = json.loads(limen("extract", site.url("/long"), "--json").out)["results"]
    check(entry["source"], SOURCE)
    source = entry["source"]
    assert source["chars_shown"] < source["chars_total"]
    assert isinstance(source["next_line"], int)
    rest = json.loads(limen("open", source["stored_path"], "--line", str(source["next_line"]), "--json").out)
    assert rest["first_line"] == source["next_line"]
    assert rest["text"].split("\n")[0] in ("", "One more paragraph about tea and its leaves.")


def test_what_failed_keeps_its_place_and_says_why(limen, site, monkeypatch):
    monkeypatch.setenv("LIMEN_SECURITY_WEBSITE_BLOCKLIST_ENABLED", "true")
    monkeypatch.setenv("LIMEN_SECURITY_WEBSITE_BLOCKLIST_DOMAINS", "93.184.216.34")
    urls = [site.url("/missing"), site.url("/tea"), "http://93.184.216.34/", "http://10.0.0.1/"]
    done = limen("extract", *urls, "--json")
    assert done.status == 3
    results = json.loads(done.out)["results"]
    assert [entry["url"] for entry in results] == urls
    for entry in results:
        check(entry, ENTRY)
        if entry["error"] is not None:
            check(entry["error"], ERROR)
            assert entry["content"] == ""
    assert [entry["error"] and entry["error"]["code"] for entry in results] == [
        "network.http_status", None, "policy.blocked", "network.private_address",
    ]  # fmt: skip
    assert results[2]["blocked_by_policy"] == {"host": "93.184.216.34", "rule": "93.184.216.34", "source": "config"}


def test_a_call_refused_whole(limen, site):
    document = json.loads(limen("extract", site.url("/tea"), site.url("/tea?token=tulip"), "--json").out)
    check(document["error"], ERROR)
    assert document["results"] == []


def test_hits(limen, tmp_path):
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n")
    limen("library", "add", str(tmp_path / "tea.md"))
    document = json.loads(limen("search", "green tea", "--json").out)
    check(document["source"], SEARCHED)
    (hit,) = document["results"]
    check(hit, HIT)
    assert hit["ref"].startswith("lib:")
    assert limen("open", hit["ref"]).status == 0


def test_no_results_and_no_search_are_different_answers(limen):
    nothing = json.loads(limen("search", "xyzzy", "--json").out)
    assert nothing["results"] == []
    check(nothing["source"], SEARCHED)
    assert "error" not in nothing
    failed = limen("search", "xyzzy", "--provider", "librari", "--json")
    assert failed.status == 1
    check(json.loads(failed.out)["error"], ERROR)
    assert "'library'" in json.loads(failed.out)["error"]["reason"]


def test_an_answer(limen, site):
    document = json.loads(limen("ask", "At how many degrees is green tea brewed?", "--url", site.url("/tea"), "--json").out)
    check(document, ANSWER)
    for source in document["sources"]:
        check(source, CITED)
        for quote in source["quotes"]:
            check(quote, {"text": TEXT, "line": int})
    assert document["sources"][0]["quotes"]
    check(document["usage"], {"input_tokens": int, "output_tokens": int})
    assert document["pages"] == [{"url": site.url("/tea"), "read": True, "error": None}]


def test_an_answer_that_failed_has_the_same_fields_and_an_error(limen):
    document = json.loads(limen("ask", "x", "--model", "openai/gpt-4o", "--json").out)
    check(document, {**ANSWER, "model": MAYBE, "route": MAYBE})
    check(document["error"], ERROR)
