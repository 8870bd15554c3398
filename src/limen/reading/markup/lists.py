"""Lists that Markdown can write: each inside an item of the one around it, numbered as the page numbers them, not too deep."""

import re

from turbohtml import Element, Node, Text

from limen.reading.elements import children_of
from limen.reading.markup.convert import literal

# Every level costs each of its lines an indent, so that depth multiplies a page; no page that is read by people goes deeper.
_DEEPEST_LIST = 12
_DEEPEST_QUOTE = 8
_INTEGER = re.compile(r"-?[0-9]{1,8}")
# Items that stand in something else than their list.
_WRAPPED = "ul > :is(div,span,section,form,p,b,a):has(> li),ol > :is(div,span,section,form,p,b,a):has(> li)"
_WRAPPERS = 2
_HOLDERS = frozenset({"div", "span", "section", "p", "article", "nav", "b", "strong"})
_NESTS = ("ul", "ol", "dl", "blockquote", "menu", "dir")
_INLINE = frozenset("a b i em strong span u s del ins code kbd q sub sup mark small label font tt img abbr cite time".split())  # noqa: SIM905
_ROMAN = {
    "m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40, "x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1,
}  # fmt: skip


def mend_lists(region: Element) -> None:
    """Make the lists and quotes below `region` ones that Markdown has."""
    _flatten(region)
    for stray in region.select("ul > ul,ul > ol,ol > ul,ol > ol,ul > dl,ol > dl"):
        _adopt(stray)
    for _ in range(_WRAPPERS):
        for wrapper in region.select(_WRAPPED):
            wrapper.unwrap()
    for listing in region.select("ul,ol"):
        _gather(listing)
    for item in region.select("li"):
        if not item.text.strip() and item.select_one("img") is None:
            item.extract()
    for listing in region.select("ol[reversed],ol[type],ol[start],ol:has(> li[value])"):
        _number(listing)


def settle_items(region: Element) -> None:
    """An item begins with what it says: nothing empty stands before that, and a list that is all of it takes its place."""
    for item in region.select("li"):
        holder: Element = item
        while True:
            said = _drop_empty(holder)
            if not said:
                item.extract()
            if len(said) != 1 or not isinstance(said[0], Element):
                break
            holder = said[0]
            if holder.tag not in _HOLDERS:
                break
        listing = item.parent
        if holder.tag not in {"ul", "ol"} or not isinstance(listing, Element) or listing.tag not in {"ul", "ol"}:
            continue
        if len(listing.select("li")) == len(holder.select("li")) + 1:
            listing.replace_with(holder.extract())
        elif holder.tag == listing.tag == "ul":
            item.replace_with(*[child.extract() for child in list(holder.children)])


def _drop_empty(holder: Element) -> list[Node]:
    """What an element holds besides blanks, once it begins with something to read."""
    said = [child for child in holder.children if not isinstance(child, Text) or child.data.strip()]
    while said and isinstance(first := said[0], Element) and first.tag != "img" and not first.text.strip():
        if first.select_one("img") is not None:
            break
        said.pop(0).extract()
    return said


def _flatten(region: Element) -> None:
    depths: dict[Element, tuple[int, int]] = {}
    for nest in list(region.iter_elements(_NESTS)):
        if nest.tag in {"menu", "dir"}:
            nest.tag = "ul"
        parent = nest.parent
        above = parent.closest("ul,ol,dl,blockquote") if isinstance(parent, Element) else None
        lists, quotes = depths.get(above, (0, 0)) if above is not None else (0, 0)
        is_quote = nest.tag == "blockquote"
        depths[nest] = (lists + (not is_quote), quotes + is_quote)
        if (is_quote and quotes >= _DEEPEST_QUOTE) or (not is_quote and lists >= _DEEPEST_LIST):
            for child in children_of(nest, "li", "dt", "dd"):
                child.tag = "div"
            nest.tag = "div"


def _gather(listing: Element) -> None:
    """Words that stand between items make an item, and so does any other block."""
    if listing.select_one("li") is None:
        listing.tag = "div"
        return
    words: list[Node] = []
    for child in [*listing.children, None]:
        if isinstance(child, Text) or (isinstance(child, Element) and child.tag in _INLINE):
            words.append(child)
            continue
        if isinstance(child, Element) and child.tag != "li" and child.text.strip():
            child.wrap(Element("li"))
        if words:
            if any(node.text.strip() for node in words):
                item = Element("li")
                words[0].insert_before(item)
                item.extend([node.extract() for node in words])
            words = []


def _adopt(stray: Element) -> None:
    """A list that stands between items belongs to the item before it, or to the words before it."""
    words: list[Node] = []
    before = stray.previous_sibling
    while isinstance(before, Text) or (before is not None and isinstance(before, Element) and before.tag in _INLINE | {"br"}):
        words.insert(0, before)
        before = before.previous_sibling
    if any(node.text.strip() for node in words):
        item = Element("li")
        words[0].insert_before(item)
        item.extend([node.extract() for node in (*words, stray)])
    elif isinstance(before, Element) and before.tag == "li":
        before.append(stray.extract())
    else:
        stray.wrap(Element("li"))


def _number(listing: Element) -> None:
    """Numbers that do not count up from the list's start are written out, since Markdown counts by itself."""
    items = children_of(listing, "li")
    if not items:
        listing.tag = "div"
        return
    kind = listing.attr("type") or "1"
    backwards = listing.attr("reversed") is not None
    number = _integer(listing.attr("start"), len(items) if backwards else 1)
    numbers: list[int] = []
    for item in items:
        number = _integer(item.attr("value"), number)
        numbers.append(number)
        number += -1 if backwards else 1
    if kind not in set("aAiI") and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] >= 0:
        listing.attrs["start"] = str(numbers[0])
        for item in items:
            if item.attr("value") is not None:
                del item.attrs["value"]
        return
    listing.tag = "ul"
    for item, number in zip(items, numbers, strict=True):
        put_number(item, _written(number, kind))


def put_number(item: Element, number: str) -> None:
    """Write an item's number out, at the beginning of its first words."""
    first = next(iter(children_of(item)), None)
    starts = first is not None and first.tag in {"p", "h2", "h3", "h4", "h5", "h6"} and not _has_text_before(first)
    (first if first is not None and starts else item).insert(0, literal(f"{number}. "))


def _has_text_before(element: Element) -> bool:
    before = element.previous_sibling
    return before is not None and not isinstance(before, Element) and bool(before.text.strip())


def _integer(text: str | None, otherwise: int) -> int:
    return int(text) if text and _INTEGER.fullmatch(text.strip()) else otherwise


def _written(number: int, kind: str) -> str:
    if kind not in set("aAiI") or not 0 < number < 4000:
        return str(number)
    written = _letters(number) if kind in "aA" else _roman(number)
    return written.upper() if kind.isupper() else written


def _letters(number: int) -> str:
    written = ""
    while number:
        number, letter = divmod(number - 1, 26)
        written = chr(ord("a") + letter) + written
    return written


def _roman(number: int) -> str:
    written = ""
    for sign, value in _ROMAN.items():
        written += sign * (number // value)
        number %= value
    return written
