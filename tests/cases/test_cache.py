"""Rows about what is kept and what is answered from it: never a failure, never past a check, never without saying so."""

import json

import pytest
from builtin.web.asking import body, extract
from builtin.web.cases import made
from cases.stage import PUBLIC, Gated, Recorder
from cases.table import case

from limen.builtin.web.engines.exa import Exa
from limen.builtin.web.engines.firecrawl import Firecrawl
from limen.core.fault import Refusal
from limen.core.web import Page
from limen.testing.network import ListedResolver
from limen.testing.vendor_stage import json_reply, staged
from limen.web.gates.block_files import WatchedBlockList

pytestmark = pytest.mark.anyio
URL = "https://x.example/page"
DOWN = Refusal("stub", "network.http_status", "x.example answered with status 503", "try again later", {"status": 503})


def scripted(*answers):
    """A reader that answers as listed, the last for ever; texts are pages."""
    left = list(answers)

    def answer(url):
        one = left.pop(0) if len(left) > 1 else left[0]
        return Page(url=url, text=one) if isinstance(one, str) else one

    return Recorder(answer)


async def entry_of(gated, **wish):
    (entry,) = (await gated.extract(URL, **wish))["results"]
    return entry


@case("CACHE-002")
async def test_a_vendor_s_success_around_a_site_s_failure_is_a_failure_and_not_kept(row, tmp_path):
    asked = []

    async def vendor(request, stream):
        asked.append(request)
        about = {"title": "T", "sourceURL": URL, "url": URL, "statusCode": 500 if len(asked) == 1 else 200}
        text = "Internal error" if len(asked) == 1 else "the page"
        await stream.send(json_reply(json.dumps({"success": True, "data": {"markdown": text, "metadata": about}})))

    async with staged(made(Firecrawl, reads=True), vendor) as stage:
        gated = Gated(tmp_path, stage.provider, cached=True)
        first, second = await entry_of(gated), await entry_of(gated)
    assert first["error"] is not None
    assert first["content"] == ""
    assert (second["content"], second["source"]["cached"]) == ("the page", False)


@case("CACHE-003")
async def test_a_garbled_page_is_not_kept(row, tmp_path):
    gated = Gated(tmp_path, scripted("na\ufffdve caf\ufffd cr\ufffdme " * 20, "naïve café crème " * 20), cached=True)
    await entry_of(gated)
    second = await entry_of(gated)
    assert "café" in second["content"]


@case("CACHE-004")
async def test_whatever_alters_the_page_is_part_of_the_key(row, tmp_path):
    gated = Gated(tmp_path, cached=True)
    for wish in ({}, {"format": "text"}, {"format": "html"}):
        assert not (await entry_of(gated, **wish))["source"]["cached"]
    other = Recorder()
    other.name = "other"
    assert not (await entry_of(Gated(tmp_path, other, cached=True)))["source"]["cached"]
    assert (await entry_of(gated))["source"]["cached"]


@case("CACHE-005")
async def test_vendors_are_asked_for_the_page_as_it_is_now(row):
    page = json.dumps({"success": True, "data": {"markdown": "x", "metadata": {"sourceURL": URL, "statusCode": 200}}})
    _, (request, *_) = await extract(made(Firecrawl, reads=True), json_reply(page), URL)
    assert body(request)["maxAge"] == 0
    _, (request, *_) = await extract(made(Exa, reads=True), json_reply('{"results": []}'), URL)
    assert body(request)["maxAgeHours"] == 0


@case("CACHE-006")
async def test_a_fresh_wish_asks_again_and_renews_what_is_kept(row, tmp_path):
    gated = Gated(tmp_path, scripted("old", "new"), cached=True)
    assert (await entry_of(gated))["content"] == "old"
    assert (await entry_of(gated))["source"]["cached"]
    fresh = await entry_of(gated, fresh=True)
    assert (fresh["content"], fresh["source"]["cached"]) == ("new", False)
    after = await entry_of(gated)
    assert (after["content"], after["source"]["cached"]) == ("new", True)
    assert len(gated.provider.asked) == 2


@case("CACHE-009")
async def test_a_refresh_that_fails_is_said_or_shows_the_old_page_as_old(row, tmp_path):
    gated = Gated(tmp_path, scripted("old", DOWN), cached=True, ttl_s=60)
    await entry_of(gated)
    gated.clock.now_s += 3_600
    later = await entry_of(gated)
    if later["error"] is not None:
        assert "503" in later["error"]["reason"]
    else:
        assert (later["content"], later["source"]["cached"], later["source"]["age_s"]) == ("old", True, 3_600)


@case("CACHE-010")
async def test_a_page_that_is_kept_is_refused_once_its_host_is_blocked(row, tmp_path):
    rules = tmp_path / "blocked.txt"
    gated = Gated(tmp_path, cached=True, blocked=WatchedBlockList((), [rules]))
    assert (await entry_of(gated))["content"] == "the page"
    rules.write_text("x.example\n")
    blocked = await entry_of(gated)
    assert blocked["error"]["code"] == "policy.blocked"
    assert blocked["content"] == ""


@case("CACHE-012")
async def test_a_rescue_is_for_one_call(row, tmp_path):
    free = scripted("from the ring")
    free.name = "free"
    gated = Gated(tmp_path, scripted(DOWN, "from the first"), cached=True, ring=[free])
    rescued = await entry_of(gated)
    assert (rescued["content"], rescued["source"]["rescued_from"]) == ("from the ring", "stub")
    after = await entry_of(gated)
    assert (after["content"], after["source"]["rescued_from"], after["source"]["cached"]) == ("from the first", None, False)


@case("CACHE-014")
async def test_a_refusal_is_never_kept(row, tmp_path):
    names = ListedResolver({"x.example": [["198.18.0.7"], [PUBLIC]]})
    gated = Gated(tmp_path, cached=True, names=names)
    assert (await entry_of(gated))["error"]["gate"] == "network"
    assert (await entry_of(gated))["content"] == "the page"
