"""The rows of a PDF page in the order in which they are read: PDFium's own, mended where it goes across columns or jumps back."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeVar

import msgspec

from limen.reading.formats.pdf_words import OPERATORS, Piece

T = TypeVar("T")

# Rows that show a gutter; words and characters on both sides from which they are prose and no table.
_GUTTER_ROWS = 5
_PROSE_WORDS = 4
_PROSE_CHARS = 20
_MOST_GUTTERS = 3
_MOST_GAPS = 300
# Share of rows that may cross a gutter: titles, figures and tables over all columns.
_CROSSING_SHARE = 0.5
_SAME_ROW = 0.6
_SAME_LINE = 0.4
# Rows, and the share of jumps among them, from which a page's order is none.
_SCATTERED_ROWS = 12
_SCATTERED_SHARE = 0.25
# Beyond so many sizes two pieces stand on one row, yet not in one sentence.
_APART = 2.0
_FAR_BELOW = 4.0
# As far to the side a short line may begin of one that it lies below.
_NEAR = 3.0
_MOST_FLOWS = 200
# Of the size of the text, that of its footnotes at most.
_NOTE = 0.93
_PAGE_NUMBER_CHARS = 6
_RAISED = 0.85
_STOPS = frozenset(".!?:;")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_LETTER = re.compile(r"[^\W\d_]")
# Dots from a title to its page's number.
LEADER = re.compile(r"(?:(?:\s?[.·․…_]){4,}\s*|(?:\s[.·]){2,}\s+|\s…\s)(?=[\divxlc]{1,6}$)")
_PAGE_NUMBER = frozenset("0123456789ivxlc")


class Row(msgspec.Struct):
    """Pieces beside each other, from left to right. `fresh` begins another column, or another place of the page. `contents` says
    that dots lead from its title to a page's number."""

    pieces: list[Piece]
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: bool
    mono: bool
    fresh: bool = False
    text: str = ""
    contents: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether a gap within it is too wide for a sentence."""
        return any(piece.x0 - before.x1 > _APART * self.size for before, piece in pairwise(self.pieces))

    @property
    def lead(self) -> float:
        """The width of the first word."""
        return self.pieces[0].lead


def rows_of(pieces: list[Piece]) -> list[Row]:
    """The rows of a page as they are read. A page from right to left is mirrored: its rows begin at their smaller `x0`."""
    if _is_mirrored(pieces):
        for piece in pieces:
            piece.x0, piece.x1 = -piece.x1, -piece.x0
    gutters = _gutters(pieces)
    rows = _joined(_by_columns(pieces, gutters) if gutters else pieces)
    flows = _flows(rows)
    if len(flows) > _SCATTERED_SHARE * len(rows) and not gutters and _is_scattered(rows):
        flows = _flows(_joined(_by_height(pieces)))
    return _marked(_with_notes_last(_in_order(flows)))


def _is_mirrored(pieces: list[Piece]) -> bool:
    sample = "".join(piece.text for piece in pieces[:200])
    if sample.isascii():
        return False
    return len(_RIGHT_TO_LEFT.findall(sample)) * 2 > len(_LETTER.findall(sample))


def _gutters(pieces: list[Piece]) -> list[float]:
    """Where columns of prose meet whose lines PDFium runs into each other, from left to right."""
    gaps = [
        (before.x1, piece.x0)
        for before, piece in pairwise(pieces)
        if piece.follows and piece.x0 > before.x1 and _is_prose(before) and _is_prose(piece)
    ]
    gaps = gaps[:: max(1, len(gaps) // _MOST_GAPS)]
    gutters: list[float] = []
    while len(gaps) >= _GUTTER_ROWS and len(gutters) < _MOST_GUTTERS:
        at = max((end for _, end in gaps), key=lambda end: sum(left < end - 1 < right for left, right in gaps)) - 1
        within = [(left, right) for left, right in gaps if left < at < right]
        middle = (max(left for left, _ in within) + min(right for _, right in within)) / 2
        crossing = sum(piece.x0 < middle - 1 and piece.x1 > middle + 1 and not piece.aside for piece in pieces)
        if len(within) < _GUTTER_ROWS or crossing > _CROSSING_SHARE * len(within):
            break
        gutters.append(middle)
        gaps = [gap for gap in gaps if gap not in within]
    return sorted(gutters)


def _is_prose(piece: Piece) -> bool:
    return len(piece.text) >= _PROSE_CHARS and piece.text.count(" ") >= _PROSE_WORDS - 1


def _by_columns(pieces: list[Piece], gutters: list[float]) -> list[Piece]:
    """Column after column between the pieces that go across a gutter."""
    ordered: list[Piece] = []
    band: list[list[Piece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in sorted(pieces, key=lambda piece: (piece.top + piece.bottom) / 2):
        if any(piece.x0 < gutter - 1 and piece.x1 > gutter + 1 for gutter in gutters):
            ordered += [one for column in band for one in column]
            ordered.append(piece)
            band = [[] for _ in band]
        else:
            band[sum((piece.x0 + piece.x1) / 2 > gutter for gutter in gutters)].append(piece)
    return ordered + [one for column in band for one in column]


def _is_scattered(rows: list[Row]) -> bool:
    """Whether what stands on one height, as in a table, is said at several places."""
    heights = Counter(round(row.bottom) for row in rows)
    apart = sum(count > 1 for count in (heights[round(row.bottom)] for row in rows))
    prose = sum(_is_prose(row.pieces[0]) for row in rows)
    return len(rows) >= _SCATTERED_ROWS and apart > _SCATTERED_SHARE * 2 * len(rows) and prose < _SCATTERED_SHARE * len(rows)


def _by_height(pieces: list[Piece]) -> list[Piece]:
    """Pieces from the top down, those of one height from left to right."""
    rows: list[list[Piece]] = []
    middle = 0.0
    for piece in sorted(pieces, key=lambda piece: piece.top + piece.bottom):
        if rows and (piece.top + piece.bottom) / 2 - middle < _SAME_LINE * piece.size:
            rows[-1].append(piece)
        else:
            middle = (piece.top + piece.bottom) / 2
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda piece: piece.x0)
        for index, piece in enumerate(row):
            piece.follows = index > 0
    return [piece for row in rows for piece in row]


def _joined(pieces: Iterable[Piece]) -> list[Row]:
    rows: list[Row] = []
    for piece in pieces:
        row = rows[-1] if rows else None
        if row is not None and _is_raised(row.pieces[-1], piece):
            row.pieces[-1].text += f"^{piece.text}"
            row.pieces[-1].x1 = row.x1 = piece.x1
        elif row is not None and _on_row(row, piece):
            row.pieces.append(piece)
            row.x0, row.x1 = min(row.x0, piece.x0), max(row.x1, piece.x1)
            row.top, row.bottom = min(row.top, piece.top), max(row.bottom, piece.bottom)
            row.bold, row.mono = row.bold and piece.bold, row.mono and piece.mono
            if len(piece.text) > len(row.pieces[0].text):
                row.size = piece.size
        else:
            rows.append(Row([piece], piece.x0, piece.top, piece.x1, piece.bottom, piece.size, piece.bold, piece.mono))
    for row in rows:
        row.pieces.sort(key=lambda piece: piece.x0)
        row.text = _text_of(row)
        row.contents = row.text[-1] in _PAGE_NUMBER and LEADER.search(row.text) is not None
    return rows


def _text_of(row: Row) -> str:
    said = row.pieces[0].text
    for before, piece in pairwise(row.pieces):
        said += ("  " if piece.x0 - before.x1 > _APART * row.size else " ") + piece.text
    return said


def _is_raised(last: Piece, piece: Piece) -> bool:
    """Whether a piece is the number of a note, or an exponent, at the end of the one before it."""
    return (
        piece.text.isdecimal()
        and last.text[-1] not in OPERATORS
        and piece.size < _RAISED * last.size
        and abs(piece.x0 - last.x1) < 0.3 * last.size
        and last.top - last.size < piece.top
        and 0.12 * last.size < last.bottom - piece.bottom < last.size
    )


def _on_row(row: Row, piece: Piece) -> bool:
    """Whether a piece goes on with a row: beside it, and said on one line with it, or not far from its end."""
    last = row.pieces[-1]
    if piece.aside or last.aside:
        return False
    common = min(row.bottom, piece.bottom) - max(row.top, piece.top)
    if common < _SAME_ROW * min(row.bottom - row.top, piece.bottom - piece.top):
        return False
    if piece.x0 < last.x1 - piece.size and piece.x1 > row.x0 + piece.size:
        return False
    return piece.follows or abs(piece.x0 - last.x1) < 3 * max(piece.size, last.size) or not (_is_prose(last) or _is_prose(piece))


def _flows(rows: list[Row]) -> list[list[Row]]:
    """Stretches of rows that go down the page, each below the one before it."""
    flows: list[list[Row]] = []
    for row in rows:
        if flows and _goes_on(flows[-1][-1], row):
            flows[-1].append(row)
        else:
            flows.append([row])
    return flows


def _goes_on(before: Row, row: Row) -> bool:
    size = max(before.size, row.size)
    return (
        row.top > before.top - size * 0.5
        and row.top - before.bottom < _FAR_BELOW * size
        and min(before.x1, row.x1) + (_NEAR * size if row.top - before.bottom < size else 0.0) > max(before.x0, row.x0)
        and not row.pieces[0].aside
    )


class _Frame(msgspec.Struct):
    x0: float
    top: float
    x1: float
    bottom: float

    def precedes(self, other: "_Frame") -> bool:
        """Whether it lies above the other, in the same column."""
        across = min(self.x1, other.x1) - max(self.x0, other.x0)
        if across <= 0.2 * min(self.x1 - self.x0, other.x1 - other.x0):
            return False
        return (self.top + self.bottom) < (other.top + other.bottom) and self.bottom <= other.top + 0.3 * (
            other.bottom - other.top
        )


def _in_order(flows: list[list[Row]]) -> list[list[Row]]:
    """PDFium's order, but nothing before what stands above it in its column."""
    if not 1 < len(flows) <= _MOST_FLOWS:
        return flows
    frames = [_frame(flow) for flow in flows]
    upright = [index for index, flow in enumerate(flows) if not flow[0].pieces[0].aside]
    above = {
        later: {earlier for earlier in upright if earlier != later and frames[earlier].precedes(frames[later])}
        for later in upright
    }
    if all(earlier < later for later, found in above.items() for earlier in found):
        return flows
    ordered: list[int] = []
    waiting = {index: above.get(index, set()) for index in range(len(flows))}
    while waiting:
        following = next((one for one, found in waiting.items() if not found & waiting.keys()), min(waiting))
        ordered.append(following)
        del waiting[following]
    return [flows[one] for one in ordered]


def _with_notes_last(flows: list[list[Row]]) -> list[list[Row]]:
    """Small print under a column, where it stands between two parts of one sentence, behind them all."""
    body = body_size(flows)
    kept: list[list[Row]] = []
    notes: list[list[Row]] = []
    for flow, following in zip(flows, [*flows[1:], []], strict=True):
        end = len(flow)
        while end and (flow[end - 1].size < _NOTE * body or len(flow[end - 1].text) < _PAGE_NUMBER_CHARS):
            end -= 1
        goes_on = following and abs(following[0].size - body) < 0.1 * body and following[0].text[0].islower()
        before = flow[end - 1] if end else kept[-1][-1] if kept else None
        if goes_on and end < len(flow) and before is not None and before.text[-1] not in _STOPS:
            notes.append(flow[end:])
            flow = flow[:end]
        kept += [flow] if flow else []
    return kept + notes


def _frame(flow: list[Row]) -> _Frame:
    return _Frame(
        min(row.x0 for row in flow), flow[0].top, max(row.x1 for row in flow), max(row.bottom for row in flow)
    )  # fmt: skip


def _marked(flows: list[list[Row]]) -> list[Row]:
    rows: list[Row] = []
    for flow in flows:
        flow[0].fresh = not (rows and _goes_on(rows[-1], flow[0]))
        rows += flow
    return rows


def body_size(pages: Iterable[list[Row]]) -> float:
    """The size in which most of the text is set."""
    return _usual(pages, lambda piece: round(piece.size * 4) / 4) or 10.0


def is_typewritten(pages: Iterable[list[Row]]) -> bool:
    """Whether most of the text is in a font of one width, which then says nothing of code."""
    return _usual(pages, lambda piece: piece.mono) or False


def _usual(pages: Iterable[list[Row]], trait: Callable[[Piece], T]) -> T | None:
    counts: Counter[T] = Counter()
    for piece in (piece for rows in pages for row in rows for piece in row.pieces):
        counts[trait(piece)] += len(piece.text)
    return counts.most_common(1)[0][0] if counts else None
