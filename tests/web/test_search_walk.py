"""The walk of a search that nobody was chosen for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.search_rig import Provider, Rig, down, hit, own, urls, web

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchAnswer, SearchRequest, SearchSource
from limen.web.search_call import SearchCall
from limen.web.search_walk import FITS, MAY_FIT, joined

pytestmark = pytest.mark.anyio


def library(*fits):
    return Provider("library", tuple(own(number, fit) for number, fit in enumerate(fits, 1)))


def walk(*fits, **options):
    return Rig(library=library(*fits), **options)


async def test_what_the_library_answers_goes_to_nobody():
    field, free = web("wikipedia", fits=9.0), web("exa")
    answer = await walk(0.2, FITS, domains=(field,), free=(free,)).search()
    assert urls(answer) == ["file:///1.md", "file:///2.md"]
    assert (field.asked, free.asked, answer.source.engines_failed) == ([], [], ())


@pytest.mark.parametrize("wish", [{"type": "news"}, {"recency_days": 3}, {"live": True}])
async def test_news_and_pages_of_today_are_not_left_to_the_library(wish):
    free = web("exa")
    answer = await walk(1.0, free=(free,)).search(**wish)
    assert len(free.asked) == 1
    assert answer.source.provider == "exa"


async def test_what_does_not_fit_is_searched_elsewhere_and_the_library_has_what_room_is_left():
    free = web("exa", "https://a.example/", "https://b.example/")
    answer = await walk(0.1, 0.1, free=(free,)).search(limit=3)
    assert urls(answer) == ["https://a.example/", "https://b.example/", "file:///1.md"]
    assert (answer.source.provider, answer.source.also) == ("exa", ("library",))
    assert [one.position for one in answer.hits] == [1, 2, 3]


async def test_what_may_fit_stands_first_in_half_of_the_places():
    free = web("exa", *(f"https://{n}.example/" for n in range(5)))
    answer = await walk(*[MAY_FIT] * 5, free=(free,)).search(limit=5)
    assert [one.site == "library" for one in answer.hits] == [True, True, False, False, False]


async def test_fields_that_fit_are_asked_before_free_vendors_best_first():
    fits = {"low": 0.2, "none": 0.0, "high": 0.9, "middle": 0.5}
    fields = [Provider(name, Refusal(name, "search.failed", "no"), fits=fit) for name, fit in fits.items()]
    answer = await walk(domains=fields, free=(web("exa"),)).search()
    assert answer.source.engines_failed == ("high: search.failed", "middle: search.failed")
    assert answer.source.provider == "exa"


async def test_a_field_with_hits_answers():
    free = web("exa")
    answer = await walk(domains=(web("wikipedia", fits=1.0),), free=(free,)).search()
    assert (answer.source.provider, free.asked) == ("wikipedia", [])


async def test_a_field_that_cannot_be_used_is_passed_by():
    missing = Refusal("pip", "web.not_installed", "no pip")
    field = web("pip", fits=1.0, missing=missing)
    assert (await walk(domains=(field,), free=(web("exa"),)).search()).source.provider == "exa"
    assert field.asked == []


async def test_who_failed_on_the_way_is_named():
    free = (down("exa", "search.rate_limited"), down("parallel", "network.timeout"), web("keenable"))
    field = Provider("wikipedia", Refusal("wikipedia", "search.failed", "no"), fits=1.0)
    answer = await walk(0.1, domains=(field,), free=free).search(context=CallContext())
    failed = ("wikipedia: search.failed", "exa: search.rate_limited", "parallel: network.timeout")
    assert (answer.source.provider, answer.source.engines_failed) == ("keenable", failed)


async def test_a_free_vendor_that_finds_nothing_has_answered():
    second = web("parallel")
    answer = await walk(free=(Provider("exa"), second)).search(context=CallContext())
    assert (answer.refusal, answer.hits, answer.source.provider, second.asked) == (None, (), "exa", [])
    beside = await walk(0.1, free=(Provider("exa"),)).search()
    assert (urls(beside), beside.source.provider, beside.source.also) == (["file:///1.md"], "library", ())


async def test_without_anybody_outside_the_library_answers_as_it_can_and_says_who_was_missed():
    answer = await walk(0.1, free=(down("exa", "network.unreachable"), down("parallel", "network.unreachable"))).search()
    assert urls(answer) == ["file:///1.md"]
    assert set(answer.source.engines_failed) == {"exa: network.unreachable", "parallel: network.unreachable"}


async def test_nothing_anywhere_and_nobody_reached_is_no_empty_answer():
    free = (down("exa", "network.unreachable"), down("parallel", "search.auth"))
    refusal = (await walk(domains=(Provider("wikipedia", (), fits=1.0),), free=free).search()).refusal
    assert refusal.code == "search.unavailable"
    assert refusal.detail["providers"] == {
        "library": "Nothing was found there. [search.nothing_found]",
        "wikipedia": "Nothing was found there. [search.nothing_found]",
        "exa": "exa is down [network.unreachable]",
        "parallel": "parallel is down [search.auth]",
    }
    assert "limen library add PATH" in refusal.mend


async def test_nobody_to_ask_but_the_library_is_an_empty_answer():
    answer = await walk().search()
    assert (answer.refusal, answer.hits, answer.source.provider) == (None, (), "library")


async def test_a_library_that_fails_is_named_and_others_are_asked():
    broken = Provider("library", Refusal("library", "store.busy", "locked"))
    answer = await Rig(library=broken, free=(web("exa"),)).search()
    assert (answer.source.provider, answer.source.engines_failed) == ("exa", ("library: store.busy",))
    alone = await Rig(library=broken).search()
    assert alone.refusal.code == "store.busy"


async def test_an_interrupt_ends_the_walk_between_two():
    over, second = [], web("parallel")

    class First(Provider):
        async def search(self, request, context):
            over.append(True)
            return await super().search(request, context)

    free = (First("exa", Refusal("exa", "search.failed", "no")), second)
    answer = await walk(free=free).search(context=CallContext(cancelled=lambda: bool(over)))
    assert (answer.refusal.code, second.asked) == ("web.interrupted", [])


async def test_it_tells_who_is_asked():
    rig = walk(domains=(web("arxiv"), Provider("pip", missing=Refusal("pip", "x.y", "no"))), free=(web("exa"), web("keenable")))
    who, _, what = rig.searcher.told().partition(": ")
    assert who == "library, then what fits of arxiv, then without a key exa, keenable"
    assert "gets the words that it does not answer, unless web.keyless_fallback is false" in what
    assert walk().searcher.told() == "library"


@given(st.lists(st.floats(0, 1), max_size=8), st.integers(0, 8), st.integers(1, 10), st.sampled_from(["web", "news"]))
def test_joined_answers_keep_their_orders_and_the_limit(fits, others, limit, kind):
    mine = SearchAnswer(tuple(own(n, fit) for n, fit in enumerate(fits)), SearchSource("library"))
    found = SearchAnswer(tuple(hit(f"https://{n}.example/") for n in range(others)), SearchSource("exa"))
    call = SearchCall(SearchRequest("heron", limit, type=kind), CallContext())
    answer = joined(mine, found, call)
    assert len(answer.hits) == min(limit, len(fits) + others)
    for part in (mine.hits, found.hits):
        inside = [one for one in answer.hits if one in part]
        assert inside == list(part[: len(inside)])
    both = {one.site == "library" for one in answer.hits}
    assert bool(answer.source.also) == (len(both) == 2)
    if found.hits:
        assert any(one in found.hits for one in answer.hits) or (limit == 1 and max(fits) >= FITS and kind == "web")
        assert kind == "web" or answer.hits[0] in found.hits
        assert answer.source.provider == "exa"
