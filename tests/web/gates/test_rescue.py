"""The gate `rescue`: who is asked when the chosen reader fails, in which order, and how it is said."""

import pytest

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import ExtractAnswer, Extraction, Fetched, Page, Unread, published_entry
from limen.web.call import ExtractCall, Wanted
from limen.web.gates.rescue import rescue_gate
from limen.web.ring import Ring

pytestmark = pytest.mark.anyio
A, B = "https://a.example/", "https://b.example/"


class Reader:
    def __init__(self, name, *pages, code="web.provider_failed", missing=None):
        self.name = name
        self.pages = pages
        self.code = code
        self.missing = missing
        self.asked = 0

    def unavailable(self):
        return self.missing

    def entry(self, url):
        if url in self.pages:
            return Fetched(url, Page(url=url, text=self.name), self.name, "", self.name, 1, 1)
        return Unread(url, Refusal(self.name, self.code, f"{self.name} is down"))


async def endpoint(call):
    call.provider.asked += 1
    return ExtractAnswer(tuple(call.provider.entry(wanted.url) for wanted in call.wanted))


async def read(provider, ring, *urls, enabled=True, session="", eligible=None, cancelled=lambda: False):
    gate = rescue_gate(ring, enabled=enabled, eligible=frozenset({provider.name} if eligible is None else eligible))
    wanted = tuple(Wanted(url, url) for url in urls)
    return (
        await gate(ExtractCall(wanted, Extraction(urls), CallContext(session, cancelled=cancelled), provider), endpoint)
    ).entries


async def test_a_whole_lost_batch_is_rescued_and_marked():
    paid, exa = Reader("paid"), Reader("exa", A, B)
    entries = await read(paid, Ring((exa,)), A, B)
    assert [entry.content for entry in entries] == ["exa", "exa"]
    source = published_entry(entries[0])["source"]
    assert (source["provider"], source["rescued_from"], source["rescue_cause"]) == ("exa", "paid", "paid is down")
    assert entries[0].treatment.gates[-1].code == "rescue.rescued"


@pytest.mark.parametrize(
    ("provider", "changes"),
    [
        (Reader("paid", A), {}),
        (Reader("paid"), {"enabled": False}),
        (Reader("local"), {"eligible": ()}),
        (Reader("paid", code="reader.empty_page"), {}),
        (Reader("paid", code="reader.not_found"), {}),
        (Reader("paid"), {"cancelled": lambda: True}),
    ],
    ids=["one page came", "switched off", "not eligible", "the page is empty", "no such page", "cancelled"],
)
async def test_the_ring_is_left_alone_when(provider, changes):
    exa = Reader("exa", A, B)
    entries = await read(provider, Ring((exa,)), A, B, **changes)
    assert exa.asked == 0
    assert not any(getattr(entry, "content", "") == "exa" for entry in entries)


async def test_each_member_is_asked_until_one_answers_and_the_last_is_ours():
    first, second, local = Reader("first"), Reader("second"), Reader("local", A)
    (entry,) = await read(Reader("paid"), Ring((first, second), local), A)
    assert (first.asked, second.asked, entry.provider) == (1, 1, "local")


async def test_when_nobody_helps_the_chosen_reader_s_error_stands_with_what_all_said():
    (entry,) = await read(Reader("paid", code="search.billing"), Ring((Reader("exa"),), Reader("local")), A)
    assert entry.refusal.code == "search.billing"
    assert entry.refusal.detail["rescue"] == {
        "exa": "exa is down [web.provider_failed]",
        "local": "local is down [web.provider_failed]",
    }


async def test_a_page_the_rescuer_lacks_keeps_the_chosen_reader_s_error():
    first, second = await read(Reader("paid"), Ring((Reader("exa", A),)), A, B)
    assert first.content == "exa"
    assert (second.refusal.reason, second.refusal.detail["rescue"]) == ("paid is down", {"exa": "exa is down"})


async def test_the_session_decides_who_begins_and_the_failed_and_missing_are_left_out():
    names = ["a", "b", "c"]
    begun = set()
    for session in ("", "\x01", "\x02"):
        ring = Ring(tuple(Reader(name, A) for name in names))
        (entry,) = await read(Reader("paid"), ring, A, session=session)
        begun.add(entry.provider)
    assert begun == set(names)
    ring = Ring((Reader("paid", A), Reader("off", A, missing=Refusal("x", "x.off", "off")), Reader("c", A)))
    (entry,) = await read(Reader("paid"), ring, A)
    assert entry.provider == "c"


async def test_all_paid_is_said():
    (entry,) = await read(Reader("paid"), Ring(all_paid=True), A)
    assert entry.refusal.detail["rescue"]["ring"].endswith("[rescue.all_paid]")


async def test_the_next_call_begins_with_the_chosen_reader_again():
    paid, exa = Reader("paid"), Reader("exa", A)
    for _ in range(2):
        await read(paid, Ring((exa,)), A)
    assert (paid.asked, exa.asked) == (2, 2)
