"""The gate `rescue` of searches: when free vendors stand in, and how it is said."""

import pytest
from web.search_rig import Provider, Rig, down, own, urls, verdicts, web

from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.web import published_search

pytestmark = pytest.mark.anyio


async def test_a_failed_vendor_is_rescued_and_the_answer_says_so():
    paid, exa = down("tavily", "search.quota"), web("exa")
    rig = Rig(paid, chosen="tavily", ring=(exa,))
    answer = await rig.search()
    source = published_search(answer)["source"]
    assert (source["provider"], source["rescued_from"], source["rescue_cause"]) == ("exa", "tavily", "tavily is down")
    assert source["engines_failed"] == ("tavily: search.quota",)
    assert answer.treatment.rescued_from == "tavily"
    assert verdicts(answer)[-2:] == [("resolve", "allow", "resolve.tavily"), ("rescue", "changed", "rescue.rescued")]
    assert rig.lines == [("rescue.rescued", "heron words", "exa answered for tavily [search.quota]")]


@pytest.mark.parametrize("error", [ValueError("a bug"), ToolFault("search.failed", "broken")])
async def test_a_vendor_that_raises_is_rescued_too(error):
    answer = await Rig(Provider("tavily", error), chosen="tavily", ring=(web("exa"),)).search()
    assert (answer.source.rescued_from, urls(answer)) == ("tavily", ["https://exa.example/"])


@pytest.mark.parametrize(
    ("vendor", "options"),
    [
        (web("tavily"), {}),
        (Provider("tavily"), {}),
        (down("tavily"), {"rescue": False}),
        (down("tavily"), {"eligible": ()}),
        (down("tavily", "search.unsupported"), {}),
        (down("tavily", "web.interrupted"), {}),
        (down("tavily", "web.mode"), {}),
    ],
    ids=["it answered", "it found nothing", "switched off", "a free one", "not its kind", "interrupted", "outside the mode"],
)
async def test_nobody_is_asked_where(vendor, options):
    exa = web("exa")
    answer = await Rig(vendor, chosen="tavily", ring=(exa,), **options).search()
    assert exa.asked == []
    assert answer.source.rescued_from is None


async def test_the_ring_is_walked_once_without_who_failed():
    same, first, second = web("exa"), down("parallel", "search.rate_limited"), web("keenable")
    answer = await Rig(down("exa"), chosen="exa", ring=(same, first, second)).search(context=CallContext())
    assert (answer.source.provider, same.asked, len(first.asked), len(second.asked)) == ("keenable", [], 1, 1)
    assert answer.source.engines_failed == ("exa: search.failed", "parallel: search.rate_limited")


async def test_a_session_decides_where_the_ring_begins():
    begun = set()
    for session in ("", "\x01", "\x02"):
        ring = tuple(web(name) for name in "abc")
        answer = await Rig(down("tavily"), chosen="tavily", ring=ring).search(context=CallContext(session))
        begun.add(answer.source.provider)
    assert begun == {"a", "b", "c"}


async def test_when_the_ring_fails_too_the_vendors_own_error_stays_and_lists_what_each_said():
    rig = Rig(
        down("tavily", "search.billing"), chosen="tavily", ring=(down("exa", "network.timeout"), Provider("b", ValueError("x")))
    )
    refusal = (await rig.search(context=CallContext())).refusal
    assert (refusal.code, refusal.reason, refusal.gate) == ("search.billing", "tavily is down", "tavily")
    assert refusal.detail["rescue"] == {
        "exa": "exa is down [network.timeout]",
        "b": "b failed: ValueError: x [web.provider_failed]",
    }
    assert rig.lines == []


async def test_all_paid_is_said():
    refusal = (await Rig(down("tavily"), chosen="tavily", all_paid=True).search()).refusal
    assert refusal.detail["rescue"]["ring"].endswith("[rescue.all_paid]")


async def test_the_next_search_begins_with_the_chosen_again():
    paid, exa = down("tavily"), web("exa")
    rig = Rig(paid, chosen="tavily", ring=(exa,))
    for _ in range(2):
        await rig.search()
    assert (len(paid.asked), len(exa.asked)) == (2, 2)


async def test_an_interrupt_in_the_ring_ends_it():
    over, second = [], web("b")

    class First(Provider):
        async def search(self, request, context):
            over.append(True)
            return await super().search(request, context)

    first = First("a", Refusal("a", "search.failed", "no"))
    rig = Rig(down("tavily"), chosen="tavily", ring=(first, second))
    answer = await rig.search(context=CallContext(cancelled=lambda: bool(over)))
    assert (answer.refusal.code, second.asked) == ("web.interrupted", [])


async def test_policy_holds_for_who_helps():
    answer = await Rig(
        down("tavily"), chosen="tavily", ring=(web("exa", "https://bad.example/"),), blocked=("bad.example",)
    ).search()
    assert (urls(answer), answer.source.dropped, answer.source.rescued_from) == ([], 1, "tavily")


async def test_of_a_chain_only_the_last_who_is_outside_is_rescued():
    exa = web("exa")
    rig = Rig(
        down("tavily"),
        down("brave"),
        library=Provider("library", (own(1, 1.0),)),
        chain=("tavily", "brave", "library"),
        ring=(exa,),
    )
    answer = await rig.search()
    assert (len(exa.asked), answer.source.rescued_from) == (1, "brave")
    assert answer.source.engines_failed == ("tavily: search.failed", "brave: search.failed")


async def test_the_walk_rescues_nobody():
    exa = web("exa")
    answer = await Rig(free=(down("parallel"),), ring=(exa,)).search()
    assert (answer.refusal.code, exa.asked) == ("search.unavailable", [])
