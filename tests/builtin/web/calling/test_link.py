"""The way to a vendor: where a key may go, what is read of an answer, what a vendor's words become."""

import pytest
from builtin.web.asking import NOW

from limen.builtin.web.calling.key import VendorKey, scrubbed
from limen.builtin.web.calling.link import Ask, Limits, Link
from limen.builtin.web.calling.provider import key_for
from limen.builtin.web.calling.refusing import quoted, said_in
from limen.builtin.web.vendors import RING, SCRAPER, VENDORS, vendor_table
from limen.core.fault import ConfigFault, Refusal
from limen.net.url import parse
from limen.testing.vendor_stage import json_reply, staged

pytestmark = pytest.mark.anyio
SECRET = "tok" + "en/4f1d9c72+x"


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://api.vendor.test/v1", True),
        ("https://eu.api.vendor.test/v1", True),
        ("http://api.vendor.test/v1", False),
        ("https://api.vendor.test:8443/v1", False),
        ("https://vendor.test/v1", False),
        ("https://evil-api.vendor.test.evil.test/", False),
        ("https://xapi.vendor.test/", False),
        ("http://127.0.0.1:9000/x", True),
        ("http://127.0.0.1:9001/x", False),
    ],
)
def test_a_key_goes_to_its_hosts_alone(url, may):
    key = VendorKey(SECRET, hosts=["api.vendor.test"], endpoints=["http://127.0.0.1:9000/base"])
    assert key.may_go(parse(url)) is may


def test_a_key_configured_with_an_address_stays_there():
    vendor = vendor_table()["firecrawl"]
    assert key_for(vendor, SECRET).may_go(parse("https://api.firecrawl.dev/v2/search"))
    gateway = key_for(vendor, SECRET, "https://gateway.test/firecrawl")
    assert gateway.may_go(parse("https://gateway.test/firecrawl/v2/search"))
    assert not gateway.may_go(parse("https://api.firecrawl.dev/v2/search"))
    assert key_for(vendor, " ") is None
    assert key_for(vendor, None) is None


async def test_a_key_bound_elsewhere_is_not_sent_and_neither_is_the_question():
    def make(client, url, timeout_s):
        return Link("vendor", client, url, VendorKey(SECRET, hosts=["api.vendor.test"]))

    async with staged(make, json_reply("{}")) as stage:
        refusal = await stage.provider.send(Ask("/search"), "search", NOW)
        assert not stage.received
    assert refusal.code == "search.key_host"
    assert "api.vendor.test" in refusal.reason
    assert SECRET not in repr(refusal)


@pytest.mark.parametrize("secret", ["", "  ", "two words", "zwei\nZeilen", "schlüssel", "a\x00b"])
def test_what_can_be_no_key_is_not_quoted(secret):
    with pytest.raises(ConfigFault) as caught:
        VendorKey(secret)
    assert not secret.strip() or secret not in str(caught.value)


def test_a_key_shows_itself_nowhere():
    key = VendorKey(SECRET)
    assert SECRET not in f"{key!r} {key}"
    with pytest.raises(TypeError):
        key.__reduce__()
    refusal = scrubbed(Refusal("v", "search.auth", f"bad {SECRET}", f"try {SECRET}", {"said": SECRET, "status": 401}), key)
    assert SECRET not in repr(refusal)
    assert refusal.detail["status"] == 401


async def test_an_echoed_key_is_gone_from_the_body_however_it_is_written():
    def make(client, url, timeout_s):
        return Link("vendor", client, url, VendorKey(SECRET, endpoints=[url]))

    escaped = SECRET.replace("/", "\\/")
    async with staged(make, json_reply(f'{{"a": "{SECRET}", "b": "{escaped}"}}')) as stage:
        reply = await stage.provider.send(Ask("/"), "search", NOW)
    assert reply.body == b'{"a": "[key]", "b": "[key]"}'


async def test_an_address_that_cannot_be_read_is_refused_before_anything_is_sent():
    link = Link("vendor", lambda: None, "not an address")
    refusal = await link.send(Ask("/search"), "search", NOW)
    assert refusal.code.startswith("network.")
    assert refusal.gate == "vendor"


async def test_a_private_address_is_refused_with_what_opens_it():
    def make(client, url, timeout_s):
        return Link("searxng", client, "http://10.0.0.7:8080", limits=Limits(timeout_s=2.0))

    async with staged(make, json_reply("{}")) as stage:
        refusal = await stage.provider.send(Ask("/search"), "search", NOW)
    assert refusal.code == "network.private_address"
    assert "security.allow_private_hosts" in refusal.mend


async def test_the_limit_counts_what_was_unpacked_to_the_byte():
    def make(client, url, timeout_s):
        return Link("vendor", client, url, limits=Limits(max_bytes=100))

    async with staged(make, json_reply("x" * 100)) as stage:
        assert len((await stage.provider.send(Ask("/"), "search", NOW)).body) == 100
    async with staged(make, json_reply("x" * 101)) as stage:
        assert (await stage.provider.send(Ask("/"), "search", NOW)).code == "search.too_large"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "no"}', "no"),
        (b'{"error": {"message": "no"}}', "no"),
        (b'{"detail": {"error": "no"}}', "no"),
        (b'{"detail": [{"msg": "no", "loc": []}]}', "no"),
        (b'{"message": "no"}', "no"),
        (b'{"error": {"code": "NO"}}', "NO"),
        (b'{"error": 17}', ""),
        (b'{"fine": true}', ""),
        (b"<html>", ""),
        (b"", ""),
        (b'"no"', "no"),
        (b"[" * 100_000, ""),
    ],
)
def test_a_vendors_message_is_found_where_vendors_put_it(body, said):
    assert said_in(body) == said


def test_a_vendors_words_cannot_pass_for_ours():
    words = quoted("line\nline \x1b[31m ⟦/untrusted 0⟧ " + "x" * 10_000)
    assert len(words) <= 210
    assert "\n" not in words
    assert "\x1b" not in words
    assert "⟦" not in words


def test_the_table_is_whole():
    names = [vendor.name for vendor in VENDORS]
    assert len(set(names)) == len(names)
    for vendor in VENDORS:
        assert vendor.start
        assert not vendor.key_env or vendor.host, "a key without a home"
        assert not vendor.base_url or parse(vendor.base_url).scheme == "https"
        assert not (vendor.name in RING and vendor.keyless != "yes"), "the ring has no keys"
        assert not (vendor.spends and vendor.detected), "nothing is spent unasked"
    assert [vendor.name for vendor in VENDORS if vendor.detected] == [
        "firecrawl", "parallel", "tavily", "exa", "keenable", "searxng", "brave-free",
    ]  # fmt: skip
    assert {*RING, SCRAPER} <= {vendor.name for vendor in VENDORS}
