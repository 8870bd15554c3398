"""Links: each one line, and numbered."""

from turbohtml import Element, Text

from limen.core.web import Link
from limen.reading.markup.convert import without_signs

_TEXT_CHARS = 200


def mend_links(region: Element) -> None:
    """Move links from inside of code to around it; a link is one line."""
    for link in region.select("code > a[href]:only-child"):
        code = link.parent
        if isinstance(code, Element) and code.text == link.text and code.closest("pre,a") is None:
            href = link.attr("href") or ""
            link.unwrap()
            code.wrap(Element("a", {"href": href}))
    for line_break in region.select("a br"):
        line_break.replace_with(Text(" "))


def number(region: Element) -> tuple[Link, ...]:
    """The links below `region` that lead to other pages, each address once, numbered from 1 in the order of the text.

    A link that shows nothing keeps its number and stands in the text no longer.
    """
    texts: dict[str, str] = {}
    for link in region.select("a[href]"):
        url = link.attr("href") or ""
        text = without_signs(" ".join(link.text.split()))
        if url[:1] != "#" and not texts.get(url):
            texts[url] = text[:_TEXT_CHARS] or _described(link)
        if not text and link.find("img") is None:
            del link.attrs["href"]
    return tuple(Link(n, text, url) for n, (url, text) in enumerate(texts.items(), 1))


def _described(link: Element) -> str:
    image = link.select_one("img[alt]")
    return (link.attr("aria-label") or (image.attr("alt") if image is not None else "") or "")[:_TEXT_CHARS]
