"""XML as a tree, read as it comes: broken markup as far as it goes, and no entity of a document's own is ever expanded."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape, unescape

import msgspec

# Attribute values hold no `<` in XML, so that a quote left open ends at the next tag.
_TOKEN = re.compile(
    r"<!--|<!\[CDATA\[|<\?|<!|</([^\s<>/]++)[^<>]*+>|"
    r"<([A-Za-z_:][^\s<>/=\"']*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>|[^<]++|<",
)
_ATTRIBUTE = re.compile(r"(?<![^\s\"'/<>])([^\s=/\"'<>]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_SUBSET = re.compile(
    r"<![^\[>\"']*+(?:(?:\"[^\"]*+\"|'[^']*+')[^\[>\"']*+)*+(?:\[(?:[^\]\"']++|\"[^\"]*+\"|'[^']*+')*+\]\s*+)?+>"
)
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
# `markup` calls itself for each level, three frames of the thousand that there are.
_MOST_OPEN = 200


class Token(msgspec.Struct, frozen=True):
    """A piece of XML source: `open`, `close`, `empty` (an element without content), `text`, `cdata`, or `other`."""

    kind: str
    source: str
    name: str = ""
    attributes: str = ""


class Node(msgspec.Struct):
    """An element: its name with its prefix in lower case, its attributes, its texts and children in order."""

    name: str
    attributes: dict[str, str] = {}
    content: list["Node | str"] = []

    def children(self, *names: str) -> Iterator["Node"]:
        """The child elements of these names, or all of them."""
        return (child for child in self.content if isinstance(child, Node) and (not names or child.name in names))

    def first(self, *names: str) -> "Node | None":
        """The first child of the first of these names that there is."""
        return next((child for name in names for child in self.children(name)), None)

    def text(self, *names: str) -> str:
        """All text below, or below the first child so named that has some; blanks at its ends gone."""
        if not names:
            return "".join(self.pieces()).strip()
        return next((text for name in names for child in self.children(name) if (text := child.text())), "")

    def pieces(self) -> Iterator[str]:
        """The texts below, in order."""
        left = self.content[::-1]
        while left:
            one = left.pop()
            if isinstance(one, str):
                yield one
            else:
                left.extend(reversed(one.content))

    def below(self) -> Iterator["Node"]:
        """This element and all those below it."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed([*node.children()]))

    def markup(self) -> str:
        """What lies below as HTML, names without their prefixes."""
        return "".join(escape(child, quote=False) if isinstance(child, str) else child.as_html() for child in self.content)

    def as_html(self) -> str:
        """The element itself as HTML."""
        name = self.name.rpartition(":")[2]
        attributes = "".join(f' {key}="{escape(value)}"' for key, value in self.attributes.items())
        return f"<{name}{attributes}>{self.markup()}</{name}>"


def tokens(source: str) -> Iterator[Token]:
    """The pieces of an XML source in order, none of it left out. One pass, whatever is broken."""
    at = 0
    prolog = True
    while (found := _TOKEN.match(source, at)) is not None:
        piece = found.group()
        at = found.end()
        if piece in _ENDS:
            end = source.find(_ENDS[piece], at)
            at = len(source) if end < 0 else end + len(_ENDS[piece])
            yield Token("cdata" if piece == "<![CDATA[" else "other", source[found.start() : at])
        elif piece == "<!":
            whole = _SUBSET.match(source, found.start()) if prolog else None  # or each would be looked for to the end
            prolog = prolog and whole is not None
            at = whole.end() if whole else at
            yield Token("other" if whole else "text", source[found.start() : at])
        elif found.group(1):
            yield Token("close", piece, found.group(1))
        elif found.group(2):
            attributes = found.group(3)
            yield Token("empty" if attributes.endswith("/") else "open", piece, found.group(2), attributes.rstrip("/"))
        else:
            yield Token("text", piece)


def tree_of(source: str) -> Node:
    """The tree of an XML source below one nameless root. What is nested beyond reason lies flat."""
    root = Node("")
    path = [root]
    opened: Counter[str] = Counter()
    for token in tokens(source):
        if token.kind in {"open", "empty"}:
            node = Node(token.name.lower(), attributes_of(token.attributes), [])
            path[-1].content.append(node)
            if token.kind == "open" and len(path) < _MOST_OPEN:
                path.append(node)
                opened[node.name] += 1
        elif token.kind == "close" and opened[token.name.lower()]:  # what closes nothing is passed by
            _close(path, opened, token.name.lower())
        elif token.kind == "text":
            path[-1].content.append(unescape(token.source))
        elif token.kind == "cdata":
            path[-1].content.append(token.source.removeprefix("<![CDATA[").removesuffix("]]>"))
    return root


def _close(path: list[Node], opened: Counter[str], name: str) -> None:
    """Leave an element, and those left open inside it."""
    while (node := path.pop()).name != name:
        opened[node.name] -= 1
    opened[name] -= 1


def attributes_of(source: str) -> dict[str, str]:
    """Attributes by their names in lower case; of several of one name the first."""
    found: dict[str, str] = {}
    for name, double, single in _ATTRIBUTE.findall(source):
        found.setdefault(name.lower(), unescape(double or single))
    return found
