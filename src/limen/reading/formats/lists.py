"""Lists of addresses to a Page: sitemaps, and outlines of feeds or topics in OPML."""

import re
from collections.abc import Iterator
from html import escape, unescape

from limen.core.web import Link, Page
from limen.kit.link_numbers import absolute
from limen.reading.formats.plain import name_of
from limen.reading.formats.tree import Node, tree_of
from limen.reading.text_kind import Media

# The protocol allows 50,000 addresses in a file; a page that lists more is not read.
_MOST_ADDRESSES = 50_000
_ADDRESS_CHARS = 2_048
_ENTRY = re.compile(r"<(?:\w+:)?(?:url|sitemap)\b[^<>]*+>((?:[^<]++|<(?!/(?:\w+:)?(?:url|sitemap)\b))*+)", re.IGNORECASE)
_LOCATION = re.compile(r"<(?:\w+:)?loc\b[^<>]*+>\s*+(?:<!\[CDATA\[)?\s*+([^<>\]]++)", re.IGNORECASE)
_CHANGED = re.compile(r"<(?:\w+:)?lastmod\b[^<>]*+>\s*+([^<>]{1,40})", re.IGNORECASE)
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_SNIFF_CHARS = 4_096
_OPML_CHARS = 5_000_000


def read_sitemap(text: str, url: str, media: Media, charset: str) -> Page:
    """A sitemap or an index of them: its addresses in order, each with the day it changed where that is told."""
    found: dict[str, str] = {}
    count = 0
    for entry in _ENTRY.finditer(text):
        location, changed = _LOCATION.search(entry.group(1)), _CHANGED.search(entry.group(1))
        address = absolute(url, unescape(location.group(1)).strip()) if location else ""
        if not address or len(address) > _ADDRESS_CHARS or any(char.isspace() for char in address):
            continue
        if address not in found:
            count += 1
        if len(found) < _MOST_ADDRESSES:
            found.setdefault(address, changed.group(1).strip() if changed else "")
    what = "Sitemap index" if _INDEX.search(text[:_SNIFF_CHARS]) else "Sitemap"
    lines = [f"- <{address}>{f' ({changed})' if changed else ''}" for address, changed in found.items()]
    notices = (f"Of {count:,} addresses this shows the first {len(found):,}.",) if count > _MOST_ADDRESSES else ()
    return Page(
        url=url,
        title=f"{what}: {name_of(url)}" if name_of(url) else what,
        text="\n".join([f"{what} with {count:,} address{'' if count == 1 else 'es'}.", "", *lines]),
        media_type=media.media_type,
        links=tuple(Link(n, address, address) for n, address in enumerate(found, 1)),
        published=max(found.values(), default=""),
        charset=charset,
        notices=notices,
    )


def read_opml(text: str, url: str, media: Media, charset: str) -> Page:
    """An outline as nested lists, its feeds and pages linked."""
    root = tree_of(text[:_OPML_CHARS])
    top = root.first("opml") or root
    head, body = top.first("head") or Node(""), top.first("body") or Node("")
    title = " ".join(head.text("title").split())
    notices = ("The outline was too large to be read whole; its end is missing.",) if len(text) > _OPML_CHARS else ()
    return Page(
        url=url,
        title=title or name_of(url),
        text=f"<h1>{escape(title or 'Outline')}</h1>{''.join(_outline(body, url, 0))}",
        media_type=media.media_type,
        format="html",
        author=head.text("ownername"),
        published=head.text("datemodified", "datecreated"),
        charset=charset,
        notices=notices,
    )


_DEEPEST = 40


def _outline(node: Node, url: str, depth: int) -> Iterator[str]:
    items = list(node.children("outline"))
    if not items or depth > _DEEPEST:
        return
    yield "<ul>"
    for item in items:
        said = item.attributes
        label = escape(said.get("text") or said.get("title") or said.get("xmlurl") or "Untitled")
        page, feed = (absolute(url, said[name]) if said.get(name) else "" for name in ("htmlurl", "xmlurl"))
        address = page or said.get("url", "")
        yield f'<li><a href="{escape(address)}">{label}</a>' if address else f"<li>{label}"
        if feed and feed != address:
            yield f' (<a href="{escape(feed)}">feed</a>)'
        yield from _outline(item, url, depth + 1)
        yield "</li>"
    yield "</ul>"
