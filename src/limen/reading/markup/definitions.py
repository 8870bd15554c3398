"""Definition lists, which Markdown lacks: each becomes a list whose items start with their terms."""

import re

from turbohtml import Element, Text

from limen.reading.elements import children_of
from limen.reading.markup.outline import Marks, anchor_within
from limen.reading.markup.phrases import SIGNATURE
from limen.reading.markup.white_space import said_before

# A term with these would be full of backslashes as prose; as code it can be searched and quoted as it stands.
_CODE_LIKE = re.compile(r"^-|[_*<>\[\]`|]|\(\S*\)|\w\(")
_TERM_CHARS = 600
_TITLED = ":is(dt,dd) :is(h1,h2,h3,h4,h5,h6)"


def mend_definitions(region: Element, marks: Marks) -> None:
    """Turn each `dl` below `region` into a list; terms that can be linked to are noted in `marks`."""
    made: set[Element] = set()
    for listing in region.select("dl"):
        if listing.select_one(_TITLED) is not None:  # its terms are titles of parts
            for part in [listing, *listing.select("dt,dd")]:
                part.tag = "div"
        elif listing.closest("dt,td,th") is None:
            _to_list(listing, marks)
            before = said_before(listing)
            if isinstance(before, Element) and before in made:
                before.extend([child.extract() for child in listing.children])
                listing.extract()
            else:
                made.add(listing)


def _to_list(listing: Element, marks: Marks) -> None:
    for group in children_of(listing, "div"):
        if children_of(group, "dt", "dd"):
            group.unwrap()
    item: Element | None = None
    terms_only = not children_of(listing, "dd")
    defined = False
    is_contents = listing.closest('[class*="toc"]') is not None  # where each term is an entry by itself
    for child in list(listing.children):
        if isinstance(child, Text) and child.data.strip():
            child = child.wrap(Element("dd"))
        if not isinstance(child, Element):
            child.extract()
            continue
        if item is None or terms_only or (child.tag == "dt" and (defined or is_contents)):
            item, defined = Element("li"), False
            child.insert_before(item)
        if child.tag == "dt" and not terms_only and not is_contents:
            _mend_term(child, marks)
        else:
            defined = True
            child.tag = "div" if child.tag in {"dt", "dd"} else child.tag
        item.append(child.extract())
    listing.tag = "ul"


def _mend_term(term: Element, marks: Marks) -> None:
    """Write a term as code or bold, on a line of its own."""
    anchor = anchor_within(term)
    for line_break in term.select("br"):
        line_break.replace_with(Text(", "))
    text = " ".join(term.text.split())
    is_signature = term.matches(SIGNATURE)
    term.tag = "p"
    if not text or len(text) > _TERM_CHARS:
        return
    if term.select_one("code,tt,kbd,samp,a[href],img") is None and (_CODE_LIKE.search(text) or is_signature):
        term.clear()
        term.append(Element("code", {}, [Text(text)]))
    elif term.select_one("p,div,ul,strong,b") is None and not _all_code(term, text):
        term.wrap_children(Element("strong"))
    if anchor:
        marks.definition(term, text, anchor)


def _all_code(term: Element, text: str) -> bool:
    """Whether a term is one piece of code, which stands out by itself; emphasis inside it is dropped."""
    code = term.select_one("code,tt,kbd,samp")
    if code is None or " ".join(code.text.split()) != text or term.select_one("a[href]") is not None:
        return False
    term.clear()
    term.append(Element("code", {}, [Text(text)]))
    return True
