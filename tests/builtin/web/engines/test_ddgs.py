"""The `ddgs` package in its child process: what it finds, who turned it away, and that it ends when it must.

A stand-in with the package's face is put where the child finds it.
"""

import os

import anyio
import pytest

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.ddgs import Ddgs
from limen.core.context import CallContext
from limen.core.web import Location, SearchRequest

pytestmark = pytest.mark.anyio

FACE = """
class DDGS:
    def __init__(self, timeout=None):
        self.timeout = timeout

    def text(self, query, **options):
        return run("text", query, options)

    def news(self, query, **options):
        return run("news", query, options)

    def images(self, query, **options):
        return run("images", query, options)
"""
EXCEPTIONS = """
class DDGSException(Exception): pass
class RatelimitException(DDGSException): pass
class TimeoutException(DDGSException): pass
"""
CLIENT = """
class Response:
    def __init__(self, status): self.status_code = status

class HttpClient:
    def request(self, method, url): return Response(int(url.rpartition("/")[2]))
"""


TURNED_AWAY = 'base.HttpClient().request("GET", "https://d.test/202")'


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs a stand-in whose searches run the given code, with `kind`, `query` and `options`."""

    def install(code):
        folder = tmp_path / "ddgs"
        folder.mkdir()
        (folder / "exceptions.py").write_text(EXCEPTIONS)
        (folder / "base.py").write_text(CLIENT)
        lines = "\n    ".join(code.strip().split("\n"))
        head = "import os, sys, time\nfrom ddgs import base\nfrom ddgs.exceptions import *\n"
        (folder / "__init__.py").write_text(f"{head}\ndef run(kind, query, options):\n    {lines}\n{FACE}")
        monkeypatch.syspath_prepend(tmp_path)

    return install


def ddgs(environment=None, **setup):
    return Ddgs(Setup(lambda: None, **setup), environment)


async def search(query="gates", *, provider=None, context=None, **options):
    return await (provider or ddgs()).search(SearchRequest(query, **options), context or CallContext())


async def test_rows_become_hits_and_options_reach_the_package(package):
    package('print("noise"); return [{"title": str(options), "href": "https://a.test/", "body": f"{kind} {query}"}]')
    answer = await search(limit=3, region="br-pt", recency_days=7, allowed_domains=("a.test",))
    (hit,) = answer.hits
    assert hit.title == "{'max_results': 3, 'region': 'br-pt', 'timelimit': 'w'}"
    assert hit.snippet == "text gates site:a.test"
    assert answer.source.ignored == ()
    answer = await search(provider=ddgs(location=Location("GB")), recency_days=3)
    assert "'region': 'uk-en'" in answer.hits[0].title
    assert answer.source.ignored == ("recency_days (taken as a week)",)


async def test_news_and_images_have_their_fields(package):
    package(
        """
if kind == "news": return [{"date": "2026-10-01T00:00:00+00:00", "title": "N", "body": "b", "url": "https://n.test/"}]
return [{"title": "I", "image": "https://i.test/1.png", "url": "https://i.test/", "width": "640", "height": "big"}]
"""
    )
    (news,) = (await search(type="news")).hits
    assert (news.url, news.published) == ("https://n.test/", "2026-10-01T00:00:00Z")
    (image,) = (await search(type="images")).hits
    assert (image.title, image.url, image.image_url) == ("I", "https://i.test/", "https://i.test/1.png")
    assert (image.width, image.height) == (640, None)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('raise RatelimitException("202 Ratelimit")', "search.rate_limited"),
        ('raise TimeoutException("timed out")', "network.timeout"),
        ('raise DDGSException("engine broke")', "search.failed"),
        ('raise ValueError("a bug")', "search.failed"),
        ("os._exit(3)", "search.failed"),
        ("return [17]", "search.malformed"),
        ('return [{"title": 3}]', "search.malformed"),
        ("return ['x' * 20_000_000]", "search.too_large"),
        (
            'base.HttpClient().request("GET", "https://d.test/202"); raise DDGSException("No results found.")',
            "search.provider_blocked",
        ),
        ('base.HttpClient().request("GET", url="https://d.test/403"); raise DDGSException("none")', "search.provider_blocked"),
    ],
)
async def test_what_goes_wrong_has_its_code(package, code, expected):
    package(code)
    answer = await search()
    assert answer.refusal.code == expected, answer.refusal
    assert answer.refusal.mend


async def test_a_query_that_is_no_text_is_refused(package):
    package("return []")
    assert (await search("half a pair \udc80")).refusal.code == "search.request"


async def test_nothing_found_is_no_failure(package):
    package('base.HttpClient().request("GET", "https://d.test/200"); raise DDGSException("No results found.")')
    answer = await search()
    assert (answer.hits, answer.refusal) == ((), None)


async def test_engines_that_turned_it_away_are_named_beside_the_hits(package):
    package(
        'base.HttpClient().request("GET", "https://d.test/202"); return [{"title": "t", "href": "https://a.test/", "body": "b"}]'
    )
    answer = await search()
    assert len(answer.hits) == 1
    assert answer.source.engines_failed == ("d.test: 202",)


def sleeping(pid):
    """Code that says which process it is, whole, and sleeps."""
    new = f"{pid}.new"
    return f'open({new!r}, "w").write(str(os.getpid()))\nos.rename({new!r}, {str(pid)!r})\ntime.sleep(600)'


def is_running(pid):
    try:
        os.kill(int(pid.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_ends_at_its_deadline_and_leaves_no_process(package, tmp_path):
    package(sleeping(tmp_path / "pid"))
    answer = await search(provider=ddgs(limits=Limits(timeout_s=3.0)))
    assert answer.refusal.code == "network.timeout"
    assert not is_running(tmp_path / "pid")


async def test_an_interrupt_ends_it(package, tmp_path):
    package(sleeping(tmp_path / "pid"))
    answer = await search(context=CallContext(cancelled=(tmp_path / "pid").exists))
    assert answer.refusal.code == "web.interrupted"
    assert not is_running(tmp_path / "pid")


async def test_a_cancelled_call_leaves_no_process(package, tmp_path):
    package(sleeping(tmp_path / "pid"))
    async with anyio.create_task_group() as group:
        group.start_soon(search)
        while not (tmp_path / "pid").exists():  # noqa: ASYNC110 - another process makes it
            await anyio.sleep(0.02)
        group.cancel_scope.cancel()
    assert not is_running(tmp_path / "pid")


async def test_the_child_holds_none_of_our_secrets(package):
    package('return [{"title": " ".join(sorted(os.environ)), "href": "https://a.test/", "body": os.environ.get("PATH", "")}]')
    provider = ddgs(environment={"PATH": "/bin", "TAVILY_API_KEY": "x", "DDGS_PROXY": "socks5://p", "HOME": "/h"})
    (hit,) = (await search(provider=provider)).hits
    assert "API_KEY" not in hit.title
    assert "DDGS_PROXY" in hit.title
    assert hit.snippet == "/bin"


async def test_without_the_package_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("sys.path", [])
    refusal = ddgs().unavailable()
    assert refusal.code == "web.not_installed"
    assert refusal.mend == "pip install 'limen-agent[ddgs]'"
    assert (await search()).refusal == refusal
