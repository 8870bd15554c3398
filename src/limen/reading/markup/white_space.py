"""White space: what is a blank or nothing to the eye, lines that style or breaks draw, and blank lines of the Markdown."""

import re

from turbohtml import Element, Node, Text

from limen.kit.fences import parts

# Fixed and typographic spaces: no-break, en, em, thin, hair, narrow no-break; line and paragraph separators.
_SPACES = "\xa0\u2002\u2003\u2009\u200a\u2028\u2029\u202f"
# Soft hyphens, zero-width spaces, word joiners, byte-order marks, marks of the direction that letters have by themselves; tags.
_UNSEEN = "\xad\u200b\u2060\ufeff\u200e\u200f"
_UNSEEN_TAGS = range(0xE0000, 0xE0080)
# What joins or parts the letters beside it, and is nothing where there are none.
_JOINERS = "\u200c\u200d"
_ALONE = f"{_JOINERS} \t\n"
_PLAIN = str.maketrans(dict.fromkeys(_SPACES, " ") | dict.fromkeys(_UNSEEN, "")) | dict.fromkeys(_UNSEEN_TAGS, "")
_LOOKED_FOR = re.compile(f"[{_SPACES}{_UNSEEN}{_JOINERS}{chr(_UNSEEN_TAGS[0])}-{chr(_UNSEEN_TAGS[-1])}]")
_STYLED = '[style*="white-space" i]'
_KEEPS_LINES = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_FIXED_WIDTH = re.compile(r"font(?:-family)?\s*:[^;]*(?:mono|courier|consolas|menlo)", re.IGNORECASE)
_BLOCKS = "p,div,ul,ol,dl,table,pre,blockquote,section,article,h1,h2,h3,h4,h5,h6,hr"
_BLOCK_TAGS = frozenset(_BLOCKS.split(","))
_INLINE_TAGS = frozenset({"span", "a", "b", "strong", "em", "i", "u", "small", "font"})
_CLIMB = 4
_MAY_BE_CODE = frozenset({"div", "p"})
_ONE_LINE = "pre,td,th,h1,h2,h3,h4,h5,h6,dt,caption"
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = (" ", "\t")


def plain_blanks(region: Element) -> None:
    """Write them as a blank or drop them: Markdown would show them as references, and a search would stumble on them."""
    text = region.text
    if text.isascii() or not _LOOKED_FOR.search(text):
        return
    for node in region.descendants:
        if isinstance(node, Text) and not node.data.isascii():
            data = node.data
            plain = data.translate(_PLAIN)
            if not plain.strip(_ALONE):
                plain = plain.replace("\u200c", "").replace("\u200d", "")
            if plain != data:
                node.data = plain


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


def said_before(node: Node) -> Node | None:
    """What stands just before a node, looking past blanks."""
    return next((before for before in node.previous_siblings if not isinstance(before, Text) or before.data.strip()), None)


def _before(node: Node) -> Node | None:
    """What stands before, looking past blanks and out of inline elements; None at the beginning of a block."""
    for _ in range(_CLIMB):
        before, parent = said_before(node), node.parent
        if before is not None or not isinstance(parent, Element) or parent.tag not in _INLINE_TAGS:
            return before
        node = parent
    return node


def tidy(markdown: str) -> str:
    """At most one blank line in a row; no blanks at line ends, except the two that mean a line break. Code stays as it is."""
    if "\n\n\n" not in markdown and " \n" not in markdown and "\t\n" not in markdown and markdown[-1:] not in _BLANKS:
        return markdown.strip("\n")
    return "".join([text if is_code else _tidy(text) for text, is_code in parts(markdown)]).strip("\n")


def _tidy(text: str) -> str:
    if " \n" in text or "\t\n" in text or text[-1:] in _BLANKS:
        text = "\n".join([_trim(line) if line[-1:] in _BLANKS else line for line in text.split("\n")])
    return _BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text


def _trim(line: str) -> str:
    trimmed = line.rstrip(" \t")
    return f"{trimmed}  " if trimmed and line == f"{trimmed}  " else trimmed
