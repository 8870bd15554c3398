"""Documentation sites by their own index: what is asked of a site, what is found there, and who is never asked."""

import gzip
import zlib
from contextlib import suppress
from urllib.parse import urlsplit

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.domains.docs_sitemap import DocsSitemap
from limen.builtin.web.domains.page_list import Listed, best, page_of, plain_words
from limen.builtin.web.domains.site_index import SiteIndexes
from limen.builtin.web.domains.sphinx_inventory import read_inventory
from limen.builtin.web.sites import Sites
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.web import SearchRequest
from limen.kit.plain_xml import BadXML
from limen.kit.sitemap import read_sitemap, sitemaps_in, unpack
from limen.net.client import AddressPolicy, new_client
from limen.net.fetch import Fetch, fetch
from limen.testing.network import never, redirect, reply, serve

pytestmark = pytest.mark.anyio
KNOWN = frozenset({"docs.python.org", "manual.test"})
SPHINX_PAGE = '<html><head><script src="_static/documentation_options.js"></script></head><body>Docs</body></html>'


def inventory(*lines, project="Python", version="3.14"):
    head = (
        f"# Sphinx inventory version 2\n# Project: {project}\n# Version: {version}\n# The remainder is compressed using zlib.\n"
    )
    return head.encode() + zlib.compress("\n".join(lines).encode())


def urlset(*urls):
    entries = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>" for url in urls)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def index(*urls):
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


def packed(data):
    return f"HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data


PYTHON = inventory(
    "asyncio.timeout py:function 1 library/asyncio-task.html#$ -",
    "asyncio.timeout_at py:function 1 library/asyncio-task.html#$ -",
    "socket.timeout py:exception 1 library/socket.html#$ -",
    "asyncio.Task.cancel py:method 1 library/asyncio-task.html#$ -",
    "library/asyncio-task std:doc -1 library/asyncio-task.html Coroutines and tasks",
    "tut-errors std:label 1 tutorial/errors.html#$ Errors and Exceptions",
    "not a line",
    "evil py:function 1 https://evil.test/x -",
)


class Asked:
    """A site on the loopback, under the names that it is asked by; `seen` holds what it was asked for."""

    def __init__(self, server, client):
        self.server = server
        self.client = client
        self.seen = []

    async def fetch(self, url, max_bytes):
        parts = urlsplit(url)
        self.seen.append(url)
        here = self.server.url(f"/{parts.hostname}{parts.path}")
        policy = AddressPolicy(allow_private_hosts=("127.0.0.0/8",))
        fetched = await fetch(self.client, here, policy=policy, max_bytes=max_bytes, total_timeout_s=10)
        if isinstance(fetched, Refusal):
            return fetched
        host, _, path = urlsplit(fetched.final_url).path[1:].partition("/")
        return msgspec.structs.replace(fetched, requested=url, final_url=f"https://{host}/{path}")


async def ask(routes, question, context=None, *, rounds=1, **options):
    """The answer to a question and every address that was asked for."""
    async with serve(routes) as server, new_client(AddressPolicy(allow_private_hosts=("127.0.0.0/8",)), resolver=never) as client:
        asked = Asked(server, client)
        provider = DocsSitemap(Sites(asked.fetch, KNOWN, lambda: None), Limits(timeout_s=20))
        for _ in range(rounds):
            answer = await provider.search(SearchRequest(question, **options), context or CallContext())
        return answer, asked.seen


SPHINX = {
    "/docs.python.org/": redirect("/docs.python.org/3/"),
    "/docs.python.org/3/": reply(SPHINX_PAGE),
    "/docs.python.org/3/objects.inv": packed(PYTHON),
}
PAGES = {
    "/manual.test/robots.txt": reply(
        "User-agent: *\nSitemap: https://manual.test/maps/all.xml\nsitemap: https://evil.test/x.xml\n"
    ),
    "/manual.test/maps/all.xml": reply(index("https://manual.test/maps/api.xml.gz", "https://manual.test/maps/guide.xml")),
    "/manual.test/maps/guide.xml": reply(
        urlset(
            "https://manual.test/guide/retry-policy.html",
            "https://manual.test/fr/guide/retry-policy.html",
            "https://evil.test/retry",
        )
    ),
    "/manual.test/maps/api.xml.gz": packed(gzip.compress(urlset("https://manual.test/api/client-timeout/").encode())),
}


async def test_symbols_of_a_sphinx_manual():
    answer, seen = await ask(SPHINX, "asyncio timeout", allowed_domains=("docs.python.org",))
    assert answer.refusal is None, answer.refusal
    first = answer.hits[0]
    assert (first.title, first.url) == ("asyncio.timeout", "https://docs.python.org/3/library/asyncio-task.html#asyncio.timeout")
    assert first.snippet == "py function, Python 3.14"
    assert seen == ["https://docs.python.org/", "https://docs.python.org/3/objects.inv"]
    assert not any("evil" in hit.url for hit in answer.hits)


async def test_a_symbol_named_exactly_comes_first():
    answer, _ = await ask(SPHINX, "docs.python.org asyncio.Task.cancel")
    assert answer.hits[0].title == "asyncio.Task.cancel"
    answer, _ = await ask(SPHINX, "what are errors and exceptions in the python docs")
    assert answer.hits[0].url == "https://docs.python.org/3/tutorial/errors.html#tut-errors"


async def test_pages_of_a_sitemap():
    answer, seen = await ask(PAGES, "retry policy", allowed_domains=("manual.test",))
    assert [hit.url for hit in answer.hits] == [
        "https://manual.test/guide/retry-policy.html",
        "https://manual.test/fr/guide/retry-policy.html",
    ]
    assert answer.hits[0].title == "retry policy"
    assert "https://evil.test/x.xml" not in seen
    answer, _ = await ask(PAGES, "client timeout", allowed_domains=("manual.test",))
    assert [hit.url for hit in answer.hits] == ["https://manual.test/api/client-timeout/"]
    answer, _ = await ask(PAGES, "retry policy", allowed_domains=("manual.test",), region="fr")
    assert len(answer.hits) == 2


async def test_the_question_is_told_to_nobody():
    _, seen = await ask(PAGES, "my secret project name", allowed_domains=("manual.test",))
    assert seen
    assert not any("secret" in url for url in seen)


async def test_an_index_is_kept_for_the_next_question():
    _, seen = await ask(SPHINX, "asyncio timeout", allowed_domains=("docs.python.org",), rounds=3)
    assert len(seen) == 2


async def test_nothing_that_fits_is_no_failure():
    answer, _ = await ask(PAGES, "quantum chromodynamics", allowed_domains=("manual.test",))
    assert (answer.refusal, answer.hits) == (None, ())


async def test_a_site_without_an_index_is_told_from_one_without_hits():
    answer, _ = await ask({"/manual.test/": reply("hello")}, "retry", allowed_domains=("manual.test",))
    assert answer.refusal.code == "search.no_index"
    assert answer.refusal.mend


BOMB = '<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
MAP = "/manual.test/sitemap.xml"


@pytest.mark.parametrize(
    "body",
    [
        reply(""), reply("<html><body>Not found</body></html>"), reply(BOMB), reply("<urlset><url><loc>https://manual.test/retry"),
        reply("no addresses here"),
        packed(b"\x1f\x8b\x08 broken"), packed(gzip.compress(b"<urlset/>")[:-6]), reply("\x00\x01\x02"),
        reply("<urlset></urlset>"),
        reply("x", status=404), reply("x", status=403), reply("<a>" * 100_000),
        packed(gzip.compress(b" " * 30_000_000)), reply("<url>" * 60 + "</url>" * 60),
    ],
)  # fmt: skip
async def test_an_index_that_cannot_be_read_is_none(body):
    answer, _ = await ask({MAP: body}, "retry", allowed_domains=("manual.test",))
    assert answer.refusal.code == "search.no_index", answer.refusal
    assert answer.hits == ()


async def test_a_failing_site_is_told_as_it_failed():
    answer, seen = await ask({"*": reply("x", status=503)}, "retry", allowed_domains=("manual.test",))
    assert (answer.refusal.code, answer.refusal.detail["status"], len(seen)) == ("network.http_status", 503, 1)


async def test_what_the_gates_refuse_is_passed_on():
    async def refusing(url, max_bytes):
        return Refusal("policy", "policy.blocked", f"{url} is blocked.", "look elsewhere")

    provider = DocsSitemap(Sites(refusing, KNOWN, lambda: None))
    answer = await provider.search(SearchRequest("x", allowed_domains=("docs.python.org",)), CallContext())
    assert (answer.refusal.gate, answer.refusal.code) == ("policy", "policy.blocked")


async def test_one_of_two_sites_that_fails_costs_itself():
    answer, _ = await ask(PAGES, "retry policy", allowed_domains=("manual.test", "docs.python.org"))
    assert len(answer.hits) == 2
    assert answer.source.engines_failed == ("docs.python.org: search.no_index",)


async def test_after_text_from_the_web_only_known_sites_are_read():
    tainted = CallContext(window_trust=Trust.WEB)
    answer, seen = await ask({"*": reply("x")}, "x", tainted, allowed_domains=("docs.c2VjcmV0.evil.test",))
    assert (answer.refusal.code, seen) == ("search.unknown_site", [])
    assert "web.documentation_hosts" in answer.refusal.mend
    answer, seen = await ask(PAGES, "retry policy", tainted, allowed_domains=("docs.evil.test", "manual.test"))
    assert len(answer.hits) == 2
    assert not any("evil" in url for url in seen)


async def test_without_a_site_or_outside_the_mode_nothing_is_asked():
    answer, seen = await ask(PAGES, "retry policy")
    assert (answer.refusal.code, seen) == ("search.unsupported", [])
    closed = DocsSitemap(Sites())
    assert closed.unavailable().code == "web.mode"
    assert (await closed.search(SearchRequest("docs.python.org x"), CallContext())).refusal.code == "web.mode"


async def test_interrupt_and_deadline_end_it():
    async def thinking(url, max_bytes):
        await anyio.sleep_forever()

    request = SearchRequest("x", allowed_domains=("docs.python.org",))
    provider = DocsSitemap(Sites(thinking, KNOWN, lambda: None), Limits(timeout_s=0.2))
    assert (await provider.search(request, CallContext())).refusal.code == "network.timeout"
    assert (await provider.search(request, CallContext(cancelled=lambda: True))).refusal.code == "web.interrupted"


async def test_few_sites_are_kept_and_for_a_while():
    now, asked = 0.0, []

    async def one(url, max_bytes):
        asked.append(url)
        body = urlset(f"https://{urlsplit(url).hostname}/page").encode()
        return Fetch(url, url, 200, {}, body)

    indexes = SiteIndexes(one, lambda: now)
    for number in range(6):
        await indexes.of(f"h{number}.test", [])
    assert len(indexes._kept) == 4
    before = len(asked)
    await indexes.of("h5.test", [])
    assert len(asked) == before
    now = 5_000.0
    await indexes.of("h5.test", [])
    assert len(asked) > before


def test_sitemaps_are_found_in_robots():
    assert sitemaps_in(
        b"Sitemap: https://a.test/1.xml\r\nSITEMAP:https://a.test/2.xml\nDisallow: /\nSitemap: https://a.test/1.xml"
    ) == [
        "https://a.test/1.xml",
        "https://a.test/2.xml",
    ]
    assert sitemaps_in(b"\xff\xfe nothing") == []


def test_plain_lines_are_a_sitemap_too():
    assert read_sitemap(b"https://a.test/1\nhttps://a.test/2\nrest\n", 1_000).pages == ("https://a.test/1", "https://a.test/2")


def test_a_stream_is_unpacked_to_its_bound():
    assert unpack(zlib.compress(b"x" * 100), 100) == b"x" * 100
    with pytest.raises(BadXML, match="more than"):
        unpack(zlib.compress(b"x" * 101), 100)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_readers(data):
    for read in (lambda: read_sitemap(data, 10_000), lambda: read_inventory(data, "https://a.test/", 10_000)):
        with suppress(BadXML):
            read()
    with suppress(BadXML):
        read_inventory(
            b"# Sphinx inventory version 2\n# Project: a\n# Version: 1\n#\n" + zlib.compress(data), "https://a.test/", 10_000
        )


@given(st.lists(st.text(max_size=40), max_size=8), st.lists(st.text(max_size=20), max_size=5))
def test_ranking_takes_whatever_it_is_given(titles, question):
    entries = [Listed(title, f"https://a.test/{title}") for title in titles]
    found = best(entries, question, "en", 3)
    assert len(found) <= 3
    assert all(match.entry in entries for match in found)


def test_pages_are_named_by_their_addresses():
    assert page_of("https://a.test/en/latest/user-guide/quick_start.html").title == "quick start"
    assert page_of("https://a.test/posts/getting-started/12345").title == "getting started"
    assert page_of("https://a.test/") is None
    assert page_of("https://a.test/%E6%97%A5%E6%9C%AC").title == "日本"
    assert page_of("https://[broken") is None
    assert plain_words("docs.python.org asyncio `timeout`?", "docs.python.org") == ["asyncio", "timeout"]
