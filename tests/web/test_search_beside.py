"""A vendor that was found of itself, and the library beside it."""

import msgspec
import pytest
from web.search_rig import Provider, Rig, down, own, urls, web

from limen.core.fault import Refusal
from limen.web.search_walk import FITS, MAY_FIT

pytestmark = pytest.mark.anyio


def library(*fits):
    return Provider("library", tuple(own(number, fit) for number, fit in enumerate(fits, 1)))


def exa(count=5):
    return web("exa", *(f"https://{number}.example/" for number in range(count)))


@pytest.mark.parametrize(
    ("fits", "ours"),
    [
        ((1.0, MAY_FIT), [True, True, False, False, False]),
        ((0.2,), [False] * 5),
        ((), [False] * 5),
    ],
)
async def test_own_documents_that_may_answer_stand_before_what_the_vendor_found(fits, ours):
    vendor = exa()
    answer = await Rig(vendor, library=library(*fits), found="exa").search(limit=5)
    assert [one.site == "library" for one in answer.hits] == ours
    assert (answer.source.provider, answer.source.also) == ("exa", ("library",) if any(ours) else ())
    assert (len(vendor.asked), answer.source.engines_failed) == (1, ())


@pytest.mark.parametrize(("fit", "ours"), [(FITS, True), (MAY_FIT, False)])
async def test_the_only_place_is_for_what_surely_answers(fit, ours):
    (only,) = (await Rig(exa(), library=library(fit), found="exa").search(limit=1)).hits
    assert (only.site == "library") is ours


@pytest.mark.parametrize("fit", [1.0, 0.2])
async def test_a_page_that_the_library_holds_stands_there_once(fit):
    mine = msgspec.structs.replace(own(1, fit), url="https://1.example/#part")
    answer = await Rig(exa(3), library=Provider("library", (mine,)), found="exa").search(limit=5)
    first = mine.url if fit == 1.0 else "https://0.example/"
    assert (urls(answer)[0], len(answer.hits)) == (first, 3)
    assert len({url.partition("#")[0] for url in urls(answer)}) == 3


async def test_an_empty_library_is_no_failure_and_a_broken_one_is():
    for code, failed in (("library.empty", ()), ("search.unsupported", ()), ("store.damaged", ("library: store.damaged",))):
        broken = Provider("library", Refusal("library", code, "no"))
        answer = await Rig(exa(), library=broken, found="exa").search()
        assert (len(answer.hits), answer.source.engines_failed) == (5, failed)


async def test_where_the_vendor_fails_the_library_answers_or_the_failure_is_the_vendors_own():
    answer = await Rig(down("exa"), library=library(0.2), found="exa").search()
    assert (urls(answer), answer.source.engines_failed) == (["file:///1.md"], ("exa: search.failed",))
    assert answer.source.notices == ("exa is down: mend exa",)
    refusal = (await Rig(down("exa"), found="exa").search()).refusal
    assert (refusal.code, refusal.mend) == ("search.failed", "mend exa")


async def test_a_mode_that_keeps_the_vendor_from_being_asked_is_no_failure():
    answer = await Rig(exa(), library=library(0.2), found="exa", mode="cached").search()
    assert (urls(answer), answer.source.engines_failed, answer.source.notices) == (["file:///1.md"], (), ())


async def test_what_was_given_up_is_not_covered_by_the_library():
    answer = await Rig(down("exa", "web.interrupted"), library=library(1.0), found="exa").search()
    assert answer.refusal.code == "web.interrupted"


async def test_a_vendor_that_failed_is_rescued_and_the_library_stands_beside_who_helped():
    answer = await Rig(down("exa"), library=library(1.0), ring=(web("parallel"),), found="exa").search()
    assert (answer.source.provider, answer.source.rescued_from, answer.source.also) == ("parallel", "exa", ("library",))
    assert urls(answer) == ["file:///1.md", "https://parallel.example/"]


async def test_who_was_found_and_cannot_be_used_says_why():
    missing = Refusal("exa", "web.no_key", "exa has no key.", "set EXA_API_KEY")
    assert (await Rig(Provider("exa", missing=missing), found="exa").search()).refusal.code == "web.no_key"
