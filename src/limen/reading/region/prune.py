"""What is dropped before a region is chosen: machinery, hidden parts, and what frames a page rather than being it."""

import re
from collections import Counter
from functools import lru_cache

from turbohtml import Document, Element

from limen.reading.markup.convert import literal
from limen.reading.region.measure import Measure

# Never text of the page. Kept by name in `Page.dropped`.
_MACHINERY = (
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed", "select", "textarea", "datalist",
    "input", "audio", "video", "map", "frameset", "button",
)  # fmt: skip
_FRAME_TAGS = frozenset({"nav", "footer", "aside", "dialog", "menu", "header"})
_FRAME_ROLES = frozenset(
    {
        "navigation", "contentinfo", "complementary", "dialog", "alertdialog", "search", "menu", "menubar", "toolbar", "tablist",
        "banner",
    }
)  # fmt: skip
_MAYBE_FRAME = ":is(nav,footer,aside,dialog,menu,header,[role],[aria-modal])"
_HIDDEN = (
    '[hidden],[style*="display:none"],[style*="display: none"],[style*="visibility:hidden"],'
    ".sr-only,.visually-hidden,.visuallyhidden,.screen-reader-text,.a11y-hidden"
)
# Class and id words of page furniture. A word is what stands between `-`, `_`, blanks and changes of case.
_FURNITURE = re.compile(
    r"(?<![a-z])(?:(?:top|main|side|site|page|global|primary|secondary|sub|mega|mobile|doc|docs|local|left|right|foot|head)?"
    r"(?:nav|navbar|navigation|navheader|navfooter|menu|menus|menubar|sitemap)|breadcrumbs?|crumbs?|footer|masthead|banner|cookies?|"
    r"consent|gdpr|newsletter|subscribe|modal|popup|login|signin|signup|toolbar|legal|copyright|sidebar|skip|skiplink|"
    r"share|sharing|social)(?![a-z])|(?<![a-z])(?:page|site|global|main|top)?header(?![a-z])"
)
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z0-9]+")
_FURNITURE_TAGS = (
    "div",
    "section",
    "ul",
    "ol",
    "li",
    "form",
    "table",
    "tr",
    "header",
    "footer",
    "fieldset",
    "center",
    "figure",
    "dl",
)
_NEVER_DROPPED = frozenset({"html", "head", "body", "main"})
# Furniture never holds most of a page; a class name that says otherwise is wrong.
_FURNITURE_SHARE = 0.4
_HIDDEN_SHARE = 0.5
# Text this long with few links is read, not clicked: a closed tab, an opening panel, a widget that calls itself a menu.
_PROSE_CHARS = 300
_PROSE_LINKS = 0.3
_BAR_ROLES = frozenset({"menu", "menubar", "toolbar", "tablist", "banner"})
_NOTE_ROLES = ("note", "doc-")
_NOTES = '[role=note],[role^="doc-"]'
_NOTE_LINKS = 0.02
# Furniture that consists of prose.
_FURNITURE_PROSE = frozenset(
    {
        "cookie",
        "cookies",
        "consent",
        "gdpr",
        "footer",
        "legal",
        "copyright",
        "newsletter",
        "subscribe",
        "sidebar",
        "modal",
        "popup",
    }
)
# What is hidden from screen readers alone is an icon, or it repeats; longer than this it is a closed panel or a slide.
_ICON_CHARS = 40
_FRAME_SHARE = 0.8


class Pruner:
    """Drops parts of one document, in place, and counts what it dropped by kind."""

    def __init__(self, document: Document) -> None:
        self.dropped: Counter[str] = Counter()
        self._document = document
        self._measure = Measure(0)
        self.chars_total = 0

    def machinery(self) -> None:
        """Scripts, styles, form fields, embedded media. TeX sources of formulas are kept as `$…$`, headings' buttons as text."""
        for script in self._document.select('script[type^="math/tex"]'):
            script.replace_with(literal(f"${script.text.strip()}$"))
        for button in self._document.select("h1 button,h2 button,h3 button,h4 button,h5 button,h6 button,summary button"):
            button.unwrap()
        self._open_noscript()
        for element in list(self._document.iter_elements(_MACHINERY)):
            self._drop(element, element.tag)

    def _open_noscript(self) -> None:
        """Where a page is written by scripts, what it offers to readers without them is the page."""
        body = self._document.find("body")
        offered = max(self._document.select("body noscript"), key=lambda element: len(element.text), default=None)
        if body is None or offered is None or offered.select_one("p,h1,h2,article,ul") is None:
            return
        for element in body.select("script,style,template"):
            self._drop(element, element.tag)
        if len(offered.text.strip()) > len(body.text.strip()) / 2:
            offered.unwrap()

    def frame(self, body: Element) -> None:
        """Navigation, headers, footers, asides, dialogs; hidden parts; furniture known by its class or id."""
        self.chars_total = len(body.text.strip())
        self._measure = Measure(self.chars_total)
        for element in self._document.select(_HIDDEN):
            closed_panel = self._is_prose(element) and not _furniture_word(element)
            if not closed_panel and self._share(element) < _HIDDEN_SHARE:
                self._drop(element, "hidden")
        for element in self._document.select('[aria-hidden="true"]'):
            if len(element.text.strip()) < _ICON_CHARS:
                self._drop(element, "hidden")
        for element in self._document.select(_MAYBE_FRAME):
            if _is_frame(element) and self._frames(element):
                self._drop(element, element.tag if element.tag != "div" else element.attr("role", "div") or "div")
        for element in list(body.iter_elements(_FURNITURE_TAGS)):
            word = _furniture_word(element) if element.attrs else ""
            if word and self._is_furniture(element, word):
                self._drop(element, word)

    def _drop(self, element: Element, kind: str) -> None:
        if element.parent is not None and element.tag not in _NEVER_DROPPED:
            self.dropped[kind] += 1
            element.extract()

    def _share(self, element: Element) -> float:
        """An element's share of the page's text; all of it once measuring has become too dear."""
        chars = self._measure.chars(element)
        return 1.0 if self._measure.exhausted else chars / max(self.chars_total, 1)

    def _frames(self, element: Element) -> bool:
        """Whether a framing element frames: one that holds the page's title or much of its text belongs to the page."""
        if element.tag == "header" or element.attr("role") == "banner":
            if self._share(element) >= _FURNITURE_SHARE or element.select_one("h1") is not None:
                return False
            return element.closest("main,article,[role=main]") is None
        if element.tag == "aside" and self._is_note(element):
            return False
        if element.attr("role") in _BAR_ROLES and self._is_prose(element):
            return False
        limit = _FURNITURE_SHARE if element.tag == "aside" or element.attr("role") == "complementary" else _FRAME_SHARE
        return self._share(element) < limit

    def _is_prose(self, element: Element) -> bool:
        """Whether an element holds text rather than labels and links."""
        return self._measure.chars(element) >= _PROSE_CHARS and self._measure.link_density(element) < _PROSE_LINKS

    def _is_note(self, element: Element) -> bool:
        """Whether an aside belongs to the text: footnotes, and prose without links among the main text."""
        if (element.attr("role") or "").startswith(_NOTE_ROLES) or element.select_one(_NOTES) is not None:
            return True
        if not self._is_prose(element) or self._measure.link_density(element) > _NOTE_LINKS:
            return False
        return element.closest("main,article,[role=main]") is not None

    def _is_furniture(self, element: Element, word: str) -> bool:
        if self._share(element) >= _FURNITURE_SHARE or (word not in _FURNITURE_PROSE and self._is_prose(element)):
            return False
        return element.select_one("h1,main,article,[role=main],pre") is None


def _is_frame(element: Element) -> bool:
    return element.tag in _FRAME_TAGS or element.attr("role") in _FRAME_ROLES or element.attr("aria-modal") == "true"


def _furniture_word(element: Element) -> str:
    """The word in an element's classes or id that makes it furniture; an id made from a heading says nothing."""
    classes, identity = element.attr("class"), element.attr("id")
    word = _furniture_in(classes) if classes else ""
    if word or not identity:
        return word
    word = _furniture_in(identity)
    if not word:
        return ""
    heading = element.select_one("h1,h2,h3,h4,h5,h6")
    titled = heading is not None and set(_WORDS.findall(identity.lower())) <= set(_WORDS.findall(heading.text.lower()))
    return "" if titled else word


@lru_cache(maxsize=8_192)
def _furniture_in(names: str) -> str:
    found = _FURNITURE.search(_WORD_EDGE.sub("-", names).lower())
    return found.group(0) if found else ""
