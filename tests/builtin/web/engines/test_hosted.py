"""Searches that a model's vendor makes: what is grounded, what it took, what it may not say."""

import json

import pytest
from builtin.web.asking import body, path, said, search
from builtin.web.cases import NEVER_MODELS, SECRET, modelled, setup_of
from builtin.web.shapes import recorded

from limen.builtin.web.calling.key import VendorKey
from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.engines.hosted import AnthropicHosted, OpenAIHosted, XaiSearch
from limen.core.exchange import Usage
from limen.core.web import Location
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
OPENAI, XAI, ANTHROPIC = modelled(OpenAIHosted), modelled(XaiSearch), modelled(AnthropicHosted)


async def test_openai_names_pages_and_shows_those_it_did_not_name():
    answer, (request,) = await search(OPENAI, said("openai_responses.json"), allowed_domains=("alder.test",), context_size="high")
    assert path(request) == "/responses"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    asked = body(request)
    (tool,) = asked["tools"]
    assert (asked["model"], asked["store"], tool["search_context_size"]) == (NEVER_MODELS, False, "high")
    assert tool["filters"] == {"allowed_domains": ["alder.test"]}
    assert [(hit.url, hit.title, hit.snippet) for hit in answer.hits] == [
        ("https://alder.test/g", "Gate", "A gate refuses or passes on."),
        ("https://birch.test/c", "Gates in code", "Gates are folded over an endpoint."),
        ("https://cedar.test/x", "cedar.test", ""),
    ]
    assert answer.source.made_by == "openai-hosted/a-model"
    assert answer.source.usage == Usage(8_100, 120)


async def test_xai_names_pages_by_number():
    answer, (request,) = await search(XAI, said("xai_responses.json"), blocked_domains=("x.test",))
    assert body(request)["tools"] == [{"type": "web_search", "filters": {"excluded_domains": ["x.test"]}}]
    assert [(hit.url, hit.title, hit.snippet) for hit in answer.hits] == [
        ("https://alder.test/g", "alder.test", "A gate refuses or passes on."),
        ("https://cedar.test/x", "cedar.test", ""),
    ]
    assert answer.source.made_by == "xai/a-model"


async def test_more_domains_than_xai_takes_are_left_to_us_and_said():
    domains = tuple(f"{n}.test" for n in range(6))
    answer, (request,) = await search(XAI, said("xai_responses.json"), allowed_domains=domains)
    assert body(request)["tools"] == [{"type": "web_search"}]
    assert answer.source.ignored == ("allowed_domains",)


async def test_anthropic_gives_pages_and_what_is_cited_of_them():
    def make(client, url, timeout_s):
        return AnthropicHosted(setup_of(client, url, timeout_s, location=Location("DE", city="Ulm")), NEVER_MODELS)

    answer, (request,) = await search(make, said("anthropic_messages.json"), blocked_domains=("x.test",))
    assert (path(request), request.headers["anthropic-version"]) == ("/messages", "2023-06-01")
    (tool,) = body(request)["tools"]
    assert (tool["type"], tool["blocked_domains"]) == ("web_search_20250305", ["x.test"])
    assert tool["user_location"] == {"type": "approximate", "country": "DE", "city": "Ulm"}
    assert [(hit.url, hit.snippet, hit.published) for hit in answer.hits] == [
        ("https://alder.test/g", "A gate refuses or passes on.", "October 1, 2026"),
        ("https://birch.test/c", "", ""),
    ]
    assert answer.source.usage == Usage(6_000, 300)


async def test_a_region_of_another_country_takes_the_persons_city_out():
    def make(client, url, timeout_s):
        return OpenAIHosted(setup_of(client, url, timeout_s, location=Location("DE", city="Ulm")), NEVER_MODELS)

    _, (request,) = await search(make, said("openai_responses.json"), region="fr")
    assert body(request)["tools"][0]["user_location"] == {"type": "approximate", "country": "FR"}


async def test_words_without_a_page_are_not_passed_on():
    text = "A gate is certainly a wall. " * 50
    message = {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]}
    made_up = json.dumps({"output": [{"type": "web_search_call"}, message], "usage": {"input_tokens": 7, "output_tokens": 9}})
    for make in (OPENAI, XAI):
        answer, _ = await search(make, said(made_up))
        assert answer.refusal.code == "search.ungrounded"
        assert "certainly" not in repr(answer)
        assert answer.source.usage == Usage(7, 9)  # it was spent all the same


async def test_an_answer_without_a_search_is_none():
    notes = [{"type": "url_citation", "url": "https://made-up.test/", "start_index": 0, "end_index": 1, "title": "x"}]
    message = {"type": "message", "content": [{"type": "output_text", "text": "From memory.", "annotations": notes}]}
    answer, _ = await search(OPENAI, said(json.dumps({"output": [message]})))
    assert answer.refusal.code == "search.ungrounded"
    assert "did not search" in answer.refusal.reason
    reply_text = json.dumps({"content": [{"type": "text", "text": "From memory."}], "usage": {"input_tokens": 1}})
    answer, _ = await search(ANTHROPIC, said(reply_text))
    assert answer.refusal.code == "search.ungrounded"


async def test_a_failed_search_of_the_vendor_is_its_own_error():
    answer, _ = await search(ANTHROPIC, said("anthropic_error.json"))
    assert answer.refusal.code == "search.rate_limited"
    assert "too_many_requests" in answer.refusal.reason
    assert answer.source.made_by == "anthropic-hosted/a-model"


@pytest.mark.parametrize("make", [OPENAI, XAI, ANTHROPIC])
async def test_a_model_that_is_gone_is_a_setting_to_change(make):
    answer, _ = await search(make, json_reply('{"error": {"message": "model not found"}}', status=404))
    assert answer.refusal.code == "search.model_unknown"
    assert "a-model" in answer.refusal.reason
    assert answer.refusal.mend.startswith("limen config set web.")


async def test_offsets_that_lie_cost_their_sentence():
    broken = json.loads(recorded("openai_responses.json"))
    note = broken["output"][2]["content"][0]["annotations"][0]
    for start, end in ((-5, 3), (50, 10), (0, 10**9), (None, None)):
        note["start_index"], note["end_index"] = start, end
        answer, _ = await search(OPENAI, said(json.dumps(broken)))
        assert answer.hits[0].url == "https://alder.test/g"
        assert answer.hits[0].snippet == ""


@pytest.mark.parametrize("provider", [OpenAIHosted, XaiSearch, AnthropicHosted])
def test_no_model_is_used_unasked(provider):
    key = VendorKey(SECRET)
    assert provider(Setup(lambda: None, key), "").unavailable().code == "web.no_model"
    assert provider(Setup(lambda: None), "m").unavailable().code == "web.no_key"
    assert provider(Setup(lambda: None, key), "m").unavailable() is None


async def test_openai_leaves_out_what_is_blocked():
    answer, (request,) = await search(OPENAI, said("openai_responses.json"), blocked_domains=("x.test",))
    assert body(request)["tools"][0]["filters"] == {"blocked_domains": ["x.test"]}
    assert answer.source.ignored == ()


async def test_a_response_that_failed_under_a_success_is_told_with_its_spend():
    failed = {"status": "failed", "error": {"code": "server_error", "message": "Rate limit reached"}, "output": []}
    answer, _ = await search(OPENAI, said(json.dumps({**failed, "usage": {"input_tokens": 7, "output_tokens": 0}})))
    assert answer.refusal.code == "search.rate_limited"
    assert answer.source.usage == Usage(7, 0)
    assert answer.source.made_by == "openai-hosted/a-model"
