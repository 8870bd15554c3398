"""Links and images: addresses made absolute, links that lead nowhere unwrapped, the others numbered, decoration dropped."""

import itertools
import re
from contextlib import suppress
from html import unescape
from urllib.parse import unquote, urljoin, urlsplit

from turbohtml import Document, Element, Node, Text

from limen.core.web import Link
from limen.reading.elements import attribute
from limen.reading.markup.convert import literal, without_signs

_DEAD = ("javascript:", "data:", "vbscript:", "about:", "blob:")
_DEAD_CHARS = max(map(len, _DEAD))
# What the URL Standard encodes or drops wherever it stands in an address; Markdown's own marks are among it.
_UNFIT = re.compile(r"[\x00-\x20\"<>]")
_ENCODED = {ord(char): f"%{ord(char):02X}" for char in ' "<>'} | dict.fromkeys(range(32))
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "srcset", "data-srcset", "data-lazy-srcset")
# Images that are no larger have no content.
_TINY_PIXELS = 8
# What stands in the place of an image until that is loaded, or holds a place for nothing.
_STAND_IN = re.compile(
    r"(?:^|[-_.])(?:place-?holder|spacer|1x1|lazy-?(?:load|image))(?:[-_.]|$)"
    r"|^(?:(?:ajax[-_]?)?load(?:ing|er)|spinner|lazy|blank|clear|transparent)(?:[-_](?:trans|[0-9a-f]{8,}))*\d*$",
    re.IGNORECASE,
)
_TEXT_CHARS = 200
# What cameras and programs call their files.
_NO_NAMES = frozenset("img image images picture photo pic dsc file screenshot screen shot untitled scaled copy thumb".split())  # noqa: SIM905
_PARTS = re.compile(r"[^\W_]+")
_NAME_CHARS = 60
NO_NAME = "image"
"""How an image is called that nothing names."""
_DRAWING = re.compile(r"\.svg(?:[?#]|$)|\bicon", re.IGNORECASE)


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


def lead_home(document: Document, address: str) -> None:
    """Have what is written from a site's root lead to the site at `address`, also where the page was read from elsewhere."""
    for element in document.select('a[href^="/"],img[src^="/"]'):
        name = "href" if element.tag == "a" else "src"
        with suppress(ValueError):
            element.attrs[name] = urljoin(address, element.attr(name) or "")


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
        alt = " ".join(unescape(attribute(image, "alt", "title", "aria-label")).split())
        if image.attr("title") is not None:
            del image.attrs["title"]
        source = _source(image)
        if alt and ("emoji" in (image.attr("class") or "") or not any(map(str.isalnum, alt))):
            image.replace_with(Text(alt))  # a character, drawn
        elif source.startswith("data:") and alt:
            image.replace_with(literal(f"[IMAGE: {alt}]"))
        elif not source or _is_dead(source) or _STAND_IN.search(_file_of(source)) or (not alt and _is_decoration(image)):
            image.extract()
            dropped += 1
        else:
            image.attrs["src"] = source
            image.attrs["alt"] = alt
    return dropped


def _is_decoration(image: Element) -> bool:
    """Whether an image without a description is one without content: said so by its page, or tiny."""
    if image.attr("alt") is not None or image.attr("role") in {"presentation", "none"} or image.attr("aria-hidden") == "true":
        return True
    sides = (image.attr("width") or "", image.attr("height") or "")
    return any(side.isdecimal() and len(side) < 3 and int(side) <= _TINY_PIXELS for side in sides)


def name_images(region: Element) -> None:
    """Images without a description are called what their link or their file is called, or just images."""
    for image in region.select('img:not([alt]),img[alt=""]'):
        label = attribute(image.closest("a[aria-label]"), "aria-label").strip()
        words = [part for part in _PARTS.findall(_file_of(image.attr("src") or "")) if part.isalpha() and len(part) > 1]
        is_named = any(len(word) > 2 and word.lower() not in _NO_NAMES for word in words)
        name = label or (" ".join(words) if is_named else NO_NAME)
        image.attrs["alt"] = name[:_NAME_CHARS]


def _file_of(address: str) -> str:
    """The name of the file that an address leads to, without its ending."""
    try:
        return unquote(urlsplit(address).path).rpartition("/")[2].partition(".")[0]
    except ValueError:
        return ""


def _fit(address: str) -> str:
    """An address as a browser would take it: without blanks around it and line ends in it, its other blanks encoded."""
    address = address.strip()
    return address.translate(_ENCODED) if _UNFIT.search(address) else address


def _source(image: Element) -> str:
    source = _fit(image.attr("src") or "")
    if source and not source.startswith("data:") and not _STAND_IN.search(_file_of(source)):
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


def mend_links(region: Element) -> None:
    """Move links from inside of code to around it, and images from inside of links that have words; a link is one line."""
    for link in region.select("code > a[href]:only-child"):
        code = link.parent
        if isinstance(code, Element) and code.text == link.text and code.closest("pre,a") is None:
            href = link.attr("href") or ""
            link.unwrap()
            code.wrap(Element("a", {"href": href}))
    for line_break in region.select("a br"):
        line_break.replace_with(Text(" "))
    for link in region.select("a[href]:has(img)"):
        if said := link.text.strip().lower():
            _move_images_out(link, said)
    for link in region.select("a[href]:has(*)"):
        _trim(link)


def _trim(link: Element) -> None:
    """Put the blanks at the edges of a link around it."""
    words = [node for node in link.descendants if isinstance(node, Text) and node.data]
    for node in itertools.takewhile(lambda node: node.data[0].isspace(), words):
        if node == words[0]:
            link.insert_before(Text(" "))
        node.data = node.data.lstrip()
        if node.data:
            break
    for node in itertools.takewhile(lambda node: node.data[-1:].isspace(), reversed(words)):
        if node == words[-1]:
            link.insert_after(Text(" "))
        node.data = node.data.rstrip()
        if node.data:
            break


def _move_images_out(link: Element, said: str) -> None:
    """Put the images of a link with words before or behind it; a drawing that says no more than they do is decoration."""
    last: Node = link
    has_words = False
    for node in list(link.descendants):
        if isinstance(node, Text):
            has_words = has_words or bool(node.data.strip())
        elif isinstance(node, Element) and node.tag == "img":
            node.extract()
            if _DRAWING.search(node.attr("src") or "") is not None and (node.attr("alt") or "").strip().lower() in said:
                continue
            if not has_words:
                link.insert_before(node, Text(" "))
            else:
                last.insert_after(Text(" "), node)
                last = node
    behind = last.next_sibling
    if last != link and isinstance(behind, Text) and behind.data[:1].isalnum():
        last.insert_after(Text(" "))


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
    return (attribute(link, "aria-label") or attribute(link.select_one("img[alt]"), "alt"))[:_TEXT_CHARS]
