"""Rows about search: who answered, who could not, and why; what reaches a vendor; what is passed on as found."""

import json

import pytest
from builtin.web.asking import body, query, said, search
from builtin.web.cases import NEVER_MODELS, made, modelled
from cases.stage import Gated, Recorder, wired
from cases.table import case

from limen.builtin.web.answers.dates import published
from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.brave import Brave
from limen.builtin.web.engines.ddgs import Ddgs
from limen.builtin.web.engines.hosted import AnthropicHosted, OpenAIHosted, XaiSearch
from limen.builtin.web.engines.searxng import Searxng
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Page, SearchRequest
from limen.testing.network import reply, serve
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
SEARXNG = made(Searxng, keyed=False)
HOSTED = [modelled(provider) for provider in (OpenAIHosted, XaiSearch, AnthropicHosted)]
HIT = {"url": "https://alder.example/g", "title": "Gate", "content": "A gate refuses or passes on."}
FOUND = json_reply(json.dumps({"results": [HIT]}))


def asking(searxng, firecrawl=None, **flags):
    """Settings by which these servers stand in the vendors' places."""
    chain = {"web__firecrawl__api_url": firecrawl.url(""), "web__search_chain": "firecrawl,searxng"} if firecrawl else {}
    return {"web__searxng__api_url": searxng.url(""), **chain, **flags}


@case("SRCH-001")
async def test_blocked_engines_are_a_failure_that_names_them_and_an_empty_list_is_none(row):
    blocked, _ = await search(SEARXNG, said('{"results": [], "unresponsive_engines": [["startpage", "Suspended: CAPTCHA"]]}'))
    assert blocked.refusal.code == "search.engines_failed"
    assert "startpage" in blocked.refusal.reason
    empty, _ = await search(SEARXNG, said('{"results": [], "unresponsive_engines": []}'))
    assert (empty.refusal, empty.hits) == (None, ())


@case("SRCH-004")
async def test_when_nobody_can_answer_everybody_s_reason_is_told(row, home):
    async with serve({"*": reply("down", status=503)}) as one, serve({"*": reply("gone", status=402)}) as other:
        async with wired(home, **asking(one, other)) as program:
            answer = await program.search("gates")
    assert answer["error"]["code"] == "search.unavailable"
    assert "searxng" in answer["error"]["reason"]
    assert "firecrawl" in answer["error"]["reason"]
    assert "503" in answer["error"]["reason"]
    assert "402" in answer["error"]["reason"]


@case("SRCH-005")
async def test_a_challenge_is_a_block_and_the_next_is_asked(row, tmp_path, monkeypatch, home):
    package = tmp_path / "packages" / "ddgs"
    package.mkdir(parents=True)
    (package / "exceptions.py").write_text(
        "class DDGSException(Exception): pass\nclass RatelimitException(DDGSException): pass\n"
        "class TimeoutException(DDGSException): pass\n"
    )
    (package / "base.py").write_text(
        "class Response:\n    status_code = 202\nclass HttpClient:\n    def request(self, method, url): return Response()\n"
    )
    (package / "__init__.py").write_text(
        "from ddgs import base\nfrom ddgs.exceptions import *\nclass DDGS:\n    def __init__(self, timeout=None): pass\n"
        "    def text(self, query, **options):\n        base.HttpClient().request('GET', 'https://d.example/')\n"
        "        raise DDGSException('No results found.')\n    news = images = text\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "packages")
    answer = await Ddgs(Setup(lambda: None)).search(SearchRequest("gates"), CallContext())
    assert answer.refusal.code == "search.provider_blocked"
    assert answer.refusal.mend
    async with serve({"*": FOUND}) as server:
        async with wired(home, **asking(server, web__search_chain="ddgs,searxng")) as program:
            found = await program.search("gates")
    assert [hit["url"] for hit in found["results"]] == [HIT["url"]]
    assert "search.provider_blocked" in str(found["source"]["engines_failed"])


@case("SRCH-008")
async def test_an_instance_without_json_is_told_how_to_give_it(row):
    answer, _ = await search(SEARXNG, reply("<title>403 Forbidden</title>", status=403))
    assert "json" in answer.refusal.mend
    assert "search.formats" in answer.refusal.mend
    assert "limiter" in answer.refusal.mend


@case("SRCH-009")
async def test_money_quota_and_pace_are_told_apart_and_the_next_is_asked(row, home):
    kinds = {402: "search.billing", 432: "search.quota", 429: "search.rate_limited"}
    for status, code in kinds.items():
        said_no = json_reply('{"error": "no"}', status=status, headers={"retry-after": "45"} if status == 429 else {})
        async with serve({"*": FOUND}) as fine, serve({"*": said_no}) as spent:
            async with wired(home, **asking(fine, spent)) as program:
                found = await program.search(f"gates {status}")
                (alone,) = [(await program.search(f"walls {status}", provider="firecrawl"))["error"]]
        assert [hit["url"] for hit in found["results"]] == [HIT["url"]]
        assert code in str(found["source"]["engines_failed"])
        assert alone["code"] == code
        assert status != 429 or alone["retry_after_s"] == 45


@case("SRCH-010")
async def test_a_shared_backend_that_cannot_read_pages_is_said_and_never_swapped(row, home):
    async with serve({"*": FOUND}) as server:
        async with wired(home, server, **asking(server, web__backend="searxng")) as program:
            at_setup = program.runtime.web.extractor.unavailable()
            answer = await program.extract(server.url("/page"))
        assert server.received == []
    for error in (at_setup.published(), answer["error"]):
        assert error["gate"] == "resolve"
        assert "searxng" in error["reason"]
        assert "web.extract_backend" in error["mend"]
        assert "local" in error["mend"]


@case("SRCH-011")
async def test_a_blank_choice_is_no_choice(row, home):
    async with serve({"*": FOUND}) as server:
        async with wired(home, **asking(server, web__backend="searxng", web__search_backend="")) as program:
            answer = await program.search("gates")
    assert answer["source"]["provider"] == "searxng"
    assert len(answer["results"]) == 1


@case("SRCH-013")
async def test_a_region_reaches_each_vendor_in_its_own_form_or_is_said(row):
    _, (request, *_) = await search(SEARXNG, said('{"results": []}'), region="br-pt")
    assert query(request)["language"] == "pt-BR"
    _, (request,) = await search(made(Brave), said('{"web": {"results": []}}'), region="br-pt")
    assert query(request)["country"].lower() == "br"
    answer, _ = await search(modelled(XaiSearch), said("xai_responses.json"), region="br-pt")
    assert "region" in answer.source.ignored


@case("SRCH-016")
def test_dates_are_read_or_left_as_they_came(row):
    assert published("2026-03-15") == "2026-03-15"
    assert published("3 weeks ago") == "3 weeks ago"
    assert published("Sun, 15 Mar 2026 10:00:00 GMT") == published(1_773_568_800) == "2026-03-15T10:00:00Z"
    assert published(None) == ""


@case("SRCH-017")
async def test_words_without_a_source_are_not_passed_on(row):
    text = "Retrieval found nothing, but surely it is so. " * 60
    message = {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]}
    for make in HOSTED[:2]:
        answer, _ = await search(make, said(json.dumps({"output": [{"type": "web_search_call"}, message]})))
        assert answer.refusal.code == "search.ungrounded"
        assert "surely" not in repr(answer)


@case("SRCH-018")
async def test_a_search_that_did_not_search_is_an_error(row):
    message = {"type": "message", "content": [{"type": "output_text", "text": "From memory.", "annotations": []}]}
    of_openai = json.dumps({"output": [message]})
    of_anthropic = json.dumps({"content": [{"type": "text", "text": "From memory."}]})
    for make, text in zip(HOSTED, (of_openai, of_openai, of_anthropic), strict=True):
        answer, _ = await search(make, said(text))
        assert answer.refusal.code == "search.ungrounded"
        assert "did not search" in answer.refusal.reason


@case("SRCH-020")
async def test_a_retired_model_is_a_setting_to_change_and_none_is_hidden(row):
    for make in HOSTED:
        answer, (request,) = await search(make, json_reply('{"error": {"message": "model_not_found"}}', status=404))
        assert body(request)["model"] == NEVER_MODELS
        assert answer.refusal.code == "search.model_unknown"
        assert answer.refusal.mend.startswith("limen config set web.")


@case("SRCH-021")
async def test_the_engine_that_a_call_names_is_used_and_an_unknown_one_lists_the_others(row, home):
    async with serve({"*": FOUND}) as one, serve({"*": json_reply('{"success": true, "data": {"web": []}}')}) as other:
        async with wired(home, **asking(one, other)) as program:
            chosen = await program.search("gates", provider="searxng")
            unknown = await program.search("gates", provider="serxng")
        assert other.received == []
    assert chosen["source"]["provider"] == "searxng"
    assert unknown["error"]["code"] == "web.unknown_provider"
    for name in ("searxng", "firecrawl"):
        assert name in unknown["error"]["mend"]


@case("SRCH-019")
async def test_what_was_rescued_says_from_whom_and_why(row, tmp_path, home):
    free = Recorder(lambda url: Page(url=url, text="from the ring"))
    free.name = "free"
    down = Refusal("stub", "extract.failed", "stub is down")
    gated = Gated(tmp_path, Recorder(lambda url: down), ring=[free])
    (entry,) = (await gated.extract("https://x.example/"))["results"]
    assert (entry["source"]["rescued_from"], entry["source"]["rescue_cause"]) == ("stub", "stub is down")
    async with serve({"*": FOUND}) as fine, serve({"*": reply("down", status=503)}) as failing:
        async with wired(home, **asking(fine, failing)) as program:
            answer = await program.search("gates")
    assert answer["source"]["provider"] == "searxng"
    assert "firecrawl" in str(answer["source"])
    assert "search.failed" in str(answer["source"])
