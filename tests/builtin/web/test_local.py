"""The local reader asks again only for what changed."""

from contextlib import asynccontextmanager

import pytest

from limen.builtin.web.local import LocalLimits, LocalReader
from limen.core.context import CallContext
from limen.core.web import Extraction, Held, Page, Validators
from limen.net.client import AddressPolicy, new_client
from limen.reading.document import read
from limen.testing.network import never, redirect, reply, serve

pytestmark = pytest.mark.anyio
DATE = "Mon, 30 Nov 2026 10:00:00 GMT"


class InlineReader:
    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return read(data, url, content_type, page_format)


async def changing(request, stream):
    if request.headers.get("if-none-match") == '"v1"':
        await stream.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")
    else:
        await stream.send(reply("<p>new words here</p>", headers={"etag": '"v2"', "last-modified": DATE}))


@asynccontextmanager
async def reading(routes):
    async with serve(routes) as server:
        policy = AddressPolicy(allow_private_hosts=(f"127.0.0.1:{server.port}",))
        async with new_client(policy, resolver=never) as client:

            async def vet(url):
                return None

            reader = LocalReader(lambda: client, InlineReader(), policy, vet, LocalLimits())

            async def pull(path, held=()):
                (pulled,) = await reader.extract(Extraction((server.url(path),), held=held), CallContext("s", "t"))
                return pulled

            yield server, pull


def held(url, etag, final=None):
    return (Held(url, Page(url=final or url, text="old words"), Validators(etag, DATE)),)


async def test_what_a_server_said_comes_with_the_page():
    async with reading({"/": changing}) as (_server, pull):
        pulled = await pull("/")
    assert pulled.validators == Validators('"v2"', DATE)
    assert "new words" in pulled.page.text


async def test_an_unchanged_page_is_the_held_one():
    async with reading({"/": changing}) as (server, pull):
        pulled = await pull("/", held(server.url("/"), '"v1"'))
    assert pulled.page.text == "old words"
    assert pulled.validators == Validators('"v1"', DATE)
    assert server.received[0].headers["if-modified-since"] == DATE


async def test_a_changed_page_is_the_new_one():
    async with reading({"/": changing}) as (server, pull):
        pulled = await pull("/", held(server.url("/"), '"v0"'))
    assert "new words" in pulled.page.text


async def test_unchanged_somewhere_else_is_asked_for_whole():
    async with reading({"/": redirect("/b"), "/b": changing}) as (server, pull):
        pulled = await pull("/", held(server.url("/"), '"v1"', server.url("/a")))
    assert "new words" in pulled.page.text
    assert "if-none-match" not in server.received[-1].headers


async def test_unchanged_without_being_asked_is_an_error():
    async with reading({"/": b"HTTP/1.1 304 Not Modified\r\n\r\n"}) as (_server, pull):
        pulled = await pull("/")
    assert pulled.refusal.code == "network.http_status"
