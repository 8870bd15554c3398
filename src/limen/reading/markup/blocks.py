"""Blocks that Markdown lacks, as ones it has: summaries, quotes with their authors, and what is a block in browsers alone."""

from turbohtml import Element, Text

_BLOCKS = ("center", "fieldset", "legend", "form", "hgroup", "search", "dialog", "option", "optgroup")
_HELD = "p,div,ul,ol,dl,table,pre,blockquote,h1,h2,h3,h4,h5,h6"
_DASHES = "—–-―"


def mend_blocks(region: Element) -> None:
    """Rename or mark the blocks below `region` that would otherwise run into their neighbours."""
    for element in list(region.iter_elements(_BLOCKS)):
        element.tag = "div"
    for summary in region.select("summary"):
        if summary.select_one(f"{_HELD},strong,b") is None and summary.text.strip():
            summary.wrap_children(Element("strong"))
        summary.tag = "div"
    for caption in region.select("figure > blockquote ~ figcaption,figure > div > blockquote ~ figcaption"):
        _attribute(caption)
    for cell in region.select("td,th"):
        if cell.closest("table") is None:
            cell.tag = "div"


def _attribute(caption: Element) -> None:
    """Who said what a figure quotes belongs to the quote."""
    quote = next((node for node in caption.previous_siblings if isinstance(node, Element)), None)
    if quote is None or quote.tag != "blockquote" or not caption.text.strip():
        return
    if caption.text.strip()[0] not in _DASHES:
        caption.insert(0, Text("— "))
    caption.tag = "p"
    quote.append(caption.extract())
