"""A page as parts and blocks: parts are its containers, blocks the smallest pieces of text that are kept or dropped."""

from collections.abc import Iterator, Sequence

from turbohtml import Element, Node, Text

from limen.reading.markup.tables import is_layout

_INLINE = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "img", "ins", "kbd", "label", "mark", "math", "meter", "nobr", "output", "picture", "progress", "q", "rp", "rt", "ruby",
        "s", "samp", "slot", "small", "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    }
)  # fmt: skip
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# What makes an inline element around it a container. All other tags that are not inline do as well, but are rare inside one.
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "summary", "table", "ul",
})  # fmt: skip
_IMAGES = ("img", "math")
_NO_ATTRIBUTES: dict[str, str] = {}


class Part:
    """A container. `first` and `last` bound its blocks in the page's list, `end` its parts, which follow it; `chars` and
    `link_chars` count below it. `attributes` are its element's when it was met."""

    __slots__ = ("attributes", "chars", "element", "end", "first", "last", "link_chars", "tag", "up")

    def __init__(self, element: Element, tag: str, up: int, first: int) -> None:
        self.element = element
        self.attributes = _attributes_of(element)
        self.tag = tag
        self.up = up
        self.first = self.last = first
        self.end = self.chars = self.link_chars = 0


class Block:
    """A piece of text. `nodes` are what is written for it, `kind` the tag it has or stands in; an image alone has no `chars`."""

    __slots__ = ("chars", "kind", "link_chars", "nodes", "part", "text")

    def __init__(self, part: int, kind: str, nodes: Sequence[Node], text: str, link_chars: int) -> None:
        self.part = part
        self.kind = kind
        self.nodes = nodes
        self.text = text
        self.chars = len(text)
        self.link_chars = min(link_chars, self.chars)


def link_share(piece: Part | Block) -> float:
    """Share of a text that stands in links."""
    return piece.link_chars / piece.chars if piece.chars else 0.0


class Layout:
    """The parts of a body, parents before children and the body first, and its blocks in order."""

    def __init__(self, body: Element) -> None:
        self.parts: list[Part] = [Part(body, body.tag, -1, 0)]
        self.blocks: list[Block] = []
        self._holders = _holders(body)
        self._walk(body)
        self._sum()

    def _walk(self, body: Element) -> None:
        frames: list[tuple[int, Iterator[Node]]] = [(0, iter(body.children))]
        nodes: list[Text | Element] = []
        while frames:
            index, children = frames[-1]
            for child in children:
                if type(child) is Text:
                    nodes.append(child)
                elif isinstance(child, Element):
                    tag = child.tag
                    if tag not in _BLOCKS and (tag in _INLINE or "-" in tag) and child not in self._holders:
                        nodes.append(child)
                        continue
                    if nodes:
                        self._flush(index, nodes)
                        nodes = []
                    opened = self._open(child, tag, index)
                    if opened:
                        frames.append((opened, iter(child.children)))
                        break
            else:
                if nodes:
                    self._flush(index, nodes)
                    nodes = []
                self.parts[index].last, self.parts[index].end = len(self.blocks), len(self.parts)
                frames.pop()

    def _open(self, element: Element, tag: str, up: int) -> int:
        """Enter a container, or take a heading, code or a table of data as one block; answers the part to go on in, or 0."""
        index = len(self.parts)
        self.parts.append(Part(element, tag, up, len(self.blocks)))
        if tag in HEADINGS or tag == "pre" or (tag == "table" and not is_layout(element)):
            text = " ".join(" ".join(element.strings).split()) if tag == "table" else " ".join(element.text.split())
            if text or element.find("img") is not None:
                self.blocks.append(Block(index, tag, (element,), text, _linked(element)))
            self.parts[index].last, self.parts[index].end = len(self.blocks), index + 1
            return 0
        return index

    def _flush(self, index: int, nodes: Sequence[Text | Element]) -> None:
        """Make a block of what stands side by side."""
        pieces, link_chars = [], 0
        for node in nodes:
            if type(node) is Text:
                pieces.append(node.data)
            elif isinstance(node, Element):
                text = " " if node.tag == "br" else node.text
                pieces.append(text)
                if text:
                    link_chars += _linked(node)
        text = " ".join("".join(pieces).split())
        if text:
            self.blocks.append(Block(index, self.parts[index].tag, nodes, text, link_chars))
        elif any(isinstance(node, Element) and _shows_image(node) for node in nodes):
            self.blocks.append(Block(index, "img", nodes, "", 0))

    def _sum(self) -> None:
        parts = self.parts
        for block in self.blocks:
            part = parts[block.part]
            part.chars += block.chars
            part.link_chars += block.link_chars
        for part in reversed(parts[1:]):
            above = parts[part.up]
            above.chars += part.chars
            above.link_chars += part.link_chars


def _attributes_of(element: Element) -> dict[str, str]:
    attributes = element.attrs
    count = len(attributes)
    if not count:
        return _NO_ATTRIBUTES
    classes = element.attr("class")
    if count == 1 and classes is not None:
        return {"class": classes}
    return {name: value if type(value) is str else " ".join(value or ()) for name, value in attributes.items()}


def _linked(element: Element) -> int:
    """Characters in an element that stand in links."""
    if element.tag == "a":
        return len(element.text.strip())
    return sum(len(link.text.strip()) for link in element.iter_elements(("a",)))


def _shows_image(element: Element) -> bool:
    return element.tag in _IMAGES or next(iter(element.iter_elements(_IMAGES)), None) is not None


def _holders(body: Element) -> set[Element]:
    """Inline elements that hold blocks."""
    found: set[Element] = set()
    for element in body.iter_elements(tuple(_BLOCKS)):
        parent = element.parent
        while isinstance(parent, Element) and parent not in found and (parent.tag in _INLINE or "-" in parent.tag):
            found.add(parent)
            parent = parent.parent
    return found
