"""Signs of Markdown that stand for themselves, kept from being written with a backslash where nothing could mistake them."""

import re

from turbohtml import Element, Node, Text

from limen.reading.markup.convert import as_it_is

# What is kept already; brackets that make no link, task or footnote; asterisks between blanks or behind words, which close
# nothing as long as those that could open something stay escaped; tildes that can only open; what opens no
# tag; the point of a number that starts a line, which is no item's; what would begin an item or a heading before a blank only.
_HARMLESS = re.compile(
    r"(?<!\S)[-+#](?=\w)|^\s*\d+\.(?=\d)"
    r"|\ufdd6[^\ufdd7]*\ufdd7|\[(?!\^)(?!(?<=^\[)[ xX]\])[^\[\]\n\ufdd0-\ufdd7]{1,300}\](?![(\[:])|(?<=\S )\*(?= )"
    r"|(?<=[^\s*\\])\*(?=[\s.,;:!?)]|$)|(?<![^\s(])~(?=[\w\s$€£])|(?:<(?=[^A-Za-z/!?]))+"
)
_DECIMAL = re.compile(r"^\s*\d+\.(?=\d)")
_SIGN = re.compile(r"(?<!\S)[-+#](?=\w)|[\[*~<]|\d\.\d")
# A paragraph whose one asterisk could only open.
_FOOTNOTE = re.compile(r"\s*\*[^*\s][^*]*")
_EMPHASIS = "b,strong,em,i,s,del,strike"
_NOT_HERE = "a,code,pre,tt,kbd,samp"
_BLOCKS = frozenset("p li div td th dd h1 h2 h3 h4 h5 h6 blockquote section article main".split())  # noqa: SIM905 - a list of words
_CLIMB = 4


def spare_signs(region: Element) -> None:
    """Mark the harmless signs below `region`."""
    for node in region.descendants:
        if not isinstance(node, Text) or not _SIGN.search(node.data):
            continue
        parent = node.parent
        if not isinstance(parent, Element) or parent.closest(_NOT_HERE) is not None:
            node.data = _DECIMAL.sub(_spared, node.data) if isinstance(parent, Element) and parent.tag == "a" else node.data
            continue
        data, kept = node.data, ""
        if _FOOTNOTE.fullmatch(data) and parent.tag in _BLOCKS and node.previous_sibling is None and node.next_sibling is None:
            data = data.replace("*", as_it_is("*"))
        if data[-1] in "]*" and not _ends_here(node, data[-1]):
            data, kept = data[:-1], data[-1]
        if "*" in data and parent.closest(_EMPHASIS) is not None:
            continue
        node.data = _HARMLESS.sub(_spared, data) + kept


def _spared(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] == "[":
        return f"{as_it_is('[')}{text[1:-1]}{as_it_is(']')}"
    if text[-1] == ".":
        return f"{text[:-1]}{as_it_is('.')}"
    return as_it_is(text) if len(text) == 1 or text[0] == "<" else text


def _ends_here(node: Node, sign: str) -> bool:
    """Whether what follows a text leaves its last sign harmless."""
    for _ in range(_CLIMB):
        after, parent = node.next_sibling, node.parent
        if after is not None:
            first = (after.data if isinstance(after, Text) else after.text)[:1]
            return first.isspace() if sign == "*" else first not in {"(", "[", ":", ""}
        if not isinstance(parent, Element) or parent.tag in _BLOCKS:
            return True
        node = parent
    return False
