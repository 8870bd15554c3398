"""Fetching over real connections: redirects, limits, lies and broken lines."""

import gzip
import socket
import struct
import zlib

import anyio
import pytest

from limen.core.fault import Refusal
from limen.net.client import AddressPolicy, Fetch, fetch, new_client
from limen.testing.network import ListedResolver, never, redirect, reply, serve

pytestmark = pytest.mark.anyio


def opened(*servers, extra=()):
    return AddressPolicy(allow_private_hosts=(*(f"127.0.0.1:{server.port}" for server in servers), *extra))


async def get(server, path="/", *, policy=None, resolver=never, **options):
    policy = policy or opened(server)
    async with new_client(policy, resolver=resolver) as client:
        return await fetch(client, path if "://" in path else server.url(path), policy=policy, **options)


def raw(head, *chunks, pause_s=0.0):
    """An answer that sends these bytes as they are, then closes."""

    async def answer(_request, stream):
        for chunk in (head, *chunks):
            await stream.send(chunk)
            await anyio.sleep(pause_s)

    return answer


async def reset_midway(_request, stream):
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf")
    stream.extra(anyio.abc.SocketAttribute.raw_socket).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def test_a_page_comes_back_whole():
    async with serve({"/a": reply("<p>hi", headers={"X-Note": "1"})}) as server:
        page = await get(server, "/a?q=ü#frag")
        assert isinstance(page, Fetch)
        assert (page.status, page.body, page.media_type) == (200, b"<p>hi", "text/html")
        assert page.final_url == server.url("/a?q=%C3%BC#frag")
        assert page.headers["x-note"] == "1"
        assert server.received[0].target == "/a?q=%C3%BC"
        assert server.received[0].headers["host"] == f"127.0.0.1:{server.port}"


async def test_a_name_is_resolved_once_and_its_address_dialled():
    async with serve({"/": reply("named")}) as server:
        resolver = ListedResolver({"site.example": [["127.0.0.1"], ["127.0.0.2"]]})
        policy = AddressPolicy((f"site.example:{server.port}",))
        page = await get(server, server.url("/", "site.example"), policy=policy, resolver=resolver)
        assert page.body == b"named"
        assert resolver.asked == ["site.example"]
        assert server.received[0].headers["host"] == f"site.example:{server.port}"


async def test_rebinding_never_reaches_the_second_address():
    async with serve({"/": reply("SECRET")}) as server:
        resolver = ListedResolver({"rebind.example": [["93.184.216.34"], ["127.0.0.1"]]})
        await resolver("rebind.example", server.port)  # the gate's look-up
        answer = await get(server, server.url("/", "rebind.example"), policy=AddressPolicy(), resolver=resolver)
        assert answer.code == "network.private_address"
        assert server.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_with_get(status):
    async with serve({"/a": redirect("/b?x", status=status), "/b": reply("there")}) as server:
        page = await get(server, "/a")
        assert page.body == b"there"
        assert page.final_url == server.url("/b?x")
        assert page.hops == (server.url("/a"),)
        assert [request.method for request in server.received] == ["GET", "GET"]


@pytest.mark.parametrize(
    ("statuses", "moved"), [((301, 308), "/2"), ((302, 301), ""), ((301, 302), "/1"), ((307,), ""), ((303, 302), "")]
)
async def test_where_an_address_has_moved_for_good(statuses, moved):
    routes = {f"/{at}": redirect(f"/{at + 1}", status=status) for at, status in enumerate(statuses)}
    async with serve({**routes, f"/{len(statuses)}": reply("there")}) as server:
        page = await get(server, "/0")
        assert page.moved_to == (server.url(moved) if moved else "")
        assert (await get(server, f"/{len(statuses)}")).moved_to == ""


PRIVATE = [
    "http://127.0.0.1:1234/", "http://169.254.169.254/latest/", "//10.0.0.1/", "http://[::1]/", "http://localhost/",
    "http://168.63.129.16/", "http://[2002:7f00:1::]/", "gopher://127.0.0.1:6379/_INFO", "file:///etc/passwd", "http://2130706433/",
    "http://user@example.com/", "/\\evil.example", "http://exa mple.com/",
]  # fmt: skip


@pytest.mark.parametrize("target", PRIVATE)
@pytest.mark.parametrize("kind", ["location", "refresh", "meta"])
async def test_no_kind_of_redirect_leads_to_a_private_place(target, kind):
    answers = {
        "location": redirect(target),
        "refresh": reply("x", headers={"refresh": f"0; url={target}"}),
        "meta": reply(f"<html><head><meta http-equiv='Refresh' content='0;URL={target}'></head>"),
    }
    async with serve({"/": answers[kind]}) as server:
        answer = await get(server)
        assert isinstance(answer, Refusal)
        assert answer.gate == "network"
        assert answer.detail["hops"] == [server.url("/")]
        assert server.connections == 1


async def test_another_server_on_this_machine_is_not_opened_by_the_first():
    async with serve({"/": reply("SECRET")}) as hidden, serve({"/": redirect(hidden.url("/"))}) as server:
        answer = await get(server)
        assert answer.code == "network.private_address"
        assert hidden.connections == 0


async def test_redirects_end():
    async with serve({"*": redirect("again/")}) as server:
        answer = await get(server, max_redirects=5)
        assert answer.code == "network.too_many_redirects"
        assert len(server.received) == 6
        assert (await get(server, max_redirects=0)).code == "network.too_many_redirects"


async def test_each_hop_is_vetted_before_it_is_asked():
    seen = []

    async def vet(url):
        seen.append(url)
        return Refusal("policy", "policy.blocked", "no") if url.endswith("/c") else None

    async with serve({"/a": redirect("/b"), "/b": redirect("/c"), "/c": reply("no")}) as server:
        answer = await get(server, "/a", vet=vet)
        assert answer.code == "policy.blocked"
        assert seen == [server.url("/a"), server.url("/b"), server.url("/c")]
        assert [request.target for request in server.received] == ["/a", "/b"]


async def test_credentials_stay_with_their_origin():
    own = {"Authorization": "Bearer x", "X-Api-Key": "y", "Cookie": "z=1", "Accept": "text/html"}
    async with serve({"/": reply("end")}) as other, serve({"/a": redirect("/b"), "/b": redirect(other.url("/"))}) as server:
        policy = opened(server, other)
        page = await get(server, "/a", policy=policy, headers=own)
        assert page.body == b"end"
        assert server.received[1].headers["authorization"] == "Bearer x"
        assert {"authorization", "x-api-key", "cookie"}.isdisjoint(other.received[0].headers)
        assert other.received[0].headers["accept"] == "text/html"


async def test_they_do_not_come_back_with_the_way_home():
    async with serve({}) as other, serve({"/b": reply("home")}) as server:
        server.routes["/a"] = redirect(other.url("/"))
        other.routes["/"] = redirect(server.url("/b"))
        page = await get(server, "/a", policy=opened(server, other), headers={"Authorization": "Bearer x"})
        assert page.body == b"home"
        assert "authorization" not in server.received[1].headers


async def test_a_cookie_lives_for_one_fetch_on_one_origin():
    async with serve({"/": reply("other")}) as other, serve({}) as server:

        async def wall(request, stream):
            if "cookie" in request.headers:
                await stream.send(redirect(other.url("/")))
            else:
                await stream.send(b"HTTP/1.1 302 Said\r\nset-cookie: seen=1; Path=/\r\nlocation: /\r\ncontent-length: 0\r\n\r\n")

        server.routes["/"] = wall
        policy = opened(server, other)
        async with new_client(policy, resolver=never) as client:
            assert (await fetch(client, server.url("/"), policy=policy)).body == b"other"
            assert server.received[1].headers["cookie"] == "seen=1"
            assert "cookie" not in other.received[0].headers
            await fetch(client, server.url("/"), policy=policy)
        assert "cookie" not in server.received[2].headers


async def test_refreshes_at_once_are_redirects_and_later_ones_are_said():
    async with serve({
        "/now": reply("x", headers={"refresh": "0;url=/b"}),
        "/later": reply("news", headers={"refresh": "300; url=/later?2"}),
        "/meta": reply('<!-- <meta http-equiv="refresh" content="0;url=/n"> --><META content="1;URL=/b" http-equiv=REFRESH>'),
        "/self": reply('<meta http-equiv="refresh" content="0;url=/self">mine'),
        "/plain": reply('<meta http-equiv="refresh" content="0;url=/b">', headers={"content-type": "text/plain"}),
        "/b": reply("b"),
    }) as server:  # fmt: skip
        assert (await get(server, "/now")).body == b"b"
        later = await get(server, "/later")
        assert (later.body, later.refresh_url) == (b"news", server.url("/later?2"))
        assert (await get(server, "/meta")).final_url == server.url("/b")
        assert (await get(server, "/self")).body.endswith(b"mine")
        assert (await get(server, "/plain")).final_url == server.url("/plain")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 429, 500, 503, 300, 302])
async def test_other_statuses_are_refusals_that_say_the_status(status):
    async with serve({"/": reply("sorry", status=status, headers={"retry-after": "7"})}) as server:
        answer = await get(server)
        assert answer.code == "network.http_status"
        assert answer.detail == {"status": status, "retry_after": "7"}


async def test_not_modified_is_an_answer():
    async with serve({"/": b"HTTP/1.1 304 Said\r\netag: x\r\ncontent-length: 0\r\n\r\n"}) as server:
        page = await get(server, headers={"If-None-Match": "x"})
        assert (page.status, page.body) == (304, b"")
        assert server.received[0].headers["if-none-match"] == "x"


def deflated(data, wbits):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", lambda data: deflated(data, 15)),
        ("deflate", lambda data: deflated(data, -15)),
        ("GZIP", gzip.compress),
    ],
)
async def test_bodies_are_capped_after_decompression(coding, pack):
    body = pack(b"\0" * 5_000_000)
    async with serve({"/": reply(body, headers={"content-encoding": coding})}) as server:
        assert len(body) < 20_000
        assert (await get(server, max_bytes=1_000_000)).code == "network.too_large"
        assert len((await get(server, max_bytes=5_000_000)).body) == 5_000_000


async def test_a_body_that_keeps_coming_is_cut_off():
    async def endless(_request, stream):
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
        while True:
            await stream.send(b"x" * 65_536)

    async with serve({"/": endless}) as server:
        assert (await get(server, max_bytes=1_000_000)).code == "network.too_large"


async def test_a_declared_size_over_the_limit_is_not_read():
    async with serve({"/": raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n", pause_s=30)}) as server:
        assert (await get(server)).code == "network.too_large"


@pytest.mark.parametrize("coding", ["gzip, gzip", "br, gzip", "br", "zstd", "compress", "nonsense", "gzip,identity"])
async def test_codings_nobody_asked_for_are_refused(coding):
    async with serve({"/": reply(gzip.compress(b"x"), headers={"content-encoding": coding})}) as server:
        assert (await get(server)).code == "network.encoding"


async def test_a_body_that_is_not_what_its_coding_says_is_refused():
    async with serve({"/": reply(b"plain", headers={"content-encoding": "gzip"})}) as server:
        assert (await get(server)).code == "network.encoding"


BROKEN = [
    (raw(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort"), "reset"),
    (raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab"), "reset"),
    (raw(b""), "reset"),
    (raw(b"HTTP/1.1 200 OK\r\ncontent-le"), "reset"),
    (raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "protocol"),
    (raw(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nx"), "protocol"),
    (raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!"), "protocol"),
    (raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), "protocol"),
    (raw(b"HTTP/1.1 200 OK\r\nx: " + b"a" * 300_000 + b"\r\n\r\n"), "protocol"),
    (raw(b"\0\xff\xfe" * 100), "protocol"),
    (reset_midway, "reset"),
]


@pytest.mark.parametrize(("answer", "code"), BROKEN)
async def test_broken_answers_have_names(answer, code):
    async with serve({"/": answer}) as server:
        refusal = await get(server)
        assert isinstance(refusal, Refusal)
        assert refusal.code == f"network.{code}"
        assert refusal.mend


async def test_more_than_the_declared_length_is_ignored():
    async with serve({"/": raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokSMUGGLED")}) as server:
        assert (await get(server)).body == b"ok"


@pytest.mark.parametrize("where", ["head", "body"])
async def test_a_dripping_server_meets_the_deadline(where):
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n" + (b"" if where == "head" else b"\r\n")

    async def drip(_request, stream):
        await stream.send(head)
        while True:
            await stream.send(b"x: y\r\n")
            await anyio.sleep(0.01)

    async with serve({"/": drip}) as server:
        assert (await get(server, total_timeout_s=0.3)).code == "network.timeout"


async def test_a_silent_server_meets_the_clients_deadline():
    async with serve({"/": raw(b"HTTP/1.1 200 OK\r\n", pause_s=30)}) as server:
        policy = opened(server)
        async with new_client(policy, resolver=never, total_timeout_s=0.2) as client:
            assert (await fetch(client, server.url("/"), policy=policy)).code == "network.timeout"


async def test_nobody_listening_is_said():
    async with serve({}) as server:
        port = server.port
    policy = AddressPolicy((f"127.0.0.1:{port}",))
    async with new_client(policy, resolver=never) as client:
        assert (await fetch(client, f"http://127.0.0.1:{port}/", policy=policy)).code == "network.connect_failed"


async def test_cancelling_leaves_nothing_open():
    came, gone = anyio.Event(), anyio.Event()

    async def wait(_request, stream):
        came.set()
        try:
            await stream.receive()
        except anyio.EndOfStream:
            gone.set()

    async with serve({"/": wait}) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(get, server)
            await came.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(5):
            await gone.wait()


LOCATIONS = ["", "?", "#", "//", "http://", "http://[", "%", "\x7f", "é", "//é", "http://a:b/", "/" * 9_000, "\xa0", "\\"]


@pytest.mark.parametrize("location", LOCATIONS)
async def test_any_location_gets_an_answer(location):
    async with serve({"*": redirect(location)}) as server:
        answer = await get(server)
        assert isinstance(answer, Refusal)
        assert answer.gate == "network"


async def test_requests_share_connections():
    async with serve({"/": reply("x")}) as server:
        policy = opened(server)
        async with new_client(policy, resolver=never) as client:
            for _ in range(5):
                assert (await fetch(client, server.url("/"), policy=policy)).status == 200
        assert server.connections == 1


def failing(body, status=403, kind="text/html"):
    return reply(body, status=status, headers={"content-type": kind, "retry-after": "7"})


async def test_the_page_of_a_failure_comes_where_it_is_wanted():
    async with serve({"/": redirect("/wall"), "/wall": failing("<p>wall")}) as server:
        page = await get(server, failed_too=True)
        assert isinstance(await get(server), Refusal)
    assert (page.status, page.body) == (403, b"<p>wall")
    assert page.failure.code == "network.http_status"
    assert page.failure.detail == {"status": 403, "retry_after": "7", "hops": [server.url("/")]}


@pytest.mark.parametrize(
    "answer",
    [
        failing("no", kind="text/plain"),
        failing("x" * 2_000),
        raw(b"HTTP/1.1 500 No\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\nhalf"),
    ],
    ids=["no page", "too large", "cut off"],
)
async def test_a_failure_whose_page_does_not_come_is_one_all_the_same(answer):
    async with serve({"/": answer}) as server:
        refusal = await get(server, failed_too=True, max_bytes=1_000)
    assert refusal.code == "network.http_status"
