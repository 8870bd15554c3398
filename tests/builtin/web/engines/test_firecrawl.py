"""Firecrawl's requests and answers: the vendor, an instance of one's own, a gateway."""

import json

import pytest
from builtin.web.asking import body, extract, path, said, search
from builtin.web.cases import SECRET, InlineReader, made
from builtin.web.shapes import recorded

from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.firecrawl import Firecrawl
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
MAKE = made(Firecrawl, reads=True)
A = "https://alder.test/a"


async def test_a_search_in_the_vendors_words():
    answer, (request,) = await search(
        MAKE, said("firecrawl_search.json"), allowed_domains=("a.test",), region="de", recency_days=7
    )
    assert path(request) == "/v2/search"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    asked = body(request)
    assert (asked["query"], asked["sources"], asked["country"]) == ("gates site:a.test", [{"type": "web"}], "DE")
    assert asked["tbs"].startswith("cdr:1,cd_min:")
    assert "scrapeOptions" not in asked
    assert [hit.url for hit in answer.hits] == ["https://alder.test/g"]


async def test_news_and_images_come_from_their_own_lists():
    answer, _ = await search(MAKE, said("firecrawl_search.json"), type="news")
    assert [(hit.url, hit.published) for hit in answer.hits] == [("https://news.test/1", "3 weeks ago")]
    answer, _ = await search(MAKE, said("firecrawl_search.json"), type="images")
    (image,) = answer.hits
    assert (image.image_url, image.width, image.height) == ("https://alder.test/g.png", 640, 480)
    assert image.url == "https://alder.test/g"


async def test_older_instances_give_one_list():
    rows = json.loads(recorded("firecrawl_search.json"))["data"]["web"]
    answer, _ = await search(MAKE, said(json.dumps({"success": True, "data": rows})))
    assert [hit.url for hit in answer.hits] == ["https://alder.test/g"]
    answer, _ = await search(MAKE, said('{"success": true, "data": {}}'))
    assert (answer.hits, answer.refusal) == ((), None)


@pytest.mark.parametrize("data", ["null", "17", '"x"'])
async def test_no_list_at_all_is_not_an_empty_one(data):
    answer, _ = await search(MAKE, said(f'{{"success": true, "data": {data}}}'))
    assert answer.refusal.code == "search.malformed"


async def test_a_page_is_read_now():
    pulled, (request,) = await extract(MAKE, said("firecrawl_scrape.json"), A)
    assert path(request) == "/v2/scrape"
    asked = body(request)
    assert (asked["url"], asked["formats"], asked["maxAge"]) == (A, ["markdown"], 0)
    assert pulled[A].page.url == "https://alder.test/moved"
    assert pulled[A].snapshot_at == "2026-11-30T09:00:00Z"


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (500, {"success": False, "code": "SCRAPE_ALL_ENGINES_FAILED", "error": "All engines failed"}),
        (403, {"success": False, "error": "We apologize for the inconvenience but we do not support this site."}),
        (408, {"success": False, "code": "SCRAPE_TIMEOUT", "error": "Timed out"}),
    ],
)
async def test_some_statuses_speak_of_the_page_and_not_of_the_key(status, answer):
    pulled, _ = await extract(MAKE, json_reply(json.dumps(answer), status=status), A)
    assert pulled[A].refusal.code == "extract.page_failed"


def test_an_instance_of_ones_own_needs_no_key():
    bare = Setup(lambda: None, keyless=False)
    assert Firecrawl(bare, InlineReader()).unavailable().code == "web.no_key"
    assert Firecrawl(Setup(lambda: None, base_url="http://crawl.test", keyless=False), InlineReader()).unavailable() is None
    assert Firecrawl(Setup(lambda: None), InlineReader()).unavailable() is None
