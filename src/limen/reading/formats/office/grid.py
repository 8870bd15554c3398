"""The cells of a sheet as the tables that stand on it: rows without a gap belong together."""

from collections.abc import Iterable

from limen.reading.formats.blocks import Blocks, table

# About what a person's largest tables hold; with their rows they stay below the tags that a page may have (`html.excess`).
MOST_CELLS = 190_000
# A table may have so many empty cells to each that holds something, beside the few that all have.
_SPARSE = 4


class Grid:
    """Takes rows in order, then writes them. Cells are HTML by their column; an empty row parts two tables."""

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        self._most_cells = most_cells
        self._tables: list[list[dict[int, str]]] = []
        self.cells = 0
        self.last_row = 0

    def row(self, number: int, cells: Iterable[tuple[int, str]]) -> bool:
        """Take a row's cells that hold something; False, and nothing is taken, where there is no more room."""
        row = dict(cells)
        if not row:
            return True
        if self.cells + len(row) > self._most_cells:
            return False
        if not self._tables or number > self.last_row + 1:
            self._tables.append([])
        self._tables[-1].append(row)
        self.cells += len(row)
        self.last_row = number
        return True

    def write(self, blocks: Blocks) -> None:
        """The tables; a column alone, or cells that lie scattered, as paragraphs."""
        for rows in self._joined():
            columns = sorted({column for row in rows for column in row})
            held = sum(map(len, rows))
            if len(columns) == 1 or len(columns) * len(rows) > _SPARSE * held + self._most_cells:
                for row in rows:
                    blocks.paragraph(" · ".join(row[column] for column in sorted(row)))
            else:
                blocks.add(table([row.get(column, "") for column in columns] for row in rows))

    def _joined(self) -> list[list[dict[int, str]]]:
        """A lone row below a table goes on with it where it stands in the same columns: a sum below a gap."""
        joined: list[list[dict[int, str]]] = []
        columns: set[int] = set()
        for rows in self._tables:
            if len(rows) == 1 and joined and len(joined[-1]) > 1 < len(rows[0]) and columns.issuperset(rows[0]):
                joined[-1] += rows
            else:
                joined.append(list(rows))
                columns = set().union(*rows)
        return joined
