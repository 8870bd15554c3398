"""The gate `memo`: which searches are the same, which answers are kept, and that a hit skips no check."""

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.search_rig import Provider, Rig, down, hit, own, urls, verdicts, web

from limen.core.context import CallContext
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.web import Location, SearchAnswer, SearchRequest, SearchSource
from limen.kit.flights import Flights
from limen.web.cache.answers import AnswerCache, KeptAnswer
from limen.web.cache.pages import PageCache
from limen.web.gates.memo import MemoGate, MemoRules, memo_digest
from limen.web.search_call import SearchCall

pytestmark = pytest.mark.anyio
NOWHERE = Location()


def rig(tmp_path, vendor, **options):
    return Rig(vendor, chosen=vendor.name, kept=tmp_path / "kept", **options)


async def test_the_same_search_is_made_once_and_the_second_answer_says_so(tmp_path):
    vendor = web("brave")
    made = rig(tmp_path, vendor)
    first = await made.search("heron  words ")
    made.now_s += 61
    second = await made.search("heron words")
    assert (len(vendor.asked), second.hits) == (1, first.hits)
    assert (first.source.cached, second.source.cached, second.source.age_s) == (False, True, 61.0)
    assert (second.treatment.cached, second.treatment.age_s) == (True, 61.0)
    assert ("memo", "miss", None) in verdicts(first)
    assert verdicts(second)[-1] == ("memo", "hit", "memo.hit")
    assert made.lines == [("memo.hit", "heron words", "brave answered 61 s ago")]


async def test_another_process_finds_it(tmp_path):
    await rig(tmp_path, web("brave")).search()
    vendor = web("brave")
    assert (await rig(tmp_path, vendor).search()).source.cached
    assert vendor.asked == []


@pytest.mark.parametrize(("age_s", "asked"), [(0, 1), (1_199, 1), (1_200, 2), (10**6, 2)])
async def test_an_answer_lasts_its_time(tmp_path, age_s, asked):
    vendor = web("brave")
    made = rig(tmp_path, vendor)
    await made.search()
    made.now_s += age_s
    assert (await made.search()).source.cached is (asked == 1)
    assert len(vendor.asked) == asked


@pytest.mark.parametrize(
    "vendor",
    [
        down("brave"),
        Provider("brave", ValueError("bug")),
        Provider("brave", (), failed=("startpage: captcha",)),
        Provider("brave", Refusal("brave", "web.interrupted", "no")),
    ],
    ids=["a failure", "a bug", "nothing since engines failed", "interrupted"],
)
async def test_no_answer_is_kept_of(tmp_path, vendor):
    made = rig(tmp_path, vendor)
    for _ in range(2):
        await made.search()
    assert len(vendor.asked) == 2


@pytest.mark.parametrize(
    "vendor", [Provider("brave"), web("brave", failed=("startpage: captcha",))], ids=["nothing", "some failed"]
)
async def test_an_answer_is_kept_of(tmp_path, vendor):
    made = rig(tmp_path, vendor)
    answers = [await made.search() for _ in range(2)]
    assert (len(vendor.asked), answers[1].source.cached) == (1, True)


async def test_a_rescue_is_not_kept(tmp_path):
    vendor, exa = down("brave"), web("exa")
    made = rig(tmp_path, vendor, ring=(exa,))
    answers = [await made.search() for _ in range(2)]
    assert (len(vendor.asked), len(exa.asked)) == (2, 2)
    assert not any(answer.source.cached for answer in answers)


async def test_the_library_a_live_search_and_a_switched_off_memo_ask_anew(tmp_path):
    library, vendor = Provider("library", (own(1, 1.0),)), web("brave")
    for made, wish in (
        (rig(tmp_path, library, library=library), {}),
        (rig(tmp_path, vendor), {"live": True}),
        (rig(tmp_path, vendor, memo=MemoRules(enabled=False)), {}),
    ):
        for _ in range(2):
            assert not (await made.search(**wish)).source.cached
    assert (len(library.asked), len(vendor.asked)) == (2, 4)
    assert not (tmp_path / "kept").exists()


async def test_a_hit_skips_no_check(tmp_path):
    vendor = web("brave", "https://a.example/", "https://b.example/")
    assert len((await rig(tmp_path, vendor).search()).hits) == 2
    blocked = rig(tmp_path, vendor, blocked=("a.example",))
    answer = await blocked.search(fenced=True)
    assert (urls(answer), answer.source.dropped, answer.source.cached) == (["https://b.example/"], 1, True)
    assert answer.hits[0].snippet.startswith("⟦untrusted abcd")
    secret = "ghp_" + "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"
    assert (await blocked.search(f"heron {secret}")).refusal.code == "secrets.value"
    assert len(vendor.asked) == 1


async def test_equal_searches_at_one_time_are_made_once(tmp_path):
    class Slow(Provider):
        async def search(self, request, context):
            await anyio.sleep(0.02)
            return await super().search(request, context)

    vendor, answers = Slow("brave", (hit("https://a.example/"),)), []
    made = rig(tmp_path, vendor)

    async def search(query):
        answers.append(await made.search(query))

    async with anyio.create_task_group() as tasks:
        for query in ("heron", "heron ", "heron", "stork"):
            tasks.start_soon(search, query)
    assert sorted(request.query.strip() for request in vendor.asked) == ["heron", "stork"]
    assert [urls(answer) for answer in answers] == [["https://a.example/"]] * 4


async def test_equal_searches_are_made_once_also_by_gates_that_settings_made_anew(tmp_path):
    flights: Flights[str] = Flights()
    answers = AnswerCache(PageCache(tmp_path))
    made = 0

    async def proceed(call):
        nonlocal made
        made += 1
        await anyio.sleep(0.01)
        return SearchAnswer((hit("https://h.example/"),), SearchSource("brave"))

    async with anyio.create_task_group() as group:
        for _ in range(2):
            gate = MemoGate(answers, MemoRules(), flights=flights)
            group.start_soon(gate, SearchCall(SearchRequest("heron"), CallContext(), web("brave")), proceed)
    assert made == 1


async def test_what_an_answer_took_is_counted_once(tmp_path):
    class Spending(Provider):
        async def search(self, request, context):
            answer = await super().search(request, context)
            return SearchAnswer(answer.hits, SearchSource(self.name, usage=Usage(10, 5)))

    made = rig(tmp_path, Spending("xai", (hit("https://a.example/"),)))
    assert [(await made.search()).source.usage for _ in range(2)] == [Usage(10, 5), None]


def change(request, field, other):
    return SearchRequest(**{**{name: getattr(request, name) for name in request.__struct_fields__}, field: other})


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("query", "Heron words"), ("limit", 6), ("allowed_domains", ("a.example",)), ("blocked_domains", ("a.example",)),
        ("recency_days", 3), ("type", "news"), ("region", "br"), ("context_size", "high"), ("max_chars", 100),
    ],
)  # fmt: skip
def test_another_filter_is_another_search(field, other):
    request = SearchRequest("heron words")
    assert memo_digest(change(request, field, other), "brave", NOWHERE) != memo_digest(request, "brave", NOWHERE)


def test_another_provider_or_place_is_another_search():
    request = SearchRequest("heron words")
    digests = {memo_digest(request, who, where) for who in ("brave", "exa") for where in (NOWHERE, Location("DE"))}
    assert len(digests) == 4


@given(st.text(), st.lists(st.text(max_size=9), max_size=4))
def test_white_space_and_the_order_of_domains_make_no_difference(query, domains):
    spaced = "  " + "\t\n ".join(query.split()) + " "
    one = memo_digest(SearchRequest(query, allowed_domains=tuple(domains)), "brave", NOWHERE)
    other = memo_digest(SearchRequest(spaced, allowed_domains=tuple(reversed(domains))), "brave", NOWHERE)
    assert one == other
    assert len(one) == 64


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-4]),
        lambda path: path.write_bytes(b"\x00" * 100),
        lambda path: path.write_bytes(b""),
    ],
    ids=["cut", "zeros", "empty"],
)
async def test_a_spoilt_file_is_a_miss(tmp_path, spoil):
    vendor = web("brave")
    made = rig(tmp_path, vendor)
    await made.search()
    (path,) = (tmp_path / "kept").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    spoil(path)
    assert urls(await made.search()) == ["https://brave.example/"]
    assert len(vendor.asked) == 2


async def test_a_folder_that_cannot_be_written_costs_the_memo_and_not_the_search(tmp_path):
    (tmp_path / "kept").write_text("a file stands here")
    vendor = web("brave")
    made = rig(tmp_path, vendor)
    assert [urls(await made.search()) for _ in range(2)] == [["https://brave.example/"]] * 2
    assert len(vendor.asked) == 2


def test_an_answer_of_another_shape_is_a_miss(tmp_path):
    files = PageCache(tmp_path, clock=lambda: 2.0)
    cache = AnswerCache(files)
    answer = SearchAnswer((hit("https://a.example/"),), SearchSource("brave"))
    cache.put("d" * 64, "brave", KeptAnswer(answer, 1.0))
    assert cache.get("d" * 64, "brave") == KeptAnswer(answer, 1.0)
    assert cache.get("d" * 64, "exa") is None
    odd = SearchAnswer((hit("https://a.example/", score=float("nan")),), SearchSource("brave"))
    cache.put("e" * 64, "brave", KeptAnswer(odd, 1.0))
    assert cache.get("e" * 64, "brave") is None
    cache.put("f" * 64, "brave", KeptAnswer(SearchAnswer((hit("https://a.example/", title="\udc80"),), SearchSource("x")), 1.0))
    assert cache.get("f" * 64, "brave") is None
