"""The outline of a document: where its headings and linkable definitions stand in the final Markdown."""

import re

from turbohtml import Element, Text

from limen.core.web import Heading
from limen.kit.headings import HEADING_CHARS
from limen.reading.elements import attribute

# Noncharacters: `decode.clean` keeps them out of every text, so they can only be ours.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}[ \\t]*")
# A heading that is written once for wide screens and again for narrow ones.
_TWICE = re.compile(f"^((#+) {_OPEN}\\d+{_CLOSE}([^{_OPEN}\\n]+))(?:\\n\\n\\2 {_OPEN}\\d+{_CLOSE}\\3$)+", re.MULTILINE)
_DEFINITION = 0
_DEEPEST = 6
_CLIMB = 4


class Marks:
    """Marks set in a tree before it becomes Markdown, found again in what it became."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, str, str]] = []

    def heading(self, element: Element, level: int, text: str, anchor: str) -> None:
        """Mark a heading of level 1 to 6."""
        self._mark(element, level, text, anchor)

    def definition(self, element: Element, text: str, anchor: str) -> None:
        """Mark a term; it stands one level below the heading before it, and one more for each list around it."""
        self._mark(element, _DEFINITION, text, anchor)

    def _mark(self, element: Element, level: int, text: str, anchor: str) -> None:
        element.insert(0, Text(f"{_OPEN}{len(self._entries)}{_CLOSE}"))
        self._entries.append((level, text[:HEADING_CHARS], anchor))

    def resolve(self, markdown: str) -> tuple[str, tuple[Heading, ...]]:
        """The Markdown without marks, and the outline with 1-based lines, in the order of the text."""
        markdown = _TWICE.sub(r"\1", markdown)
        outline: list[Heading] = []
        line, seen, above = 1, 0, 0
        for mark in _MARK.finditer(markdown):
            line += markdown.count("\n", seen, mark.start())
            seen = mark.start()
            level, text, anchor = self._entries[int(mark.group(1))]
            if level == _DEFINITION:
                start = markdown.rfind("\n", 0, seen) + 1
                indent = len(_MARK.sub("", markdown[start:seen])) - len(markdown[start:seen].lstrip(" "))
                level = min(above + 1 + max(indent, 0) // 2, _DEEPEST)
            else:
                above = level
            outline.append(Heading(level, text, line, anchor))
        return _MARK.sub("", markdown), tuple(outline)


def anchor_within(element: Element) -> str:
    """The anchor of an element: its own id, or that of a target inside it."""
    return element.attr("id") or attribute(element.select_one("[id],a[name]"), "id", "name")


def anchor_of(heading: Element) -> str:
    """The anchor of a heading: on it, inside it, just before it, or on the section that it opens."""
    anchor = anchor_within(heading)
    node: Element = heading
    for _ in range(_CLIMB):
        if anchor:
            return anchor
        before, parent = next((one for one in node.previous_siblings if isinstance(one, Element)), None), node.parent
        if before is not None:
            is_target = before.tag in {"a", "span"} and not before.text.strip()
            return anchor_within(before) if is_target else ""
        if not isinstance(parent, Element) or parent.tag in {"body", "main", "article", "td"}:
            return ""
        anchor, node = parent.attr("id") or "", parent
    return anchor
