"""A site on loopback, and a library that may read it past the real gates."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from web.asking import downloader
from web.library.inline_reader import open_index

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Held, Page
from limen.net.client import new_client
from limen.net.policy import AddressPolicy
from limen.reading import read
from limen.testing.network import Answer, LoopbackServer, redirect, reply, serve
from limen.web.download import Downloaded
from limen.web.library.index import DocumentIndex
from limen.web.library.outside import CrawlRules, Outside, WebPage

WORDS = (
    "granite",
    "willow",
    "copper",
    "lantern",
    "harbour",
    "meadow",
    "quartz",
    "saddle",
    "thimble",
    "velvet",
    "walnut",
    "zephyr",
)


def text_of(name: str) -> str:
    """Some sentences that no other page has."""
    start = sum(map(ord, name)) % len(WORDS)
    return " ".join(f"The {word} of {name} is kept in the {word} room by {name}." for word in (WORDS * 2)[start : start + 5])


def page(name: str, *links: str, head: str = "", extra: str = "", **headers: str) -> bytes:
    """A page with a menu of links."""
    menu = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    html = (
        f"<html><head><title>{name}</title>{head}</head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>{name}</h1><p>{text_of(name)}</p>{extra}</main></body></html>"
    )
    return reply(html, headers={name.replace("_", "-"): value for name, value in headers.items()})


def sitemap(server: LoopbackServer, *paths: str, **changed: str) -> bytes:
    """A sitemap of those paths; `changed` has when `/NAME` changed."""
    entries = "".join(
        f"<url><loc>{server.url(path)}</loc>{f'<lastmod>{changed[path[1:]]}</lastmod>' if path[1:] in changed else ''}</url>"
        for path in paths
    )
    return reply(f"<urlset>{entries}</urlset>", headers={"content-type": "application/xml"})


class Site:
    """The server, the library, and what was asked of the server."""

    def __init__(self, server: LoopbackServer, index: DocumentIndex) -> None:
        self.server = server
        self.index = index

    def asked(self) -> list[str]:
        """The targets asked for since the last time, without `robots.txt` and guesses at a sitemap."""
        targets = [one.target for one in self.server.received if one.path not in ("/robots.txt", "/sitemap.xml")]
        self.server.received.clear()
        return targets

    async def origins(self) -> list[str]:
        """The paths of the documents there are."""
        return [document.origin.removeprefix(self.server.url("")) for document in await self.index.list()]


@asynccontextmanager
async def site(path: Path, routes: Mapping[str, Answer], **rules: float) -> AsyncIterator[Site]:
    """A site of those routes and an empty library, or the one at `path`."""
    policy = AddressPolicy(("127.0.0.0/8",))
    limits = CrawlRules(**{"delay_s": 0.0, "first_wait_s": 0.01, **rules})  # type: ignore[arg-type]
    async with serve(routes) as server, new_client(policy, total_timeout_s=5) as client:
        getting = downloader(policy, client)

        async def get(url: str, max_bytes: int, headers: Mapping[str, str]) -> Downloaded | Refusal:
            return await getting.download(url, CallContext(), max_bytes=max_bytes, headers=headers)

        async def one(url: str, held: Held | None) -> WebPage | Refusal:
            got = await get(url, 1_000_000, {})
            return got if isinstance(got, Refusal) else WebPage(_read(got), moved_to=got.moved_to)

        async with open_index(path, outside=Outside(one, get, limits)) as index:
            yield Site(server, index)


def _read(got: Downloaded) -> Page:
    return read(got.body, got.url, got.headers.get("content-type"))


__all__ = ["Site", "page", "redirect", "reply", "site", "sitemap", "text_of"]
