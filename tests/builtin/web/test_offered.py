"""Which vendors a process has: told from keys, addresses and tiers alone, without loading any of them."""

import subprocess
import sys

import pytest

from limen.builtin.web.offered import Means, VendorSettings, offered
from limen.builtin.web.vendors import RING, VENDORS
from limen.core.context import CallContext
from limen.core.web import Page, SearchRequest
from limen.net.client import AddressPolicy, new_client
from limen.testing.network import never, reply, serve


class NoReader:
    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return Page(url=url)


def offer(settings=None, client=None, **secrets):
    return offered(settings or VendorSettings(), Means(secrets.get, client or (lambda address: None), NoReader()))


def missing(provider):
    refusal = provider.unavailable()
    return None if refusal is None else refusal.code


def test_without_keys_only_what_needs_none_is_there():
    found = offer()
    assert found.detected == ()
    usable = {name for name, provider in found.search.items() if missing(provider) is None} - {"ddgs"}
    domains = {search.name for search in found.domains}
    assert usable - domains == {"firecrawl", "parallel", "exa", "keenable", "bing-html"}
    lacking = {"tavily": "web.no_key", "searxng": "web.no_address", "brave": "web.no_key", "xai": "web.no_model"}
    assert {name: missing(found.search[name]) for name in lacking} == lacking


def test_keys_and_addresses_are_found_in_the_documented_order():
    found = offer(BRAVE_SEARCH_API_KEY="b", TAVILY_API_KEY="t", SEARXNG_URL="https://s.example", XAI_API_KEY="x", EXA_API_KEY="e")
    assert found.detected == ("tavily", "exa", "searxng", "brave-free")


@pytest.mark.parametrize(
    ("tier", "secret", "code", "in_ring"),
    [("auto", None, None, True), ("paid", None, "web.no_key", False), ("paid", "k", None, False), ("free", "k", None, True)],
)
def test_tiers(tier, secret, code, in_ring):
    found = offer(VendorSettings(tiers={"exa": tier}), **({"EXA_API_KEY": secret} if secret else {}))
    assert missing(found.extract["exa"]) == code
    assert ("exa" in {member.name for member in found.ring}) is in_ring


def test_a_keyless_vendor_answers_for_itself_and_is_not_rescued_by_its_own_kind():
    assert "exa" not in offer().eligible
    assert "exa" in offer(EXA_API_KEY="k").eligible
    assert "exa" not in offer(VendorSettings(tiers={"exa": "free"}), EXA_API_KEY="k").eligible


def test_all_paid_is_known():
    found = offer(VendorSettings(tiers=dict.fromkeys(RING, "paid")))
    assert (found.ring, found.search_ring, found.ring_all_paid) == ((), (), True)


def test_the_ring_is_in_the_documented_order_and_takes_no_key():
    found = offer(EXA_API_KEY="k")
    for ring in (found.ring, found.search_ring):
        assert [member.name for member in ring] == ["exa", "parallel", "firecrawl", "keenable"]
        assert all(member._provider()._setup.key is None for member in ring)


def test_every_vendor_can_be_made():
    secrets = {vendor.key_env: "k" for vendor in VENDORS if vendor.key_env} | {"SEARXNG_URL": "https://s.example"}
    models = {vendor.name: "m" for vendor in VENDORS if vendor.spends}
    found = offer(VendorSettings(models=models), **secrets)
    for provider in (*found.search.values(), *found.extract.values(), *found.ring):
        assert provider._provider().name == provider.name


def test_looking_at_the_offer_loads_no_vendor():
    script = (
        "import sys; from limen.builtin.web.offered import *; from limen.core.web import SearchRequest;"
        "o = offered(VendorSettings(), Means(lambda name: None, None, None));"
        "[p.unavailable() for p in o.search.values()];"
        "[d.fits(SearchRequest('psf/requests bug')) for d in o.domains];"
        "print([m for m in sys.modules if 'httpx' in m or '.exa' in m])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.anyio
async def test_an_instance_of_one_s_own_is_asked_with_the_client_for_its_address():
    answer = '{"results": [{"title": "t", "url": "https://x.example/", "content": "c"}]}'
    async with serve({"/search": reply(answer, headers={"content-type": "application/json"})}) as server:
        policy = AddressPolicy((f"127.0.0.1:{server.port}",))
        asked = []
        async with new_client(policy, resolver=never) as client:

            def client_for(address):
                asked.append(address)
                return client

            found = offer(VendorSettings(urls={"searxng": server.url("")}), client_for)
            result = await found.search["searxng"].search(SearchRequest("q"), CallContext())
    assert [hit.url for hit in result.hits] == ["https://x.example/"]
    assert set(asked) == {server.url("")}


def test_a_ring_member_has_no_key_even_where_one_is_set():
    found = offer(FIRECRAWL_API_KEY="fc-key")
    member = next(one for one in found.ring if one.name == "firecrawl")
    assert member._provider()._setup.key is None
    assert found.extract["firecrawl"]._provider()._setup.key is not None


def test_domain_searches_say_what_they_are_told_and_fit_where_their_tables_say():
    found = offer()
    fields = {vendor.name for vendor in VENDORS if vendor.field}
    assert {search.name for search in found.domains} == fields
    assert fields <= set(found.search)
    fits = {search.name: search.fits(SearchRequest("who is Ada Lovelace")) for search in found.domains}
    assert {name for name, fit in fits.items() if fit} == {"wikipedia"}


@pytest.mark.anyio
async def test_a_gateway_is_given_its_own_token_and_never_the_vendor_s_key():
    answer = '{"success": true, "data": {"web": [{"title": "t", "url": "https://x.example/", "description": "d"}]}}'
    async with serve({"*": reply(answer, headers={"content-type": "application/json"})}) as server:
        async with new_client(AddressPolicy((f"127.0.0.1:{server.port}",)), resolver=never) as client:
            settings = VendorSettings(urls={"firecrawl": "https://elsewhere.example"}, gateways={"firecrawl": server.url("/fc")})
            keys = {"FIRECRAWL_API_KEY": "fc-of-the-vendor", "FIRECRAWL_GATEWAY_TOKEN": "of-the-gateway"}
            found = offer(settings, lambda address: client, **keys)
            result = await found.search["firecrawl"].search(SearchRequest("q"), CallContext())
    assert [hit.url for hit in result.hits] == ["https://x.example/"]
    assert [(one.target, one.headers["authorization"]) for one in server.received] == [("/fc/v2/search", "Bearer of-the-gateway")]


def test_a_gateway_without_a_token_cannot_be_used_and_the_variable_is_named():
    found = offer(VendorSettings(gateways={"firecrawl": "https://gateway.example"}), FIRECRAWL_API_KEY="fc-key")
    refusal = found.search["firecrawl"].unavailable()
    assert (refusal.code, refusal.mend) == ("web.no_key", "set FIRECRAWL_GATEWAY_TOKEN to the gateway's token")
    assert found.detected == ()
