"""Words within a line: blanks where a page's style sets words apart, readings, spelt-out abbreviations, small powers."""

import re

from turbohtml import Element, Node, Text

_APART = ("span", "a", "label", "time", "data", "strong", "b", "output")
_CODE = "code,pre,tt,kbd,samp"
SIGNATURE = "dt.sig"
"""How Sphinx marks a term that declares something: its words are code, set in pieces."""
# Two letters of one word are set apart by their style only where each part is a word by itself.
_WORD_CHARS = 3
_OPENING = frozenset("([{<'\"“‘«„-–—/@#$€£¥&+=_~^*\\|")
_CLOSING = frozenset(",.;:!?)]}>'\"’”»%-–—/…°+=_~^*\\|®™©")
_ABBREVIATION_CHARS = 12
_EXPANSION_CHARS = 100
_NOT_RAISED = frozenset("st nd rd th er e re ère ème o a º ª tm sm r (tm) (r) ® ™ ©".split())  # noqa: SIM905 - a list of words
_SIMPLE = re.compile(r"[-+−–]?\w{1,6}|['′″*†‡§¶°]+|\[[^\[\]]*\]")
_ELEMENT = re.compile(r"(?:^|[^a-z])[A-Z][a-z]?$|[)\]]$")


def mend_phrases(region: Element) -> None:
    """Ruby, abbreviations, powers and indices below `region`, and words that would run into each other."""
    for reading in region.select("ruby rt"):
        _bracket(reading)
    _expand(region)
    for raised in region.select("sup"):
        _raise(raised)
    for lowered in region.select("sub"):
        _lower(lowered)


def set_apart(region: Element) -> None:
    """A blank between neighbours that would otherwise read as one word, as in `<span>Price</span><span>$5</span>`."""
    for element in region.iter_elements():
        if element.tag not in _APART and "-" not in element.tag:
            continue
        before = element.previous_sibling
        if not isinstance(before, Element) or (before.tag not in _APART and "-" not in before.tag):
            continue
        left, right = before.text, element.text
        if _run_together(left, right, element.tag == before.tag == "a") and element.closest(f"{_CODE},{SIGNATURE}") is None:
            element.insert_before(Text(" "))


def _run_together(left: str, right: str, are_links: bool) -> bool:
    last, first = left[-1:], right[:1]
    if not last.strip() or not first.strip() or last in _OPENING or first in _CLOSING:
        return False
    if not (last.isalpha() and first.isalpha()) or (last.islower() and first.isupper()):
        return True
    return are_links or (last.isascii() and first.isascii() and len(left) >= _WORD_CHARS and len(right) >= _WORD_CHARS)


def _bracket(reading: Element) -> None:
    """The reading of characters stands in brackets behind them; a page's own brackets go for these."""
    around = reading.parent
    for bracket in around.select("rp") if isinstance(around, Element) else ():
        bracket.extract()
    text = reading.text.strip()
    if text:
        reading.replace_with(Text(f"({text})"))


def _expand(region: Element) -> None:
    """What an abbreviation means, once, where the page shows it on hovering only."""
    known: set[str] = set()
    for short in region.select("abbr[title],acronym[title]"):
        text, meaning = short.text.strip(), " ".join((short.attr("title") or "").split())
        del short.attrs["title"]
        wordy = text[:1].isalpha() and meaning[:1].isalpha() and text.lower() not in meaning.lower().split()
        if not wordy or text in known or len(text) > _ABBREVIATION_CHARS or not len(text) < len(meaning) <= _EXPANSION_CHARS:
            continue
        known.add(text)
        around = short.parent
        if short.closest("a,h1,h2,h3,h4,h5,h6,code,pre") is None and (around is None or meaning not in around.text):
            short.append(Text(f" ({meaning})"))


def _raise(raised: Element) -> None:
    """`2<sup>64</sup>` becomes 2^64: without a sign it would read 264."""
    text, before = raised.text.strip(), _text_before(raised)
    if not text or not before.strip() or before[-1:].isspace() or raised.select_one("a,img") is not None:
        return
    if text.lower() in _NOT_RAISED and (before[-1].isdigit() or not text.isalpha() or text.isupper() or len(text) > 1):
        return
    _sign(raised, "^", text)


def _lower(lowered: Element) -> None:
    """Numbers of atoms stay as they are, any other index gets its sign: log_2, x_(i+1)."""
    text, before = lowered.text.strip(), _text_before(lowered)
    if not text or not before.strip() or before[-1:].isspace() or lowered.select_one("a,img") is not None:
        return
    if not (text.isdigit() and _ELEMENT.search(before[-3:])):
        _sign(lowered, "_", text)


def _sign(element: Element, sign: str, text: str) -> None:
    if element.closest(_CODE) is not None:
        return
    if text[0] in "^_[(*†‡":
        return
    simple = _SIMPLE.fullmatch(text)
    element.insert(0, Text(sign if simple else f"{sign}("))
    if not simple:
        element.append(Text(")"))


def _text_before(node: Node) -> str:
    before = node.previous_sibling
    if before is None:
        return ""
    return before.data if isinstance(before, Text) else before.text
