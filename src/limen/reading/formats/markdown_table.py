"""Tables as Markdown writes them."""

from collections.abc import Iterable, Sequence


def markdown_table(rows: Iterable[Sequence[str]], width: int) -> str:
    """Rows of cells on one line each, `|` escaped, padded to `width`; the first is the head, which Markdown wants."""
    lines = [_line(row, width) for row in rows]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]])


def _line(row: Sequence[str], width: int) -> str:
    cells = " | ".join(cell.replace("|", "\\|") if "|" in cell else cell for cell in row)
    return f"| {cells} |" + " |" * (width - len(row))
