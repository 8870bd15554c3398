"""Brave's requests and answers: web, news, images, the LLM context, the free plan."""

import pytest
from builtin.web.asking import path, query, said, search
from builtin.web.cases import SECRET, made, setup_of

from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.brave import Brave, BraveFree
from limen.core.web import Location
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
MAKE = made(Brave)
FREE = made(BraveFree)


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(
        MAKE, said("brave_web.json"), allowed_domains=("a.test", "b.test"), region="de", recency_days=7, context_size="medium"
    )
    assert path(request) == "/web/search"
    assert request.headers["x-subscription-token"] == SECRET
    asked = query(request)
    assert (asked["q"], asked["country"], asked["count"]) == ("gates (site:a.test OR site:b.test)", "DE", "5")
    assert (asked["extra_snippets"], asked["text_decorations"]) == ("true", "false")
    assert "to20" in asked["freshness"]
    (hit,) = answer.hits
    assert (hit.title, hit.snippet) == ("Gate & fence", "A gate isn't a wall. … It refuses. … It passes on.")
    assert hit.published == "2026-10-01T00:00:00"


async def test_whole_passages_come_from_the_llm_context():
    answer, (request,) = await search(MAKE, said("brave_context.json"), context_size="high", limit=30)
    assert path(request) == "/llm/context"
    asked = query(request)
    assert (asked["count"], asked["maximum_number_of_urls"]) == ("30", "30")
    assert answer.hits[0].snippet == "A gate refuses.\n…\nOr passes on."
    assert answer.hits[0].published == "2026-10-01"
    assert answer.source.ignored == ()


async def test_news_and_images_have_endpoints_of_their_own():
    answer, (request,) = await search(MAKE, said("brave_news.json"), type="news")
    assert path(request) == "/news/search"
    assert answer.hits[0].url == "https://news.test/1"
    answer, (request,) = await search(MAKE, said("brave_images.json"), type="images")
    assert path(request) == "/images/search"
    assert (answer.hits[0].image_url, answer.hits[0].width) == ("https://alder.test/g.png", 640)


async def test_the_free_plan_has_the_web_search_alone():
    answer, (request,) = await search(FREE, said("brave_web.json"), type="news", context_size="high", limit=50)
    assert (path(request), query(request)["count"]) == ("/web/search", "20")
    assert set(answer.source.ignored) == {"type", "context_size", "limit"}
    answer, received = await search(FREE, said("brave_web.json"), type="images")
    assert (answer.refusal.code, received) == ("search.unsupported", [])


async def test_a_wrong_key_is_a_wrong_key_whatever_the_status():
    answer, _ = await search(MAKE, json_reply(said("brave_error.json").partition(b"\r\n\r\n")[2], status=422))
    assert answer.refusal.code == "search.auth"
    assert "token is invalid" in answer.refusal.reason


async def test_the_window_that_is_used_up_says_when_to_ask_again():
    headers = {"x-ratelimit-remaining": "0, 1500", "x-ratelimit-reset": "1, 1400000"}
    answer, _ = await search(MAKE, json_reply('{"error": {"code": "RATE_LIMITED"}}', status=429, headers=headers))
    assert answer.refusal.detail["retry_after_s"] == 1.0


async def test_long_queries_are_cut_to_what_it_takes():
    _, (request,) = await search(MAKE, said("brave_web.json"), query="gate " * 400)
    assert len(query(request)["q"]) <= 400
    assert len(query(request)["q"].split()) <= 50


async def test_where_the_person_is_stands_in_headers():
    place = Location("DE", "Hessen", "Köln", "Europe/Berlin")
    _, (request,) = await search(lambda *given: Brave(setup_of(*given, location=place)), said("brave_web.json"))
    assert (request.headers["x-loc-country"], request.headers["x-loc-timezone"]) == ("DE", "Europe/Berlin")
    assert "x-loc-city" not in request.headers  # a header holds no umlaut


def test_it_says_how_to_set_it_up():
    assert "BRAVE_SEARCH_API_KEY" in Brave(Setup(lambda: None)).unavailable().mend


@pytest.mark.parametrize(
    ("region", "country", "language", "ignored"),
    [
        ("br-pt", "BR", "pt-br", ()),
        ("pt-pt", "PT", "pt-pt", ()),
        ("tw-zh", "TW", "zh-hant", ()),
        ("jp-ja", "JP", "jp", ()),
        ("no-no", "NO", "nb", ()),
        ("ua", None, None, ("region",)),
        ("ie-ga", None, None, ("region",)),
        ("de-xx", "DE", None, ("region",)),
    ],
)
async def test_a_region_is_spelled_as_the_vendor_takes_it_or_left_out_and_said(region, country, language, ignored):
    answer, (request,) = await search(MAKE, said("brave_web.json"), region=region)
    asked = query(request)
    assert (asked.get("country"), asked.get("search_lang")) == (country, language)
    assert answer.source.ignored == ignored


async def test_images_have_no_age():
    answer, (request,) = await search(MAKE, said("brave_images.json"), type="images", recency_days=7, limit=60)
    assert "freshness" not in query(request)
    assert query(request)["count"] == "60"
    assert answer.source.ignored == ("recency_days",)


async def test_no_operator_is_cut_off_a_long_query():
    answer, (request,) = await search(MAKE, said("brave_web.json"), query="gate " * 400, blocked_domains=("alder.test",))
    assert query(request)["q"].endswith("gate -site:alder.test")
    assert answer.source.ignored == ("query (its end)",)
