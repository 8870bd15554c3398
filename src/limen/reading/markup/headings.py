"""Headings: without permalinks, never empty, never inside a link, noted for the outline."""

import re

from turbohtml import Element, Text

from limen.reading.elements import children_of
from limen.reading.markup.convert import without_references, without_signs
from limen.reading.markup.lists import put_number
from limen.reading.markup.outline import Marks, anchor_of
from limen.reading.markup.white_space import said_before

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
# What is written into a heading for those who would do something with it.
TOOL = re.compile(
    r"[¶#§🔗⚓\ufe0f\u20e3]{1,3}"
    r"|(?:(?:anchor|direct|perma)[- ]?)?link(?: (?:to|for) (?:this|the) (?:section|heading|headline|item))?|anchor"
    r"|(?:copy|copied)!?(?: (?:as markdown|markdown|page|section|link|url|anchor|to clipboard|for (?:llm|ai)s?))*"
    r"|\[?edit\]?(?: (?:this )?(?:page|section|source))?",
    re.IGNORECASE,
)
_TOOLS = f":is({_HEADINGS}) :is(span,div,small,em,i,copy-button,.mw-editsection)"


def drop_permalinks(region: Element) -> None:
    """Remove what headings and terms carry beside their words: links to themselves, whose ids move to them, and tools."""
    for tool in region.select(_TOOLS):
        if tool.matches(".mw-editsection") or _is_tool(tool, tool.text.strip()):
            tool.extract()
    for link in region.select(_PERMALINKS):
        text = link.text.strip()
        if (text and not _GLYPH.fullmatch(text) and not _is_tool(link, text)) or link.select_one("img[alt]") is not None:
            continue
        href = link.attr("href")
        owner = link.closest(f"{_HEADINGS},dt")
        if text and (href is None or ("#" not in href and "edit" not in href)):
            continue
        if owner is not None and not owner.attr("id"):
            target = link.attr("id") or link.attr("name") or ((href or "").rpartition("#")[2] if text or href else "")
            if target:
                owner.attrs["id"] = target
        link.extract()
    for link in region.select(_BESIDE):
        before = said_before(link)
        if isinstance(before, Element) and link.attr("href") == f"#{before.attr('id')}":
            link.extract()


def _is_tool(part: Element, text: str) -> bool:
    """Whether a part of a heading is none of its words; a heading may be about links, or copies, and nothing else."""
    if not TOOL.fullmatch(text):
        return False
    owner = part.closest(f"{_HEADINGS},dt,caption,figcaption,p,[role=heading]")
    return owner is None or not text[0].isalpha() or owner.text.strip() != text


def mend_headings(region: Element, marks: Marks) -> None:
    """Let each heading below `region` stand by itself on a line, and note it in `marks`; what only looks like one is bold."""
    headings = list(region.iter_elements(_TAGS))
    for heading in headings:
        _lift_link(heading)
        _free(heading)
        _demote(heading)
    _mend_titles(region)
    for heading in headings:
        if heading.tag in _TAGS:
            _mark(heading, marks)


def _lift_link(heading: Element) -> None:
    """Move a link that wraps a heading inside the heading: around blocks it would swallow them."""
    link = heading.closest("a[href]")
    if link is not None and heading.select_one("a") is None:
        href = link.attr("href") or ""
        del link.attrs["href"]
        link.tag = "div"
        heading.wrap_children(Element("a", {"href": href}))


def _mark(heading: Element, marks: Marks) -> None:
    """Note a heading with its text, level and anchor; an empty one goes, and so do links back to a table of contents."""
    text = " ".join(heading.text.split())
    if not text and heading.select_one("img") is not None:
        heading.tag = "p"
        return
    if not text or (text[:4] in {"Copy", "copy"} and " " in text and TOOL.fullmatch(text)):
        heading.extract()
        return
    for link in heading.select('a[href^="#"]'):
        link.unwrap()
    for bold in reversed(heading.select("strong,b")):  # as all of a heading is
        if isinstance(bold.previous_sibling, Element):
            bold.insert_before(Text(" "))
        bold.unwrap()
    for image in heading.select("img"):  # a picture is no word of a title
        heading.insert_before(Element("p", {}, [image.extract()]))
    if text[-1] in "¶🔗":
        _strip_sign(heading)
    if heading.select_one(_BLOCKS) is not None:
        heading.clear()
        heading.append(Text(text))
    said = " ".join(without_signs(without_references(text)).rstrip("¶🔗").split())
    marks.heading(heading, int(heading.tag[1]), said, anchor_of(heading))


def _strip_sign(heading: Element) -> None:
    """Take a permalink's sign that is no link off the end of a heading."""
    for node in reversed(list(heading.descendants)):
        if isinstance(node, Text) and node.data.strip():
            node.data = node.data.rstrip(" \t\n¶🔗")
            return


def _demote(heading: Element) -> None:
    """The word over a note or warning is no heading of the document, whatever tag it has."""
    box = heading.parent
    classes = (box.attr("class") or "") if isinstance(box, Element) else ""
    if classes and not _NOTES.isdisjoint(classes.lower().split()):
        heading.tag = "p"
        if heading.select_one("strong,b") is None:
            heading.wrap_children(Element("strong"))


def _mend_titles(region: Element) -> None:
    """Titles of boxes and listings, which are no headings but stand out, become bold."""
    for title in region.select('p[class*="title"],p[class*="rubric"],div.title,div[class$="-title"],div[class$="-heading"]'):
        short = 0 < len(title.text.strip()) <= _TITLE_CHARS
        if short and title.select_one("h1,h2,h3,h4,h5,h6,p,div,ul,ol,table,pre,strong,b,img") is None:
            title.wrap_children(Element("strong"))


def _free(heading: Element) -> None:
    """Lists whose items are sections of their own become plain blocks: a heading inside an item is none.

    A list that no style touches is drawn with its numbers, and its headings take them.
    """
    while (item := heading.closest(_HOLDERS)) is not None and item.tag == "li":
        listing = item.parent
        if not isinstance(listing, Element) or listing.tag not in {"ul", "ol"}:
            return
        is_numbered = listing.tag == "ol" and not listing.attr("class") and heading.tag != "h1"
        for number, child in enumerate(children_of(listing, "li"), int(listing.attr("start") or 1)):
            if is_numbered and not _NUMBERED.match(child.text):
                put_number(child, str(number))
            child.tag = "div"
        listing.tag = "div"
