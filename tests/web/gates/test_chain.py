"""The chain of page readers: each gets what those before it could not read, and an entry says who failed."""

import pytest

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import ExtractAnswer, Extraction, Fetched, Page, Unread, published_entry
from limen.web.call import ExtractCall, Wanted, unread
from limen.web.elsewhere import another_may_try
from limen.web.gates.rescue import rescue_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.ring import Ring

pytestmark = pytest.mark.anyio
A, B = "https://a.example/", "https://b.example/"


class Reader:
    def __init__(self, name, *pages, code="web.provider_failed", gate="", missing=None):
        self.name = name
        self.pages = pages
        self.refusal = Refusal(gate or name, code, f"{name} is down")
        self.missing = missing
        self.asked = []

    def unavailable(self):
        return self.missing

    def entry(self, wanted):
        if wanted.url in self.pages:
            return Fetched(wanted.requested, Page(url=wanted.url, text=self.name), self.name, "", self.name, 1, 1)
        return unread(wanted, self.refusal)


async def endpoint(call):
    call.provider.asked.append([wanted.url for wanted in call.wanted])
    return ExtractAnswer(tuple(call.provider.entry(wanted) for wanted in call.wanted))


async def read(chain, *urls, wish="", exempt=frozenset(), others=(), ring=None, eligible=(), cancelled=lambda: False):
    providers = {reader.name: reader for reader in (*chain, *others)}
    gate = resolve_gate(providers, "local", exempt, chain=[reader.name for reader in chain])
    rescue = rescue_gate(ring or Ring(), enabled=True, eligible=frozenset(eligible))
    call = ExtractCall(tuple(Wanted(url, url) for url in urls), Extraction(urls, provider=wish), CallContext(cancelled=cancelled))
    return await gate(call, lambda inner: rescue(inner, endpoint))


async def test_the_next_reader_gets_what_is_missing_and_nothing_else():
    first, second = Reader("first", A), Reader("second", A, B)
    answer = await read([first, second], A, B)
    assert [entry.provider for entry in answer.entries] == ["first", "second"]
    assert (first.asked, second.asked) == ([[A, B]], [[B]])
    assert [published_entry(entry)["source"]["readers_failed"] for entry in answer.entries] == [
        [],
        ["first: web.provider_failed"],
    ]


async def test_nobody_more_is_asked_once_all_is_read():
    second = Reader("second", A)
    await read([Reader("first", A), second], A)
    assert second.asked == []


async def test_where_all_fail_the_first_error_stands_and_the_others_beside_it():
    answer = await read([Reader("first", code="extract.quota"), Reader("second")], A)
    error = published_entry(answer.entries[0])["error"]
    assert error["code"] == "extract.quota"
    assert error["readers"] == {
        "first": "first is down [extract.quota]",
        "second": "second is down [web.provider_failed]",
    }


async def test_a_reader_that_cannot_be_used_is_named_and_passed_by():
    locked = Reader("locked", A, missing=Refusal("locked", "web.no_key", "It has no key."))
    answer = await read([locked, Reader("second", A)], A)
    assert answer.entries[0].provider == "second"
    assert answer.entries[0].readers_failed == ("locked: web.no_key",)
    assert locked.asked == []


async def test_where_none_can_be_used_each_says_why():
    missing = [Reader(name, missing=Refusal(name, "web.no_key", f"{name} has no key.")) for name in ("one", "two")]
    answer = await read(missing, A)
    assert answer.refusal.code == "web.no_key"
    assert list(answer.refusal.detail["readers"]) == ["one", "two"]


async def test_a_call_s_own_wish_goes_before_the_chain():
    chain, wished = [Reader("first", A)], Reader("wished")
    answer = await read(chain, A, wish="wished", others=[wished])
    assert answer.entries[0].refusal.gate == "wished"
    assert chain[0].asked == []


@pytest.mark.parametrize(
    ("gate", "code", "goes_on"),
    [
        ("policy", "policy.blocked", False),
        ("secrets", "secrets.parameter", False),
        ("permission", "permission.denied", False),
        ("redirect", "web.cross_host_redirect", False),
        ("network", "network.private_address", False),
        ("network", "network.metadata", False),
        ("local", "web.interrupted", False),
        ("network", "network.timeout", True),
        ("network", "network.http_status", True),
        ("exa", "network.dns_failed", True),
        ("local", "reader.empty_page", True),
        ("exa", "extract.billing", True),
        ("exa", "web.timeout", True),
    ],
)
async def test_what_holds_for_everybody_is_nobody_else_s_to_try(gate, code, goes_on):
    second = Reader("second", A)
    await read([Reader("first", code=code, gate=gate), second], A)
    assert bool(second.asked) is goes_on
    assert another_may_try(Refusal(gate, code, "")) is goes_on


async def test_hosts_with_credentials_are_read_here_whatever_the_chain():
    first, local = Reader("first", A, B), Reader("local", A, B)
    answer = await read([first], A, B, exempt=frozenset({"a.example"}), others=[local])
    assert [entry.provider for entry in answer.entries] == ["local", "first"]
    assert (first.asked, local.asked) == ([[B]], [[A]])


async def test_a_call_that_is_given_up_asks_nobody_more():
    second = Reader("second", A)
    answer = await read([Reader("first"), second], A, cancelled=lambda: True)
    assert second.asked == []
    assert isinstance(answer.entries[0], Unread)


async def test_the_ring_is_asked_once_and_only_when_the_whole_chain_failed():
    free = Reader("free", A, B)
    answer = await read([Reader("first"), Reader("second")], A, B, ring=Ring((free,)), eligible=["first", "second"])
    assert free.asked == [[A, B]]
    assert [entry.treatment.rescued_from for entry in answer.entries] == ["second", "second"]
    assert answer.entries[0].readers_failed == ("first: web.provider_failed", "second: web.provider_failed")


async def test_a_chain_with_one_good_page_is_returned_as_it_is():
    free = Reader("free", A, B)
    answer = await read([Reader("first", A), Reader("second")], A, B, ring=Ring((free,)), eligible=["first", "second"])
    assert free.asked == []
    assert isinstance(answer.entries[1], Unread)


async def test_who_was_asked_already_is_no_rescuer():
    exa, free = Reader("exa"), Reader("free", A)
    answer = await read([exa, Reader("paid")], A, ring=Ring((Reader("exa", A), free)), eligible=["exa", "paid"])
    assert answer.entries[0].provider == "free"


async def test_a_failed_rescue_is_told_beside_the_first_error():
    answer = await read([Reader("first"), Reader("paid")], A, ring=Ring((Reader("free"),)), eligible=["paid"])
    detail = answer.entries[0].refusal.detail
    assert answer.entries[0].refusal.gate == "first"
    assert detail["rescue"] == {"free": "free is down [web.provider_failed]"}
    assert list(detail["readers"]) == ["first", "paid"]
