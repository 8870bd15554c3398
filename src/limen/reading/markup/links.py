"""The numbered links of a page."""

from turbohtml import Element

from limen.core.web import Link

_TEXT_CHARS = 200


def number(region: Element) -> tuple[Link, ...]:
    """The links below `region` that lead to other pages, each address once, numbered from 1 in the order of the text.

    A link that shows nothing keeps its number and stands in the text no longer.
    """
    texts: dict[str, str] = {}
    for link in region.select("a[href]"):
        url = link.attr("href") or ""
        text = " ".join(link.text.split())
        if url[:1] != "#" and not texts.get(url):
            texts[url] = text[:_TEXT_CHARS] or _described(link)
        if not text and link.find("img") is None:
            del link.attrs["href"]
    return tuple(Link(n, text, url) for n, (url, text) in enumerate(texts.items(), 1))


def _described(link: Element) -> str:
    image = link.select_one("img[alt]")
    return (image.attr("alt") or "")[:_TEXT_CHARS] if image is not None else ""
