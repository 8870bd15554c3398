"""The proxy as browsers meet it: real clients, raw sockets, and what a hostile page would try through it."""

import base64
import ssl
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
import trustme
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.core.fault import Refusal
from limen.net.checking_proxy import CheckingProxy, ProxyLimits
from limen.net.client import AddressPolicy
from limen.net.proxy_client import onward
from limen.testing.network import ListedResolver, never, redirect, reply, serve

pytestmark = pytest.mark.anyio
LIMITS = ProxyLimits(request_s=2.0, connect_s=2.0, idle_s=2.0, bytes_each=100_000)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


def server_tls(authority, *names):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_tls(authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(context)
    return context


class Judges:
    """A `Vet` that refuses some hosts and remembers what it was asked."""

    def __init__(self, *blocked):
        self.blocked = blocked
        self.asked = []

    async def __call__(self, url):
        self.asked.append(url)
        host = httpx2.URL(url).host
        return Refusal("policy", "policy.blocked", f"{host} is blocked", "unblock it") if host in self.blocked else None


class Proxied:
    def __init__(self, proxy, address, judges):
        self.proxy, self.address, self.judges = proxy, address, judges

    @property
    def codes(self):
        return [blocked.refusal.code for blocked in self.proxy.blocked]

    def client(self, tls=None, *, password=None):
        auth = (self.address.user, password or self.address.password)
        return httpx2.AsyncClient(proxy=httpx2.Proxy(self.address.server, auth=auth), verify=tls or True, trust_env=False)

    async def raw(self, data, *, greet=True):
        """What the proxy says to these very bytes, until it hangs up."""
        pair = base64.b64encode(f"{self.address.user}:{self.address.password}".encode())
        data = data.replace(b"{AUTH}", b"Proxy-Authorization: Basic " + pair if greet else b"X-Nothing: 1")
        said = b""
        async with await anyio.connect_tcp(self.address.host, self.address.port) as stream:
            await stream.send(data)
            with anyio.move_on_after(5):
                try:
                    while True:
                        said += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    pass
        return said


@asynccontextmanager
async def proxied(*servers, resolver=never, blocked=(), limits=LIMITS, allowed=None):
    entries = tuple(f"127.0.0.1:{server.port}" for server in servers) if allowed is None else allowed
    judges = Judges(*blocked)
    proxy = CheckingProxy(AddressPolicy(allow_private_hosts=entries), resolver, judges, limits)
    async with proxy.serve() as address:
        yield Proxied(proxy, address, judges)


async def test_a_plain_page_comes_through_whole_with_its_headers():
    body = b"x" * 50_000
    answer = reply(body, headers={"x-page": "1", "set-cookie": "a=b", "alt-svc": 'h3=":443"', "keep-alive": "timeout=5"})
    async with serve({"/p": answer}) as server, proxied(server) as through:
        async with through.client() as client:
            got = await client.get(server.url("/p?q=1"), headers={"cookie": "c=d", "te": "trailers"})
        (received,) = server.received
    assert (got.status_code, got.content) == (200, body)
    assert (got.headers["x-page"], got.headers["set-cookie"]) == ("1", "a=b")
    assert not {"alt-svc", "keep-alive"} & set(got.headers)
    assert received.target == "/p?q=1"
    assert received.headers["host"] == f"127.0.0.1:{server.port}"
    assert received.headers["cookie"] == "c=d"
    assert not {"proxy-authorization", "proxy-connection", "te", "upgrade"} & set(received.headers)
    assert through.judges.asked == [server.url("/p?q=1")]


async def test_a_body_goes_through_with_a_length_or_in_chunks():
    async def hangs_up(_request, stream):
        await stream.send(reply("ok"))

    async with serve({"/": reply("ok"), "/c": hangs_up}) as server, proxied(server) as through, through.client() as client:
        await client.post(server.url("/"), content=b"abcdef")
        assert server.received[0].body == b"abcdef"
        got = await through.raw(
            b"POST http://127.0.0.1:%d/c HTTP/1.1\r\nHost: x\r\n{AUTH}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            % server.port
        )
        assert got.startswith(b"HTTP/1.1 200")
        assert server.received[1].headers["transfer-encoding"] == "chunked"


async def test_a_tunnel_carries_tls_to_the_named_host(authority):
    async with serve({"*": reply("secret page")}, tls=server_tls(authority, "shop.example")) as server:
        resolver = ListedResolver({"shop.example": [["127.0.0.1"]]})
        async with proxied(allowed=(f"shop.example:{server.port}", f"127.0.0.1:{server.port}"), resolver=resolver) as through:
            async with through.client(client_tls(authority)) as client:
                got = await client.get(server.url("/deep?path=1", "shop.example"))
    assert got.text == "secret page"
    assert through.judges.asked == [server.url("/", "shop.example")]
    assert through.codes == []


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("http://127.0.0.1:{closed}/", "network."),
        ("http://10.0.0.1/", "network.private_address"),
        ("http://[::1]/", "network."),
        ("http://169.254.169.254/latest/meta-data/", "network.metadata"),
        ("http://metadata.google.internal/", "network.metadata"),
        ("http://2130706433/", "network."),
        ("http://me:pass@example.com/", "network.userinfo"),
        ("http://rebind.example/", "network."),
        ("http://blocked.example/", "policy.blocked"),
        ("http://example.com:25/", "network.port"),
        ("https://example.com/", "network.scheme"),
        ("ftp://example.com/", "network.scheme"),
    ],
)
async def test_what_no_page_may_reach_is_refused_and_remembered(target, code):
    resolver = ListedResolver({"rebind.example": [["10.0.0.7"]], "blocked.example": [["93.184.216.34"]]})
    async with proxied(resolver=resolver, blocked=["blocked.example"]) as through:
        said = await through.raw(b"GET %s HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % target.format(closed=1).encode())
    assert said.startswith(b"HTTP/1.1 403 ")
    (seen,) = through.codes
    assert seen.startswith(code)
    assert f"x-limen-refusal: {seen}".encode() in said.lower()


@pytest.mark.parametrize(
    ("authority", "code"),
    [
        (b"10.0.0.1:443", "network.private_address"),
        (b"169.254.169.254:443", "network.metadata"),
        (b"localhost:443", "network."),
        (b"[::1]:443", "network."),
        (b"example.com:22", "network.port"),
        (b"blocked.example:443", "policy.blocked"),
        (b"me@example.com:443", "network.userinfo"),
        (b"example.com:443/path", "network."),
        (b"example.com:443?q", "network."),
        (b"example.com", "network."),
        (b"example.com:0", "network."),
        (b"example.com:99999", "network."),
    ],
)
async def test_no_tunnel_leads_where_a_page_may_not_go(authority, code):
    async with proxied(resolver=never, blocked=["blocked.example"]) as through:
        said = await through.raw(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % authority)
    assert said.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 "))
    assert all(seen.startswith(code) for seen in through.codes)


async def test_a_name_whose_second_answer_is_private_is_never_dialled(authority):
    """Only the answers of the look-up that is dialled count; a name that changes its mind is judged anew each time."""
    async with serve({"*": reply("page")}) as inside:
        resolver = ListedResolver({"shifty.example": [["93.184.216.34"], ["127.0.0.1"]]})
        limits = ProxyLimits(request_s=1, connect_s=0.2, idle_s=1)
        async with proxied(resolver=resolver, allowed=(), limits=limits) as through:
            for _ in range(2):
                await through.raw(b"GET http://shifty.example:%d/ HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % inside.port)
    assert inside.connections == 0
    assert through.codes[-1].startswith("network.")


@pytest.mark.parametrize("greeting", ["none", "wrong", "cut"])
async def test_whoever_does_not_know_the_secret_reaches_nothing(greeting):
    async with serve({"*": reply("page")}) as server, proxied(server) as through:
        if greeting == "none":
            said = await through.raw(b"GET %s HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % server.url("/").encode(), greet=False)
            assert said.startswith(b"HTTP/1.1 407 ")
            assert b"proxy-authenticate: basic" in said.lower()
        else:
            password = "guess" if greeting == "wrong" else through.address.password[:-1]
            async with through.client(password=password) as client:
                assert (await client.get(server.url("/"))).status_code == 407
        tunnel = await through.raw(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % server.port)
        assert tunnel.startswith(b"HTTP/1.1 407 ")
    assert server.connections == 0


async def test_every_start_has_a_secret_of_its_own():
    async with proxied() as one, proxied() as another:
        assert one.address.password != another.address.password
        assert len(one.address.password) >= 32


async def test_a_tunnel_carries_nothing_but_tls():
    async with serve({"*": reply("page")}) as server, proxied(server) as through:
        async with await anyio.connect_tcp(through.address.host, through.address.port) as stream:
            pair = base64.b64encode(f"{through.address.user}:{through.address.password}".encode())
            await stream.send(
                b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic %s\r\n\r\n" % (server.port, pair)
            )
            assert (await stream.receive()).startswith(b"HTTP/1.1 200 ")
            await stream.send(b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n")
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await stream.receive()
    assert through.codes == ["network.plain_tunnel"]
    assert server.received == []


async def test_an_upgrade_does_not_get_through():
    async with serve({"*": reply("page")}) as server, proxied(server) as through:
        said = await through.raw(
            b"GET %s HTTP/1.1\r\nHost: x\r\n{AUTH}\r\nConnection: Upgrade, X-Hop\r\nUpgrade: websocket\r\nX-Hop: 1\r\n\r\n"
            % server.url("/ws").encode()
        )
        assert said.startswith(b"HTTP/1.1 200 ")
        (received,) = server.received
    assert not {"upgrade", "x-hop"} & set(received.headers)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET http://127.0.0.1:1/ HTTP/1.1\r\n{AUTH}\r\n\r\n",
        b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n{AUTH}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000,
        b"TRACE http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n",
        b"\x16\x03\x01\x00\x00",
        b"\x05\x01\x00",
    ],
)
async def test_what_is_no_proper_request_ends_its_own_connection_alone(data):
    async with serve({"*": reply("page")}) as server, proxied(server) as through:
        said = await through.raw(data)
        assert b" 200 " not in said.partition(b"\r\n")[0]
        async with through.client() as client:
            assert (await client.get(server.url("/"))).text == "page"
    assert server.connections == 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_no_bytes_bring_the_proxy_down_or_reach_a_server(data):
    async def tried():
        async with serve({"*": reply("page")}) as server, proxied(server, limits=ProxyLimits(request_s=0.2)) as through:
            async with await anyio.connect_tcp(through.address.host, through.address.port) as stream:
                await stream.send(data or b"\r\n")
                await stream.send_eof()
                with anyio.move_on_after(1):
                    try:
                        while True:
                            await stream.receive()
                    except (anyio.EndOfStream, anyio.BrokenResourceError):
                        pass
            assert server.connections == 0
            async with through.client() as client:
                assert (await client.get(server.url("/"))).status_code == 200

    anyio.run(tried)


async def test_a_client_that_never_finishes_its_request_is_left():
    async with proxied(limits=ProxyLimits(request_s=0.1)) as through:
        assert await through.raw(b"GET http://x.example/ HTTP/1.1\r\n") == b""


async def test_too_many_bytes_end_in_the_middle():
    async with serve({"/": reply(b"x" * 300_000)}) as server, proxied(server) as through, through.client() as client:
        with pytest.raises(httpx2.HTTPError):
            await client.get(server.url("/"))


async def test_too_many_bytes_in_a_tunnel_end_it(authority):
    async with serve({"/": reply(b"x" * 300_000)}, tls=server_tls(authority, "127.0.0.1")) as server, proxied(server) as through:
        async with through.client(client_tls(authority)) as client:
            with pytest.raises(httpx2.HTTPError):
                await client.get(server.url("/"))


async def test_a_silent_tunnel_ends(authority):
    async def silent(_request, stream):
        await anyio.sleep(30)

    async with serve({"*": silent}, tls=server_tls(authority, "127.0.0.1")) as server:
        async with proxied(server, limits=ProxyLimits(idle_s=0.2)) as through, through.client(client_tls(authority)) as client:
            with pytest.raises(httpx2.HTTPError):
                await client.get(server.url("/"), timeout=20)


async def test_a_server_that_is_not_there_or_breaks_off_is_said():
    async def breaks(_request, stream):
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")

    async with serve({"/breaks": breaks}) as server:
        gone = server.port
        async with proxied(server) as through, through.client() as client:
            with pytest.raises(httpx2.HTTPError):
                await client.get(server.url("/breaks"))
    async with proxied(allowed=(f"127.0.0.1:{gone}",)) as through:
        said = await through.raw(b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % gone)
        assert said.startswith(b"HTTP/1.1 502 ")
        said = await through.raw(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n{AUTH}\r\n\r\n" % gone)
        assert said.startswith(b"HTTP/1.1 502 ")
    assert through.codes == ["network.connect_failed"] * 2


async def test_redirects_are_the_clients_affair_and_judged_again():
    async with serve({"/": redirect("http://10.0.0.9/")}) as server, proxied(server) as through, through.client() as client:
        got = await client.get(server.url("/"), follow_redirects=True)
    assert got.status_code == 403
    assert got.headers["x-limen-refusal"] == "network.private_address"


async def test_many_at_once_are_served_and_the_end_ends_them_all():
    async with serve({"*": reply("page")}) as server, proxied(server) as through, through.client() as client:

        async def one():
            assert (await client.get(server.url("/"))).text == "page"

        async with anyio.create_task_group() as tasks:
            for _ in range(40):
                tasks.start_soon(one)
        address = through.address
    with pytest.raises(OSError, match="connection"):
        await anyio.connect_tcp(address.host, address.port)


@given(
    st.lists(
        st.tuples(st.sampled_from([b"Connection", b"X-A", b"X-B", b"TE", b"Cookie"]), st.sampled_from([b"x-a", b"close", b"1"]))
    )
)
def test_what_belongs_to_one_hop_never_goes_on(headers):
    kept = {name for name, _ in onward(headers)}
    named = {value for name, value in headers if name == b"Connection"}
    assert not kept & ({b"connection", b"te"} | named)
    assert (b"cookie" in kept) == any(name == b"Cookie" for name, _ in headers)
