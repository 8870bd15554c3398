"""Cards: links around several blocks, which Markdown cannot have, since a link of its is one line within a paragraph."""

from turbohtml import Element, Node, Text

_HELD = (
    "p,div,ul,ol,li,dl,dt,dd,table,thead,tbody,tr,td,th,pre,blockquote,h1,h2,h3,h4,h5,h6,section,article,figure,figcaption,"
    "header,footer,main,address,hr"
)
_BLOCKS = frozenset(_HELD.split(","))
_CARDS = f"a[href]:has({_HELD})"
# Where a line is all there is room for.
_ONE_LINE = "td,th,h1,h2,h3,h4,h5,h6,dt,caption,pre"
_TITLES = ':is(p,div,span,strong,b):is([class*="title" i],[class*="name" i],[class*="heading" i])'
_SHAPED = "ul,ol,dl,table,pre,blockquote"
# What a card says stays one link as long as it is no longer than a title.
_LINE_CHARS = 40


def mend_cards(region: Element) -> None:
    """Each link around blocks becomes a block of its own: one line where it says little, else with the link around its title."""
    for card in region.select(_CARDS):
        if card.closest(_ONE_LINE) is not None:
            card.insert_before(Text(" "))
            continue
        pieces = _pieces(card)
        is_long = len(pieces) > 1 and sum(map(len, map(_text, pieces))) > _LINE_CHARS
        if pieces and (is_long or card.select_one(_SHAPED) is not None):
            _open(card, pieces)
        else:
            card.wrap(Element("div"))


def _open(card: Element, pieces: list[list[Node]]) -> None:
    """Let the blocks of a card stand by themselves, the link around what names it."""
    title = card.select_one(_TITLES)
    named = [piece for piece in pieces if title is not None and any(_joins(node, title) for node in piece)]
    first, *rest = named[0] if named else pieces[0]
    link = Element("a", {"href": card.attr("href") or ""})
    first.insert_before(link)
    link.extend([node.extract() for node in (first, *rest)])
    del card.attrs["href"]
    card.tag = "div"


def _pieces(card: Element) -> list[list[Node]]:
    """The runs of words below a card that no block parts."""
    pieces: list[list[Node]] = []
    run: list[Node] = []
    waiting: list[Node | None] = [card]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Element) and (node == card or node.tag in _BLOCKS or node.select_one(_HELD) is not None):
            waiting.extend((None, *reversed(list(node.children)), None))
        elif node is not None and node.text.strip():
            run.append(node)
            continue
        elif node is None and run:
            pieces.append(run)
            run = []
    return pieces


def _text(piece: list[Node]) -> str:
    return " ".join(" ".join(node.text.split()) for node in piece)


def _joins(node: Node, title: Element) -> bool:
    return node == title or title in list(node.ancestors) or node in list(title.ancestors)
