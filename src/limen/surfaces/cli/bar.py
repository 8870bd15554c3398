"""A progress bar for work that counts what it reads: on a terminal's stderr, and nowhere else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from limen.kit.text import printable
from limen.surfaces.cli.screen import Screen

# How many are done, of how many, and what comes next.
Told = Callable[[int, int, str], None]

_LABEL_CHARS = 48


@contextmanager
def reading_bar(screen: Screen) -> Iterator[Told]:
    """The bar, for the length of a block, gone afterwards; what it is told is what it shows."""
    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}", markup=False),
    )
    console = Console(file=sys.stderr, markup=False, highlight=False)
    shown = screen.err_is_terminal and not screen.quiet
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("reading", total=None, label="")

        def told(done: int, total: int, label: str) -> None:
            progress.update(task, completed=done, total=total, label=printable(end_of(label)))

        yield told


def end_of(path: str) -> str:
    """The end of a path, which tells more than its beginning."""
    return path if len(path) <= _LABEL_CHARS else "…" + path[-_LABEL_CHARS + 1 :]
