"""The gate `cache`: a hit saves the reader's call, nothing else; and one wish at a time goes out."""

import anyio
import msgspec
import pytest

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import ExtractAnswer, Extraction, Fetched, Held, Page, Unread, Validators
from limen.web.cache.pages import PageCache
from limen.web.call import ExtractCall, Wanted
from limen.web.gates.cache import CacheGate, CacheRules

pytestmark = pytest.mark.anyio


class Time:
    now = 1_800_000_000.0

    def __call__(self):
        return self.now


class Endpoint:
    """Answers every page with how often it was asked; `answers` overrides by address."""

    name = "reader"

    def __init__(self):
        self.asked = []
        self.held = []
        self.answers = {}
        self.validators = Validators()
        self.pause_s = 0.0
        self.unchanged = False

    async def __call__(self, call):
        await anyio.sleep(self.pause_s)
        self.asked.append([wanted.url for wanted in call.wanted])
        self.held += call.extraction.held
        return ExtractAnswer(tuple(self._entry(wanted) for wanted in call.wanted))

    def _entry(self, wanted):
        if wanted.url in self.answers:
            return self.answers[wanted.url]
        if self.unchanged:
            (held,) = [one for one in self.held if one.url == wanted.url]
            page, text = held.page, held.page.text
            return Fetched(
                wanted.requested, page, "reader", "", text, 1, 1, treatment=Treatment(gates=wanted.verdicts),
                validators=held.validators,
            )  # fmt: skip
        text = f"{wanted.url} {len(self.asked)}"
        return Fetched(
            wanted.requested, Page(url=wanted.url, text=text), "reader", "", text, len(text), len(text),
            treatment=Treatment(gates=wanted.verdicts), validators=self.validators,
        )  # fmt: skip


class Rig:
    def __init__(self, tmp_path, *, public=lambda url: True, **rules):
        self.time = Time()
        self.pages = PageCache(tmp_path, clock=self.time)
        self.endpoint = Endpoint()

        async def is_public(url):
            return public(url)

        self.gate = CacheGate(self.pages, CacheRules(**rules), is_public, clock=self.time)

    async def read(self, *urls, provider=None, **wish):
        call = ExtractCall(
            tuple(Wanted(url, url) for url in urls), Extraction(urls, **wish), CallContext("s", "t"), provider or self.endpoint
        )
        return (await self.gate(call, self.endpoint)).entries


A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/3"


async def test_the_second_reading_is_a_hit_that_says_so(tmp_path):
    rig = Rig(tmp_path)
    (first,) = await rig.read(A)
    rig.time.now += 90
    (second,) = await rig.read(A)
    assert rig.endpoint.asked == [[A]]
    assert second.content == first.content
    assert (first.treatment.cached, second.treatment.cached, second.treatment.age_s) == (False, True, 90.0)
    assert second.fetched_at == "2027-01-15T08:00:00Z"
    assert [(one.gate, one.verdict) for one in first.treatment.gates] == [("cache", "miss")]
    assert [(one.gate, one.verdict, one.code) for one in second.treatment.gates] == [("cache", "hit", "cache.hit")]
    assert first.cache_path == second.cache_path
    assert first.cache_path


async def test_a_page_behind_a_credential_is_not_kept(tmp_path):
    rig = Rig(tmp_path)
    exempt = Wanted(A, A, (GateVerdict("secrets", "allow", "secrets.exempt"),))
    for _ in range(2):
        call = ExtractCall((exempt, Wanted(B, B)), Extraction((A, B)), CallContext("s", "t"), rig.endpoint)
        answer = await rig.gate(call, rig.endpoint)
    assert rig.endpoint.asked == [[A, B], [A]]
    assert [bool(entry.cache_path) for entry in answer.entries] == [False, True]
    assert not any("a.example" in file.name for file in tmp_path.iterdir())


async def test_a_hit_does_not_touch_its_file(tmp_path):
    rig = Rig(tmp_path)
    await rig.read(A)
    before = [(file.stat().st_mtime_ns, file.stat().st_ino) for file in tmp_path.iterdir()]
    await rig.read(A)
    assert [(file.stat().st_mtime_ns, file.stat().st_ino) for file in tmp_path.iterdir()] == before


async def test_hits_and_misses_keep_the_caller_s_order(tmp_path):
    rig = Rig(tmp_path)
    await rig.read(B)
    entries = await rig.read(A, B, C)
    assert [entry.requested for entry in entries] == [A, B, C]
    assert [entry.treatment.cached for entry in entries] == [False, True, False]
    assert rig.endpoint.asked == [[B], [A, C]]


async def test_age_a_fresh_wish_another_format_and_another_reader_are_misses(tmp_path):
    rig = Rig(tmp_path)
    await rig.read(A)
    await rig.read(A, fresh=True)
    await rig.read(A, format="text")
    other = Endpoint()
    other.name = "other"
    await rig.read(A, provider=other)
    rig.time.now += 20 * 60
    await rig.read(A)
    assert len(rig.endpoint.asked) == 5
    await rig.read(A, format="text", fresh=False)
    assert len(rig.endpoint.asked) == 6


async def test_a_fresh_reading_renews_what_is_kept(tmp_path):
    rig = Rig(tmp_path)
    await rig.read(A)
    (fresh,) = await rig.read(A, fresh=True)
    (hit,) = await rig.read(A)
    assert hit.content == fresh.content


async def test_the_fragment_is_not_part_of_the_page(tmp_path):
    rig = Rig(tmp_path)
    await rig.read(f"{A}#one")
    (hit,) = await rig.read(f"{A}#two")
    assert hit.treatment.cached
    assert hit.requested == f"{A}#two"
    (from_page,) = await rig.read(f"{A}#page=2")
    assert not from_page.treatment.cached


async def test_failures_rescues_and_private_pages_are_never_kept(tmp_path):
    rig = Rig(tmp_path, public=lambda url: "c.example" not in url)
    rig.endpoint.answers[A] = Unread(A, Refusal("network", "network.timeout", "slow"))
    rescued = Treatment(rescued_from="exa")
    rig.endpoint.answers[B] = Fetched(B, Page(url=B, text="b"), "local", "", "b", 1, 1, treatment=rescued)
    for _ in range(2):
        await rig.read(A, B, C)
    assert rig.endpoint.asked == [[A, B, C]] * 2
    assert not list(tmp_path.iterdir())


async def test_a_redirect_to_a_private_or_exempt_place_is_not_kept(tmp_path):
    rig = Rig(tmp_path, public=lambda url: "wiki" not in url, exempt_hosts=("shop.example",))
    for target in ("http://wiki/", "https://shop.example/"):
        rig.endpoint.answers[A] = Fetched(A, Page(url=target, text="x"), "reader", "", "x", 1, 1)
        await rig.read(A)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("rule", "url", "kept"),
    [
        ("my.example", "https://my.example/", False),
        ("my.example", "https://a.my.example/", False),
        ("*.my.example", "https://my.example/", True),
        ("*.my.example", "https://a.my.example/", False),
        ("my.example", "https://notmy.example/", True),
        (" MY.example. ", "https://My.Example/", False),
        ("bücher.example", "https://a.xn--bcher-kva.example/", False),
        ("*.bücher.example", "https://xn--bcher-kva.example/", True),
    ],
)  # fmt: skip
async def test_exempt_hosts(tmp_path, rule, url, kept):
    rig = Rig(tmp_path, exempt_hosts=(rule,))
    await rig.read(url)
    assert bool(list(tmp_path.iterdir())) is kept


async def test_an_exemption_holds_for_what_was_kept_before_it(tmp_path):
    await Rig(tmp_path).read(A)
    rig = Rig(tmp_path, exempt_hosts=("a.example",))
    (entry,) = await rig.read(A)
    assert not entry.treatment.cached


async def test_switched_off_it_neither_answers_nor_keeps(tmp_path):
    await Rig(tmp_path).read(A)
    rig = Rig(tmp_path, enabled=False)
    (entry,) = await rig.read(A)
    assert not entry.treatment.cached


async def test_an_old_page_is_offered_to_the_reader_with_what_its_server_said(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.validators = Validators('"v1"')
    await rig.read(A)
    rig.time.now += 3_600
    await rig.read(A)
    (held,) = rig.endpoint.held
    assert (held.url, held.page.text, held.validators) == (A, f"{A} 1", Validators('"v1"'))


async def test_a_page_that_a_caller_holds_is_offered_and_not_kept(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.unchanged = True
    held = Held(A, Page(url=A, text="as the library has it"), Validators('"v1"'))
    (entry,) = await rig.read(A, fresh=True, held=(held,))
    assert rig.endpoint.held == [held]
    assert (entry.page, entry.cache_path) == (held.page, None)
    assert not list(tmp_path.iterdir())


DOWN = Refusal("reader", "extract.failed", "a.example is down")


@pytest.mark.parametrize(
    ("refusal", "age_s", "stale_s", "shown"),
    [
        (DOWN, 3_600, 7_200, True),
        (DOWN, 3_600, 0, False),
        (DOWN, 3_600, 2_399, False),
        (Refusal("network", "network.http_status", "503", "", {"status": 503}), 3_600, 7_200, True),
        (Refusal("network", "network.http_status", "gone", "", {"status": 404}), 3_600, 7_200, False),
        (Refusal("network", "network.http_status", "gone", "", {"status": 410}), 3_600, 7_200, False),
        (Refusal("policy", "policy.blocked", "no"), 3_600, 7_200, False),
        (Refusal("network", "network.private_address", "no"), 3_600, 7_200, False),
        (Refusal("reader", "web.interrupted", "stopped"), 3_600, 7_200, False),
    ],
)  # fmt: skip
async def test_an_old_copy_stands_in_as_long_as_the_settings_let_it(tmp_path, refusal, age_s, stale_s, shown):
    rig = Rig(tmp_path, stale_s=stale_s)
    await rig.read(A)
    rig.endpoint.answers[A] = Unread(A, refusal)
    rig.time.now += age_s
    (entry,) = await rig.read(A)
    assert isinstance(entry, Fetched) is shown
    if shown:
        assert (entry.treatment.cached, entry.treatment.age_s) == (True, 3_600.0)
        assert entry.treatment.gates[-1].code == "cache.stale"
        assert entry.notices == (f"The page could not be read anew ({refusal.code}); this copy is 60 minutes old.",)
    else:
        assert entry.refusal == refusal
    (fresh,) = await rig.read(A, fresh=True)
    assert isinstance(fresh, Unread)


async def test_a_stale_copy_is_not_kept_anew(tmp_path):
    rig = Rig(tmp_path, stale_s=7_200)
    await rig.read(A)
    rig.endpoint.answers[A] = Unread(A, DOWN)
    for _ in range(3):
        rig.time.now += 1_800
        await rig.read(A)
    assert len(rig.endpoint.asked) == 4


async def test_an_unchanged_page_is_as_new_as_its_server_s_word(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.validators = Validators('"v1"')
    await rig.read(A)
    rig.time.now += 3_600
    rig.endpoint.unchanged = True
    (entry,) = await rig.read(A)
    assert [verdict.code for verdict in entry.treatment.gates if verdict.gate == "cache"] == ["cache.unchanged"]
    assert (entry.treatment.cached, entry.treatment.age_s) == (True, 0.0)
    rig.time.now += 600
    (hit,) = await rig.read(A)
    assert (hit.treatment.age_s, hit.fetched_at) == (600.0, "2027-01-15T09:00:00Z")
    assert len(rig.endpoint.asked) == 2


async def test_what_the_reader_said_of_a_page_is_said_again(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.answers[A] = Fetched(
        A, Page(url=A, text="x"), "reader", "", "x", 1, 1, snapshot_at="2026-11-20", ignored=("format",)
    )
    await rig.read(A)
    (hit,) = await rig.read(A)
    assert (hit.snapshot_at, hit.ignored) == ("2026-11-20", ("format",))


async def test_what_alters_a_reader_s_pages_is_part_of_the_key(tmp_path):
    await Rig(tmp_path, variants={"reader": "de"}).read(A)
    assert not (await Rig(tmp_path, variants={"reader": "en"}).read(A))[0].treatment.cached
    assert not (await Rig(tmp_path).read(A))[0].treatment.cached
    assert (await Rig(tmp_path, variants={"reader": "de"}).read(A))[0].treatment.cached


async def test_a_full_disk_costs_the_cache_and_not_the_page(tmp_path):
    (tmp_path / "file").write_text("")
    rig = Rig(tmp_path / "file" / "cache")
    (entry,) = await rig.read(A)
    assert (entry.content, entry.cache_path) == (f"{A} 1", None)


async def test_equal_wishes_at_one_time_go_out_once(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.pause_s = 0.02
    got = []

    async def read(*urls):
        got.append(await rig.read(*urls))

    async with anyio.create_task_group() as group:
        for urls in ((A, B), (B, A), (A,), (B, C), (C, A)):
            group.start_soon(read, *urls)
    fetched = [url for batch in rig.endpoint.asked for url in batch]
    assert sorted(fetched) == [A, B, C]
    assert all(entry.content.startswith(entry.requested) for entries in got for entry in entries)
    assert not rig.gate._flights


async def test_a_caller_who_leaves_does_not_hold_up_the_next(tmp_path):
    rig = Rig(tmp_path)
    rig.endpoint.pause_s = 60
    with anyio.move_on_after(0.01):
        await rig.read(A)
    rig.endpoint.pause_s = 0
    with anyio.fail_after(5):
        await rig.read(A)
    assert not rig.gate._flights


async def test_a_refusal_of_the_whole_call_passes_through(tmp_path):
    rig = Rig(tmp_path)
    refusal = Refusal("x", "x.no", "no")

    async def refuse(call):
        return ExtractAnswer(refusal=refusal)

    call = ExtractCall((Wanted(A, A),), Extraction((A,)), CallContext("s", "t"), rig.endpoint)
    assert (await rig.gate(call, refuse)).refusal == refusal


async def test_a_lost_page_is_a_fault_of_ours(tmp_path):
    rig = Rig(tmp_path)

    async def lose(call):
        return ExtractAnswer()

    call = msgspec.structs.replace(ExtractCall((Wanted(A, A),), Extraction((A,)), CallContext("s", "t"), rig.endpoint))
    with pytest.raises(AssertionError):
        await rig.gate(call, lose)


async def test_a_garbled_page_is_not_kept(tmp_path):
    rig = Rig(tmp_path)
    for text, kept in (("na\ufffdve caf\ufffd", False), ("caf\ufffd " + "plain words " * 20, True)):
        page = Page(url=A, text=text)
        rig.endpoint.answers = {A: Fetched(A, page, "reader", "", text, len(text), len(text))}
        await rig.read(A, fresh=True)
        (again,) = await rig.read(A)
        assert again.treatment.cached is kept
