"""Parallel's requests and answers, with a key and without."""

import json

import pytest
from builtin.web.asking import body, extract, path, said, search
from builtin.web.cases import SECRET, made, public
from builtin.web.shapes import mcp, recorded

from limen.builtin.web.engines.parallel import Parallel

pytestmark = pytest.mark.anyio
MAKE, PUBLIC = made(Parallel, reads=True), public(Parallel)
A, B = "https://alder.test/a", "https://birch.test/b"


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(
        MAKE, said("parallel_search.json"), limit=7, allowed_domains=("a.test",), region="de", live=True, recency_days=3
    )
    assert path(request) == "/v1/search"
    assert request.headers["x-api-key"] == SECRET
    asked = body(request)
    assert (asked["search_queries"], asked["objective"], asked["mode"]) == (["gates"], "gates", "basic")
    settings = asked["advanced_settings"]
    assert (settings["max_results"], settings["location"]) == (7, "de")
    assert settings["source_policy"]["include_domains"] == ["a.test"]
    assert len(settings["source_policy"]["after_date"]) == 10
    assert settings["fetch_policy"] == {"max_age_seconds": 600}
    assert answer.hits[0].snippet == "A gate refuses. … Or passes on."
    assert answer.hits[0].published == "2026-10-01"


async def test_a_long_query_is_shortened_where_the_vendor_wants_it_short():
    long = "why does a gate " * 100
    _, (request,) = await search(MAKE, said("parallel_search.json"), query=long)
    asked = body(request)
    assert len(asked["search_queries"][0]) <= 200
    assert asked["objective"] == long.strip()


async def test_pages_and_what_could_not_be_read():
    pulled, (request,) = await extract(MAKE, said("parallel_extract.json"), A, B)
    assert path(request) == "/v1/extract"
    assert body(request)["advanced_settings"]["full_content"] is True
    assert pulled[A].page.text == "# A\n\nText."
    assert pulled[B].refusal.detail["status"] == 404


async def test_without_a_key_it_asks_the_public_endpoint():
    for answer_text in (mcp(recorded("parallel_search.json")), mcp("", structured=json.loads(recorded("parallel_search.json")))):
        answer, (request,) = await search(PUBLIC, said(answer_text))
        call = body(request)["params"]
        assert (call["name"], call["arguments"]["search_queries"]) == ("web_search", ["gates"])
        assert [hit.url for hit in answer.hits] == ["https://alder.test/g"]


async def test_calls_cannot_be_told_to_belong_together():
    _, (first,) = await search(PUBLIC, said(mcp(recorded("parallel_search.json"))))
    _, (second,) = await search(PUBLIC, said(mcp(recorded("parallel_search.json"))))
    assert body(first)["params"]["arguments"]["session_id"] != body(second)["params"]["arguments"]["session_id"]


async def test_a_public_page_may_be_markdown_as_it_is():
    pulled, _ = await extract(PUBLIC, said(mcp("# A\n\nText.")), A)
    assert pulled[A].page.text == "# A\n\nText."
    assert pulled[A].page.url == A
