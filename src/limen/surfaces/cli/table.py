"""Rows of data: a table fitted to the terminal, or tab-separated lines for whatever reads a pipe."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from limen.kit.text import printable
from limen.surfaces.cli.screen import Screen


class Column(msgspec.Struct, frozen=True):
    """A column: its heading, its side, and whether it gives way first when there is too little room."""

    name: str
    side: Literal["left", "right"] = "left"
    gives_way: bool = False
    style: str = ""


def show_table(screen: Screen, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Write rows under their headings."""
    if not screen.out_is_terminal:
        for row in ([column.name for column in columns], *rows):
            screen.line("\t".join(" ".join(cell.split()) for cell in row))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(
            column.name,
            justify=column.side,
            overflow="ellipsis",
            no_wrap=True,
            style=column.style,
            ratio=1 if column.gives_way else None,
            min_width=None if column.gives_way else min(_widest(columns.index(column), columns, rows), 24),
        )
    for row in rows:
        table.add_row(*(Text(printable(" ".join(cell.split()))) for cell in row))
    console = Console(width=screen.width, no_color=not screen.colour, highlight=False, force_terminal=screen.colour)
    with console.capture() as capture:
        console.print(table)
    screen.painted(capture.get())


def _widest(index: int, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    return max([len(columns[index].name), *(len(row[index]) for row in rows)])
