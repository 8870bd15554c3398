"""Rows of data: a table fitted to the terminal, or tab-separated lines for whatever reads a pipe."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from rich.cells import cell_len, set_cell_size

from limen.kit.text import printable
from limen.surfaces.cli.screen import Screen, Style

_GAP = "  "
_INDENT = " " * 6
# A column that gives way never gets narrower than this.
_LEAST = 12


class Column(msgspec.Struct, frozen=True):
    """A column: its heading, its side, and whether it gives way first when there is too little room."""

    name: str
    side: Literal["left", "right"] = "left"
    gives_way: bool = False
    style: Style = "plain"


def show_table(
    screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[str]], under: Sequence[Sequence[str]] = ()
) -> None:
    """Write rows under their headings; at a terminal each with its lines of `under` beneath it."""
    cells = [[" ".join(printable(cell).split()) for cell in row] for row in rows]
    if not screen.out_is_terminal:
        for row in ([column.name for column in columns], *cells):
            screen.line("\t".join(row))
        return
    widths = fitted(columns, cells, screen.width)
    shown = [index for index, width in enumerate(widths) if width]
    screen.line(_GAP.join(_sized(columns[index].name, widths[index], columns[index]) for index in shown).rstrip(), "dim")
    for number, row in enumerate(cells):
        for index in shown:
            text = _sized(row[index], widths[index], columns[index])
            screen.write(text.rstrip() if index == shown[-1] else text + _GAP, columns[index].style)
        screen.line()
        for line in under[number] if under else ():
            screen.line(f"{_INDENT}{printable(line)}", "dim")


def fitted(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """A width for each column, 0 for one without any content; those that give way share what the others leave of `room`."""
    widths = [max((cell_len(row[index]) for row in rows), default=0) for index in range(len(columns))]
    widths = [max(width, cell_len(column.name)) if width else 0 for column, width in zip(columns, widths, strict=True)]
    excess = sum(widths) + len(_GAP) * (sum(map(bool, widths)) - 1) - room
    while excess > 0:
        index = max((index for index, column in enumerate(columns) if column.gives_way), key=widths.__getitem__, default=0)
        if not columns[index].gives_way or widths[index] <= _LEAST:
            break
        widths[index] -= 1
        excess -= 1
    return widths


def _sized(text: str, width: int, column: Column) -> str:
    length = cell_len(text)
    if length > width:
        head = (width - 1) * 2 // 3
        tail = width - 1 - head
        end = text[-tail:] if tail else ""
        text = f"{set_cell_size(text, head)}…{end}"
        return set_cell_size(text, width)
    return text + " " * (width - length) if column.side == "left" else " " * (width - length) + text
