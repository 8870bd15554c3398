"""Addresses of a page: links made absolute, those that lead nowhere unwrapped, images reduced to what can be shown."""

from turbohtml import Document, Element

from limen.reading.markdown import literal

_DEAD = ("javascript:", "data:", "vbscript:", "about:", "blob:")
_DEAD_CHARS = max(map(len, _DEAD))


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
    href = written.strip()
    if not href or href == "#" or href[:_DEAD_CHARS].lower().startswith(_DEAD):
        del link.attrs["href"]
    elif href != written:
        link.attrs["href"] = href


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
