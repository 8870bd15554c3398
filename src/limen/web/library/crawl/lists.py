"""Lists that a site makes of its pages: sitemaps, feeds, `llms.txt`. What a file is is told by what stands in it."""

import re
from typing import Literal, NamedTuple

from limen.kit.plain_xml import BadXML, Element, parse_xml
from limen.kit.sitemap import read_sitemap, sitemap_of, unpack
from limen.web.library.crawl.links import markdown_links

Kind = Literal["sitemap", "feed", "llms"]
LIMIT_BYTES = 60_000_000  # the protocol's 50 MB, unpacked, and what a careless site puts on top
_GZIP = b"\x1f\x8b"
# An address that may name a list; whether it is one is seen when it is read.
_LOOKS_LISTED = re.compile(
    r"(?:\.(?:xml|rss|atom|rdf)(?:\.gz)?|/(?:feed|rss|atom)s?/?|/sitemap[\w.-]*\.txt|/llms[\w.-]*\.txt)(?:\?[^#]*)?$",
    re.IGNORECASE,
)
_LLMS = re.compile(r"/llms[\w.-]*\.txt$", re.IGNORECASE)


class Listing(NamedTuple):
    """What a list names: pages with what it says of when each changed (empty for nothing), and further lists."""

    kind: Kind
    pages: tuple[tuple[str, str], ...] = ()
    further: tuple[str, ...] = ()


def looks_listed(url: str) -> bool:
    """Whether an address may be one of a list."""
    return _LOOKS_LISTED.search(url.partition("#")[0]) is not None


def read_listing(body: bytes, url: str) -> Listing | None:
    """The list behind an address, or None where it is something else. Raises BadXML for one that is broken or too large."""
    if _LLMS.search(url.partition("?")[0]):
        return Listing("llms", tuple((link, "") for link in markdown_links(body.decode("utf-8", "replace"), url)))
    if body.startswith(_GZIP):
        body = unpack(body, LIMIT_BYTES, gzip=True)
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        if not re.search(r"/sitemap[\w.-]*\.txt", url, re.IGNORECASE):
            return None
        return Listing("sitemap", tuple((page, "") for page in read_sitemap(body, LIMIT_BYTES).pages))
    if re.search(rb"<html[\s>]|<!doctype\s+html", body[:2_000], re.IGNORECASE):
        return None
    return _of_xml(parse_xml(body))


def _of_xml(root: Element) -> Listing | None:
    if root.name == "sitemapindex":
        return Listing("sitemap", further=tuple(url for one in root.all("sitemap") if (url := one.child("loc"))))
    if root.name == "urlset":
        found = sitemap_of(root)
        return Listing("sitemap", tuple((url, found.changed.get(url, "")) for url in found.pages))
    if root.name == "feed":
        return Listing("feed", tuple((link, one.child("updated")) for one in root.all("entry") if (link := _alternate(one))))
    if root.name in ("rss", "RDF"):
        items = [item for part in (root, *root.all("channel")) for item in part.all("item")]
        return Listing(
            "feed", tuple((link, item.child("pubDate") or item.child("date")) for item in items if (link := _link(item)))
        )
    return None


def _alternate(entry: Element) -> str:
    """The page of an Atom entry."""
    links = entry.all("link")
    named = [one.attributes.get("href", "") for one in links if one.attributes.get("rel", "alternate") == "alternate"]
    return next((href.strip() for href in named if href.strip()), "")


def _link(item: Element) -> str:
    """The page of an RSS item: its link, else a guid that is one."""
    guid = next((one for one in item.all("guid") if one.attributes.get("isPermaLink", "true") == "true"), None)
    found = item.child("link") or (guid.text if guid is not None else "")
    return found if found.startswith(("http://", "https://")) else ""


__all__ = ["LIMIT_BYTES", "BadXML", "Listing", "looks_listed", "read_listing"]
