"""Rows about where a request may go: addresses, answers of name servers, redirects, proxies, and what is said of a refusal."""

import ssl

import anyio
import pytest
import trustme
from cases.stage import PUBLIC, Gated, judged, locally_read, read_page, wired
from cases.table import case

import limen
from limen.net.canary import PUBLIC_NAMES, CanaryResolver
from limen.net.client import AddressPolicy, fetch, new_client
from limen.net.judge import vet_url
from limen.testing.model_server import model_server
from limen.testing.network import ListedResolver, redirect, reply, serve
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio
FAKE = "198.18.0.84"
FAKED = AddressPolicy(fake_ip_ranges=("198.18.0.0/15",))
ALL_PRIVATE = AddressPolicy(allow_private_hosts=("0.0.0.0/0", "::/0"))


@case("URL-001")
async def test_a_declared_fake_ip_range_lets_names_through_and_nothing_declared_does_not(row, tmp_path):
    names = ListedResolver({"example.com": [[FAKE]]})
    declared = Gated(tmp_path, policy=FAKED, names=names)
    (entry,) = (await declared.extract("https://example.com/"))["results"]
    assert (entry["error"], entry["content"]) == (None, "the page")
    undeclared = Gated(tmp_path, names=names)
    (entry,) = (await undeclared.extract("https://example.com/"))["results"]
    assert entry["error"]["gate"] == "network"
    assert undeclared.provider.asked == []


@case("URL-002")
async def test_a_declared_range_opens_no_literal(row):
    assert (await judged(f"http://{FAKE}/", FAKED)).gate == "network"


@case("URL-003")
async def test_the_refusal_of_a_sentinel_names_address_meaning_and_mend(row):
    refusal = await judged("https://example.com/", example_com=["198.18.1.206"])
    assert "198.18.1.206" in refusal.reason
    assert "fake-IP prox" in refusal.reason
    assert "limen config set security.fake_ip_ranges" in refusal.mend
    assert "198.18.0.0/15" in refusal.mend


@case("URL-004")
async def test_a_changed_setting_is_honoured_by_the_next_call_of_the_same_process(row, home):
    async with serve({"/": reply("<p>the page</p>")}) as server:

        def read():
            return limen.extract(server.url("/")).entries[0]

        refused = await anyio.to_thread.run_sync(read)
        assert refused.refusal.code == "network.private_address"
        (home / "config.yaml").write_text(f"security:\n  allow_private_hosts: ['127.0.0.1:{server.port}']\n")
        assert (await anyio.to_thread.run_sync(read)).content == "the page"


@case("URL-005")
async def test_a_canary_tells_a_fake_ip_proxy_from_one_poisoned_name(row):
    async def everything_is_faked(host, port):
        return [FAKE]

    _, refusal = await vet_url("https://example.org/", AddressPolicy(), CanaryResolver(everything_is_faked))
    assert refusal is None
    poisoned = ListedResolver({"example.org": [[FAKE]], **{name: [[PUBLIC]] for name in PUBLIC_NAMES}})
    _, refusal = await vet_url("https://example.org/", AddressPolicy(), CanaryResolver(poisoned))
    assert refusal.code == "network.proxy_sentinel"


@case("URL-006")
async def test_one_private_answer_among_public_ones_refuses_and_is_named(row):
    refusal = await judged("http://evil.example/", evil_example=[PUBLIC, "10.0.0.5"])
    assert refusal.code == "network.private_address"
    assert "10.0.0.5" in refusal.reason


@case("URL-008")
async def test_a_synthesised_answer_is_judged_by_the_address_inside(row):
    assert await judged("https://shop.example/", shop_example=["64:ff9b::6812:27e4"]) is None


@case("URL-009")
async def test_metadata_behind_a_synthesised_address_is_never_reached(row):
    assert (await judged("http://[64:ff9b::a9fe:a9fe]/", ALL_PRIVATE)).code == "network.metadata"


@case("URL-011")
async def test_the_compatible_form_is_judged_by_the_address_inside(row):
    assert (await judged("http://[::127.0.0.1]/")).gate == "network"
    assert (await judged("http://a.example/", a_example=["::7f00:1"])).gate == "network"


@case("URL-013")
async def test_an_isatap_identifier_is_judged_by_the_address_inside(row):
    assert (await judged("http://[2001:db8:1234::5efe:127.0.0.1]/canary")).gate == "network"
    assert (await judged("http://[2606:4700::5efe:127.0.0.1]/canary")).gate == "network"


@case("URL-014")
async def test_every_spelling_of_loopback_is_refused_before_a_look_up(row):
    for spelling in ("0177.0.0.1", "127.1", "2130706433", "0x7f.0.0.1"):
        resolver = ListedResolver({})
        _, refusal = await vet_url(f"http://{spelling}/", AddressPolicy(), resolver)
        assert refusal.code in ("network.private_address", "network.numeric_host"), spelling
        assert resolver.asked == []


@case("URL-016")
async def test_a_second_answer_that_leads_inside_is_never_dialled(row, tmp_path):
    async with serve({"*": reply("SECRET")}) as server:
        rebinding = ListedResolver({"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
        async with locally_read(tmp_path, AddressPolicy(), rebinding) as gated:
            (entry,) = (await gated.extract("http://rebind.example/"))["results"]
        assert entry["error"]["code"] == "network.private_address"
        assert server.connections == 0


@case("URL-019")
async def test_a_typo_is_told_apart_from_a_refusal(row, tmp_path):
    gated = Gated(tmp_path)
    (entry,) = (await gated.extract("http://no-such-host-9f3k.example/"))["results"]
    assert entry["error"]["code"] == "network.dns_failed"
    assert "no-such-host-9f3k.example" in entry["error"]["reason"]
    assert "spelling" in entry["error"]["mend"]
    assert gated.provider.asked == []


@case("URL-020")
async def test_opening_a_home_network_opens_no_credentials_of_a_cloud(row):
    assert await judged("http://192.168.1.10:80/", ALL_PRIVATE) is None
    for place in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "[fd00:ec2::254]", "metadata.google.internal"):
        assert (await judged(f"http://{place}/", ALL_PRIVATE)).code == "network.metadata", place


@case("URL-021")
async def test_a_redirect_inward_is_refused_with_its_hop(row, tmp_path):
    async with serve({"/": redirect("http://127.0.0.1:9/secret")}) as server:
        policy = AddressPolicy(allow_private_hosts=(f"public.example:{server.port}",))
        async with locally_read(tmp_path, policy, ListedResolver({"public.example": [["127.0.0.1"]]})) as gated:
            (entry,) = (await gated.extract(server.url("/", "public.example")))["results"]
    assert entry["error"]["code"] == "network.private_address"
    assert "127.0.0.1" in entry["error"]["reason"]
    assert entry["error"]["hops"] == [server.url("/", "public.example")]


@case("URL-023")
async def test_only_harmless_headers_cross_to_another_origin(row):
    keys = {"X-API-Key": "k", "X-Auth-Token": "t", "Proxy-Authorization": "Basic cA==", "Accept-Language": "de"}
    async with serve({"/": reply("there")}) as other, serve({"/": redirect(other.url("/"))}) as server:
        policy = AddressPolicy(allow_private_hosts=(f"127.0.0.1:{server.port}", f"127.0.0.1:{other.port}"))
        async with new_client(policy) as client:
            page = await fetch(client, server.url("/"), policy=policy, headers=keys)
    assert page.body == b"there"
    assert server.received[0].headers["x-api-key"] == "k"
    crossed = set(other.received[0].headers)
    assert crossed.isdisjoint({"x-api-key", "x-auth-token", "proxy-authorization"})
    assert "accept-language" in crossed


@case("URL-026")
async def test_a_permanent_redirect_of_the_newer_kind_is_followed(row, home):
    for status in (301, 302, 303, 307, 308):
        routes = {"/old": redirect("/new", status=status), "/new": reply("<p>moved here</p>")}
        async with serve(routes) as server, wired(home, server) as program:
            (entry,) = (await program.extract(server.url("/old"), fresh=True))["results"]
        assert (entry["content"], entry["source"]["final_url"]) == ("moved here", server.url("/new"))


@case("URL-027")
async def test_the_scheme_that_was_asked_for_is_kept(row, home):
    entry = await read_page(home, "<p>about us</p>", path="/about/")
    assert entry["content"] == "about us"
    assert entry["source"]["final_url"] == f"{entry['root']}/about/"
    assert entry["root"].startswith("http://")


@case("URL-028")
async def test_what_the_tool_says_of_itself_is_what_it_does(row, home):
    urls = [f"http://127.0.0.1:9/{n}" for n in range(4)]
    async with model_server(use(call("web_extract", urls=urls)), say("Done.")) as server:
        flags = {"web__max_urls": "3", "web__extract_char_limit": "9000"}
        async with wired(home, **flags) as program, program.runtime.agent.turn("Read.", model=f"{server.url}#m") as turn:
            async for _ in turn:
                pass
        first, second = (request.json for request in server.chats)
    (tool,) = [tool["function"] for tool in first["tools"] if tool["function"]["name"] == "web_extract"]
    assert "3" in tool["description"]
    assert "9000" in tool["description"].replace(",", "")
    assert "https" not in tool["description"]
    assert "web.too_many_urls" in str(second["messages"][-1])


@case("URL-029")
async def test_nobody_else_is_asked_before_a_page_is_read(row, tmp_path):
    async with serve({"/": reply("<p>the page</p>")}) as server:
        names = ListedResolver({"target.example": [["127.0.0.1"]]})
        policy = AddressPolicy(allow_private_hosts=(f"target.example:{server.port}",))
        async with locally_read(tmp_path, policy, names) as gated:
            (entry,) = (await gated.extract(server.url("/", "target.example")))["results"]
        assert entry["content"] == "the page"
        assert set(names.asked) == {"target.example"}
        assert [request.target for request in server.received] == ["/"]


@case("URL-030")
async def test_each_certificate_is_held_against_its_own_name(row, tmp_path, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    names = ListedResolver({"proxy.example": [["127.0.0.1"]], "site.example": [[PUBLIC]]})

    async def through(proxy_name, site_name):
        async with serve({"/": reply("inside")}, tls=_tls(authority, site_name)) as site:
            async with serve({"*": _forwarder(site.port)}, tls=_tls(authority, proxy_name)) as proxy:
                policy = AddressPolicy(proxy=proxy.url("", "proxy.example"))
                async with new_client(policy, resolver=names) as client:
                    return await fetch(client, "https://site.example/", policy=policy)

    assert (await through("proxy.example", "site.example")).body == b"inside"
    assert (await through("site.example", "site.example")).gate == "network"
    assert (await through("proxy.example", "proxy.example")).code == "network.tls"


def _tls(authority, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def _forwarder(port):
    """Answers CONNECT and carries bytes both ways."""

    async def forward(request, stream):
        await stream.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        async with await anyio.connect_tcp("127.0.0.1", port) as upstream, anyio.create_task_group() as tasks:
            tasks.start_soon(_carry, upstream, stream, tasks.cancel_scope)
            await _carry(stream, upstream, tasks.cancel_scope)

    return forward


async def _carry(source, sink, scope):
    try:
        while True:
            await sink.send(await source.receive())
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        scope.cancel()
