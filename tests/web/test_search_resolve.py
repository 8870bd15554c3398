"""Who searches: a choice is honoured as it is, a chain is walked in order, an empty setting is none."""

import pytest
from web.search_rig import Provider, Rig, down, own, urls, verdicts, web

from limen.builtin.web.offered import Offer
from limen.config.load import layered
from limen.config.paths import Home
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.web.gates.resolve_search import Chosen
from limen.wiring.searching import chosen_search

pytestmark = pytest.mark.anyio
NO_KEY = Refusal("tavily", "web.no_key", "tavily has no key.", "set TAVILY_API_KEY")


def configured(tmp_path, detected=(), **settings):
    """Who is chosen by such settings, where such vendors have keys."""
    lines = "".join(f"  {name}: {value}\n" for name, value in settings.items())
    config = layered(f"web:\n{lines}" if lines else "", Home(tmp_path), {}, {}).config
    return chosen_search(config, Offer({}, {}, tuple(detected), (), False, frozenset()))


@pytest.mark.parametrize(
    ("settings", "detected", "chosen"),
    [
        ({}, (), Chosen()),
        ({}, ("tavily", "exa"), Chosen(found="tavily")),
        ({"backend": "exa"}, ("tavily",), Chosen("exa")),
        ({"backend": "exa", "search_backend": "searxng"}, (), Chosen("searxng")),
        ({"backend": "tavily", "search_backend": "''"}, (), Chosen("tavily")),
        ({"backend": "tavily", "search_backend": "'  '"}, (), Chosen("tavily")),
        ({"search_backend": "''", "backend": "' '"}, ("exa",), Chosen(found="exa")),
        ({"search_chain": "[brave, library]"}, ("exa",), Chosen(chain=("brave", "library"))),
        ({"search_chain": "[brave]", "search_backend": "xai"}, (), Chosen("xai")),
        ({"search_chain": "[]"}, ("exa",), Chosen(found="exa")),
    ],
)
def test_settings_from_the_narrowest_to_the_found(tmp_path, settings, detected, chosen):
    assert configured(tmp_path, detected, **settings) == chosen


async def test_a_choice_is_asked_and_nobody_else():
    chosen, other = web("brave"), web("exa")
    answer = await Rig(chosen, other, chosen="brave", free=(other,)).search()
    assert (urls(answer), other.asked) == (["https://brave.example/"], [])


async def test_an_unknown_choice_names_those_that_work():
    rig = Rig(web("brave"), Provider("tavily", missing=NO_KEY), web("searxng"), chosen="braev")
    refusal = (await rig.search()).refusal
    assert (refusal.code, refusal.gate) == ("web.unknown_provider", "resolve")
    assert "'braev'" in refusal.reason
    assert "Did you mean 'brave'?" in refusal.reason
    assert refusal.mend == "limen config set web.search_backend NAME, where NAME is one of: brave, library, searxng"
    assert rig.searcher.unavailable() == refusal


async def test_a_choice_that_cannot_be_used_is_not_swapped():
    other = web("exa")
    rig = Rig(Provider("tavily", missing=NO_KEY), other, chosen="tavily", ring=(other,), free=(other,))
    refusal = (await rig.search()).refusal
    assert (refusal.code, refusal.gate, other.asked) == ("web.no_key", "resolve", [])
    assert refusal.mend.startswith("set TAVILY_API_KEY; or limen config set web.search_backend NAME, where NAME is one of: exa")
    assert rig.searcher.unavailable() == refusal


async def test_a_choice_that_only_reads_is_said_to():
    refusal = (await Rig(web("exa"), chosen="local").search()).refusal
    assert (refusal.code, refusal.reason) == ("web.extract_only", "local reads pages and does not search.")
    assert "web.search_backend NAME" in refusal.mend


async def test_where_nobody_can_be_used_the_mend_says_so():
    refusal = (await Rig(library=Provider("library", missing=NO_KEY), chosen="nosuch").search()).refusal
    assert refusal.mend.endswith("one of: none available")


async def test_the_calls_own_wish_goes_first_and_an_unknown_one_lists_the_valid():
    rig = Rig(web("exa"), web("brave"), chosen="exa")
    assert urls(await rig.search(provider=" brave ")) == ["https://brave.example/"]
    refusal = (await rig.search(provider="brav")).refusal
    assert refusal.code == "web.unknown_provider"
    assert refusal.mend == "name one of: brave, exa, library"


async def test_a_choice_is_not_probed():
    chosen = web("brave")
    rig = Rig(chosen, chosen="brave")
    assert rig.searcher.unavailable() is None
    assert (rig.searcher.told(), chosen.asked) == ("brave", [])


async def test_a_chain_is_walked_in_order_and_says_who_failed():
    blocked, quota, good, rest = (
        down("ddgs", "search.provider_blocked"),
        down("tavily", "search.quota"),
        web("brave"),
        web("exa"),
    )
    answer = await Rig(blocked, quota, good, rest, chain=("nosuch", "ddgs", "tavily", "brave", "exa")).search()
    assert urls(answer) == ["https://brave.example/"]
    assert answer.source.engines_failed == (
        "nosuch: web.unknown_provider",
        "ddgs: search.provider_blocked",
        "tavily: search.quota",
    )
    assert (verdicts(answer)[-1], rest.asked) == (("resolve", "allow", "resolve.brave"), [])


async def test_each_kind_of_spent_plan_keeps_its_name_while_the_chain_moves_on():
    kinds = {"a": "search.billing", "b": "search.quota", "c": "search.rate_limited"}
    answer = await Rig(*[down(name, code) for name, code in kinds.items()], web("d"), chain=("a", "b", "c", "d")).search()
    assert answer.source.engines_failed == tuple(f"{name}: {code}" for name, code in kinds.items())


async def test_when_all_fail_each_reason_is_listed():
    chain = (Provider("a", ValueError("boom")), down("b", "search.auth"), down("c", "network.timeout"))
    refusal = (await Rig(*chain, chain=("a", "b", "c")).search()).refusal
    assert refusal.code == "search.unavailable"
    assert refusal.detail["providers"] == {
        "a": "a failed: ValueError: boom [web.provider_failed]",
        "b": "b is down [search.auth]",
        "c": "c is down [network.timeout]",
    }
    assert all(name in refusal.reason for name in ("a failed: ValueError: boom", "b is down", "c is down"))
    assert "limen library add" in refusal.mend


async def test_an_empty_answer_of_a_search_is_an_answer_and_one_of_the_library_behind_a_failure_is_none():
    found_nothing = await Rig(Provider("exa"), web("brave"), chain=("exa", "brave")).search()
    assert (found_nothing.refusal, found_nothing.hits, found_nothing.source.provider) == (None, (), "exa")
    behind = await Rig(down("exa"), chain=("exa", "library")).search()
    assert (behind.refusal.code, behind.refusal.reason) == ("search.failed", "exa is down")
    alone = await Rig(chain=("library",)).search()
    assert (alone.refusal, alone.hits) == (None, ())


async def test_the_library_behind_a_vendor_answers_when_it_fails():
    answer = await Rig(down("exa"), library=Provider("library", (own(1, 0.9),)), chain=("exa", "library")).search()
    assert (urls(answer), answer.source.engines_failed) == (["file:///1.md"], ("exa: search.failed",))


async def test_a_chain_of_the_unusable_is_unavailable_before_anything_is_asked():
    rig = Rig(Provider("tavily", missing=NO_KEY), chain=("tavily", "nosuch"))
    assert rig.searcher.unavailable().code == "search.unavailable"
    assert Rig(Provider("tavily", missing=NO_KEY), chain=("tavily", "library")).searcher.unavailable() is None


async def test_an_interrupt_is_honoured_between_providers():
    over = []

    class First(Provider):
        async def search(self, request, context):
            over.append(True)
            return await super().search(request, context)

    first, second = First("a", Refusal("a", "search.failed", "no")), web("b")
    answer = await Rig(first, second, chain=("a", "b")).search(context=CallContext(cancelled=lambda: bool(over)))
    assert (answer.refusal.code, second.asked) == ("web.interrupted", [])


async def test_a_provider_that_was_interrupted_is_the_last_one_asked():
    second = web("b")
    answer = await Rig(down("a", "web.interrupted"), second, chain=("a", "b")).search()
    assert (answer.refusal.code, second.asked) == ("web.interrupted", [])
