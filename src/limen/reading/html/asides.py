"""What a page says of itself, not of its subject: whether it was of help, that there is more behind what is linked anyway."""

import re
from collections import Counter
from itertools import islice

import re2
from turbohtml import Document, Element

# By an engine that reads a page once, where the other one tries each alternative at each letter.
_ASKED = re2.compile(
    r"(?i)\b(?:was|is|did you find) (?:this|the) (?:[\w']+ ){0,2}?"
    r"(?:page|article|content|topic|section|answer|information|document|feature|guide|tutorial|post) "
    r"(?:to be )?(?:helpful|useful)\b|"
    r"\bwas this (?:helpful|useful)\b|\bhow (?:helpful|useful) (?:was|is) this (?:page|article|guide)\b|"
    r"\bwar dies\w* [\w ]{0,20}hilfreich\b|\bcette page vous a-t-elle été utile\b|\bte ha resultado útil\b"
)
_MORE_WORDS = (
    r"(?:(?:read|show|see|view|load|learn|find out|discover) (?:more|less|all|(?:the )?full \w+)|"
    r"weiterlesen|mehr (?:lesen|erfahren)|lire la suite|leer más)"
)
_MORE = re2.compile(f"(?i){_MORE_WORDS}")
# Of short texts alone: over a long one it takes the square of its blanks.
_MORE_ALONE = re.compile(rf"\W*{_MORE_WORDS}\W*", re.IGNORECASE)
# The question with its answers and what one is told after giving them.
_QUESTION_CHARS = 200
_MORE_CHARS = 40
_PLACES = frozenset({"body", "main", "article", "li", "td"})
_CLIMB = 12
_INLINE = ("span", "label", "legend", "strong", "b")
_BLOCKS = ("p", "h2", "h3", "h4", "h5", "h6", "div", "dt")


def drop_asides(document: Document) -> int:
    """Drop them, in place; answers how many questions went."""
    body = document.find("body")
    if body is None:
        return 0
    text = body.text
    if _MORE.search(text):
        _drop_more(body)
    return _drop_questions(body) if _ASKED.search(text) else 0


def _drop_questions(body: Element) -> int:
    dropped = 0
    for element in body.select(",".join(_INLINE + _BLOCKS)):
        asked = element.text if _is_innermost(element) and body in element.ancestors else ""
        if asked and len(asked) <= _QUESTION_CHARS and _ASKED.search(" ".join(asked.split())):
            _around(element, _QUESTION_CHARS).extract()
            dropped += 1
    return dropped


def _drop_more(body: Element) -> None:
    """Links that say no more than another link to the same place, and what unfolds a text that is read whole."""
    links = body.select("a[href]")
    bare = [link for link in links if len(link.text) < _MORE_CHARS and _MORE_ALONE.fullmatch(link.text)]
    told = Counter(link.attr("href") for link in links if link.text.strip())
    told.subtract(link.attr("href") for link in bare)
    innermost = (one for one in body.select("span,div,p,label") if one.select_one("*") is None)
    unfolding = [one for one in innermost if len(one.text) < _MORE_CHARS and _MORE_ALONE.fullmatch(one.text)]
    for element in [link for link in bare if told[link.attr("href")] > 0] + unfolding:
        _around(element, len(element.text)).extract()


def _is_innermost(element: Element) -> bool:
    return element.select_one("*" if element.tag in _INLINE else ",".join(_BLOCKS)) is None


def _around(element: Element, most_chars: int) -> Element:
    """The largest element around another one whose text is no longer, below what holds other things as well."""
    found = element
    for ancestor in islice(element.ancestors, _CLIMB):
        if not isinstance(ancestor, Element) or ancestor.tag in _PLACES:
            break
        if len(" ".join(ancestor.text.split())) > most_chars or ancestor.select_one("img") is not None:
            break
        found = ancestor
    return found
