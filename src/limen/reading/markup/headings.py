"""Headings: without permalinks, never empty, never inside a link, noted for the outline."""

import re
from collections.abc import Iterable

from turbohtml import Element, Text

from limen.reading.markup.convert import literal, without_references, without_signs
from limen.reading.markup.outline import Marks, anchor_of

_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HEADINGS = ",".join(_TAGS)
_HOLDERS = "li,td,th,blockquote"
_PERMALINKS = f":is({_HEADINGS},dt,caption,figcaption,p.caption,[role=heading]) a,a.headerlink"
_BESIDE = f":is({_HEADINGS})[id] + a[href^='#']"
_NOTES = frozenset({"note", "tip", "warning", "caution", "important", "danger", "hint", "admonition"})
# Blocks that would end a heading's line.
_BLOCKS = "ul,ol,li,dl,dt,dd,table,pre,blockquote,hr,h1,h2,h3,h4,h5,h6"
_TITLE_CHARS = 120
_NUMBERED = re.compile(r"\s*(?:\w+ )?\d")
# A letter of an icon font.
_GLYPH = re.compile(r"[\ue000-\uf8ff]")
_PERMALINK_TEXTS = frozenset({"", "¶", "#", "§", "🔗", "#️⃣", "link", "permalink", "anchor", "direct link", "edit", "[edit]"})


def drop_permalinks(region: Element) -> None:
    """Remove the signs that headings and terms carry as links to themselves; their ids move to the heading."""
    for link in region.select(_PERMALINKS):
        text = link.text.strip().lower()
        if (text not in _PERMALINK_TEXTS and not _GLYPH.fullmatch(text)) or link.select_one("img[alt]") is not None:
            continue
        href = link.attr("href")
        owner = link.closest(f"{_HEADINGS},dt")
        if text and (href is None or "#" not in href):
            continue
        if owner is not None and not owner.attr("id"):
            target = link.attr("id") or link.attr("name") or ((href or "").rpartition("#")[2] if text or href else "")
            if target:
                owner.attrs["id"] = target
        link.extract()
    for link in region.select(_BESIDE):
        before = next((node for node in link.previous_siblings if not isinstance(node, Text) or node.data.strip()), None)
        if isinstance(before, Element) and link.attr("href") == f"#{before.attr('id')}":
            link.extract()


def headings_of(region: Element) -> list[Element]:
    """The headings below `region`, of all levels, in order."""
    return list(region.iter_elements(_TAGS))


def lift_links(headings: Iterable[Element]) -> None:
    """Move a link that wraps a heading inside the heading: around blocks it would swallow them."""
    for heading in headings:
        link = heading.closest("a[href]")
        if link is None or heading.select_one("a") is not None:
            continue
        href = link.attr("href") or ""
        del link.attrs["href"]
        link.tag = "div"
        heading.wrap_children(Element("a", {"href": href}))


def mark_headings(headings: Iterable[Element], marks: Marks) -> None:
    """Note each heading with its text, level and anchor; drop the empty ones, and links back to a table of contents."""
    for heading in headings:
        if heading.tag not in _TAGS:
            continue
        text = " ".join(heading.text.split())
        for link in heading.select('a[href^="#"]'):
            link.unwrap()
        for bold in heading.select("strong,b"):
            if " ".join(bold.text.split()) == text:
                bold.unwrap()
        if text:
            if heading.select_one(_BLOCKS) is not None:
                heading.clear()
                heading.append(Text(text))
            said = " ".join(without_signs(without_references(text)).split())
            marks.heading(heading, int(heading.tag[1]), said, anchor_of(heading))
        elif heading.select_one("img") is None:
            heading.extract()
        else:
            heading.tag = "p"


def demote_notes(headings: Iterable[Element]) -> None:
    """The word over a note or warning is no heading of the document, whatever tag it has."""
    for heading in headings:
        box = heading.parent
        classes = (box.attr("class") or "") if isinstance(box, Element) else ""
        if classes and not _NOTES.isdisjoint(classes.lower().split()):
            heading.tag = "p"
            if heading.select_one("strong,b") is None:
                heading.wrap_children(Element("strong"))


def mend_titles(region: Element) -> None:
    """Titles of boxes and listings, which are no headings but stand out, become bold."""
    for title in region.select('p[class*="title"],p[class*="rubric"],div.title,div[class$="-title"],div[class$="-heading"]'):
        short = 0 < len(title.text.strip()) <= _TITLE_CHARS
        if short and title.select_one("h1,h2,h3,h4,h5,h6,p,div,ul,ol,table,pre,strong,b,img") is None:
            title.wrap_children(Element("strong"))


def free_headings(headings: Iterable[Element]) -> None:
    """Lists whose items are sections of their own become plain blocks: a heading inside an item is none.

    A list that no style touches is drawn with its numbers, and its headings take them.
    """
    for heading in headings:
        while (item := heading.closest(_HOLDERS)) is not None and item.tag == "li":
            listing = item.parent
            if not isinstance(listing, Element) or listing.tag not in {"ul", "ol"}:
                break
            items = [child for child in listing.children if isinstance(child, Element) and child.tag == "li"]
            is_numbered = listing.tag == "ol" and not listing.attr("class") and heading.tag != "h1"
            for number, child in enumerate(items, int(listing.attr("start") or 1)):
                title = child.select_one(_HEADINGS) if is_numbered else None
                if is_numbered and (title is None or not _NUMBERED.match(title.text)):
                    (title or child).insert(0, literal(f"{number}. "))
                child.tag = "div"
            listing.tag = "div"
