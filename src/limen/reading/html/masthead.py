"""The masthead: a site's or a book's name as the first heading of each of its pages, over the page's own title."""

import re

from turbohtml import Element, Text

_WORDS = re.compile(r"\w+")
# The page's own title is among its first headings, or it is no title.
_LOOKED_AT = 6
_SURE_CHARS = 12


def drop_masthead(region: Element, title: str, named: str) -> None:
    """Drop a first heading that names the site where a later one is the page's title; that one becomes the first.

    Where there is none, as in a thread whose posts alone were taken, the title stands in the name's place.
    `named` is all that the page's `<title>` says, and its address.
    """
    wanted = _flat(title)
    headings = [heading for heading in region.select("h1,h2,h3")[:_LOOKED_AT] if heading.text.strip()]
    if not wanted or not headings or headings[0].tag != "h1" or _is_title(headings[0], wanted):
        return
    masthead, own = headings[0], next((heading for heading in headings[1:] if _is_title(heading, wanted)), None)
    name = _flat(masthead.text)
    if name in wanted or wanted in name or (name not in _flat(named) and name.replace(" ", "") not in named.lower()):
        return
    link = masthead.closest("a[href]")
    if link is not None and link.text.strip() == masthead.text.strip():
        link.unwrap()
    if own is None:
        masthead.clear()
        masthead.append(Text(title))
        return
    masthead.extract()
    if region.select_one("h1") is None:
        own.tag = "h1"


def drop_title(region: Element, title: str) -> bool:
    """Drop a heading at the top that says nothing but the title; answers whether there was one."""
    wanted = _flat(title)
    for heading in region.select("h1,h2")[:_LOOKED_AT]:
        if _flat(heading.text) == wanted != "":
            heading.extract()
            return True
    return False


def _is_title(heading: Element, wanted: str) -> bool:
    said = _flat(heading.text)
    if said == wanted:
        return True
    return min(len(said), len(wanted)) >= _SURE_CHARS and (said.startswith(wanted) or wanted.startswith(said))


def _flat(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
