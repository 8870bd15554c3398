"""Markdown of a prepared tree, by turbohtml.

Two of its ways are kept away from here: a `converters` callback may be handed text that is cut short when one stands
inside another (1.15.4), and marks that are not ASCII crash it. What needs more than its rules is prepared in the tree.
"""

import re

from turbohtml import Element, Markdown, Text

_OPEN, _CLOSE = "\ufdd6", "\ufdd7"
_LITERAL = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_REFERENCE = re.compile(rf"{_OPEN}\[\^?[^\[\]]*\]{_CLOSE}")
_ESCAPE = re.compile(r"\\([^\w\s|])")
_OPTIONS = Markdown(tables=Markdown.Tables(cell_blocks="text"), escaping=Markdown.Escaping(underscores=False))


def literal(text: str) -> Text:
    """A text node that is written as it stands, where escapes would garble it: formulas, stand-ins for images."""
    return Text(as_it_is(text))


def as_it_is(text: str) -> str:
    """A piece of a text node that is written as it stands."""
    return f"{_OPEN}{text}{_CLOSE}"


def write(region: Element) -> str:
    """The Markdown of everything below `region`."""
    markdown = region.to_markdown(_OPTIONS)
    if _OPEN in markdown:
        markdown = without_signs(_LITERAL.sub(lambda found: _ESCAPE.sub(r"\1", found.group(1)), markdown))
    return markdown


def without_signs(text: str) -> str:
    """A text without the marks around what `literal` made."""
    return text.replace(_OPEN, "").replace(_CLOSE, "") if _OPEN in text or _CLOSE in text else text


def without_references(text: str) -> str:
    """A text without what refers to its footnotes."""
    return _REFERENCE.sub("", text) if _OPEN in text else text
