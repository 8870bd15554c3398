"""Tables in the rows of a PDF page: only where cells stand in columns beyond doubt."""

import statistics
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from limen.reading.formats.markdown_table import markdown_table
from limen.reading.formats.pdf_rows import Row
from limen.reading.formats.pdf_words import Piece

_FEWEST_ROWS = 3
_FEWEST_ROWS_OF_TWO = 4
# Longer cells are columns of prose; a wide table may have one such column.
_CELL_CHARS = 45
_ALIGNED_SHARE = 0.7
_WHOLE_SHARE = 0.4
_MOST_COLUMNS = 40
_ROW_GAP = 2.5

Span = tuple[float, float]


class Table(msgspec.Struct):
    """Rows `start` to `end` (not included) of a page as cells."""

    start: int
    end: int
    cells: list[list[str]]

    def written(self) -> str:
        """Markdown; the first row is the header, as Markdown knows no table without one."""
        return markdown_table(self.cells, len(self.cells[0]))


def tables_of(rows: list[Row]) -> dict[int, Table]:
    """The tables of a page by the index of their first row."""
    found: dict[int, Table] = {}
    at = 0
    while at < len(rows):
        end = _stretch(rows, at) if len(rows[at].pieces) > 1 else at
        if end - at >= _FEWEST_ROWS:
            whole = _table(rows, at, end)
            for table in [whole] if whole else _parts(rows, at, end):
                found[table.start] = table
        at = max(end, at + 1)
    return found


def _parts(rows: list[Row], start: int, end: int) -> Iterator[Table]:
    """Tables of as many cells in each row, one under the other."""
    at = start
    while at < end:
        after = at + 1
        while after < end and len(rows[after].pieces) == len(rows[at].pieces):
            after += 1
        table = _table(rows, at, after) if after - at >= _FEWEST_ROWS and len(rows[at].pieces) > 1 else None
        if table is not None:
            yield table
        at = after


def _stretch(rows: list[Row], start: int) -> int:
    """The end of the rows from `start` that may be one table: of several cells, or one cell between such."""
    end = at = start
    lone = 0
    while at < len(rows):
        row = rows[at]
        if at > start and (row.fresh or row.top - rows[at - 1].bottom > _ROW_GAP * row.size):
            break
        if row.contents:
            break
        lone = 0 if len(row.pieces) > 1 else lone + 1
        if lone > 2:
            break
        at += 1
        if not lone:
            end = at
    while end < at and _continues(rows[end - 1], rows[end]):
        end += 1
    return end


def _continues(last: Row, row: Row) -> bool:
    """Whether a lone piece under a table goes on with its last column."""
    return len(row.pieces) == 1 and row.x0 > last.pieces[0].x1 and any(abs(row.x0 - one.x0) < 2 for one in last.pieces[1:])


def _table(rows: list[Row], start: int, end: int) -> Table | None:
    inside = rows[start:end]
    several = [row for row in inside if len(row.pieces) > 1]
    usual = Counter(len(row.pieces) for row in several).most_common(1)[0][0]
    fullest = max(len(row.pieces) for row in several)
    for count in dict.fromkeys((usual, fullest)):
        whole = [row for row in several if len(row.pieces) == count]
        if len(whole) < max(_FEWEST_ROWS - 1, _WHOLE_SHARE * len(inside)) or count > _MOST_COLUMNS:
            continue
        columns = _columns(whole, count)
        if columns is None or len(several) < (_FEWEST_ROWS_OF_TWO if count == 2 else _FEWEST_ROWS):
            continue
        last = len(inside)
        while last and any(_crosses(piece, columns) for piece in inside[last - 1].pieces):
            last -= 1  # a note on the table
        cells = _cells(inside[:last], columns)
        if _is_believed(cells):
            return Table(start, start + last, cells)
    return None


def _columns(rows: list[Row], count: int) -> list[Span] | None:
    """The columns' spans, where the cells of each line up at their start, middle or end and none reaches into another."""
    spans: list[Span] = []
    for column in range(count):
        cells = [row.pieces[column] for row in rows]
        if not _aligned(cells):
            return None
        spans.append((min(cell.x0 for cell in cells), max(cell.x1 for cell in cells)))
    if any(before[1] > after[0] for before, after in pairwise(spans)):
        return None
    return spans


def _aligned(cells: list[Piece]) -> bool:
    allowed = max(1.5, 0.35 * cells[0].size)
    for places in ([cell.x0 for cell in cells], [cell.x1 for cell in cells], [(cell.x0 + cell.x1) / 2 for cell in cells]):
        middle = statistics.median_low(places)
        if sum(abs(place - middle) <= allowed for place in places) >= _ALIGNED_SHARE * len(places):
            return True
    return False


def _cells(rows: list[Row], columns: list[Span]) -> list[list[str]]:
    cells: list[list[str]] = []
    for row in rows:
        line = [""] * len(columns)
        for piece in row.pieces:
            column = _column_of(piece, columns)
            line[column] = f"{line[column]} {piece.text}".strip()
        if cells and len(row.pieces) == 1 and not line[0]:
            column = next(index for index, cell in enumerate(line) if cell)
            cells[-1][column] = f"{cells[-1][column]} {line[column]}".strip()
        else:
            cells.append(line)
    return cells


def _crosses(piece: Piece, columns: list[Span]) -> bool:
    """Whether a piece is a sentence over several columns."""
    return len(piece.text) > _CELL_CHARS and sum(piece.x0 < right and piece.x1 > left for left, right in columns) > 2


def _column_of(piece: Piece, columns: list[Span]) -> int:
    """The column that a piece shares most with, else the nearest."""
    return max(range(len(columns)), key=lambda column: min(piece.x1, columns[column][1]) - max(piece.x0, columns[column][0]))


def _is_believed(cells: list[list[str]]) -> bool:
    if len(cells) < _FEWEST_ROWS:
        return False
    lengths = [statistics.mean(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    if sum(length > _CELL_CHARS for length in lengths) > (1 if len(lengths) > 2 else 0):
        return False
    numbers = [int(row[0]) for row in cells if row[0].isdecimal() and len(row[0]) < 9]
    counted = all(after - before == 1 for before, after in pairwise(numbers))
    return not (len(lengths) == 2 and len(numbers) > 0.8 * len(cells) and counted and lengths[1] > 20)
