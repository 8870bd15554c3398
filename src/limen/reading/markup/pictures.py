"""Rows of pictures: the first few and how many more there are, and icons once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import urlsplit

from turbohtml import Element, Node, Text

from limen.reading.elements import attribute
from limen.reading.markup.convert import literal, without_signs

_KEPT = 3
# A row that is longer than this shows one thing from many sides, or says who uses it.
_FEW = 6
_ICON_TIMES = 3
_BESIDE_CHARS = 1_000
_NAME_CHARS = 40
_NAMES_CHARS = 400
_STAND_IN = re.compile(r"\s*\ufdd6\[IMAGE: ([^\ufdd7]*)\]\ufdd7\s*")
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
_BORDERS = frozenset({"hr", "tr", "pre", "video", "audio", "figcaption"})
# Descriptions of what is drawn to be looked at, not read.
_ICON = re.compile(r"\b(?:icons?|check(?:mark)?s?|ticks?|stars?|arrows?|bullets?|chevrons?|logo|avatar)\b", re.IGNORECASE)
_MARKED = frozenset("\ufdd6\ufdd7")
_NUMBER = re.compile(r"[\W\d_]+")


def mend_pictures(region: Element) -> None:
    """Shorten rows of more than six pictures without a word between them; drop the repeats of an icon.

    Pictures that each link to another page are entries of a list, and stay.
    """
    images = region.select("img[src]")
    if not images and "[IMAGE: " not in region.text:
        return
    _drop_repeats(images)
    for every in list(_rows(region)):
        row = _told_apart(every)
        kept = _shortened(row) if len(row) > _FEW else row
        for picture in kept:
            _set_apart(picture)


def _drop_repeats(images: Sequence[Element]) -> None:
    """An icon that stands in many places says nothing but its description, once that is not said beside it."""
    times = Counter(image.attr("src") for image in images)
    seen: set[str | None] = set()
    said = cache(lambda element: " ".join(element.text.lower().split())[:_BESIDE_CHARS])
    for image in images:
        source, around = image.attr("src"), image.parent
        if times[source] < _ICON_TIMES or not isinstance(around, Element):
            continue
        link = image.closest("a[href]")
        if source not in seen or (link is not None and not link.text.strip()):
            seen.add(source)
            continue
        alt = (image.attr("alt") or "").strip()
        beside = around if said(around) or not isinstance(around.parent, Element) else around.parent
        if not alt or _ICON.search(alt) or alt.lower() in said(beside):
            image.extract()


def _set_apart(picture: Node) -> None:
    """Blanks between a picture and what its page shows beside it."""
    place = _place(picture)
    before, after = place.previous_sibling, place.next_sibling
    if before is not None and _touches(before.text[-1:], isinstance(before, Element)):
        place.insert_before(Text(" "))
    if after is not None and _touches(after.text[:1], isinstance(after, Element)):
        place.insert_after(Text(" "))


def _touches(sign: str, is_element: bool) -> bool:
    return sign.isalnum() or sign in _MARKED or (is_element and not sign)


def _rows(region: Element) -> Iterator[list[Node]]:
    """The pictures below `region` with nothing to read between them."""
    row: list[Node] = []
    for node in list(region.descendants):
        if _is_picture(node):
            row.append(node)
        elif (isinstance(node, Text) and node.data.strip()) or (isinstance(node, Element) and node.tag in _BORDERS):
            yield row
            row = []
    yield row


def _told_apart(row: list[Node]) -> list[Node]:
    """A row without what is in it again: for narrow screens, or seen from another side once the pointer is over its link."""
    kept = row[:1]
    for node in row[1:]:
        last = kept[-1]
        if isinstance(node, Element) and isinstance(last, Element) and _is_again(node, last):
            node.extract()
        else:
            kept.append(node)
    return kept


def _is_again(image: Element, before: Element) -> bool:
    if image.attr("src") == before.attr("src"):
        return True
    link, name = image.closest("a[href]"), _NUMBER.sub("", _alt(before))
    return bool(name) and link is not None and link == before.closest("a[href]") and _NUMBER.sub("", _alt(image)).startswith(name)


def _is_picture(node: Node) -> bool:
    if isinstance(node, Text):
        return _STAND_IN.fullmatch(node.data) is not None
    return isinstance(node, Element) and node.tag == "img"


def _shortened(row: list[Node]) -> list[Node]:
    """The pictures that stay of a row, with what stands for the others."""
    links = {href for node in row if (href := _leads_to(node)) is not None}
    if len(links) > 1:
        return row
    said = ", ".join(_names(row[_KEPT:]))
    rest = literal(f"[IMAGES: {said or f'{len(row) - _KEPT} more'}]")
    _place(row[_KEPT]).insert_before(rest)
    for node in row[_KEPT:]:
        _place(node).extract()
    return [*row[:_KEPT], rest]


def _leads_to(node: Node) -> str | None:
    """The page that a picture links to; None for one that leads to nothing but itself, larger."""
    parent = node.parent
    href = attribute(parent.closest("a[href]"), "href") if isinstance(parent, Element) else ""
    return href if href and not _IMAGE_FILE.search(urlsplit(href).path) else None


def _place(node: Node) -> Node:
    """A picture with the link around it, where that holds nothing else."""
    parent = node.parent
    link = parent.closest("a") if isinstance(parent, Element) else None
    alone = link is not None and (isinstance(node, Text) or not link.text.strip()) and len(link.select("img")) <= 1
    return link if link is not None and alone else node


def _names(pictures: list[Node]) -> list[str]:
    """What pictures are of, where each is of something else: a wall of logos, not one product from many sides."""
    said = [_alt(node) for node in pictures]
    if any(not 0 < len(name) <= _NAME_CHARS for name in said) or sum(map(len, said)) > _NAMES_CHARS:
        return []
    return said if len({_NUMBER.sub("", name) for name in said}) == len(said) else []


def _alt(node: Node) -> str:
    if isinstance(node, Element):
        return (node.attr("alt") or "").strip()
    return without_signs(node.text).strip().removeprefix("[IMAGE: ").removesuffix("]")
