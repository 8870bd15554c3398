"""OpenDocument spreadsheets (.ods) to a Page: each sheet a section, its cells as tables (ODF 1.3 part 3, 9)."""

import re
from collections.abc import Iterator
from itertools import islice

from turbohtml import Element

from limen.core.web import Page
from limen.reading.formats.blocks import Blocks, heading, line_of, page_of, text_html
from limen.reading.formats.office.grid import MOST_CELLS, Grid
from limen.reading.formats.office.number_format import Format, shown
from limen.reading.formats.office.open_document import OpenText, count, opened, properties
from limen.reading.formats.office.open_styles import OpenStyles
from limen.reading.formats.office.package import children, first, value

_THROUGH = frozenset({"table-row-group", "table-header-rows", "table-rows"})
_DURATION = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
_HIDDEN = frozenset({"collapse", "filter"})
# How often a row that holds something is repeated before it is taken for a fill.
_MOST_REPEATS = 1_000


def read_open_sheets(data: bytes) -> Page:
    """The cells of a workbook's sheets, with what their formulas gave; hidden sheets and rows are left out and named."""
    package = opened(data)
    content = package.main("content.xml")
    styles = OpenStyles(content)
    text = OpenText(package, styles)
    blocks, hidden, notices, left = Blocks(), [], [], MOST_CELLS
    for tag, sheet in children(first(content, "body", "spreadsheet")):
        if tag != "table":
            continue
        name = line_of(value(sheet, "name"))
        if styles.hidden(value(sheet, "style-name"), "table-properties"):
            hidden.append(name)
            continue
        blocks.add(heading(2, text_html(name)))
        grid = Grid(left)
        if not _fill(grid, sheet, text):
            notices.append(f"Of the sheet {name} the first {grid.last_row:,} rows are shown.")
        left -= grid.cells
        grid.write(blocks)
        text.notes_to(blocks)
    return page_of(blocks.html(), properties(package), text.dropped, kind="sheet", hidden=hidden, notices=notices)


def _fill(grid: Grid, sheet: Element, text: OpenText) -> bool:
    number = 0
    for row in _rows(sheet):
        repeated = count(row, "number-rows-repeated")
        if value(row, "visibility") in _HIDDEN:
            text.dropped["hidden row"] += 1 if first(row, "table-cell", "p") is not None else 0
            continue
        cells = list(islice(_cells(row, text), MOST_CELLS + 1))
        for repeat in range(min(repeated, _MOST_REPEATS) if cells else 0):
            if not grid.row(number + repeat + 1, cells):
                return False
        number += repeated
    return True


def _rows(element: Element) -> Iterator[Element]:
    for tag, child in children(element):
        if tag in _THROUGH:
            yield from _rows(child)
        elif tag == "table-row":
            yield child


def _cells(row: Element, text: OpenText) -> Iterator[tuple[int, str]]:
    column = 1
    for tag, cell in children(row):
        repeated = count(cell, "number-columns-repeated")
        html = _shown(cell, text) if tag == "table-cell" else ""
        if html:
            yield from ((column + repeat, html) for repeat in range(min(repeated, _MOST_REPEATS)))
        column += repeated


def _shown(cell: Element, text: OpenText) -> str:
    """A cell as it reads, unless that is rounded: then its exact value."""
    html = "<br>".join(filter(str.strip, (text.line(one) for tag, one in children(cell) if tag == "p")))
    notes = "".join(text.remark(one) for tag, one in children(cell) if tag == "annotation")
    return (_exact(cell, html) + notes) if html or notes else ""


def _exact(cell: Element, html: str) -> str:
    kind, said = cell.attr("office:value-type") or "", cell.attr("office:value") or ""
    if kind == "date":
        day, _, time = (cell.attr("office:date-value") or html).partition("T")
        return text_html(f"{day} {time.removesuffix(':00')}" if time.strip("0:") else day)
    if kind == "time":
        found = _DURATION.match(cell.attr("office:time-value") or "")
        return f"{found[1]}:{found[2]}" + (f":{found[3]}" if found[3] != "00" else "") if found else html
    if kind not in {"float", "percentage", "currency"}:
        return html
    exact = shown(said, Format("percent" if kind == "percentage" else "number"))
    if _digits(html) in {"", _digits(exact)}:
        return exact if html.replace(",", ".") == exact else html
    return text_html(f"{exact} {cell.attr('office:currency') or ''}".strip())


def _digits(said: str) -> str:
    return re.sub(r"<[^>]*>|[^0-9]", "", said).strip("0")
