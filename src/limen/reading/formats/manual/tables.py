"""Tables of manual pages by tbl(1) as HTML."""

import re
from collections.abc import Callable, Iterator

from limen.reading.formats.blocks import table
from limen.reading.formats.manual.text import Inline

_TAB = re.compile(r"\btab\s*\(\s*(.)\s*\)")
_RULE = re.compile(r"\s*(?:[_=]|\\_|\\=)\s*$")
_MOST_ROWS = 5_000
_MOST_CELLS = 60
CellText = Callable[[list[str], Inline], str]


def table_of(lines: Iterator[str], inline: Inline, cell_text: CellText) -> str:
    """The table that these lines between `.TS` and `.TE` describe. `cell_text` reads the lines of a cell that has several."""
    every = list(lines)
    tab, start = _options(every)
    formats, start = _formats(every, start)
    rows: list[list[str]] = []
    at = start
    while at < len(every) and len(rows) < _MOST_ROWS:
        row, at = _row(every, at, tab, inline, cell_text)
        if row is not None:
            rows.append(row)
    width = max(map(len, rows), default=0)
    if not width:
        return ""
    if width == 1:
        return "".join(f"<p>{row[0]}</p>" for row in rows)
    return table(rows, headed=_is_head(formats, rows))


def _options(lines: list[str]) -> tuple[str, int]:
    for number, line in enumerate(lines[:4]):
        if line.rstrip().endswith(";"):
            found = _TAB.search(line)
            return (found.group(1) if found else "\t"), number + 1
        if line.rstrip().endswith("."):
            break
    return "\t", 0


def _formats(lines: list[str], start: int) -> tuple[list[str], int]:
    """The format lines, and where the data begins: after the one that ends in a full stop."""
    found: list[str] = []
    for number in range(start, len(lines)):
        line = lines[number].rstrip()
        found += line.rstrip(".").split(",")
        if line.endswith("."):
            return found, number + 1
    return found, len(lines)


def _row(lines: list[str], at: int, tab: str, inline: Inline, cell_text: CellText) -> tuple[list[str] | None, int]:
    """One row, and where the next begins; None for rules and requests."""
    line = lines[at]
    if line[:1] in {".", "'"} and line[1:2].isalpha():
        if line[1:].strip() == "T&":
            _, at = _formats(lines, at + 1)
            return None, at
        return None, at + 1
    if _RULE.match(line) or not line.strip():
        return None, at + 1
    cells: list[str] = []
    rest = line
    while True:
        if rest.rstrip() == "T{" or rest.startswith("T{"):
            block: list[str] = [rest[2:]] if rest[2:].strip() else []
            at += 1
            while at < len(lines) and not lines[at].startswith("T}"):
                block.append(lines[at])
                at += 1
            inline.reset()
            cells.append(cell_text(block, inline))
            rest = lines[at][2:] if at < len(lines) else ""
            if not rest.startswith(tab):
                break
            rest = rest[len(tab) :]
            continue
        cell, found, rest = rest.partition(tab)
        inline.reset()
        cells.append("" if _RULE.match(cell) or cell.strip() == "\\^" else inline.html(cell.strip()))
        if not found:
            break
        if len(cells) >= _MOST_CELLS:
            break
    inline.reset()
    return cells, at + 1


def _is_head(formats: list[str], rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: its format is bold, or all its cells are."""
    first = formats[0].lower() if formats else ""
    bold = "b" in first and len(formats) > 1
    return bold or all(cell.startswith("<b>") and cell.endswith("</b>") for cell in rows[0] if cell)
