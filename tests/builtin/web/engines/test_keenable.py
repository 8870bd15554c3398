"""Keenable's requests and answers, with a key and without."""

import pytest
from builtin.web.asking import body, extract, path, query, said, search
from builtin.web.cases import SECRET, made

from limen.builtin.web.engines.keenable import Keenable

pytestmark = pytest.mark.anyio
MAKE, PUBLIC = made(Keenable, reads=True), made(Keenable, keyed=False, reads=True)
A = "https://alder.test/a?x=1&y=2"


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(MAKE, said("keenable_search.json"), allowed_domains=("alder.test",), max_chars=300)
    assert path(request) == "/v1/search"
    assert (request.headers["x-api-key"], request.headers["x-keenable-title"]) == (SECRET, "Limen")
    asked = body(request)
    assert (asked["query"], asked["site"], asked["snippet_max_length"]) == ("gates", "alder.test", 300)
    assert answer.hits[0].published == "2026-10-01T06:30:00Z"
    assert answer.source.ignored == ()


async def test_of_several_sites_none_is_asked_for():
    answer, (request,) = await search(MAKE, said("keenable_search.json"), allowed_domains=("a.test", "b.test"))
    assert "site" not in body(request)
    assert answer.source.ignored == ("allowed_domains",)


async def test_without_a_key_it_asks_on_the_public_paths():
    _, (request,) = await search(PUBLIC, said("keenable_search.json"))
    assert path(request) == "/v1/search/public"
    assert "x-api-key" not in request.headers
    pulled, (request,) = await extract(PUBLIC, said("keenable_fetch.json"), A, fresh=True)
    assert path(request) == "/v1/fetch/public"
    assert "live" not in query(request)
    assert (pulled[A].ignored, pulled[A].snapshot_at) == (("fresh",), "2026-11-01T00:00:00Z")


async def test_with_a_key_a_page_is_read_live():
    pulled, (request,) = await extract(MAKE, said("keenable_fetch.json"), A)
    assert path(request) == "/v1/fetch"
    assert (query(request)["url"], query(request)["live"]) == (A, "true")
    assert (pulled[A].page.url, pulled[A].page.author) == ("https://alder.test/a", "Ada")
    assert (pulled[A].snapshot_at, pulled[A].ignored) == ("", ())
