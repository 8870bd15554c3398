"""Markdown of a prepared tree, by turbohtml; what its rules cannot write is written here."""

import re
from collections.abc import Callable

from turbohtml import Element, Markdown, Node, Text

_POWER = re.compile(r"[-+−–]?[\dnkmxi]{1,6}")


def write(region: Element) -> str:
    """The Markdown of everything below `region`."""
    return region.to_markdown(_OPTIONS)


def _emphasis(mark: str) -> Callable[[Element, str], str]:
    def convert(element: Element, markdown: str) -> str:
        inner = markdown.strip()
        if not inner or "\n" in inner or inner.startswith(mark) or not _flanked(element, inner):
            return markdown
        lead = markdown[: len(markdown) - len(markdown.lstrip())]
        trail = markdown[len(markdown.rstrip()) :]
        return f"{lead}{mark}{inner}{mark}{trail}"

    return convert


def _flanked(element: Element, inner: str) -> bool:
    """Whether Markdown reads marks here as emphasis: punctuation inside them must not touch a letter outside."""
    before, after = _edge(element.previous_sibling, -1), _edge(element.next_sibling, 0)
    if before == "*" or after == "*":
        return False
    if not inner[0].isalnum() and before.isalnum():
        return False
    return inner[-1].isalnum() or not after.isalnum()


def _edge(node: Node | None, index: int) -> str:
    if node is None:
        return " "
    if isinstance(node, Element) and node.tag in {"strong", "b", "em", "i", "cite", "dfn"}:
        return "*"
    text = node.data if isinstance(node, Text) else node.text
    return text[index] if text else " "


def _superscript(element: Element, markdown: str) -> str:
    before = _edge(element.previous_sibling, -1)
    return f"^{markdown.strip()}" if before.isalnum() and _POWER.fullmatch(markdown.strip()) else markdown


_OPTIONS = Markdown(
    tables=Markdown.Tables(cell_blocks="text"),
    escaping=Markdown.Escaping(underscores=False),
    converters={
        "strong": _emphasis("**"),
        "b": _emphasis("**"),
        "em": _emphasis("*"),
        "i": _emphasis("*"),
        "sup": _superscript,
    },
)
