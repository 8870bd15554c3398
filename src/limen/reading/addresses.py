"""Addresses of a page: links made absolute, those that lead nowhere unwrapped, images reduced to what can be shown."""

from turbohtml import Document, Element

from limen.reading.markdown import literal

_DEAD = ("javascript:", "data:", "vbscript:", "about:", "blob:")


def resolve(document: Document, region: Element, url: str) -> None:
    """Make links and images below `region` absolute against `<base>` and `url`; links within the page stay `#anchor`."""
    for link in region.select("a[href]"):
        _mend_link(link)
    _absolute(document, region, url)
    own = _without_fragment(url)
    if own:
        for link in region.select('a[href*="#"]'):
            href = link.attr("href") or ""
            if _without_fragment(href) == own:
                link.attrs["href"] = href[href.index("#") :]


def _absolute(document: Document, region: Element, url: str) -> None:
    """Resolve against the page's own base, else against where it came from; addresses stay as written where neither is one."""
    for base in (document.base_url(url), url):
        try:
            if base:
                region.resolve_links(base)
        except ValueError:
            continue
        return


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _mend_link(link: Element) -> None:
    href = (link.attr("href") or "").strip()
    if not href or href == "#" or href.lower().startswith(_DEAD):
        del link.attrs["href"]
    elif href != link.attr("href"):
        link.attrs["href"] = href
    if link.attr("title") is not None:
        del link.attrs["title"]  # repeats the text, or the name of what is linked to


def mend_images(region: Element) -> int:
    """Name inline images by their description, use the lazy address where the real one is missing, drop decoration.

    Answers how many were dropped: images that describe themselves as empty, and those without any address.
    """
    dropped = 0
    for image in region.select("img"):
        alt = " ".join((image.attr("alt") or "").split())
        source = _source(image)
        if source.startswith("data:") and alt:
            image.replace_with(literal(f"[IMAGE: {alt}]"))
        elif not source or source.startswith("data:") or (image.attr("alt") is not None and not alt):
            image.extract()
            dropped += 1
        else:
            image.attrs["src"] = source
            image.attrs["alt"] = alt
    return dropped


def _source(image: Element) -> str:
    source = (image.attr("src") or "").strip()
    if source and not source.startswith("data:"):
        return source
    for name in ("data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"):
        lazy = (image.attr(name) or "").strip()
        if lazy:
            return lazy.split(",", 1)[0].split()[0]
    return source
