"""XML to a Page: as it is, or with an element a line where it came in one; and what an SVG picture says."""

import re
from collections.abc import Iterator
from html import unescape

from limen.core.web import Page
from limen.reading.formats.plain import as_it_is
from limen.reading.formats.tree import Node, tokens, tree_of
from limen.reading.text_kind import Media

# Lines longer than this with several tags in them were written by a program for a program.
_LONG_LINE = re.compile(r"[^\n]{400}")
_TAGS_IN_LINE = 4
_LAID_OUT_CHARS = 8_000_000
_DEEPEST = 15
_TITLE = re.compile(r"<(?:\w+:)?title\b[^<>]{0,200}>([^<>]{1,300})</", re.IGNORECASE)
_TITLE_CHARS = 20_000
_SVG_CHARS = 5_000_000


def read_xml(text: str, _url: str, _media: Media) -> Page:
    """XML as it is where people can read it, else laid out anew. Nothing is expanded or fetched."""
    title = _TITLE.search(text[:_TITLE_CHARS])
    shown = as_it_is(text)
    long = _LONG_LINE.search(shown)
    if long is not None and shown.count("<", long.start(), long.end()) >= _TAGS_IN_LINE:
        shown = laid_out(shown) if len(shown) <= _LAID_OUT_CHARS else shown.replace("><", ">\n<")
    return Page(title=_line(unescape(title.group(1))) if title else "", text=shown)


def laid_out(source: str) -> str:
    """XML with an element a line, set in by its depth; an element with text in it keeps to one line. Tags stay as written."""
    pieces: list[str] = []
    mixed = [False]
    before = ""
    for token in tokens(source):
        piece = token.source.strip()
        if token.kind in {"text", "cdata"}:
            if piece:
                mixed[-1] = True
                pieces.append(token.source if len(mixed) > 1 else piece)
                before = "text"
            continue
        closing = token.kind == "close"
        inline = (mixed.pop() or before == "open") if closing and len(mixed) > 1 else mixed[-1]
        pieces.append(piece if inline or not pieces else f"\n{'  ' * min(len(mixed) - 1, _DEEPEST)}{piece}")
        if token.kind == "open":
            mixed.append(mixed[-1])
        before = token.kind
    return "".join(pieces)


def read_svg(text: str, _url: str, _media: Media) -> Page:
    """The words in a picture: its title, its description, its texts in the order of the file."""
    root = tree_of(text[:_SVG_CHARS])
    picture = root.first("svg") or next((node for node in root.below() if node.name.endswith("svg")), Node(""))
    title = _line(next((said for said in _named(picture, "title") if any(map(str.isalpha, said))), ""))
    size = " × ".join(filter(None, (picture.attributes.get("width", ""), picture.attributes.get("height", ""))))
    parts = [f"SVG picture{f', {size}' if size else ''}."]
    parts += [f"# {title}"] if title else []
    parts += [_line(said) for said in _named(picture, "desc")]
    texts = [line for said in _named(picture, "text") if (line := _line(said))]
    parts += ["\n".join(f"- {said}" for said in texts)] if texts else []
    return Page(title=title, text="\n\n".join(filter(None, parts)))


def _named(root: Node, name: str) -> Iterator[str]:
    """The texts of the outermost elements so named, or those within one would be said again for each around them."""
    left = [root]
    while left:
        node = left.pop()
        if node.name.rpartition(":")[2] == name:
            yield " ".join(node.pieces())
        else:
            left.extend(reversed([*node.children()]))


def _line(text: str) -> str:
    return " ".join(text.split())
