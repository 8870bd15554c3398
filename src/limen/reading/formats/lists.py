"""Lists of addresses to a Page: sitemaps, and outlines of feeds or topics in OPML."""

import re
from html import unescape
from itertools import islice

from limen.core.web import Link, Page
from limen.kit.link_numbers import absolute
from limen.reading.formats.blocks import heading, items, link, text_html
from limen.reading.formats.plain import first_of
from limen.reading.formats.tree import Node, tree_of
from limen.reading.text_kind import Media, name_of

# The protocol allows 50,000 addresses in a file; a page that lists more is not read.
_MOST_ADDRESSES = 50_000
_COUNTED = 10 * _MOST_ADDRESSES
_ADDRESS_CHARS = 2_048
_ENTRY = re.compile(r"<(?:\w+:)?(?:url|sitemap)\b[^<>]*+>((?:[^<]++|<(?!/(?:\w+:)?(?:url|sitemap)\b))*+)", re.IGNORECASE)
_LOCATION = re.compile(r"<(?:\w+:)?loc\b[^<>]*+>\s*+(?:<!\[CDATA\[)?\s*+([^<>\]]++)", re.IGNORECASE)
_CHANGED = re.compile(r"<(?:\w+:)?lastmod\b[^<>]*+>\s*+([^<>]{1,40})", re.IGNORECASE)
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_SNIFF_CHARS = 4_096
_OPML_CHARS = 5_000_000
_DEEPEST = 40


def read_sitemap(text: str, url: str, _media: Media) -> Page:
    """A sitemap or an index of them: its addresses in order, each with the day it changed where that is told."""
    found: dict[str, str] = {}
    count = 0
    for entry in islice(_ENTRY.finditer(text), _COUNTED):
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
    return Page(
        title=f"{what}: {name_of(url)}" if name_of(url) else what,
        text="\n".join([f"{what} with {count:,} address{'' if count == 1 else 'es'}.", "", *lines]),
        links=tuple(Link(n, address, address) for n, address in enumerate(found, 1)),
        published=max(found.values(), default=""),
        notices=first_of(len(found), count, "addresses"),
    )


def read_opml(text: str, url: str, _media: Media) -> Page:
    """An outline as nested lists, its feeds and pages linked."""
    root = tree_of(text[:_OPML_CHARS])
    top = root.first("opml") or root
    head, body = top.first("head") or Node(""), top.first("body") or Node("")
    title = " ".join(head.text("title").split())
    return Page(
        title=title,
        text=heading(1, text_html(title or "Outline")) + _outline(body, url, 0),
        format="html",
        author=head.text("ownername"),
        published=head.text("datemodified", "datecreated"),
        notices=("The outline was too large to be read whole; its end is missing.",) if len(text) > _OPML_CHARS else (),
    )


def _outline(node: Node, url: str, depth: int) -> str:
    inner = node.children("outline") if depth <= _DEEPEST else ()
    return items(_labelled(item, url) + _outline(item, url, depth + 1) for item in inner)


def _labelled(item: Node, url: str) -> str:
    said = item.attributes
    label = text_html(said.get("text") or said.get("title") or said.get("xmlurl") or "Untitled")
    page, feed = (absolute(url, said[name]) if said.get(name) else "" for name in ("htmlurl", "xmlurl"))
    address = page or said.get("url", "")
    return link(address, label) + (f" ({link(feed, 'feed')})" if feed and feed != address else "")
