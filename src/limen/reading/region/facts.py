"""What a page says of itself before it is read: its kind, in words, and its description."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from turbohtml import Document

from limen.reading.elements import attribute
from limen.reading.html.linked_data import Thing, types_of
from limen.reading.region.weights import WORD

# Stands among what a page says of itself where that is one product with a price.
FOR_SALE = "for sale"
_DATED = re.compile(r"/20\d\d[/-]\d\d")


def described(document: Document) -> str:
    """The page's own summary, empty where it has none."""
    return attribute(document.select_one('meta[name="description"][content],meta[property="og:description"][content]'), "content")


def stated_words(document: Document, things: Iterable[Thing], url: str) -> frozenset[str]:
    """Types of its JSON-LD and of its sharing card, its generator, the words of its address, each with where it stands:
    `ld:product`, `og:article`, `gen:discourse`, `path:shop`, `host:docs`."""
    found: set[str] = set()
    for thing in things:
        found |= {f"ld:{name[:40]}" for name in types_of(thing)}
    for element in document.select('meta[property="og:type"],meta[name="generator" i]'):
        value = (element.attr("content") or "").strip().lower()[:100]
        if element.attr("property"):
            found.add(f"og:{value}")
        else:
            word = WORD.search(value)
            found.add(f"gen:{word.group(0) if word else ''}")
    if document.select_one("link[rel~=up]") and document.select_one("link[rel~=start],link[rel~=home],link[rel~=contents]"):
        found.add("gen:manual")  # what makers of manuals link: the chapter above, and the first page
    return frozenset(found | _address_words(url))


def _address_words(url: str) -> set[str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return set()
    if parts.scheme == "file":
        return {"file"}
    path = parts.path.lower()
    steps = [step for step in path.split("/") if step]
    found = {f"path:{word}" for word in WORD.findall(path)}
    found |= {f"host:{word}" for word in WORD.findall((parts.netloc or "").lower().rpartition(".")[0])}
    found |= {f"first:{word}" for word in steps[:1]}
    found.add(f"depth:{min(len(steps), 5)}")
    if steps and len(steps[-1].split("-")) >= 5:
        found.add("slug:long")
    if steps and steps[-1].isdigit():
        found.add("slug:number")
    if _DATED.search(path):
        found.add("path:dated")
    if parts.query:
        found.add("query")
    return found
