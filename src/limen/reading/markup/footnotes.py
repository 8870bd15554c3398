"""Footnotes: a reference and its note find each other by a label, `[^1]`, which no number beside it can be mistaken for."""

import re
from collections import Counter

from turbohtml import Element, Node, Text

from limen.reading.markup.convert import literal

_LABEL = re.compile(r"[\[(]?\s*((?:note|nb|n|fn)?[ .]?\d{1,4}|[a-z]{1,2}|[ivxlc]{1,6}|[*†‡§¶#]{1,4})\s*[\])]?", re.IGNORECASE)
_REFERENCE = (
    '[role="doc-noteref"],[data-footnote-ref],[class*="footnote" i],[class*="fnref" i],[class*="noteref" i],[rel="footnote"],'
    '[epub\\:type="noteref"]'
)
_BACKLINK = '.mw-cite-backlink,[class*="backref" i],[role="doc-backlink"],[rev="footnote"]'
_NUMBER = '.label,.fn-bracket,[class*="footnote-number"],.cite-accessibility-label'
_NOTES = ("li", "dd", "aside", "p", "div", "section", "td")
_NOTE_CHARS = 5_000
_NUMBER_CHARS = 12
_HEADINGS = "h1,h2,h3,h4,h5,h6"
_SIGNS = re.compile(r"(?:[\s\[\]()^↑↩︎⏎⤴.,:;*†‡§\d]|\b[a-z]\b)*")
_AROUND = 3
# What a note repeats of its label, or leaves of a link back.
_SHOWN = re.compile(r"\s*(?:\^\s*|[\[(]?(\w{1,6}|[*†‡§¶]{1,4})[\])]?[.:)]?(?=\s|$)|\[\s*\]|[.:)\]](?=\s))?\s*")


def mend_footnotes(region: Element, sign: str = "^") -> None:
    """Label the notes below `region` that are referred to, and what refers to them: `[^1]`, or `[1]` with an empty `sign`."""
    links = [(link, label) for link in region.select('a[href^="#"]') if (label := _label_of(link))]
    if not links:
        return
    targets = {element.attr("id") or "": element for element in region.select("[id]")}
    for anchor in region.select("a[name]"):
        targets.setdefault(anchor.attr("name") or "", anchor)
    at: dict[str, Element | None] = {}
    notes: dict[Node, str] = {}
    labels: Counter[str] = Counter()
    references: list[tuple[Element, str]] = []
    ids: set[str] = set()
    for link, label in links:
        name = (link.attr("href") or "")[1:]
        if name not in at:
            at[name] = _note_at(targets[name]) if name in targets else None
        note = at[name]
        if note is None or any(above == note or above in notes for above in link.ancestors):
            continue
        if note not in notes:
            labels[label] += 1
            notes[note] = label if labels[label] == 1 else f"{label}-{labels[label]}"
        references.append((link, notes[note]))
        ids |= _ids_around(link)
    for noted, label in notes.items():
        if isinstance(noted, Element):
            _mark(noted, label, f"[{sign}{label}]{':' if sign else ''}", ids)
    for holder in {note.parent for note in notes if isinstance(note, Element) and note.tag in {"li", "dd"}}:
        if isinstance(holder, Element):
            _unlist(holder, notes)
    for link, label in references:
        _refer(link, literal(f"[{sign}{label}]"))


def _label_of(link: Element) -> str:
    """The label that a link shows, where it is raised, in brackets or said to refer to a note."""
    text = link.text.strip()
    matched = _LABEL.fullmatch(text)
    if matched is None or link.closest(_BACKLINK) is not None:
        return ""
    raised = text[0] in "[(" or link.closest("sup") is not None or link.select_one("sup") is not None
    return "".join(matched[1].split()) if raised or link.closest(_REFERENCE) is not None else ""


def _note_at(target: Element) -> Element | None:
    """The note that a target is, or that it stands at the beginning of."""
    if target.tag == "dt":
        beside = target.next_sibling
        while beside is not None and not isinstance(beside, Element):
            beside = beside.next_sibling
        return beside if beside is not None and beside.tag == "dd" else None
    note: Node | None = target
    while isinstance(note, Element) and note.tag not in _NOTES:
        before = note.previous_sibling
        if before is not None and not _SIGNS.fullmatch(before.text if isinstance(before, Element | Text) else ""):
            return None
        note = note.parent
    if not isinstance(note, Element) or note.select_one(_HEADINGS) is not None or len(note.text) > _NOTE_CHARS:
        return None
    return note if note.text.strip() else None


def _ids_around(link: Element) -> set[str]:
    """What links back to a reference may point at."""
    ids = {element.attr("id") or "" for element in (link, *link.select("[id]"))}
    node: Node | None = link
    for _ in range(_AROUND):
        if not isinstance(node, Element) or node.tag not in {"a", "sup", "span", "em"}:
            break
        before = node.previous_sibling
        for target in (node, before) if isinstance(before, Element) and before.tag == "a" else (node,):
            ids |= {target.attr("id") or "", target.attr("name") or ""}
        node = node.parent
    return ids - {""}


def _mark(note: Element, label: str, mark: str, ids: set[str]) -> None:
    """Put the label before a note's text, in the place of its number and its links back."""
    for link in note.select('a[href^="#"]'):
        if (link.attr("href") or "")[1:] in ids or link.closest(_BACKLINK) is not None:
            link.extract()
    for number in note.select(f"{_NUMBER},{_BACKLINK}"):
        if len(number.text.strip()) <= _NUMBER_CHARS:
            number.extract()
    holder = note
    while True:
        holder.normalize()
        first = next((child for child in holder.children if child.text.strip()), None)
        if isinstance(first, Text):
            shown = _SHOWN.match(first.data)
            if shown is not None and shown[1] in {None, label.partition("-")[0]}:
                first.data = first.data[shown.end() :]
        if not isinstance(first, Element) or first.tag not in {"p", "div"}:
            break
        holder = first
    holder.insert(0, Text(" "))
    holder.insert(0, literal(mark))


def _unlist(listing: Element, notes: dict[Node, str]) -> None:
    """Notes that were a list are paragraphs; what else was in it keeps its number."""
    start = listing.attr("start") or "1"
    number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
    for item in list(listing.children):
        if not isinstance(item, Element):
            continue
        if item.tag == "dt" and item.text.strip(" []().").isalnum():
            item.extract()
        elif item.tag == "li":
            if item not in notes and listing.tag == "ol":
                item.insert(0, literal(f"{number}. "))
            number += 1
        item.tag = "div"
    listing.tag = "div"


def _refer(link: Element, reference: Text) -> None:
    raised = link.closest("sup")
    before, after = link.previous_sibling, link.next_sibling
    if isinstance(before, Text) and isinstance(after, Text) and before.data.endswith("[") and after.data.startswith("]"):
        before.data, after.data = before.data[:-1], after.data[1:]
    link.replace_with(reference)
    if raised is not None and raised.parent is not None and raised.select_one("a") is None:
        raised.unwrap()
