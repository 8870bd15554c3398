"""The numbered links of a page."""

from collections.abc import Iterator

from turbohtml import Element

from limen.core.web import Link

_TEXT_CHARS = 200


def number(region: Element) -> tuple[Link, ...]:
    """The links below `region` that lead to other pages, each address once, numbered from 1 in the order of the text."""
    texts: dict[str, str] = {}
    for url, text in _found(region):
        if not texts.get(url):
            texts[url] = text
    return tuple(Link(n, text, url) for n, (url, text) in enumerate(texts.items(), 1))


def _found(region: Element) -> Iterator[tuple[str, str]]:
    for link in region.select("a[href]"):
        url = link.attr("href") or ""
        if url.startswith("#"):
            continue
        text = " ".join(link.text.split())
        if not text:
            image = link.select_one("img[alt]")
            text = (image.attr("alt") or "") if image is not None else ""
        yield url, text[:_TEXT_CHARS]
