"""Signs of Markdown that stand for themselves, kept from being written with a backslash where nothing could mistake them."""

import re

from turbohtml import Element, Node, Text

from limen.reading.markup.convert import as_it_is

# What is kept already; brackets that make no link, task or footnote, and asterisks between blanks.
_HARMLESS = re.compile(
    r"\ufdd6[^\ufdd7]*\ufdd7|\[(?!\^)(?!(?<=^\[)[ xX]\])[^\[\]\n\ufdd0-\ufdd7]{1,300}\](?![(\[:])|(?<=\S )\*(?= )"
)
_NOT_HERE = "a,code,pre,tt,kbd,samp"
_BLOCKS = frozenset("p li div td th dd h1 h2 h3 h4 h5 h6 blockquote section article main".split())  # noqa: SIM905 - a list of words
_CLIMB = 4


def spare_signs(region: Element) -> None:
    """Mark the harmless signs below `region`."""
    text = region.text
    if "[" not in text and " * " not in text:
        return
    for node in region.descendants:
        if not isinstance(node, Text) or ("[" not in node.data and " * " not in node.data):
            continue
        parent = node.parent
        if not isinstance(parent, Element) or parent.closest(_NOT_HERE) is not None:
            continue
        data, kept = node.data, ""
        if data.endswith("]") and not _ends_here(node):
            data, kept = data[:-1], "]"
        node.data = _HARMLESS.sub(_spared, data) + kept


def _spared(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] not in "[*":
        return text
    return as_it_is("*") if text == "*" else f"{as_it_is('[')}{text[1:-1]}{as_it_is(']')}"


def _ends_here(node: Node) -> bool:
    """Whether nothing that follows a text could make its last bracket the beginning of a link."""
    for _ in range(_CLIMB):
        after, parent = node.next_sibling, node.parent
        if after is not None:
            text = after.data if isinstance(after, Text) else after.text
            return text[:1] not in {"(", "[", ":", ""}
        if not isinstance(parent, Element) or parent.tag in _BLOCKS:
            return True
        node = parent
    return False
