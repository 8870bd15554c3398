"""A page as its reader would have it before him: what only a browser unfolds, joins or draws is put in the tree."""

import re

from turbohtml import Document, Element, Node, Text, parse

from limen.reading.elements import children_of
from limen.reading.markup.convert import literal
from limen.reading.markup.formulas import mend_formulas
from limen.reading.markup.headings import TOOL
from limen.reading.markup.players import link_players
from limen.reading.markup.tabs import mend_tabs
from limen.reading.markup.white_space import said_before

# Browsers stop nesting at 512 levels, and pages stay below 60; only pages with this many tags are looked through for more.
_DEEPEST = 256
_MANY_TAGS = 20_000
_INLINE = frozenset({"a", "b", "i", "u", "s", "em", "strong", "span", "font", "small", "big", "code", "tt", "sup", "sub", "nobr"})
_HEADINGS = '[role="heading"]:not(h1,h2,h3,h4,h5,h6)'
_TABLE_ROLES = {
    "row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th", "rowheader": "th", "rowgroup": "tbody",
}  # fmt: skip
_BOXES = 'li input[type="checkbox"]'
# Buttons that open what stands below them, and are its title; and those that are drawn around a link, or within one.
_TITLES = "dt button,button:has(h1,h2,h3,h4,h5,h6,a[href]),a[href] button"
_TOOLS = ":is(h1,h2,h3,h4,h5,h6) button"
# A frame that closes itself never ends for the parser, which would take the rest of the page for its text; browsers do not look
# into `noscript`.
_ENDLESS = re.compile(r"(<iframe\b[^<>]*)/>(?=\s*</noscript)", re.IGNORECASE)
_SHADOW = "shadowrootmode"
_ADDRESSES = '.__cf_email__[data-cfemail],a[href*="/cdn-cgi/l/email-protection#"]'
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){4,100}")


def unfolded(source: str) -> Document:
    """The tree of an HTML source, unfolded."""
    document = parse(_ENDLESS.sub(r"\1></iframe>", source), positions=False)
    if source.count("<") > _MANY_TAGS:
        _flatten(document)
    if _SHADOW in source:
        _open_shadows(document)
    mend_formulas(document)
    mend_tabs(document)
    link_players(document)
    for stand_in in document.select("noscript"):
        _show_image(stand_in)
    for hidden in document.select(_ADDRESSES):
        _show_address(hidden)
    if "role=" in source:
        _name_roles(document)
    for box in document.select(_BOXES):
        _mend_box(box)
    for footer in document.select("blockquote footer"):
        footer.tag = "div"
    for button in document.select(_TOOLS):
        if TOOL.fullmatch(button.text.strip()):
            button.extract()
    for button in document.select(_TITLES):
        button.unwrap()
    return document


def _flatten(document: Document) -> None:
    """Take out elements that stand deeper than any page needs: each one would cost time with everything above it."""
    above: list[Node] = []
    deep: list[Element] = []
    for element in document.iter_elements():
        parent = element.parent
        while above and above[-1] != parent:
            above.pop()
        above.append(element)
        if len(above) > _DEEPEST:
            deep.append(element)
    for element in deep:
        if element.tag not in _INLINE:
            element.insert(0, Text(" "))
        element.unwrap()


def _open_shadows(document: Document) -> None:
    """What a component draws around its children, with the children in their slots."""
    for host in list(document.iter_elements()):
        shadow = host.shadow_root
        if shadow is None:
            continue
        for slot in shadow.select("slot"):
            assigned = slot.assigned_nodes()
            if assigned:
                slot.replace_with(*[node.extract() for node in assigned])
            else:
                slot.unwrap()
        drawn = [node.extract() for node in list(shadow.children)]
        host.clear()
        host.extend(drawn)


def _show_image(stand_in: Element) -> None:
    """An image that is loaded once it is scrolled to, as it stands there for readers without scripts."""
    image, lazy = stand_in.select_one("img[src]"), said_before(stand_in)
    if image is None or stand_in.text.strip() or not isinstance(lazy, Element) or lazy.tag != "img":
        return
    if (lazy.attr("src") or "data:").startswith("data:"):
        lazy.replace_with(image.extract())


def _show_address(hidden: Element) -> None:
    """An e-mail address that a script of Cloudflare's writes: bytes in hexadecimal, each under the first one."""
    link = hidden.closest("a")
    written = hidden.attr("data-cfemail") or (hidden.attr("href") or "").rpartition("#")[2]
    if not _HEX.fullmatch(written):
        return
    key, *letters = bytes.fromhex(written)
    address = bytes(letter ^ key for letter in letters).decode("utf-8", "replace")
    if link is not None:
        link.attrs["href"] = f"mailto:{address}"
    if "protected" in hidden.text:
        hidden.clear()
        hidden.append(Text(address))


def _name_roles(document: Document) -> None:
    """Headings and tables that only their roles tell."""
    for heading in document.select(_HEADINGS):
        if heading.closest("h1,h2,h3,h4,h5,h6,summary") is None:
            level = heading.attr("aria-level") or ""
            heading.tag = f"h{level}" if level in {"1", "2", "3", "4", "5", "6"} else "h2"
    for table in document.select('div[role="table"],div[role="grid"]'):
        rows = table.select('[role="row"]')
        if all(_is_table_part(row.parent, table) for row in rows) and all(_is_row(row) for row in rows):
            for part in table.select("[role]"):
                part.tag = _TABLE_ROLES.get(part.attr("role") or "", part.tag)
            table.tag = "table"


def _is_table_part(parent: Node | None, table: Element) -> bool:
    return parent == table or (isinstance(parent, Element) and parent.attr("role") == "rowgroup" and parent.parent == table)


def _is_row(row: Element) -> bool:
    return all(child.attr("role") in _TABLE_ROLES for child in children_of(row))


def _mend_box(box: Element) -> None:
    """A box that nobody can tick tells of a task; others belong to forms."""
    item = box.closest("li")
    if item is not None and (box.attr("disabled") is not None or "task" in (item.attr("class") or "").lower()):
        box.replace_with(literal("[x]" if box.attr("checked") is not None else "[ ]"), Text(" "))
    else:
        box.extract()
