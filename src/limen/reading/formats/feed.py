"""Feeds to a Page: RSS, RDF, Atom and JSON Feed, each entry with its title, link, date, author and text."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from limen.core.web import Page
from limen.kit.link_numbers import absolute
from limen.reading.dates import iso_date
from limen.reading.formats.blocks import deeper, heading, link, paragraphs, text_html
from limen.reading.formats.data import read_json, value_of
from limen.reading.formats.plain import first_of
from limen.reading.formats.tree import Node, tree_of
from limen.reading.text_kind import Media

_FEED_CHARS = 5_000_000
_MOST_ENTRIES = 1_000
_BODIES = ("content:encoded", "content", "xhtml:body", "description", "summary", "itunes:summary", "media:description")
_MARKUP = re.compile(r"<[a-zA-Z/!]|&[a-zA-Z#]")


def read_feed(text: str, url: str, _media: Media) -> Page:
    """RSS, RDF or Atom, however broken, as HTML with a heading for each entry."""
    root = tree_of(text[:_FEED_CHARS])
    top = root.first("rss", "feed", "rdf:rdf") or next((node for node in root.children()), Node(""))
    channel = top.first("channel") or top
    holders = (channel,) if channel is top else (channel, top)  # RDF has its items beside the channel
    entries = [node for holder in holders for node in holder.children("item", "entry")]
    language = channel.text("language", "dc:language") or top.attributes.get("xml:lang", "")
    cut = ("The feed was too large to be read whole; its last entries are missing.",) if len(text) > _FEED_CHARS else ()
    return _page(channel, entries, url, language, cut)


def read_json_feed(text: str, url: str, media: Media) -> Page:
    """JSON Feed 1 and 1.1 in the same form; what is not one after all stays JSON."""
    data = value_of(text)
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return read_json(text, url, media)
    entries = [_element(item) for item in data["items"] if isinstance(item, dict)]
    return _page(_element(data), entries, url, _said(data, "language"), ())


def _element(data: dict[str, Any]) -> Node:
    """An object of a JSON Feed as the element of Atom that says the same."""
    html, plain = _said(data, "content_html"), _said(data, "content_text", "summary")
    authors, tags, files = (_list(data, name) for name in ("authors", "tags", "attachments"))
    told = [
        ("title", {"type": "text"}, _said(data, "title")),
        ("link", {"href": _said(data, "url", "external_url", "home_page_url")}, ""),
        ("published", {}, _said(data, "date_published", "date_modified")),
        ("content", {"type": "html" if html else "text"}, html or plain),
        ("description", {}, _said(data, "description")),
        *(("author", {}, _said(one, "name")) for one in authors or [data.get("author")]),
        *(("category", {}, tag) for tag in tags if isinstance(tag, str)),
        *(("enclosure", {"url": _said(one, "url"), "type": _said(one, "mime_type"), "length": _size(one)}, "") for one in files),
    ]
    return Node("entry", {}, [Node(name, said, [text]) for name, said, text in told])


def _said(data: Any, *names: str) -> str:
    values = (data.get(name) for name in names) if isinstance(data, dict) else ()
    return next((value for value in values if isinstance(value, str) and value), "")


def _list(data: dict[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    return value if isinstance(value, list) else []


def _size(data: Any) -> str:
    return str(data.get("size_in_bytes", "")) if isinstance(data, dict) else ""


def _page(channel: Node, entries: Sequence[Node], url: str, language: str, cut: tuple[str, ...]) -> Page:
    title, count = _plain(channel.first("title")), len(entries)
    updated = _date(channel, "updated", "lastbuilddate", "pubdate", "dc:date", "modified")
    counted = f"{count:,} entr{'y' if count == 1 else 'ies'}{f', updated {updated}' if updated else ''}."
    about = _html(channel.first("description", "subtitle", "tagline", "itunes:summary"))
    head = heading(1, link(_link(channel, url), text_html(title or "Feed"))) + f"{about}<p>{text_html(counted)}</p>"
    return Page(
        title=title,
        text=head + "".join(piece for entry in entries[:_MOST_ENTRIES] for piece in _written(entry, url)),
        format="html",
        author=_author(channel),
        published=updated,
        language=language,
        notices=(*first_of(_MOST_ENTRIES, count, "entries"), *cut),
    )


def _written(entry: Node, url: str) -> Iterator[str]:
    title, address = _plain(entry.first("title", "media:title")), _link(entry, url)
    published = _date(entry, "pubdate", "published", "issued", "dc:date", "updated", "modified")
    yield heading(2, link(address, text_html(title or published or address or "Untitled")))
    categories = dict.fromkeys(filter(None, map(_category, entry.children("category", "dc:subject"))))
    facts = filter(None, (published, _author(entry), f"in {', '.join(categories)}" if categories else ""))
    body = entry.first(*_BODIES) or (entry.first("media:group") or Node("")).first("media:description")
    yield f"<p>{text_html(' · '.join(facts))}</p><div>{deeper(_html(body), 2)}</div>"
    duration = entry.text("itunes:duration")
    linked = (child for child in entry.children("link") if child.attributes.get("rel") == "enclosure")
    for said in (child.attributes for child in (*entry.children("enclosure"), *linked)):
        file, told = said.get("url", "") or said.get("href", ""), (said.get("type", ""), _sized(said.get("length", "")), duration)
        if file:
            yield f"<p>Enclosure: {link(_address(url, file), text_html(', '.join(filter(None, told)) or 'file'))}</p>"


def _sized(said: str) -> str:
    size = int(said) if said.isascii() and said.isdigit() and len(said) < 16 else 0
    return f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{size:,} bytes" if size else ""


def _address(url: str, target: str) -> str:
    return absolute(url, target.strip()) if target else ""


def _date(node: Node, *names: str) -> str:
    said = node.text(*names)
    return iso_date(said) or " ".join(said.split())


def _category(node: Node) -> str:
    return node.attributes.get("label", "") or node.text() or node.attributes.get("term", "")


def _link(node: Node, url: str) -> str:
    links = [(one.attributes.get("rel", ""), one.attributes.get("href", "") or one.text()) for one in node.children("link")]
    for wanted in ("alternate", ""):
        for relation, address in links:
            if relation == wanted and address:
                return _address(url, address)
    guid = node.first("guid")
    permanent = guid is not None and guid.attributes.get("ispermalink", "true").lower() != "false"
    address = guid.text() if guid is not None and permanent else node.attributes.get("rdf:about", "")
    return _address(url, address) if address.startswith(("http://", "https://")) else ""


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
    text = node.text()
    return text if kind not in {"text", "text/plain"} and _MARKUP.search(text) else paragraphs(text, line_break="\n")
