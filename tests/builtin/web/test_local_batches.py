"""The local reader over many pages: how many at a time, what is kept when a call ends, where redirects may lead, which format."""

from contextlib import asynccontextmanager

import anyio
import pytest
from builtin.web.cases import InlineReader

from limen.builtin.web.local import LocalLimits, LocalReader
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Extraction, RawFile
from limen.net.client import AddressPolicy, new_client
from limen.testing.network import ListedResolver, never, redirect, reply, serve

pytestmark = pytest.mark.anyio
HTML = (
    "<main><h1>Tea</h1><p>Steep <b>it</b> for <a href='/four'>four</a> minutes, and not for five.</p><script>x()</script></main>"
)


class Watching:
    """An answer that notes how many requests were under way, and of which host."""

    def __init__(self):
        self.now = []
        self.most = 0
        self.most_of_host = 0

    async def __call__(self, request, stream):
        host = request.headers["host"]
        self.now.append(host)
        self.most = max(self.most, len(self.now))
        self.most_of_host = max(self.most_of_host, self.now.count(host))
        await anyio.sleep(0.02)
        self.now.remove(host)
        await stream.send(reply(HTML))


@asynccontextmanager
async def reader(server, *, hosts=("127.0.0.1",), forbidden="", **limits):
    policy = AddressPolicy(allow_private_hosts=tuple(f"{host}:{server.port}" for host in ("127.0.0.1", *hosts)))
    resolver = ListedResolver({host: [["127.0.0.1"]] for host in hosts if host != "127.0.0.1"}) if len(hosts) > 1 else never
    async with new_client(policy, resolver=resolver) as client:

        async def vet(url):
            return Refusal("policy", "policy.blocked", "no") if forbidden and forbidden in url else None

        yield LocalReader(lambda: client, InlineReader(), policy, vet, LocalLimits(**limits))


async def test_a_few_at_a_time_are_read_and_every_one_is():
    watching = Watching()
    async with serve({"*": watching}) as server, reader(server, connections=4) as local:
        urls = tuple(server.url(f"/{n}") for n in range(20))
        pulled = await local.extract(Extraction(urls), CallContext())
    assert [one.requested for one in pulled] == list(urls)
    assert all("four" in one.page.text for one in pulled)
    assert watching.most == 4


async def test_a_strange_host_is_spared_and_does_not_hold_up_the_others():
    watching = Watching()
    async with serve({"*": watching}) as server:
        # A policy that opens by network names no host, so each counts as strange.
        policy = AddressPolicy(allow_private_hosts=(f"127.0.0.0/8:{server.port}",))
        resolver = ListedResolver({"a.example": [["127.0.0.1"]], "b.example": [["127.0.0.1"]]})
        async with new_client(policy, resolver=resolver) as client:

            async def vet(url):
                return None

            local = LocalReader(lambda: client, InlineReader(), policy, vet, LocalLimits(connections=8, connections_per_host=2))
            urls = tuple(server.url(f"/{n}", host) for host in ("a.example", "b.example") for n in range(8))
            pulled = await local.extract(Extraction(urls), CallContext())
    assert all(one.page is not None for one in pulled)
    assert (watching.most_of_host, watching.most) == (2, 4)


async def silent(_request, _stream):
    await anyio.sleep_forever()


@pytest.mark.parametrize("ending", ["deadline", "interrupt"])
async def test_what_was_read_when_the_call_ends_is_kept(ending):
    async with serve({"/slow": silent, "*": reply(HTML)}) as server, reader(server) as local:
        urls = (server.url("/a"), server.url("/slow"), server.url("/b"))
        read = []

        async def note(event):
            read.append(event)

        context = CallContext(emit=note, cancelled=lambda: ending == "interrupt" and len(read) == 2)
        if ending == "deadline":
            context = CallContext(deadline=anyio.current_time() + 1)
        pulled = {one.requested: one for one in await local.extract(Extraction(urls), context)}
    assert pulled[urls[0]].page is not None
    assert pulled[urls[2]].page is not None
    assert pulled[urls[1]].refusal.code == {"deadline": "web.timeout", "interrupt": "web.interrupted"}[ending]


async def test_a_page_that_is_too_slow_costs_itself_alone():
    async with serve({"/slow": silent, "*": reply(HTML)}) as server, reader(server, total_timeout_s=0.3) as local:
        slow, quick = await local.extract(Extraction((server.url("/slow"), server.url("/a"))), CallContext())
    assert slow.refusal.code == "network.timeout"
    assert quick.page is not None


async def test_a_call_given_up_before_it_begins_asks_nothing():
    async with serve({"*": reply(HTML)}) as server, reader(server) as local:
        (pulled,) = await local.extract(Extraction((server.url("/"),)), CallContext(cancelled=lambda: True))
    assert pulled.refusal.code == "web.interrupted"
    assert server.received == []


NAMES = ("tea.example", "www.tea.example", "other.example")


@pytest.mark.parametrize(
    ("to", "wish", "same_host", "kept_back"),
    [
        ("www.tea.example", "same-host", False, False),
        ("tea.example", "same-host", False, False),
        ("other.example", "same-host", False, True),
        ("other.example", "", True, True),
        ("other.example", "", False, False),
        ("other.example", "follow", True, False),
    ],
)
@pytest.mark.parametrize("kind", ["location", "refresh", "meta"])
async def test_a_redirect_to_another_host_is_handed_back_where_that_is_wanted(to, wish, same_host, kept_back, kind):
    async with serve({"/b": reply(HTML)}) as server:
        target = server.url("/b", to)
        server.routes["/a"] = {
            "location": redirect(target),
            "refresh": reply("", headers={"refresh": f"0; url={target}"}),
            "meta": reply(f'<meta http-equiv="refresh" content="0; url={target}">'),
        }[kind]
        async with reader(server, hosts=NAMES, same_host=same_host) as local:
            asked = server.url("/a", "tea.example")
            (pulled,) = await local.extract(Extraction((asked,), redirects=wish), CallContext())
    assert [request.target for request in server.received] == (["/a"] if kept_back else ["/a", "/b"])
    if kept_back:
        assert pulled.refusal.code == "web.cross_host_redirect"
        assert pulled.refusal.detail["redirects_to"] == target
        assert pulled.refusal.detail["from"] == asked
        assert target in pulled.refusal.mend
    else:
        assert pulled.page.url == target


async def test_what_is_forbidden_is_not_offered():
    async with serve({}) as server:
        server.routes["/a"] = redirect(server.url("/b", "other.example"))
        async with reader(server, hosts=NAMES, forbidden="other") as local:
            wish = Extraction((server.url("/a", "tea.example"),), redirects="same-host")
            (pulled,) = await local.extract(wish, CallContext())
    assert pulled.refusal.code == "policy.blocked"


@pytest.mark.parametrize(
    ("page_format", "holds", "lacks"),
    [("markdown", "**it**", "<p>"), ("text", "Steep it for four minutes", "**"), ("html", "<b>it</b>", "script")],
)
async def test_a_page_comes_in_the_format_that_was_asked_for(page_format, holds, lacks):
    async with serve({"*": reply(HTML)}) as server, reader(server) as local:
        (pulled,) = await local.extract(Extraction((server.url("/"),), format=page_format), CallContext())
    assert pulled.page.format == page_format
    assert holds in pulled.page.text
    assert lacks not in pulled.page.text


@pytest.mark.parametrize(("wished", "limit"), [(1_000, 1_000), (9_000, 2_000), (None, 2_000)])
async def test_the_fewer_of_the_bytes_allowed_and_wished_hold(wished, limit):
    async with serve({"/": reply("x" * 3_000)}) as server, reader(server, max_bytes=2_000) as local:
        (pulled,) = await local.extract(Extraction((server.url("/"),), max_bytes=wished), CallContext())
    assert (pulled.refusal.code, pulled.refusal.detail["limit_bytes"]) == ("network.too_large", limit)


@pytest.mark.parametrize("files", [False, True])
async def test_what_holds_no_text_comes_along_where_it_is_wished_for(files):
    data = b"\x00\x01\x02\xff" * 500
    async with serve({"/": reply(data, headers={"content-type": "X/Y; a=b"})}) as server, reader(server) as local:
        (pulled,) = await local.extract(Extraction((server.url("/"),), files=files), CallContext())
    assert pulled.refusal.code == "reading.binary"
    assert pulled.file == (RawFile(server.url("/"), "x/y", data) if files else None)


async def test_of_a_picture_come_facts_or_the_file_itself():
    data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0x\0\0\0P" + bytes(9)
    async with serve({"/p.png": reply(data, headers={"content-type": "image/png"})}) as server, reader(server) as local:
        (told,) = await local.extract(Extraction((server.url("/p.png"),)), CallContext())
        (kept,) = await local.extract(Extraction((server.url("/p.png"),), files=True), CallContext())
    assert "Pixels: 120 × 80" in told.page.text
    assert told.page.is_file
    assert kept.page is None
    assert (kept.refusal.code, kept.file.body) == ("reading.binary", data)


async def test_headers_of_the_settings_go_out_and_a_pdf_may_be_larger():
    pdf = reply(b"%PDF-" + b"x" * 3_000, headers={"content-type": "application/pdf; x=y"})
    async with serve({"/p": pdf, "/h": reply("x" * 3_000)}) as server:
        async with reader(server, max_bytes=2_000, headers={"accept-language": "de"}) as local:
            as_pdf, as_html = await local.extract(Extraction((server.url("/p"), server.url("/h"))), CallContext())
    assert as_html.refusal.code == "network.too_large"
    assert "reader.max_bytes" in as_html.refusal.mend
    assert as_pdf.refusal is None or as_pdf.refusal.code != "network.too_large"
    assert {request.headers["accept-language"] for request in server.received} == {"de"}
