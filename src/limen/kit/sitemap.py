"""A site's own lists of its pages: sitemaps (sitemaps.org/protocol), and where `robots.txt` says they are."""

import re
import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from limen.kit.plain_xml import BadXML, Element, parse_xml

_MOST_URLS = 50_000  # what the protocol allows in one file
_GZIP = b"\x1f\x8b"
_NAMED = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


class Sitemap(NamedTuple):
    """The pages that a file lists, or the further sitemaps, in its order. `changed` is what it says of when."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    changed: Mapping[str, str] = MappingProxyType({})


def sitemaps_in(robots: bytes) -> list[str]:
    """The sitemaps that a `robots.txt` names, each once."""
    return list(dict.fromkeys(_NAMED.findall(robots.decode("utf-8", "replace"))))


def read_sitemap(data: bytes, max_bytes: int) -> Sitemap:
    """A sitemap in XML or as plain lines, packed or not. Raises BadXML for anything else, or more than `max_bytes` unpacked."""
    if data.startswith(_GZIP):
        data = unpack(data, max_bytes, gzip=True)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        return Sitemap(_lines(data))
    root = parse_xml(data)
    if root.name == "sitemapindex":
        return Sitemap(sitemaps=tuple(url for one in root.all("sitemap") if (url := one.child("loc")))[:_MOST_URLS])
    if root.name == "urlset":
        return sitemap_of(root)
    raise BadXML(f"it is a {root.name[:40]}, not a sitemap")


def sitemap_of(root: Element) -> Sitemap:
    """The pages of a `urlset`."""
    listed = [(url, one.child("lastmod")) for one in root.all("url") if (url := one.child("loc"))][:_MOST_URLS]
    return Sitemap(tuple(url for url, _ in listed), changed={url: changed for url, changed in listed if changed})


def unpack(data: bytes, max_bytes: int, *, gzip: bool = False) -> bytes:
    """What a zlib (or gzip) stream holds. Raises BadXML when it is broken, cut, or holds more than `max_bytes`."""
    unpacker = zlib.decompressobj(31 if gzip else zlib.MAX_WBITS)
    try:
        plain = unpacker.decompress(data, max_bytes + 1)
    except zlib.error as error:
        raise BadXML(str(error)) from None
    if len(plain) > max_bytes:
        raise BadXML(f"it unpacks to more than {max_bytes:,} bytes")
    if not unpacker.eof:
        raise BadXML("it is cut off")
    return plain


def _lines(data: bytes) -> tuple[str, ...]:
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()[:_MOST_URLS]]
    pages = tuple(line for line in lines if line.startswith(("http://", "https://")))
    if not pages:
        raise BadXML("it lists no address")
    return pages
