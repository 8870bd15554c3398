"""`limen ask` over a real home: what it takes for a question, and what it says of the pages that were named."""

import json

import pytest
from anyio.from_thread import start_blocking_portal
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.testing.network import reply, serve

TEA = "<html><body><h1>Tea</h1><p>Green tea is brewed at 80 degrees, or it turns bitter.</p></body></html>"
APP = "<html><body><noscript>You need to enable JavaScript to run this app.</noscript><script src=/x.js></script></body></html>"
QUESTION = "At how many degrees is green tea brewed?"
PRIVATE = "http://10.0.0.1/"


@pytest.fixture(scope="module")
def site():
    routes = {"/tea": reply(TEA), "/app": reply(APP), "/empty": reply(""), "/nothing": b"HTTP/1.1 204 Said\r\n\r\n"}
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serve(routes)) as server:
        yield server


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path, site):
    """`limen(*arguments)` in this process, with the real runtime, and the site opened."""
    monkeypatch.delenv("LIMEN_MODEL", raising=False)
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def options(urls):
    return [word for url in urls for word in ("--url", url)]


@pytest.mark.parametrize(
    ("paths", "status", "code"),
    [
        (["/tea"], 0, None),
        (["/missing"], 1, "network.http_status"),
        (["/app"], 1, "reader.needs_browser"),
        (["/empty"], 1, "reader.empty_page"),
        (["/nothing"], 1, "reader.empty_page"),
        ([PRIVATE], 3, "network.private_address"),
        (["/missing", PRIVATE], 3, "network.private_address"),
        (["/missing", "/app"], 1, "network.http_status"),
        (["/missing", "/tea"], 0, None),
        ([PRIVATE, "/tea", "/tea"], 0, None),
        (["/tea?token=tulip"], 3, "secrets.parameter"),
        (["nonsense"], 3, "network.scheme"),
        ([""], 3, "network.malformed"),
        ([f"/tea?{number}" for number in range(7)], 1, "network.http_status"),
    ],
)
def test_the_status_says_whether_a_named_page_was_read(limen, site, paths, status, code):
    urls = [site.url(path) if path.startswith("/") else path for path in paths]
    site.routes["*"] = reply("no", status=404)
    if len(paths) > 5:
        del site.routes["/tea"]
    done = limen("ask", QUESTION, *options(urls), "--json")
    site.routes["/tea"] = reply(TEA)
    assert done.status == status
    document = json.loads(done.out)
    assert document.get("error", {}).get("code") == code
    if code is not None:
        assert f"[{code}]" in done.err
        assert urls[0] in document["error"]["reason"] + done.err
    assert limen("ask", QUESTION, *options(urls), "-q").status == (status if len(paths) <= 5 else 0)


def test_each_named_page_has_its_place_in_json(limen, site):
    urls = [site.url("/missing"), site.url("/tea"), PRIVATE]
    done = limen("ask", QUESTION, *options(urls), "--json")
    pages = json.loads(done.out)["pages"]
    assert [page["url"] for page in pages] == urls
    assert [page["read"] for page in pages] == [False, True, False]
    assert [page["error"] and page["error"]["code"] for page in pages] == ["network.http_status", None, "network.private_address"]
    for url in (urls[0], urls[2]):
        assert f"! not read: {url}" in done.err
    assert f"not read: {urls[1]}" not in done.err


def test_an_unread_page_is_said_even_when_quiet(limen, site):
    done = limen("ask", QUESTION, *options([site.url("/missing"), site.url("/tea")]), "-q")
    assert done.status == 0
    assert done.err.startswith("! not read: ")
    assert "80 degrees" in done.out


def test_a_redirected_page_counts_as_read(limen, site):
    site.routes["/moved"] = b"HTTP/1.1 302 Said\r\ncontent-length: 0\r\nlocation: /tea\r\n\r\n"
    done = limen("ask", QUESTION, "--url", site.url("/moved").upper().replace("HTTP", "http").replace("MOVED", "moved"), "--json")
    assert done.status == 0
    assert json.loads(done.out)["pages"][0]["read"] is True


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("LIMEN_WEB_MODE", "off", "web.mode"),
        ("LIMEN_WEB_MODE", "indexed", "web.mode"),
        ("LIMEN_TOOLS_TOOLSETS", "files", "web.no_toolset"),
    ],
)
def test_pages_that_may_not_be_read_at_all_are_refused(limen, site, monkeypatch, variable, value, code):
    monkeypatch.setenv(variable, value)
    done = limen("ask", QUESTION, "--url", site.url("/tea"), "--json")
    assert done.status == 3
    assert json.loads(done.out)["error"]["code"] == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "what", "is", "tea"], 'limen ask "what is tea"'),
        (["ask", "-what is tea"], 'limen ask -- "-what is tea"'),
        (["search", "green", "tea"], 'limen search "green tea"'),
        (["find", "lib:1", "green", "tea"], 'limen find lib:1 "green tea"'),
        (["ask", "x", "--nonsense"], "'--nonsense'"),
        (["ask", "x", "--session", ""], "key"),
        (["ask", "x", "--session", "a\nb"], "key"),
        (["ask", "x", "--session", "k" * 201], "key"),
        (["ask", "x", "--model", " "], "route"),
        (["ask", "x", "--no-tools", "--url", "https://example.org"], "--no-tools"),
    ],
)
def test_wrong_usage_is_answered_with_the_right_one(limen, arguments, said):
    done = limen(*arguments)
    assert done.status == 2
    assert said in done.err


def test_a_question_may_begin_with_a_dash(limen):
    assert limen("ask", "--", "-what is Limen?").status == 0


@pytest.mark.parametrize("key", ["a b", "../x", "日本", "'; drop", "a/b", "-x"])
def test_a_conversation_may_have_any_readable_key(limen, key):
    first = json.loads(limen("ask", "What is Limen?", "--session", key, "--json").out)
    assert first["session"] == key
    assert limen("sessions", "show", "--", key).status == 0


@pytest.mark.parametrize(
    ("route", "said"),
    [("opnai/gpt-4o", "did you mean openai?"), ("limen/extractiv", "limen/extractive?"), ("huggingface/", "huggingface/MODEL")],
)
def test_an_unknown_model_is_answered_with_the_nearest(limen, route, said):
    done = limen("ask", "x", "--model", route)
    assert done.status == 1
    assert said in done.err
