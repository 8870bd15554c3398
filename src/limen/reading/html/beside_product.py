"""What a shop's page shows beside the one product that it sells: other things to buy, and how anything is sent and taken back."""

import re

from turbohtml import Document, Element

_HEADINGS = ("h1", "h2", "h3", "h4", "h5")
_TITLE_CHARS = 60
# A section never holds most of a page; a heading that says otherwise is no section's.
_MOST_SHARE = 0.6
_BESIDE = re.compile(
    r"you (?:may|might) also|also (?:bought|viewed|like|love)|(?:related|similar|featured|recently viewed) (?:products?|items?)|"
    r"(?:frequently|often) bought|bought together|recommended|recommendations|customers who|who viewed|recently viewed|"
    r"(?:complete|shop) the (?:look|set|outfit)|(?:complete|added to) (?:your|the) (?:set|cart|bag|basket)|"
    r"compare (?:with )?similar|(?:pairs|goes|wear) (?:well |it )?with|more (?:sellers?|from this|like this)|sponsored|"
    r"shipping|delivery (?:and|&|options|information)|returns? (?:and|&|policy)",
    re.IGNORECASE,
)


def drop_beside_product(document: Document) -> int:
    """Drop the sections whose headings say so, in place; answers how many."""
    body = document.find("body")
    if body is None:
        return 0
    whole, dropped = len(body.text), 0
    for heading in body.select(",".join(_HEADINGS[1:])):
        title = heading.text.strip()
        if title and len(title) <= _TITLE_CHARS and _BESIDE.search(title) and body in heading.ancestors:
            for element in _section(heading, whole * _MOST_SHARE):
                element.extract()
            dropped += 1
    return dropped


def _section(heading: Element, most_chars: float) -> list[Element]:
    """The largest element that a heading begins and no other section shares, else the heading and what follows it."""
    title = heading.text.strip()
    rivals = ",".join(_HEADINGS[: _HEADINGS.index(heading.tag) + 1])
    section = heading
    for around in heading.ancestors:
        if not isinstance(around, Element) or around.tag in {"main", "body"}:
            break
        text = around.text.strip()
        if not text.startswith(title) or len(text) > most_chars or any(_is_rival(one, heading) for one in around.select(rivals)):
            break
        section = around
    if section != heading:
        return [section]
    found = [heading]
    for sibling in heading.next_siblings:
        if isinstance(sibling, Element):
            if sibling.matches(rivals) or sibling.select_one(rivals) is not None:
                break
            found.append(sibling)
    return found


def _is_rival(other: Element, heading: Element) -> bool:
    """Whether a heading begins a section of its own; the name of a thing on offer leads to it."""
    text = other.text.strip()
    leads = other.closest("a[href]") is not None or other.select_one("a[href]") is not None
    return other != heading and text != "" and not leads and not _BESIDE.search(text)
