"""Tavily's requests and answers, as its documentation has them."""

import pytest
from builtin.web.asking import body, extract, path, said, search
from builtin.web.cases import SECRET, InlineReader, made, setup_of

from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.tavily import Tavily
from limen.core.web import Location

pytestmark = pytest.mark.anyio
MAKE = made(Tavily, reads=True)
A, B = "https://alder.test/a", "https://birch.test/b"


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(MAKE, said("tavily_search.json"), limit=50, allowed_domains=("alder.test",), region="de")
    assert path(request) == "/search"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    asked = body(request)
    assert (asked["query"], asked["max_results"], asked["topic"], asked["country"]) == ("gates", 20, "general", "germany")
    assert asked["include_domains"] == ["alder.test"]
    (hit,) = answer.hits
    assert (hit.title, hit.url, hit.snippet, hit.score) == ("Gate", "https://alder.test/g", "A gate.", 0.91)
    assert hit.published == "2026-11-02T09:00:00Z"
    assert answer.source.ignored == ("limit",)


async def test_news_and_depth():
    answer, (request,) = await search(MAKE, said("tavily_search.json"), type="news", region="de", context_size="high")
    asked = body(request)
    assert (asked["topic"], asked["search_depth"], asked["chunks_per_source"]) == ("news", "advanced", 3)
    assert "country" not in asked
    assert answer.source.ignored == ("region",)


async def test_a_country_it_cannot_name_is_said():
    answer, (request,) = await search(MAKE, said("tavily_search.json"), region="fo")
    assert "country" not in body(request)
    assert answer.source.ignored == ("region",)


async def test_where_the_person_is_counts_where_nothing_else_was_said():
    def make(client, url, timeout_s):
        return Tavily(setup_of(client, url, timeout_s, location=Location(country="FR")), InlineReader())

    _, (request,) = await search(make, said("tavily_search.json"))
    assert body(request)["country"] == "france"
    _, (request,) = await search(make, said("tavily_search.json"), region="de")
    assert body(request)["country"] == "germany"


async def test_pages_and_what_could_not_be_read():
    pulled, (request,) = await extract(MAKE, said("tavily_extract.json"), A, B)
    asked = body(request)
    assert (asked["urls"], asked["format"]) == ([A, B], "markdown")
    assert pulled[A].page.text == "# A\n\nText."
    assert pulled[B].refusal.code == "extract.page_failed"
    assert "Failed to fetch url" in pulled[B].refusal.reason


async def test_more_pages_than_one_request_takes_are_asked_for_in_several():
    urls = [f"https://alder.test/{number}" for number in range(45)]
    _, received = await extract(MAKE, said("tavily_extract.json"), *urls)
    assert sorted(len(body(request)["urls"]) for request in received) == [5, 20, 20]


async def test_without_a_key_it_asks_only_where_that_was_chosen():
    make = made(Tavily, keyed=False, reads=True)
    _, (request,) = await search(make, said("tavily_search.json"))
    assert request.headers["x-tavily-access-mode"] == "keyless"
    assert "authorization" not in request.headers
    refusal = Tavily(Setup(lambda: None, keyless=False), InlineReader()).unavailable()
    assert refusal.code == "web.no_key"
    assert "TAVILY_API_KEY" in refusal.mend


async def test_spent_plans_are_told_apart():
    for status, code in ((402, "search.billing"), (432, "search.quota"), (433, "search.quota"), (429, "search.rate_limited")):
        from_vendor = f'{{"detail": {{"error": "This is status {status}."}}}}'
        answer, _ = await search(MAKE, said(from_vendor).replace(b"200", str(status).encode(), 1))
        assert answer.refusal.code == code
        assert f"This is status {status}." in answer.refusal.reason


async def test_a_question_longer_than_it_takes_is_cut_and_that_is_said():
    answer, (request,) = await search(MAKE, said("tavily_search.json"), query="why does a gate " * 100)
    assert len(body(request)["query"]) <= 400
    assert answer.source.ignored == ("query (its end)",)
