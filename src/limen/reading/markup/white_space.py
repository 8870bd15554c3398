"""Lines that a page draws by its style or by line breaks, where Markdown would make something else of them."""

import re

from turbohtml import Element, Node, Text

_STYLED = '[style*="white-space" i]'
_KEEPS_LINES = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_FIXED_WIDTH = re.compile(r"font(?:-family)?\s*:[^;]*(?:mono|courier|consolas|menlo)", re.IGNORECASE)
_BLOCKS = "p,div,ul,ol,dl,table,pre,blockquote,section,article,h1,h2,h3,h4,h5,h6,hr"
_BLOCK_TAGS = frozenset(_BLOCKS.split(","))
_INLINE_TAGS = frozenset({"span", "a", "b", "strong", "em", "i", "u", "small", "font"})
_CLIMB = 4
_MAY_BE_CODE = frozenset({"div", "p"})
_ONE_LINE = "pre,td,th,h1,h2,h3,h4,h5,h6,dt,caption"


def mend_styled_lines(region: Element) -> None:
    """Text whose style keeps its lines is prose with line breaks, unless it is set like code; it is no code block by itself."""
    for element in ([region] if region.matches(_STYLED) else []) + region.select(_STYLED):
        style = element.attr("style") or ""
        del element.attrs["style"]
        if not _KEEPS_LINES.search(style) or "\n" not in element.text.strip():
            continue
        if element.closest(_ONE_LINE) is not None or element.select_one(_BLOCKS) is not None:
            continue
        if element.tag in _MAY_BE_CODE and _FIXED_WIDTH.search(style):
            element.wrap_children(Element("pre"))
        else:
            _break_lines(element)


def _break_lines(element: Element) -> None:
    for node in [node for node in element.descendants if isinstance(node, Text) and "\n" in node.data]:
        first, *rest = node.data.split("\n")
        last: Node = node
        for line in rest:
            for following in (Element("br"), Text(line)):
                last.insert_after(following)
                last = following
        node.data = first


def mend_breaks(region: Element) -> None:
    """Line breaks that follow each other end a paragraph, and one at its beginning is none: Markdown would write it as a sign."""
    made: Element | None = None
    for line_break in region.select("br"):
        if line_break.closest(_ONE_LINE) is not None:
            continue
        before = _before(line_break)
        if before is None or before == made or (isinstance(before, Element) and before.tag in _BLOCK_TAGS):
            line_break.extract()
        elif isinstance(before, Element) and before.tag == "br":
            border = Element("div")
            before.extract()
            line_break.replace_with(border)
            made = border


def _before(node: Node) -> Node | None:
    """What stands before, looking past blanks and out of inline elements; None at the beginning of a block."""
    for _ in range(_CLIMB):
        before = node.previous_sibling
        while isinstance(before, Text) and not before.data.strip():
            before = before.previous_sibling
        parent = node.parent
        if before is not None or not isinstance(parent, Element) or parent.tag not in _INLINE_TAGS:
            return before
        node = parent
    return node
