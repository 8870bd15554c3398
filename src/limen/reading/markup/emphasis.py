"""Emphasis. turbohtml falls back to raw tags for a whole page where one mark cannot be written, so marks
are carried through the conversion as signs of our own and written afterwards, where both neighbours are known."""

import re

from turbohtml import Element, Text

from limen.reading.elements import children_of

# Noncharacters, kept out of every text by `decode.clean` and `html`.
_OPEN_STRONG, _CLOSE_STRONG, _OPEN_EM, _CLOSE_EM = "\ufdd2", "\ufdd3", "\ufdd4", "\ufdd5"
_OPEN_STRUCK, _CLOSE_STRUCK = "\ufdd8", "\ufdd9"
_SIGNS = re.compile("([\ufdd2-\ufdd5\ufdd8\ufdd9])")
_OPENING = {_OPEN_STRONG: "**", _OPEN_EM: "*", _OPEN_STRUCK: "~~"}
_CLOSING = {_CLOSE_STRONG: "**", _CLOSE_EM: "*", _CLOSE_STRUCK: "~~"}
# Emphasis around more pieces than this is a slip of its page; marking it would cost time with every level.
_NESTED_PIECES = 200
_BLANKS = " \t"
_TAGS = {
    "strong": (_OPEN_STRONG, _CLOSE_STRONG), "b": (_OPEN_STRONG, _CLOSE_STRONG), "em": (_OPEN_EM, _CLOSE_EM),
    "i": (_OPEN_EM, _CLOSE_EM), "del": (_OPEN_STRUCK, _CLOSE_STRUCK), "s": (_OPEN_STRUCK, _CLOSE_STRUCK),
    "strike": (_OPEN_STRUCK, _CLOSE_STRUCK),
}  # fmt: skip
_CODE = "code,tt,kbd,samp"
_HEADINGS = "h1,h2,h3,h4,h5,h6,strong,b"
_STYLED = re.compile(r"font-(?:style\s*:\s*(italic)|weight\s*:\s*(?:bold|[6-9]00))", re.IGNORECASE)
_PLAIN = re.compile(r"font-weight\s*:\s*(?:normal|[1-4]00)", re.IGNORECASE)


def carry_emphasis(region: Element) -> None:
    """Replace the tags of emphasis below `region` by signs; those inside code go without."""
    for styled in region.select('[style*="font-"]'):
        _heed_style(styled)
    for element in list(region.iter_elements(tuple(_TAGS))):
        if element.closest(_CODE) is not None:
            element.unwrap()
            continue
        opening, closing = _TAGS[element.tag]
        for line_break in children_of(element, "br"):
            behind = line_break.next_sibling
            if isinstance(behind, Text):
                behind.data = behind.data.lstrip()
            line_break.insert_before(Text(closing))  # marks end with their line
            line_break.insert_after(Text(opening))
        element.insert(0, Text(opening))
        element.append(Text(closing))
        element.unwrap()


def _heed_style(element: Element) -> None:
    """Editors that write documents for the web set emphasis by style, and put tags of it around what has none."""
    style = element.attr("style") or ""
    if element.tag in {"b", "strong"}:
        if _PLAIN.search(style):
            element.tag = "span"
    elif element.tag in {"span", "font"} and (found := _STYLED.search(style)) is not None and element.closest(_HEADINGS) is None:
        element.wrap_children(Element("em" if found[1] else "strong"))


def write_emphasis(markdown: str) -> str:
    """Turn signs into Markdown's marks where it reads them as emphasis, and into nothing elsewhere."""
    for closing, opening in ((_CLOSE_STRONG, _OPEN_STRONG), (_CLOSE_EM, _OPEN_EM)):
        markdown = markdown.replace(f"{closing}{opening}", "")  # one emphasis, set in pieces
    pieces = _SIGNS.split(markdown)
    open_at: list[int] = []
    for place in range(1, len(pieces), 2):
        sign = pieces[place]
        if sign in _OPENING:
            open_at.append(place)
            continue
        pieces[place] = ""
        if open_at:
            start = open_at.pop()
            matching = _OPENING[pieces[start]] == _CLOSING[sign]
            pieces[start] = ""
            if matching:
                _mark(pieces, start, place, _CLOSING[sign])
    for place in open_at:
        pieces[place] = ""
    return "".join(pieces)


def _mark(pieces: list[str], start: int, end: int, mark: str) -> None:
    """Set marks at two places, blanks moved outside them, unless Markdown would not read them as marks."""
    if end - start > _NESTED_PIECES or any("\n" in pieces[place] for place in range(start + 1, end)):
        return
    head, tail = pieces[start + 1], pieces[end - 1]
    if _is_plain(head, tail) and pieces[start - 1] and pieces[end + 1]:
        if pieces[start - 1][-1] != "*" and pieces[end + 1][0] != "*":
            pieces[start] = pieces[end] = mark
        return
    lead = head[: len(head) - len(head.lstrip(_BLANKS))]
    trail = tail[len(tail.rstrip(_BLANKS)) :] if end - 1 > start + 1 or tail.strip(_BLANKS) else ""
    first = head.lstrip(_BLANKS)[:1] or _next(pieces, range(start + 2, end), 0)
    last = tail.rstrip(_BLANKS)[-1:] or _next(pieces, range(end - 2, start, -1), -1)
    before = _next(pieces, range(start - 1, max(start - 6, -1), -1), -1)
    after = _next(pieces, range(end + 1, min(end + 6, len(pieces))), 0)
    lead, trail = "" if before.isspace() else lead, "" if after.isspace() else trail
    before, after = lead or before, trail or after
    if not (first.strip() and last.strip()) or "*" in {before, after}:
        return
    if (first == "*" or last == "*") and not _wraps_other(pieces, start, end, mark):
        return
    if (not first.isalnum() and before.isalnum()) or (not last.isalnum() and after.isalnum()):
        return
    pieces[start + 1] = head.lstrip(_BLANKS)
    pieces[end - 1] = pieces[end - 1].rstrip(_BLANKS)
    pieces[start], pieces[end] = f"{lead}{mark}", f"{mark}{trail}"


def _is_plain(head: str, tail: str) -> bool:
    """Whether what stands inside begins and ends with a letter or digit, as nearly all does: then no rule is in the way."""
    return bool(head and tail) and head[0].isalnum() and tail[-1].isalnum()


def _wraps_other(pieces: list[str], start: int, end: int, mark: str) -> bool:
    """Whether what stands inside begins and ends with the other kind of mark, as in `***both***`."""
    other = "*" if mark == "**" else "**"
    inside = [piece for piece in pieces[start + 1 : end] if piece]
    return len(inside) == 3 and inside[0] == inside[2] == other


def _next(pieces: list[str], places: range, index: int) -> str:
    """The character next to a sign, looking past empty pieces; a blank where there is none."""
    for place in places:
        if pieces[place]:
            return pieces[place][index]
    return " "
