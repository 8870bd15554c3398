"""Addresses of a page: links made absolute, those that lead nowhere unwrapped, images reduced to what can be shown."""

import re

from turbohtml import Document, Element

from limen.reading.markup.convert import literal

_DEAD = ("javascript:", "data:", "vbscript:", "about:", "blob:")
_DEAD_CHARS = max(map(len, _DEAD))
# What the URL Standard encodes or drops wherever it stands in an address; Markdown's own marks are among it.
_UNFIT = re.compile(r"[\x00-\x20\"<>]")
_ENCODED = {ord(char): f"%{ord(char):02X}" for char in ' "<>'} | dict.fromkeys(range(32))
_LAZY = ("data-src", "data-original", "data-lazy-src", "srcset", "data-srcset")


def resolve(document: Document, region: Element, url: str) -> None:
    """Make links and images below `region` absolute against `<base>` and `url`; links within the page stay `#anchor`."""
    links = region.select("a[href]")
    for link in links:
        _mend_link(link)
    for link in region.select("a[href][title]"):
        del link.attrs["title"]  # repeats the text, or the name of what is linked to
    _absolute(document, region, url)
    own = f"{url.partition('#')[0]}#"
    if len(own) > 1:
        for link in links:
            href = link.attr("href")
            if href is not None and href.startswith(own):
                link.attrs["href"] = href[len(own) - 1 :]


def _absolute(document: Document, region: Element, url: str) -> None:
    """Resolve against the page's own base, else against where it came from; addresses stay as written where neither is one."""
    for base in (document.base_url(url), url):
        try:
            if base:
                region.resolve_links(base)
        except ValueError:
            continue
        return


def _mend_link(link: Element) -> None:
    written = link.attr("href") or ""
    href = _fit(written)
    if not href or href == "#" or _is_dead(href):
        del link.attrs["href"]
    elif href != written:
        link.attrs["href"] = href


def _is_dead(address: str) -> bool:
    return address[:_DEAD_CHARS].lower().startswith(_DEAD)


def mend_images(region: Element) -> int:
    """Name inline images by their description, use the lazy address where the real one is missing, drop decoration.

    Answers how many were dropped: images that describe themselves as empty, and those without any address.
    """
    dropped = 0
    for image in region.select("img"):
        alt = " ".join((image.attr("alt") or image.attr("title") or "").split())
        if image.attr("title") is not None:
            del image.attrs["title"]
        source = _source(image)
        if source.startswith("data:") and alt:
            image.replace_with(literal(f"[IMAGE: {alt}]"))
        elif not source or _is_dead(source) or (image.attr("alt") is not None and not alt):
            image.extract()
            dropped += 1
        else:
            image.attrs["src"] = source
            image.attrs["alt"] = alt
    return dropped


def _fit(address: str) -> str:
    """An address as a browser would take it: without blanks around it and line ends in it, its other blanks encoded."""
    address = address.strip()
    return address.translate(_ENCODED) if _UNFIT.search(address) else address


def _source(image: Element) -> str:
    source = _fit(image.attr("src") or "")
    if source and not source.startswith("data:"):
        return source
    parent = image.parent
    others = parent.select("source[srcset]") if isinstance(parent, Element) and parent.tag == "picture" else []
    for element, names in ((image, _LAZY), *((other, ("srcset",)) for other in others)):
        for name in names:
            lazy = _first_of(element.attr(name) or "") if name.endswith("srcset") else _fit(element.attr(name) or "")
            if lazy and not lazy.startswith("data:"):
                return lazy
    return source


def _first_of(candidates: str) -> str:
    """The first address of a `srcset`: up to a blank, since addresses may hold commas; commas at its ends are separators."""
    words = candidates.strip(" \t\r\n\f,").split(None, 1)
    return words[0].rstrip(",") if words else ""
