"""A PDF page's text with its places: pieces of lines, upright whichever way the page's text runs.

PDFium is asked for the boxes of the first and the last character of each word, and for the fonts of each piece's outer words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import repeat

import msgspec
import pypdfium2
from pypdfium2 import raw

from limen.reading.formats.pdf_calls import angle_of, boxes_of, handle_of, has_no_meaning, unicode_of
from limen.reading.formats.pdf_faces import Face, face_of

# What PDFium puts for the hyphen that breaks a word at the end of a line, and what becomes of it here.
HYPHENS = ("\x02", "\ufffe")
HYPHEN = "\x02"
# Gap between words, in sizes of the text, from which they are pieces of their own: columns, cells, labels.
_PIECE_GAP = 1.15
# Share of a word's height that may lie beyond the line before it is another line.
_SAME_LINE = 0.5
# Height of raised characters beside that of the others, at most.
_SMALL = 0.85
# Characters of a page whose meaning is asked for.
_ASKED = 100
# Words of a page by which its direction is told.
_ASKED_WORDS = 300
_TOKEN = re.compile("[^\\s\x02\ufffe]+[\x02\ufffe]?|[\x02\ufffe]|\n")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Glyphs for several letters, and letters in the shape they have within a word: said as the letters they are.
_PRESENTED = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdcf\ufdf0-\ufdfc\ufe70-\ufefc]")
# Lam and alef in one glyph, whose two letters PDFium turns round with the line's.
_LAM_ALEF = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
# An accent beside the letter that it stands on, as TeX's older fonts have it.
_ACCENTS = {"´": "\u0301", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "˚": "\u030a", "ˇ": "\u030c"}
_ACCENTED = re.compile(f"([{''.join(_ACCENTS)}])([A-Za-zıȷ])")
BULLETS = "•▪◦‣∙●○■□▫➢►"
# Behind these a small number is no exponent, but part of a fraction.
OPERATORS = "+−=×·/"
# Where the Symbol and Wingdings fonts keep the bullets of lists.
_BULLETS = str.maketrans(
    {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0a8": "▫", "\ufffe": HYPHEN, "\x00": ""}
)


Box = tuple[float, float, float, float]
# A word and its place in PDFium's text, or the end of a line.
Token = tuple[str, int]


class Piece(msgspec.Struct):
    """A stretch of a line without wide gaps. Places are in points, `top` smaller than `bottom`, as the text is read.

    `lead` is the width of its first word. `follows` says that PDFium has it on one line with the piece before it. `aside` is
    text that runs another way than its page. `first` and `last` are the places of its outer words
    in PDFium's text.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float = 0.0
    bold: bool = False
    mono: bool = False
    lead: float = 0.0
    follows: bool = False
    aside: bool = False
    first: int = 0
    last: int = 0


class PageText(msgspec.Struct):
    """A page's pieces in PDFium's order; how many of `asked` characters its fonts have no meaning for."""

    number: int
    pieces: list[Piece]
    asked: int = 0
    unmapped: int = 0


def page_text(layer: pypdfium2.PdfTextPage, number: int, targets: Iterable[tuple[Box, str]] = ()) -> PageText:
    """The pieces of a page's text layer that lie on the page: a spread may hold those of its neighbours beside it. `targets` are
    places in the page's own points and the addresses they lead to."""
    handle = handle_of(layer)
    text = _text_of(layer)
    text = text if text.isascii() else _LAM_ALEF.sub(lambda found: _lam_alef(found, handle), text)
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(text)]
    places = _outer(tokens)
    if not places:
        return PageText(number, [])
    linked = list(targets)
    frame = layer.page.get_bbox()
    pieces = _pieces(tokens, boxes_of(handle, places), handle, linked, frame)
    stacked = [(piece.first, piece.last) for piece in pieces if _is_stacked(piece, handle)]
    if stacked:
        tokens = list(_unstacked(tokens, stacked))
        pieces = _pieces(tokens, boxes_of(handle, _outer(tokens)), handle, linked, frame)
    faces: dict[int, Face] = {}
    for piece in pieces:
        piece.text = _as_letters(piece.text)
        face, piece.size = face_of(handle, piece.first, faces)
        last, size = (face, 0.0) if piece.first == piece.last else face_of(handle, piece.last, faces)
        piece.size = max(piece.size, size, 0.1)
        piece.bold, piece.mono = face.bold and last.bold, face.mono and last.mono
        if piece.mono and " " in piece.text:
            piece.mono = all(face_of(handle, place, faces)[0].mono for place in _inner(text, piece))
    asked = places[:: max(2, len(places) // _ASKED)]
    return PageText(
        number, [piece for piece in pieces if piece.text], len(asked), sum(map(has_no_meaning, repeat(handle), asked))
    )


def _text_of(layer: pypdfium2.PdfTextPage) -> str:
    """The text with one character for each of PDFium's, so that places in it are places on the page."""
    count = layer.count_chars()
    text: str = layer.get_text_range(errors="replace")
    if len(text) == count and (not count or raw.FPDFText_GetTextIndexFromCharIndex(layer, count - 1) == count - 1):
        return text
    codes = map(unicode_of, repeat(handle_of(layer)), range(count))
    return "".join(chr(code) if 0 < code < 0x110000 else "\ufffd" for code in codes)


def _lam_alef(found: re.Match[str], handle: int) -> str:
    one, other = boxes_of(handle, [found.start()]), boxes_of(handle, [found.start() + 1])
    return found[0][::-1] if one == other else found[0]


def _outer(tokens: list[Token]) -> list[int]:
    """The places of each word's first and last character."""
    return [place for text, start in tokens if text != "\n" for place in (start, start + len(text) - 1)]


def _is_stacked(piece: Piece, handle: int) -> bool:
    """Whether PDFium took characters under each other, as in a column of figures, for a word that runs downwards."""
    return piece.aside and piece.text.isascii() and abs(angle_of(handle, piece.first)) < 0.1


def _unstacked(tokens: list[Token], stacked: list[tuple[int, int]]) -> Iterator[Token]:
    for text, start in tokens:
        if text != "\n" and any(first <= start <= last for first, last in stacked):
            for index, char in enumerate(text):
                yield char, start + index
                yield "\n", start + index
        else:
            yield text, start


def _turn(tokens: list[Token], boxes: list[float]) -> int:
    """Degrees by which most words are turned against the clock."""
    ways: Counter[int] = Counter()
    mirrored = any(_RIGHT_TO_LEFT.search(text) for text, _ in tokens[:_ASKED_WORDS])
    at = 0
    for text, _ in tokens[:_ASKED_WORDS]:
        if text == "\n":
            continue
        if len(text) > 2 and not _RIGHT_TO_LEFT.search(text):
            across, up = boxes[at + 4] - boxes[at], boxes[at + 7] - boxes[at + 3]
            ways[(0 if across >= 0 or mirrored else 180) if abs(across) >= abs(up) else (90 if up > 0 else 270)] += 1
        at += 8
    return ways.most_common(1)[0][0] if ways else 0


def _upright(left: float, low: float, right: float, high: float, turn: int) -> Box:
    """A box as it would lie if the page were turned so that its text runs from left to right, downwards."""
    if turn == 0:
        return left, -high, right, -low
    if turn == 90:
        return low, left, high, right
    if turn == 180:
        return -right, low, -left, high
    return -high, -right, -low, -left


def _with_superscript(text: str, start: int, handle: int, height: float, last: float, raised: float) -> str:
    """A raised number at the end said as one, or it would change the number or the word that it stands at."""
    if last < height * _SMALL and raised > height * 0.12:
        first = len(text)
        small = (place for place in range(len(text) - 1, 0, -1) if text[place].isdigit() or text[place] in "-−–+")
        for place in small:
            if place != first - 1 or not _is_small(handle, start + place, height):
                break
            first = place
        return f"{text[:first]}^{text[first:]}" if 0 < first < len(text) else text
    if height < last * _SMALL and raised < -last * 0.12:
        mark = re.match(r"\d{1,3}(?=[A-Za-z\"“‘(])", text)
        return f"{mark[0]} {text[mark.end() :]}" if mark else text
    return text


def _is_small(handle: int, place: int, height: float) -> bool:
    _, top, _, bottom = boxes_of(handle, [place])
    return top - bottom < height * _SMALL


def _linked(text: str, left: float, low: float, right: float, high: float, targets: list[tuple[Box, str]]) -> str:
    """A word between two marks of the place that it lies in."""
    across, up = (left + right) / 2, (low + high) / 2
    for (west, south, east, north), mark in targets:
        if west <= across <= east and south <= up <= north:
            word = text.rstrip("".join(HYPHENS))
            return f"{mark}{word}{mark}{text[len(word) :]}"
    return text


def _pieces(tokens: list[Token], boxes: list[float], handle: int, targets: list[tuple[Box, str]], frame: Box) -> list[Piece]:
    """Words within the page's frame put together to pieces, in one pass without calls where it can be: a book has hundreds of
    thousands of them."""
    west, south, east, north = frame
    turn = _turn(tokens, boxes)
    lying = turn % 180 != 0
    pieces: list[Piece] = []
    parts: list[str] = []
    piece = Piece("", 0, 0, 0, 0)
    broken, at = True, 0
    before_x0 = before_top = before_x1 = before_bottom = size = 0.0
    for text, place in tokens:
        if text == "\n":
            broken = True
            continue
        l1, t1, r1, b1, l2, t2, r2, b2 = boxes[at : at + 8]
        at += 8
        height = r1 - l1 if lying else t1 - b1
        aside = False
        if len(text) > 1:
            last = r2 - l2 if lying else t2 - b2
            along, beside = (abs(b2 - b1), abs(l2 - l1)) if lying else (abs(l2 - l1), abs(b2 - b1))
            aside = beside > 2 * along and beside > _SAME_LINE * height
            if (last < height * _SMALL or height < last * _SMALL) and turn == 0:
                text = _with_superscript(text, place, handle, height, last, b2 - b1)
                height = last if last > height else height
        left, low = l1 if l1 < l2 else l2, b1 if b1 < b2 else b2
        right, high = r1 if r1 > r2 else r2, t1 if t1 > t2 else t2
        if right <= west or left >= east or high <= south or low >= north:
            broken = True
            continue
        if targets:
            text = _linked(text, left, low, right, high, targets)
        x0, top, x1, bottom = (left, -high, right, -low) if turn == 0 else _upright(left, low, right, high, turn)
        if not broken and aside == piece.aside:
            common = (bottom if bottom < before_bottom else before_bottom) - (top if top > before_top else before_top)
            gap = x0 - before_x1 if x0 > before_x0 else before_x0 - x1
            if aside or (
                common >= _SAME_LINE * (bottom - top)
                and common >= _SAME_LINE * height
                and gap <= _PIECE_GAP * (height if height > size else size)
            ):
                is_raised = height < size * _SMALL and gap < 0.3 * size and before_bottom - bottom > 0.12 * size
                if is_raised and text.isdecimal() and parts[-1][-1] not in OPERATORS:
                    parts[-1] += f"^{text}"
                else:
                    parts.append(text)
                before_x0, before_x1 = x0 if x0 < before_x0 else before_x0, x1 if x1 > before_x1 else before_x1
                before_top = top if top < before_top else before_top
                before_bottom = bottom if bottom > before_bottom else before_bottom
                piece.last = place
                broken = text[-1] in HYPHENS
                continue
        piece.text, piece.x0, piece.top, piece.x1, piece.bottom = " ".join(parts), before_x0, before_top, before_x1, before_bottom
        before_x0, before_top, before_x1, before_bottom, size = x0, top, x1, bottom, height
        piece = Piece("", x0, top, x1, bottom, height, lead=x1 - x0, follows=not broken, aside=aside, first=place, last=place)
        pieces.append(piece)
        parts = [text]
        broken = text[-1] in HYPHENS
    piece.text, piece.x0, piece.top, piece.x1, piece.bottom = " ".join(parts), before_x0, before_top, before_x1, before_bottom
    return pieces


def _as_letters(text: str) -> str:
    if text.isascii():
        return text
    text = _PRESENTED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text.translate(_BULLETS))
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _ACCENTED.sub(_accented, text)


def _accented(found: re.Match[str]) -> str:
    letter = {"ı": "i", "ȷ": "j"}.get(found[2], found[2])
    whole = unicodedata.normalize("NFC", letter + _ACCENTS[found[1]])
    return whole if len(whole) == 1 else found[0]


def _inner(text: str, piece: Piece) -> Iterator[int]:
    """Places of two words within a piece: a line that begins and ends with code need not be code."""
    for share in (1, 2):
        place = text.rfind(" ", piece.first, piece.first + (piece.last - piece.first) * share // 3 + 1) + 1
        if place > piece.first and not text[place].isspace():
            yield place
