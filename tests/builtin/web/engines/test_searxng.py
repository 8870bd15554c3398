"""SearXNG's answers, and the ways in which engines fail there."""

import json

import pytest
from builtin.web.asking import query, said, search
from builtin.web.cases import made

from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.searxng import Searxng
from limen.testing.network import reply
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
MAKE = made(Searxng, keyed=False)


async def test_hits_by_score_and_the_engines_that_failed():
    answer, (request, *_) = await search(MAKE, said("searxng.json"), limit=2, region="br-pt", recency_days=7)
    asked = query(request)
    assert (asked["q"], asked["format"], asked["categories"]) == ("gates", "json", "general")
    assert (asked["language"], asked["time_range"]) == ("pt-BR", "week")
    assert [(hit.url, hit.snippet) for hit in answer.hits] == [
        ("https://alder.test/g", "A gate & more."),
        ("https://birch.test/c", "Fold them."),
    ]
    assert answer.source.engines_failed == ("startpage: Suspended: CAPTCHA",)


async def test_no_rows_and_failed_engines_are_no_empty_answer():
    answer, _ = await search(
        MAKE, said('{"results": [], "unresponsive_engines": [["startpage", "Suspended: CAPTCHA"], ["x", "timeout"]]}')
    )
    assert answer.refusal.code == "search.engines_failed"
    assert "startpage (Suspended: CAPTCHA)" in answer.refusal.reason
    assert answer.source.engines_failed == ("startpage", "x")


async def test_a_default_instance_gives_no_json():
    answer, _ = await search(MAKE, reply("<title>403 Forbidden</title>", status=403))
    assert answer.refusal.code == "search.json_disabled"
    assert "search.formats" in answer.refusal.mend
    assert "limiter" in answer.refusal.mend


async def test_images_have_a_file_and_a_size():
    answer, (request, *_) = await search(MAKE, said("searxng_images.json"), type="images", limit=1)
    assert query(request)["categories"] == "images"
    (hit,) = answer.hits
    assert (hit.image_url, hit.url, hit.width, hit.height) == ("https://alder.test/g.png", "https://alder.test/g", 640, 480)


async def test_pages_are_turned_until_there_are_enough():
    async def paged(request, stream):
        page = int(query(request)["pageno"])
        rows = [{"url": f"https://p{page}.test/{n}", "title": "t", "content": "c"} for n in range(10 if page < 3 else 0)]
        await stream.send(json_reply(json.dumps({"results": rows})))

    answer, received = await search(MAKE, paged, limit=15)
    assert (len(answer.hits), len(received)) == (15, 2)
    answer, received = await search(MAKE, paged, limit=100)
    assert (len(answer.hits), len(received)) == (20, 3)


async def test_an_instance_that_knows_no_pages_is_not_asked_for_five():
    answer, received = await search(MAKE, said("searxng.json"), limit=50)
    assert (len(answer.hits), len(received)) == (2, 2)


async def test_a_later_page_that_fails_costs_itself():
    async def paged(request, stream):
        if query(request)["pageno"] == "2":
            await stream.send(json_reply("{}", status=429))
        await stream.send(json_reply('{"results": [{"url": "https://a.test/"}]}'))

    answer, _ = await search(MAKE, paged, limit=5)
    assert len(answer.hits) == 1
    assert answer.source.engines_failed == ("page 2: search.rate_limited",)


async def test_a_span_it_does_not_have_is_widened_and_said():
    answer, (request, *_) = await search(MAKE, said("searxng.json"), recency_days=3, limit=1)
    assert query(request)["time_range"] == "week"
    assert answer.source.ignored == ("recency_days (taken as a week)",)
    answer, (request, *_) = await search(MAKE, said("searxng.json"), recency_days=1_000, limit=1)
    assert "time_range" not in query(request)
    assert answer.source.ignored == ("recency_days",)


def test_it_needs_an_instance():
    assert "SEARXNG_URL" in Searxng(Setup(lambda: None)).unavailable().mend
