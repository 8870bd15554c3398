"""Tables that Markdown can write: square, without spans; layout tables become plain blocks."""

from turbohtml import Element

# A span beyond this is a mistake or an attack; browsers stop at 1,000.
_SPAN_LIMIT = 100
_CELL_LIMIT = 200_000
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})


def mend_tables(region: Element) -> None:
    """Make each table below `region` square, or plain blocks where it only lays things out."""
    for table in region.select("table"):
        rows = _rows(table)
        cells = _cells(rows)
        if _lays_out(table, cells):
            _to_blocks(table, rows, cells)
        else:
            _square(rows, cells)


def _rows(table: Element) -> list[Element]:
    rows = []
    for child in table.children:
        if isinstance(child, Element):
            if child.tag == "tr":
                rows.append(child)
            elif child.tag in _SECTIONS:
                rows += [row for row in child.children if isinstance(row, Element) and row.tag == "tr"]
    return rows


def is_layout(table: Element) -> bool:
    """Whether a table only lays things out, and is written as plain blocks."""
    return _lays_out(table, _cells(_rows(table)))


def _cells(rows: list[Element]) -> list[list[Element]]:
    return [[cell for cell in row.children if isinstance(cell, Element) and cell.tag in {"td", "th"}] for row in rows]


def _lays_out(table: Element, cells: list[list[Element]]) -> bool:
    if table.attr("role") in {"presentation", "none"}:
        return True
    if table.select_one("table,h1,h2,h3,h4,h5,h6,main,article") is not None:
        return True
    if any("\n" in block.text.strip() for block in table.select("pre")):
        return True
    if max((len(row) for row in cells), default=0) <= 1:
        return True
    return len(cells) == 1 and table.select_one("th") is None


def _to_blocks(table: Element, rows: list[Element], cells: list[list[Element]]) -> None:
    for row, entries in zip(rows, cells, strict=True):
        if any(cell.select_one("pre") is not None for cell in entries):
            for cell in entries:
                if all(word.isdigit() for word in cell.text.split()):
                    cell.extract()
        for cell in entries:
            cell.tag = "div"
        row.tag = "div"
    for child in list(table.children):
        if isinstance(child, Element) and child.tag == "colgroup":
            child.extract()
        elif isinstance(child, Element) and (child.tag in _SECTIONS or child.tag == "caption"):
            child.tag = "div"
    table.tag = "div"


def _square(rows: list[Element], cells: list[list[Element]]) -> None:
    """Write spans as empty cells and fill short rows, so that every row has as many cells."""
    covered: dict[int, int] = {}
    widths = [_spread(row, entries, covered) for row, entries in zip(rows, cells, strict=True)]
    width = max(widths, default=0)
    if width * len(rows) > _CELL_LIMIT and width > 2 * sorted(widths)[len(widths) // 2]:
        return
    for row, have in zip(rows, widths, strict=True):
        row.extend(Element("td") for _ in range(width - have))


def _spread(row: Element, entries: list[Element], covered: dict[int, int]) -> int:
    """Spell out one row's spans; `covered` maps columns to the rows that a cell above still reaches into."""
    column = 0
    for cell in entries:
        while covered.get(column, 0) > 0:
            covered[column] -= 1
            cell.insert_before(Element("td"))
            column += 1
        across, down = _span(cell, "colspan"), _span(cell, "rowspan")
        for offset in range(across):
            covered[column + offset] = down - 1
            if offset:
                cell.insert_after(Element("td"))
        column += across
    while covered.get(column, 0) > 0:
        covered[column] -= 1
        row.append(Element("td"))
        column += 1
    return column


def _span(cell: Element, name: str) -> int:
    value = cell.attr(name)
    if value is None:
        return 1
    del cell.attrs[name]
    digits = value.strip()
    return min(max(int(digits), 1), _SPAN_LIMIT) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 1
