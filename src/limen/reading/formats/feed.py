"""Feeds to a Page: RSS, RDF, Atom and JSON Feed, each entry with its title, link, date, author and text."""

import json
import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from html import escape
from typing import Any

import msgspec

from limen.core.web import Page
from limen.kit.link_numbers import absolute
from limen.reading.formats.data import read_json
from limen.reading.formats.tree import Node, tree_of
from limen.reading.text_kind import Media

_FEED_CHARS = 5_000_000
_MOST_ENTRIES = 1_000
_HEADING = re.compile(r"(</?h)([1-6])(?=[\s>])", re.IGNORECASE)
_MARKUP = re.compile(r"<[a-zA-Z/!]|&[a-zA-Z#]")
_ISO = re.compile(r"(\d{4})(-\d\d)?(-\d\d)?(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?$")


class Enclosure(msgspec.Struct, frozen=True):
    """A file that comes with an entry; its size in bytes, 0 where it is not told."""

    url: str
    media_type: str = ""
    size: int = 0
    duration: str = ""


class Entry(msgspec.Struct, frozen=True):
    """One entry of a feed; `body` is HTML."""

    title: str = ""
    link: str = ""
    published: str = ""
    author: str = ""
    body: str = ""
    categories: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()


class Feed(msgspec.Struct, frozen=True):
    """A feed and the entries that are shown of all that it has."""

    title: str = ""
    link: str = ""
    about: str = ""
    updated: str = ""
    author: str = ""
    language: str = ""
    entries: tuple[Entry, ...] = ()
    count: int = 0


def read_feed(text: str, url: str, media: Media, charset: str) -> Page:
    """RSS, RDF or Atom, however broken, as HTML with a heading for each entry."""
    root = tree_of(text[:_FEED_CHARS])
    top = root.first("rss", "feed", "rdf:rdf") or next((node for node in root.children()), Node(""))
    channel = top.first("channel") or top
    holders = (channel,) if channel is top else (channel, top)  # RDF has its items beside the channel
    nodes = [node for holder in holders for node in holder.children("item", "entry")]
    feed = Feed(
        title=_plain(channel.first("title")),
        link=_address(url, _link(channel)),
        about=_html(channel.first("description", "subtitle", "tagline", "itunes:summary")),
        updated=iso_date(channel.text("updated", "lastbuilddate", "pubdate", "dc:date", "modified")),
        author=_author(channel),
        language=channel.text("language", "dc:language") or top.attributes.get("xml:lang", ""),
        entries=tuple(_entry(node, url) for node in nodes[:_MOST_ENTRIES]),
        count=len(nodes),
    )
    return _page(feed, url, media, charset, cut=len(text) > _FEED_CHARS)


def read_json_feed(text: str, url: str, media: Media, charset: str) -> Page:
    """JSON Feed 1 and 1.1 in the same form; what is not one after all stays JSON."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return read_json(text, url, media, charset)
    items = [item for item in data["items"] if isinstance(item, dict)]
    feed = Feed(
        title=_said(data, "title"),
        link=_address(url, _said(data, "home_page_url")),
        about=_as_html(_said(data, "description")),
        author=_names(data),
        language=_said(data, "language"),
        entries=tuple(_json_entry(item, url) for item in items[:_MOST_ENTRIES]),
        count=len(items),
    )
    return _page(feed, url, media, charset)


def iso_date(said: str) -> str:
    """A date of a feed or a message in ISO 8601, as exact as it was told; as it was given where it cannot be read."""
    said = " ".join(said.split())
    found = _ISO.match(said)
    if found:
        year, month, day, time, zone = found.groups()
        date = f"{year}{month or ''}{day or ''}"
        return f"{date}T{time}{zone or ''}" if time else date
    try:
        date_time = parsedate_to_datetime(said)
    except (ValueError, TypeError, IndexError, OverflowError):
        return said
    try:
        return (date_time.astimezone(UTC) if date_time.tzinfo else date_time).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return said


def _page(feed: Feed, url: str, media: Media, charset: str, *, cut: bool = False) -> Page:
    notices = (f"Of {feed.count:,} entries this shows the first {_MOST_ENTRIES:,}.",) if feed.count > len(feed.entries) else ()
    if cut:
        notices = (*notices, "The feed was too large to be read whole; its last entries are missing.")
    return Page(
        url=url,
        title=feed.title,
        text="".join(_written(feed)),
        media_type=media.media_type,
        format="html",
        author=feed.author,
        published=feed.updated,
        language=feed.language,
        charset=charset,
        notices=notices,
    )


def _written(feed: Feed) -> Iterator[str]:
    yield f"<h1>{_linked(feed.title or 'Feed', feed.link)}</h1>{feed.about}"
    counted = f"{feed.count:,} entr{'y' if feed.count == 1 else 'ies'}"
    yield f"<p>{counted}{f', updated {escape(feed.updated)}' if feed.updated else ''}.</p>"
    for entry in feed.entries:
        yield f"<h2>{_linked(entry.title or entry.published or entry.link or 'Untitled', entry.link)}</h2>"
        facts = [
            *filter(None, (entry.published, entry.author)),
            *([f"in {', '.join(entry.categories)}"] if entry.categories else []),
        ]
        if facts:
            yield f"<p>{escape(' · '.join(facts))}</p>"
        yield f"<div>{deeper(entry.body, 2)}</div>"
        for enclosure in entry.enclosures:
            told = ", ".join(filter(None, (enclosure.media_type, _size(enclosure.size), enclosure.duration)))
            yield f"<p>Enclosure: {_linked(told or 'file', enclosure.url)}</p>"


def deeper(html: str, by: int) -> str:
    """A part whose headings stand so much below their own level, as it has one above it."""
    return _HEADING.sub(lambda found: f"{found.group(1)}{min(int(found.group(2)) + by, 6)}", html)


def _address(url: str, target: str) -> str:
    return absolute(url, target) if target else ""


def _linked(text: str, url: str) -> str:
    return f'<a href="{escape(url)}">{escape(text)}</a>' if url else escape(text)


def _size(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{size:,} bytes" if size else ""


def _entry(node: Node, url: str) -> Entry:
    body = node.first("content:encoded", "content", "xhtml:body", "description", "summary", "itunes:summary", "media:description")
    group = node.first("media:group")
    if body is None and group is not None:
        body = group.first("media:description")
    return Entry(
        title=_plain(node.first("title", "media:title")),
        link=_address(url, _link(node)),
        published=iso_date(node.text("pubdate", "published", "issued", "dc:date", "updated", "modified")),
        author=_author(node),
        body=_html(body),
        categories=tuple(dict.fromkeys(filter(None, (_category(child) for child in node.children("category", "dc:subject"))))),
        enclosures=tuple(_enclosures(node, url)),
    )


def _category(node: Node) -> str:
    return node.attributes.get("label", "") or node.text() or node.attributes.get("term", "")


def _enclosures(node: Node, url: str) -> Iterator[Enclosure]:
    duration = node.text("itunes:duration")
    linked = (child for child in node.children("link") if child.attributes.get("rel") == "enclosure")
    for child in (*node.children("enclosure"), *linked):
        address = child.attributes.get("url", "") or child.attributes.get("href", "")
        size = child.attributes.get("length", "")
        if address:
            bytes_ = int(size) if size.isascii() and size.isdigit() and len(size) < 16 else 0
            yield Enclosure(_address(url, address.strip()), child.attributes.get("type", ""), bytes_, duration)


def _link(node: Node) -> str:
    links = list(node.children("link"))
    for relation in ("alternate", ""):
        for link in links:
            if link.attributes.get("rel", "") == relation and (link.attributes.get("href", "") or link.text()):
                return (link.attributes.get("href", "") or link.text()).strip()
    guid = node.first("guid")
    permanent = guid is not None and guid.attributes.get("ispermalink", "true").lower() != "false"
    address = guid.text() if guid is not None and permanent else node.attributes.get("rdf:about", "")
    return address if address.startswith(("http://", "https://")) else ""


def _author(node: Node) -> str:
    names = [
        child.text("name") or child.text("email") or child.text()
        for child in node.children("author", "dc:creator", "itunes:author")
    ]
    return ", ".join(dict.fromkeys(" ".join(name.split()) for name in names if name))


def _plain(node: Node | None) -> str:
    """A title as text: many hold markup, escaped once more than they should be."""
    if node is None:
        return ""
    text = node.text()
    if _MARKUP.search(text) and node.attributes.get("type", "") != "text":
        text = tree_of(text).text()
    return " ".join(text.split())


def _html(node: Node | None) -> str:
    if node is None:
        return ""
    kind = node.attributes.get("type", "")
    if kind.endswith("xhtml") or any(True for _ in node.children()):
        return node.markup()
    return _as_html(node.text(), plain=kind in {"text", "text/plain"})


def _as_html(text: str, *, plain: bool = False) -> str:
    if not plain and _MARKUP.search(text):
        return text
    return "".join(f"<p>{escape(part)}</p>" for part in re.split(r"\n[ \t]*\n", text) if part.strip())


def _json_entry(item: dict[str, Any], url: str) -> Entry:
    files = [each for each in _list(item, "attachments") if isinstance(each, dict)]
    return Entry(
        title=_said(item, "title"),
        link=_address(url, _said(item, "url") or _said(item, "external_url")),
        published=iso_date(_said(item, "date_published") or _said(item, "date_modified")),
        author=_names(item),
        body=_said(item, "content_html") or _as_html(_said(item, "content_text") or _said(item, "summary"), plain=True),
        categories=tuple(tag for tag in _list(item, "tags") if isinstance(tag, str)),
        enclosures=tuple(
            Enclosure(_address(url, _said(each, "url")), _said(each, "mime_type"), _count(each.get("size_in_bytes")))
            for each in files
        ),
    )


def _names(data: dict[str, Any]) -> str:
    authors = _list(data, "authors") or [data.get("author")]
    return ", ".join(filter(None, (_said(each, "name") for each in authors if isinstance(each, dict))))


def _list(data: dict[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    return value if isinstance(value, list) else []


def _said(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
