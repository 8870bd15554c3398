"""The client itself: what it dials, what it refuses, over TLS, with proxies declared and undeclared."""

import ssl

import anyio
import httpx2
import pytest
import trustme

from limen.core.fault import ConfigFault
from limen.net.client import AddressPolicy, Refused, fetch, new_client
from limen.net.transport import PinnedBackend
from limen.testing.network import ListedResolver, never, reply, serve

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


def server_context(authority, *names):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_context(authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(context)
    return context


def names(*hosts):
    return ListedResolver({host: [["127.0.0.1"]] for host in hosts})


async def test_a_plain_client_posts_and_streams():
    async def stream_lines(request, stream):
        assert request.body == b'{"q":1}'
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        for n in range(3):
            await stream.send(f"data: {n}\n\n".encode())

    async with serve({"/v1": stream_lines}) as server:
        policy = AddressPolicy(allow_private_hosts=(f"127.0.0.1:{server.port}",))
        async with new_client(policy, resolver=never) as client, client.stream("POST", server.url("/v1"), json={"q": 1}) as got:
            lines = [line async for line in got.aiter_lines() if line]
    assert lines == ["data: 0", "data: 1", "data: 2"]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://2130706433/", "http://0x7f.1/", "http://127.1/",
        "http://017700000001/",
        "http://169.254.169.254/", "http://metadata.google.internal/", "http://127.0.0.1./", "http://wiki/",
        "http://example.com:25/", "http://user:pw@example.com/", "http://[fe80::1]/", "http://%31%32%37.0.0.1/",
    ],
)  # fmt: skip
async def test_the_client_alone_refuses_what_the_gate_would(url):
    async with new_client(AddressPolicy(), resolver=ListedResolver({"example.com": [["93.184.216.34"]]})) as client:
        with pytest.raises(httpx2.TransportError) as caught:
            await client.get(url)
    assert isinstance(caught.value, Refused)
    assert caught.value.refusal.gate == "network"
    assert caught.value.refusal.code in str(caught.value)


@pytest.mark.parametrize("url", ["ws://example.com/", "ftp://example.com/", "file:///etc/passwd"])
async def test_other_schemes_are_refused(url):
    async with new_client(AddressPolicy(), resolver=never) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(url)


async def test_sockets_of_this_machine_are_refused():
    backend = PinnedBackend(AddressPolicy(), never)
    with pytest.raises(Refused):
        await backend.connect_unix_socket("/var/run/docker.sock")


async def test_the_clients_own_redirects_meet_the_same_wall():
    async with serve({"/": reply(status=302, headers={"location": "http://127.0.0.1:9/"})}) as server:
        policy = AddressPolicy((f"127.0.0.1:{server.port}",))
        async with new_client(policy, resolver=never) as client:
            with pytest.raises(Refused):
                await client.get(server.url("/"), follow_redirects=True)
        assert server.connections == 1


async def test_no_cookie_is_kept():
    async with serve({"/": reply(headers={"set-cookie": "a=1"})}) as server:
        async with new_client(AddressPolicy(("127.0.0.1",)), resolver=never) as client:
            await client.get(server.url("/"))
            await client.get(server.url("/"))
        assert "cookie" not in server.received[1].headers
        assert len(client.cookies) == 0


async def test_tls_is_the_names(authority):
    async with serve({"/": reply("safe")}, tls=server_context(authority, "site.example")) as server:
        policy = AddressPolicy((f".example:{server.port}",))
        async with new_client(policy, resolver=names("site.example", "other.example"), tls=client_context(authority)) as client:
            assert (await fetch(client, server.url("/", "site.example"), policy=policy)).body == b"safe"
            wrong = await fetch(client, server.url("/", "other.example"), policy=policy)
    assert wrong.code == "network.tls"
    assert "other.example" in wrong.reason


async def test_a_certificate_nobody_vouches_for_is_refused(authority):
    async with serve({"/": reply("safe")}, tls=server_context(authority, "site.example")) as server:
        policy = AddressPolicy((f"site.example:{server.port}",))
        async with new_client(policy, resolver=names("site.example")) as client:
            refusal = await fetch(client, server.url("/", "site.example"), policy=policy)
    assert refusal.code == "network.tls"


async def test_a_server_without_tls_is_said():
    async def speak_plainly(stream):
        async with stream:
            await stream.send(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, speak_plainly)
        policy = AddressPolicy(("127.0.0.1",))
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with new_client(policy, resolver=never) as client:
            refusal = await fetch(client, f"https://127.0.0.1:{port}/", policy=policy)
        tasks.cancel_scope.cancel()
    assert refusal.code == "network.tls"


async def test_https_does_not_fall_back_to_http(authority):
    async with serve({"/": reply("plain")}) as plain:
        location = {"location": plain.url("/", "plain.example")}
        async with serve({"/": reply(status=302, headers=location)}, tls=server_context(authority, "site.example")) as server:
            policy = AddressPolicy((".example",))
            async with new_client(
                policy, resolver=names("site.example", "plain.example"), tls=client_context(authority)
            ) as client:
                refusal = await fetch(client, server.url("/", "site.example"), policy=policy)
        assert refusal.code == "network.downgrade"
        assert plain.connections == 0


async def test_proxy_variables_open_and_change_nothing(monkeypatch):
    async with serve({"*": reply("from the proxy")}) as proxy, serve({"/": reply("direct")}) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url(""))
        policy = AddressPolicy((f"127.0.0.1:{server.port}",))
        async with new_client(policy, resolver=ListedResolver({})) as client:
            assert (await fetch(client, server.url("/"), policy=policy)).body == b"direct"
            for url in (
                "http://169.254.169.254/",
                "http://10.0.0.1/",
                "http://wiki/",
                "http://unknown.example/",
                "https://unknown.example/",
            ):
                with pytest.raises(Refused):
                    await client.get(url)
        assert proxy.connections == 0


class Forwarder:
    """A CONNECT proxy that notes what it was asked and forwards to one server, or answers as told."""

    def __init__(self, port, answer=b"HTTP/1.1 200 Connection established\r\n\r\n"):
        self.port = port
        self.answer = answer
        self.asked = []

    async def __call__(self, request, stream):
        self.asked.append((request.method, request.target, request.headers.get("proxy-authorization")))
        await stream.send(self.answer)
        if not self.answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\n"):
            return
        async with await anyio.connect_tcp("127.0.0.1", self.port) as upstream, anyio.create_task_group() as tasks:
            tasks.start_soon(self.pump, upstream, stream, tasks.cancel_scope)
            await self.pump(stream, upstream, tasks.cancel_scope)

    @staticmethod
    async def pump(source, sink, scope):
        try:
            while True:
                await sink.send(await source.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            scope.cancel()


async def test_a_declared_proxy_gets_the_checked_address_and_tls_the_name(authority):
    async with serve({"/": reply("inside")}, tls=server_context(authority, "site.example")) as server:
        forward = Forwarder(server.port)
        async with serve({"*": forward}) as proxy:
            policy = AddressPolicy(proxy=proxy.url("").replace("//", "//me:p%40ss@"))
            resolver = ListedResolver({"site.example": [["93.184.216.34"], ["127.0.0.1"]]})
            async with new_client(policy, resolver=resolver, tls=client_context(authority)) as client:
                page = await fetch(client, "https://site.example/", policy=policy)
                assert page.body == b"inside"
                assert forward.asked == [("CONNECT", "93.184.216.34:443", "Basic bWU6cEBzcw==")]
                assert "proxy-authorization" not in server.received[0].headers
            async with new_client(policy, resolver=resolver, tls=client_context(authority)) as client:
                refusal = await fetch(client, "https://site.example/", policy=policy)
        assert refusal.code == "network.private_address"
        assert len(forward.asked) == 1


async def test_a_declared_proxy_does_not_open_the_network_behind_it():
    async with serve({"*": Forwarder(1)}) as proxy:
        policy = AddressPolicy(proxy=proxy.url(""))
        async with new_client(policy, resolver=ListedResolver({})) as client:
            for url in (
                "http://wiki/",
                "http://db.internal/",
                "http://unknown.example/",
                "http://127.0.0.1/",
                "http://169.254.169.254/",
            ):
                with pytest.raises(Refused):
                    await client.get(url)
        assert proxy.connections == 0


async def test_a_named_host_may_be_resolved_by_the_declared_proxy():
    async with serve({"/": reply("wiki")}) as server:
        forward = Forwarder(server.port)
        async with serve({"*": forward}) as proxy:
            policy = AddressPolicy(("wiki",), proxy=proxy.url(""))
            async with new_client(policy, resolver=ListedResolver({})) as client:
                assert (await client.get("http://wiki/")).text == "wiki"
    assert forward.asked == [("CONNECT", "wiki:80", None)]


LIES = [
    b"HTTP/1.1 403 Forbidden\r\n\r\n",
    b"HTTP/1.1 407 Login\r\n\r\n",
    b"nonsense\r\n\r\n",
    b"",
    b"HTTP/1.1 200",
    b"HTTP/1.1 2\xff\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nspoof",
    b"x" * 40_000,
    b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 5_000,
]


@pytest.mark.parametrize("answer", LIES)
async def test_a_proxy_that_says_no_or_lies_is_a_proxy_error(answer):
    async with serve({"*": Forwarder(1, answer)}) as proxy:
        policy = AddressPolicy(proxy=proxy.url(""))
        resolver = ListedResolver({"site.example": [["93.184.216.34"]]})
        async with new_client(policy, resolver=resolver) as client:
            refusal = await fetch(client, "http://site.example/", policy=policy)
    assert refusal.code == "network.proxy"


USELESS = ["nonsense", "socks5://h:1", "http://", "http://h:x", "http://h/path", "http://h?q", "http://[::1", "http://0x7f.1"]


@pytest.mark.parametrize("proxy", USELESS)
async def test_a_proxy_that_cannot_be_used_is_a_fault(proxy):
    with pytest.raises(ConfigFault) as caught:
        new_client(AddressPolicy(proxy=proxy))
    assert caught.value.place == "security.proxy"


async def test_a_dead_address_does_not_hold_up_a_live_one():
    async with serve({"/": reply("alive")}) as server:
        policy = AddressPolicy((f"site.example:{server.port}",))
        resolver = ListedResolver({"site.example": [["127.0.0.9", "::1", "127.0.0.1"]]})
        async with new_client(policy, resolver=resolver) as client:
            assert (await client.get(server.url("/", "site.example"))).text == "alive"


async def test_a_configured_endpoint_on_this_machine_is_reached_by_its_name():
    async with serve({"/": reply("here")}) as server:
        async with new_client(AddressPolicy((f"localhost:{server.port}",))) as client:
            assert (await client.get(server.url("/", "localhost"))).text == "here"
            with pytest.raises(Refused):
                await client.get(server.url("/"))


async def test_many_fetches_share_one_client():
    pages = {f"/{n}": reply(str(n)) for n in range(100)}
    async with serve(pages) as server:
        policy = AddressPolicy((f"127.0.0.1:{server.port}",))
        got = {}
        async with new_client(policy, resolver=never, connections=16) as client, anyio.create_task_group() as tasks:

            async def one(path):
                got[path] = (await fetch(client, server.url(path), policy=policy)).body.decode()

            for path in pages:
                tasks.start_soon(one, path)
        assert got == {path: path[1:] for path in pages}
        assert server.connections <= 16


async def test_a_slow_resolver_meets_the_connect_deadline():
    async def slow(host, port):
        await anyio.sleep(30)
        return []

    async with new_client(AddressPolicy(), resolver=slow, connect_timeout_s=0.05) as client:
        with pytest.raises(httpx2.ConnectTimeout):
            await client.get("http://site.example/")
