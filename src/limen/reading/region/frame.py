"""Which parts of a page frame it rather than being it, by hand-made rules: tags, roles, hidden parts, names of furniture."""

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from limen.reading.region.layout import HEADINGS, Layout, Part, link_share

_FRAME_TAGS = frozenset({"nav", "footer", "aside", "dialog", "menu", "header"})
_FRAME_ROLES = frozenset(
    {
        "navigation", "contentinfo", "complementary", "dialog", "alertdialog", "search", "menu", "menubar", "toolbar", "tablist",
        "banner",
    }
)  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display:\s?none|visibility:hidden")
_HIDDEN_CLASSES = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "a11y-hidden"})
# Class and id words of page furniture. A word is what stands between `-`, `_`, blanks and changes of case.
_FURNITURE = re.compile(
    r"(?<![a-z])(?:(?:top|main|side|site|page|global|primary|secondary|sub|mega|mobile|doc|docs|local|left|right|foot|head)?"
    r"(?:nav|navbar|navigation|navheader|navfooter|menu|menus|menubar|sitemap)|breadcrumbs?|crumbs?|footer|masthead|banner|cookies?|"
    r"consent|gdpr|newsletter|subscribe|modal|popup|login|signin|signup|toolbar|legal|copyright|sidebar|skip|skiplink|"
    r"share|sharing|social)(?![a-z])|(?<![a-z])(?:page|site|global|main|top)?header(?![a-z])"
)
# The head and foot of a card, a panel or a post are no page's.
_PART_OF_SOMETHING = re.compile(
    r"(?<![a-z])(?:card|panel|accordion|collapse|section|entry|post|article|box|tile|item|block|tab|step|faq|question|table)"
    r"[-_]{1,2}(?:header|footer)(?![a-z])"
)
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z0-9]+")
_FURNITURE_TAGS = frozenset(
    {"div", "section", "ul", "ol", "li", "form", "table", "tr", "header", "footer", "fieldset", "center", "figure", "dl"}
)
# Furniture never holds most of a page; a class name that says otherwise is wrong.
_FURNITURE_SHARE = 0.4
_FRAME_SHARE = 0.8
_HIDDEN_SHARE = 0.5
# Text this long with few links is read, not clicked: a closed tab, an opening panel, a widget that calls itself a menu.
_PROSE_CHARS = 300
_PROSE_LINKS = 0.3
_BAR_ROLES = frozenset({"menu", "menubar", "toolbar", "tablist", "banner"})
_NOTE_ROLES = ("note", "doc-")
_NOTE_LINKS = 0.02
# Furniture that consists of prose.
_FURNITURE_PROSE = frozenset(
    {
        "cookie", "cookies", "consent", "gdpr", "footer", "legal", "copyright", "newsletter", "subscribe", "sidebar", "modal",
        "popup",
    }
)  # fmt: skip
# What is hidden from screen readers alone is an icon, or it repeats; longer than this it is a closed panel or a slide.
_ICON_CHARS = 40
# Lists of links whose surroundings are links as well are navigation, unless they are what the page is about.
_LINK_DENSITY = 0.6
_LIST_LOSS_SHARE = 0.5
# A marked main part that holds less than this of the text marks something else.
_MARKED_SHARE = 0.35


class Frame:
    """The rules' verdict on each part of a layout: `kinds` names why it is framing, "" where it is not, inherited downwards."""

    def __init__(self, layout: Layout) -> None:
        self._parts = layout.parts
        self._blocks = layout.blocks
        self._total = max(layout.parts[0].chars, 1)
        self._titles = [index for index, block in enumerate(layout.blocks) if block.kind == "h1"]
        self._roles = [part.attributes.get("role", "") for part in layout.parts]
        self._notes = [i for i, role in enumerate(self._roles) if role.startswith(_NOTE_ROLES)]
        self._solid = [
            i for i, part in enumerate(layout.parts) if part.tag in {"main", "article", "pre"} or self._roles[i] == "main"
        ]
        self._inside = [False] * len(layout.parts)
        self.kinds = [""] * len(layout.parts)
        for index, part in enumerate(layout.parts):
            if index:
                self._judge(index, part)

    def _judge(self, index: int, part: Part) -> None:
        above = self.kinds[part.up]
        if above:
            self.kinds[index] = above
            return
        role = self._roles[index]
        self._inside[index] = self._inside[part.up] or part.tag in {"main", "article"} or role == "main"
        if part.tag == "main":
            return
        if (part.tag in _FRAME_TAGS or role in _FRAME_ROLES) and self._frames(index, part, role):
            self.kinds[index] = part.tag if part.tag != "div" else role
            return
        if not part.attributes:
            return
        if self._is_hidden(part):
            self.kinds[index] = "hidden"
            return
        if part.tag in _FURNITURE_TAGS:
            word = self._furniture_word(part)
            if word and self._is_furniture(index, part, word):
                self.kinds[index] = word

    def _share(self, part: Part) -> float:
        return part.chars / self._total

    def _holds_title(self, part: Part) -> bool:
        place = bisect_left(self._titles, part.first)
        return place < len(self._titles) and self._titles[place] < part.last

    def _is_hidden(self, part: Part) -> bool:
        attributes = part.attributes
        if attributes.get("aria-hidden") == "true" and part.chars < _ICON_CHARS:
            return True
        hidden = (
            "hidden" in attributes
            or _HIDDEN_STYLE.search(attributes.get("style", ""))
            or not _HIDDEN_CLASSES.isdisjoint(attributes.get("class", "").split())
        )
        if not hidden:
            return False
        closed_panel = _is_prose(part) and not self._furniture_word(part)
        return not closed_panel and self._share(part) < _HIDDEN_SHARE

    def _frames(self, index: int, part: Part, role: str) -> bool:
        """Whether a framing element frames: one that holds the page's title or much of its text belongs to the page."""
        if part.tag == "header" or role == "banner":
            return self._share(part) < _FURNITURE_SHARE and not self._holds_title(part) and not self._inside[part.up]
        if part.tag == "aside" and self._is_note(index, part, role):
            return False
        if role in _BAR_ROLES and _is_prose(part):
            return False
        limit = _FURNITURE_SHARE if part.tag == "aside" or role == "complementary" else _FRAME_SHARE
        return self._share(part) < limit

    def _is_note(self, index: int, part: Part, role: str) -> bool:
        """Whether an aside belongs to the text: footnotes, and prose without links among the main text."""
        if role.startswith(_NOTE_ROLES) or _any_within(self._notes, index, part):
            return True
        return _is_prose(part) and link_share(part) <= _NOTE_LINKS and self._inside[part.up]

    def _is_furniture(self, index: int, part: Part, word: str) -> bool:
        if self._share(part) >= _FURNITURE_SHARE or (word not in _FURNITURE_PROSE and _is_prose(part)):
            return False
        return not self._holds_title(part) and not _any_within(self._solid, index, part)

    def _furniture_word(self, part: Part) -> str:
        """The word in an element's classes or id that makes it furniture; an id made from a heading says nothing."""
        classes, identity = part.attributes.get("class"), part.attributes.get("id")
        word = _furniture_in(classes) if classes else ""
        if word or not identity:
            return word
        word = _furniture_in(identity)
        if not word:
            return ""
        heading = next((block for block in self._blocks[part.first : part.last] if block.kind in HEADINGS), None)
        titled = heading is not None and set(_WORDS.findall(identity.lower())) <= set(_WORDS.findall(heading.text.lower()))
        return "" if titled else word


def _any_within(indexes: list[int], index: int, part: Part) -> bool:
    """Whether one of some parts, in order, lies below a part."""
    place = bisect_right(indexes, index)
    return place < len(indexes) and indexes[place] < part.end


def _is_prose(part: Part) -> bool:
    return part.chars >= _PROSE_CHARS and link_share(part) < _PROSE_LINKS


def plain_names(names: str) -> str:
    """Class names or an id in lower case, with `-` at changes of case."""
    return _WORD_EDGE.sub("-", names).lower()


@lru_cache(maxsize=8_192)
def _furniture_in(names: str) -> str:
    found = _FURNITURE.search(_PART_OF_SOMETHING.sub("", plain_names(names)))
    return found.group(0) if found else ""


def alive(layout: Layout, kinds: list[str]) -> list[int]:
    """Characters below each part that no rule takes away."""
    chars = [0] * len(layout.parts)
    for block in layout.blocks:
        if not kinds[block.part]:
            chars[block.part] += block.chars
    for index in range(len(chars) - 1, 0, -1):
        chars[layout.parts[index].up] += chars[index]
    return chars


def marked_part(layout: Layout, chars: list[int]) -> int:
    """The part marked as the main one, if it holds enough of the text; else the body, 0."""
    parts = layout.parts
    mains = [i for i, part in enumerate(parts) if i and (part.tag == "main" or part.attributes.get("role") == "main")]
    region = max(mains, key=chars.__getitem__, default=0)
    if chars[region] < chars[0] * _MARKED_SHARE:
        region = 0
    articles = [i for i in range(region, parts[region].end) if parts[i].tag == "article" and chars[i]]
    title = next((i for i, block in enumerate(layout.blocks) if block.kind == "h1"), -1)
    titled = parts[region].first <= title < parts[region].last
    if len(articles) == 1 and chars[articles[0]] >= chars[region] * _MARKED_SHARE:
        article = parts[articles[0]]
        if not titled or article.first <= title < article.last:
            return articles[0]
    return region


def link_lists(layout: Layout, kinds: list[str]) -> list[int]:
    """Lists whose parent and grandparent are mostly links."""
    parts = layout.parts
    found = []
    for index, part in enumerate(parts):
        if part.tag in {"ul", "ol"} and part.up > 0 and not kinds[index]:
            parent = parts[part.up]
            if parent.tag != "li" and all(link_share(one) > _LINK_DENSITY for one in (parent, parts[max(parent.up, 0)])):
                found.append(index)
    if sum(parts[i].chars for i in found) > parts[0].chars * _LIST_LOSS_SHARE:
        return []
    return found
