"""A file's bytes pass the gates of a page's address, on the way out and on the way in."""

import pytest
from web.asking import downloader
from web.rig import opened

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.net.client import AddressPolicy, new_client
from limen.testing.network import redirect, reply, serve
from limen.web.gates.permission import PermissionRules

pytestmark = pytest.mark.anyio
BYTES = bytes(range(256)) * 8
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


async def download(server, path, *, policy=None, max_bytes=10_000, **options):
    addresses = policy or opened(server)
    async with new_client(addresses) as client:
        fetching = downloader(addresses, client, **options)
        return await fetching.download(server.url(path), CallContext(), max_bytes=max_bytes)


@pytest.fixture
async def server():
    routes = {
        "/x.zip": reply(BYTES, headers={"content-type": "application/zip"}),
        "/on": redirect("/x.zip"),
        "/missing": reply("no", status=404),
    }
    async with serve(routes) as running:
        yield running


async def test_bytes_come_as_they_are_with_type_and_final_address(server):
    got = await download(server, "/on")
    assert (got.body, got.media_type, got.url) == (BYTES, "application/zip", server.url("/x.zip"))
    assert [verdict.gate for verdict in got.gates] == ["secrets", "network", "policy", "permission"]


@pytest.mark.parametrize(
    ("path", "options", "code"),
    [
        ("/x.zip", {"policy": AddressPolicy()}, "network.loopback"),
        ("/x.zip", {"blocked": ["127.0.0.1"]}, "policy.blocked"),
        ("/x.zip", {"rules": PermissionRules(blocked_domains=("127.0.0.1",))}, "permission.blocked_domain"),
        ("/x.zip", {"mode": "indexed"}, "web.mode"),
        (f"/x.zip?key={TOKEN}", {}, "secrets.value"),
    ],
)
async def test_each_gate_stands_before_the_first_byte(server, path, options, code):
    got = await download(server, path, **options)
    assert isinstance(got, Refusal)
    assert got.code == code or (code == "network.loopback" and got.gate == "network")
    assert server.received == []


@pytest.mark.parametrize(
    ("path", "limit", "code"), [("/x.zip", 100, "network.too_large"), ("/missing", 100, "network.http_status")]
)
async def test_what_cannot_be_had_is_a_refusal(server, path, limit, code):
    assert (await download(server, path, max_bytes=limit)).code == code
