"""Exa's requests and answers, with a key and without."""

import json

import pytest
from builtin.web.asking import body, extract, path, said, search
from builtin.web.cases import SECRET, made, public
from builtin.web.shapes import mcp, recorded

from limen.builtin.web.engines.exa import Exa

pytestmark = pytest.mark.anyio
MAKE, PUBLIC = made(Exa, reads=True), public(Exa)
A, B = "https://alder.test/a", "https://birch.test/b"


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(
        MAKE,
        said("exa_search.json"),
        limit=7,
        blocked_domains=("x.test",),
        region="pt-BR",
        live=True,
        recency_days=3,
        type="news",
    )
    assert path(request) == "/search"
    assert request.headers["x-api-key"] == SECRET
    asked = body(request)
    assert (asked["numResults"], asked["excludeDomains"], asked["userLocation"], asked["category"]) == (
        7,
        ["x.test"],
        "BR",
        "news",
    )
    assert asked["contents"]["maxAgeHours"] == 0
    assert asked["startPublishedDate"].endswith("T00:00:00.000Z")
    (hit,) = answer.hits
    assert hit.snippet == "A gate refuses. … Or passes on."
    assert hit.published == "2026-10-01T00:00:00Z"


async def test_a_whole_passage_is_text_and_no_highlights():
    _, (request,) = await search(MAKE, said("exa_search.json"), context_size="high", max_chars=900)
    assert body(request)["contents"] == {"text": {"maxCharacters": 900}}


async def test_pages_are_read_now_and_matched_by_what_was_asked():
    pulled, (request,) = await extract(MAKE, said("exa_contents.json"), A, B)
    asked = body(request)
    assert (asked["urls"], asked["text"], asked["maxAgeHours"]) == ([A, B], True, 0)
    assert (pulled[A].page.url, pulled[A].page.author) == ("https://alder.test/moved", "Ada")
    assert pulled[A].page.published == "2026-10-01T00:00:00Z"
    assert (pulled[B].refusal.code, pulled[B].refusal.detail["status"]) == ("extract.page_status", 404)


async def test_all_pages_lost_are_their_own_failures():
    lost = {"results": [], "statuses": [{"id": A, "status": "error", "error": {"tag": "CRAWL_TIMEOUT"}}]}
    pulled, _ = await extract(MAKE, said(json.dumps(lost)), A)
    assert pulled[A].refusal.code == "extract.page_failed"
    assert "CRAWL_TIMEOUT" in pulled[A].refusal.reason


async def test_without_a_key_it_asks_the_public_endpoint():
    answer, (request,) = await search(PUBLIC, said(mcp(recorded("exa_mcp_search.txt"))), limit=4)
    assert path(request) == "/mcp"
    assert body(request)["params"] == {"name": "web_search_exa", "arguments": {"query": "gates", "numResults": 4}}
    assert "x-api-key" not in request.headers
    first, second = answer.hits
    assert (first.title, first.url) == ("Gate: a short history", "https://alder.test/g")
    assert first.snippet == "A gate refuses. ... Or passes on."
    assert (first.published, second.url) == ("2026-10-01T00:00:00Z", "https://birch.test/c")
    assert second.snippet == "Fold them over an endpoint."


async def test_the_older_form_of_the_public_answer_is_read_too():
    text = (
        "Title: Gate\nAuthor: Ada\nPublished Date: 2026-10-01\nURL: https://alder.test/g\nText: A gate refuses.\n\nOr passes on."
    )
    answer, _ = await search(PUBLIC, said(mcp(text)))
    (hit,) = answer.hits
    assert (hit.url, hit.snippet, hit.published) == ("https://alder.test/g", "A gate refuses. Or passes on.", "2026-10-01")


async def test_a_public_answer_of_no_known_form_is_no_empty_answer():
    answer, _ = await search(PUBLIC, said(mcp("Here is what I found: lots of things.")))
    assert answer.refusal.code == "search.malformed"


async def test_the_free_limit_is_a_rate_limit():
    answer, _ = await search(PUBLIC, said(mcp("You've hit Exa's free MCP rate limit.", is_error=True)))
    assert answer.refusal.code == "search.rate_limited"


async def test_a_page_from_the_public_endpoint():
    text = "# A title\nURL: https://alder.test/moved\nAuthor: Ada\n\nFirst.\n\nSecond."
    pulled, (request,) = await extract(PUBLIC, said(mcp(text)), A, fresh=True)
    assert body(request)["params"]["arguments"]["urls"] == [A]
    page = pulled[A].page
    assert (page.url, page.title, page.author, page.text) == ("https://alder.test/moved", "A title", "Ada", "First.\n\nSecond.")
    assert pulled[A].ignored == ("fresh",)
