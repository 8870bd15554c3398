"""Definition lists, which Markdown lacks: each becomes a list whose items start with their terms."""

import re

from turbohtml import Element, Text

from limen.reading.outline import Marks, anchor_within

# A term with these would be full of backslashes as prose; as code it can be searched and quoted as it stands.
_CODE_LIKE = re.compile(r"[_*<>\[\]`|]|\(\S*\)|\w\(")
_TERM_CHARS = 600


def mend_definitions(region: Element, marks: Marks) -> None:
    """Turn each `dl` below `region` into a list; terms that can be linked to are noted in `marks`."""
    for listing in region.select("dl"):
        if listing.closest("dt,td,th") is None:
            _to_list(listing, marks)


def _to_list(listing: Element, marks: Marks) -> None:
    for group in [child for child in listing.children if isinstance(child, Element) and child.tag == "div"]:
        if any(isinstance(child, Element) and child.tag in {"dt", "dd"} for child in group.children):
            group.unwrap()
    item: Element | None = None
    defined = False
    for child in list(listing.children):
        if not isinstance(child, Element):
            child.extract()
            continue
        if item is None or (child.tag == "dt" and defined):
            item, defined = Element("li"), False
            child.insert_before(item)
        if child.tag == "dt":
            _mend_term(child, marks)
        else:
            defined = True
            if child.tag == "dd":
                child.tag = "div"
        item.append(child.extract())
    listing.tag = "ul"


def _mend_term(term: Element, marks: Marks) -> None:
    """Write a term as code or bold, on a line of its own."""
    anchor = anchor_within(term)
    text = " ".join(term.text.split())
    term.tag = "p"
    if not text or len(text) > _TERM_CHARS:
        return
    if term.select_one("code,tt,kbd,samp,a[href],img") is None and _CODE_LIKE.search(text):
        term.clear()
        term.append(Element("code", {}, [Text(text)]))
    elif term.select_one("p,div,ul,strong,b") is None:
        term.wrap_children(Element("strong"))
    if anchor:
        marks.definition(term, text, anchor)
