"""Tables that Markdown can write: square, spans filled with what they say; layout tables become plain blocks."""

from collections.abc import Sequence

from turbohtml import Element, Text

from limen.reading.elements import children_of

# A span beyond this is a mistake or an attack; browsers stop at 1,000.
_SPAN_LIMIT = 100
# Cells and characters that a page's spans may add to it.
_ADDED_CELLS = 50_000
_ADDED_CHARS = 100_000
_COPIED_CHARS = 120
_TITLE_CHARS = 200
_CELL_CHARS = 600
_LIST_CHARS = 300
_VALUES_CHARS = 3_000
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_HEADINGS = "h1,h2,h3,h4,h5,h6"
# A table with one of these is no table of data, nor is one with a cell as long as a page's section that has a heading.
_PARTS = "table,main,article,form"
_BLOCKS = "p,div,ul,ol,dl,table,pre,blockquote,section,article,hr,figure,address,details,h1,h2,h3,h4,h5,h6"

Cells = list[list[Element]]


def mend_tables(region: Element) -> None:
    """Make each table below `region` square, or plain blocks where it only lays things out."""
    room = _Room()
    for table in region.select("table"):
        if table.tag != "table":  # became part of a cell around it
            continue
        for caption in children_of(table, "caption", "colgroup"):
            caption.extract()
            if caption.text.strip():
                caption.tag = "div"
                table.insert_before(caption)
        rows = _rows(table)
        cells = _cells(rows)
        if _lays_out(table, cells):
            _to_blocks(table, rows, cells)
        else:
            _to_grid(table, rows, cells, room)


def is_layout(table: Element) -> bool:
    """Whether a table only lays things out, and is written as plain blocks."""
    return _lays_out(table, _cells(_rows(table)))


def _rows(table: Element) -> list[Element]:
    rows = []
    for child in children_of(table, "tr", *_SECTIONS):
        rows += [child] if child.tag == "tr" else children_of(child, "tr")
    return rows


def _cells(rows: list[Element]) -> Cells:
    return [children_of(row, "td", "th") for row in rows]


def _lays_out(table: Element, cells: Cells) -> bool:
    if table.attr("role") in {"presentation", "none"}:
        return True
    if table.select_one(_PARTS) is not None and not (_is_headed(cells) and _holds_values(table)):
        return True
    if max((len(row) for row in cells), default=0) <= 1:
        return True
    if any("\n" in block.text.strip() for block in table.select("pre")) or _holds_lists(table, cells):
        return True
    if any(heading.closest("caption") is None for heading in table.select(_HEADINGS)):
        return not _is_headed(cells) or any(len(cell.text) > _CELL_CHARS for row in cells for cell in row)
    return len(cells) == 1 and table.select_one("th") is None


def _holds_values(table: Element) -> bool:
    """Whether the tables in a table are no more than values of its cells, set in columns."""
    inner = table.select("table")
    return bool(inner) and all(
        value.select_one("table,th,form,article") is None and len(value.text) <= _VALUES_CHARS for value in inner
    )


def _is_headed(cells: Cells) -> bool:
    """Whether the first row says what the columns are."""
    if len(cells) < 2 or len(cells[0]) < 2:
        return False
    section = cells[0][0].closest("thead,table")
    return all(cell.tag == "th" for cell in cells[0]) or (section is not None and section.tag == "thead")


def _holds_lists(table: Element, cells: Cells) -> bool:
    """Whether lists are what a table is about: long ones, or several items in cells without names."""
    lists = table.select("ul,ol")
    if not lists:
        return False
    if not _is_headed(cells):
        return any(len(listing.select("li")) > 1 for listing in lists) or 2 * len(lists) > sum(map(len, cells))
    return any(len(listing.text) > _LIST_CHARS for listing in lists)


def _to_blocks(table: Element, rows: list[Element], cells: Cells) -> None:
    headed = _is_headed(cells) and len({len(row) for row in cells}) == 1 and table.select_one("pre,ul,ol") is not None
    labels = [" ".join(cell.text.split())[:_COPIED_CHARS] for cell in cells[0]] if headed else []
    for row, entries in zip(rows, cells, strict=True):
        numbers = [cell for cell in entries if all(word.isdigit() for word in cell.text.split())]
        if numbers and any(cell.select_one("pre") is not None and cell not in numbers for cell in entries):
            for cell in numbers:
                cell.extract()
        if len({cell.tag for cell in entries}) > 1 and entries[0].tag == "th" and entries[0].select_one("strong,b,pre") is None:
            entries[0].wrap_children(Element("strong"))
        inline = not labels and all(cell.select_one(_BLOCKS) is None for cell in entries)
        for place, cell in enumerate(entries):
            cell.tag = "span" if inline else "div"
            if inline and place:
                cell.insert_before(Text(" "))
            elif labels and row != rows[0] and labels[place]:
                cell.insert(0, Element("p", {}, [Element("strong", {}, [Text(labels[place])])]))
        row.tag = "div"
    if labels:
        rows[0].extract()
    for section in children_of(table, *_SECTIONS):
        section.tag = "div"
    table.tag = "div"


def _to_grid(table: Element, rows: list[Element], cells: Cells, room: "_Room") -> None:
    for block in table.select("pre"):
        block.unwrap()
    for values in table.select("table"):
        for part in (values, *values.select("tr,td,th")):
            part.tag = "div" if part.tag in {"table", "tr"} else "span"
            part.insert(0, Text(" "))
    for line_break in table.select("td:has(br ~ br) br"):
        _divide(line_break)
    for item in table.select("ul > li"):  # as a list it would begin with a sign that is emphasis within a line
        item.tag = "div"
        item.insert(0, Text("• "))
    for heading in table.select(_HEADINGS):
        heading.tag = "strong" if heading.select_one("strong,b") is None else "span"
    widths = [sum(_span(cell, "colspan") for cell in row) for row in cells]
    width = max(widths, default=0)
    _lift_titles(table, rows, cells, width)
    if not rows:
        return
    starts_at_once = _starts_at_once(rows[0], cells[0])
    room.square(rows, cells, width)
    if starts_at_once:
        rows[0].insert_before(Element("tr", {}, [Element("th") for _ in range(len(rows[0].select("td,th")))]))


def _divide(line_break: Element) -> None:
    """Where a cell has lines, as a list has items, a sign stands between them."""
    before, after = line_break.previous_sibling, line_break.next_sibling
    is_between = isinstance(before, Text) and isinstance(after, Text) and before.data.strip() and after.data.strip()
    if is_between and isinstance(before, Text) and before.data.rstrip()[-1] not in ".,;:!?":
        before.data = f"{before.data.rstrip()};"
    line_break.replace_with(Text(" "))


def _starts_at_once(row: Element, cells: Sequence[Element]) -> bool:
    """Whether a first row is one as all others, which says in its first cell what it is about: then no row names the columns."""
    if not cells or (isinstance(row.parent, Element) and row.parent.tag == "thead"):
        return False
    if cells[0].tag == "th":
        return any(cell.tag == "td" for cell in cells)
    return cells[0].text.rstrip()[-1:] == ":" and all(cell.tag == "td" for cell in cells)


def _lift_titles(table: Element, rows: list[Element], cells: Cells, width: int) -> None:
    """Rows on top that are one cell over all columns are the table's title."""
    while len(rows) > 1 and width > 1 and len(cells[0]) == 1 and _span(cells[0][0], "colspan") >= width:
        title = cells[0][0]
        if len(title.text) > _TITLE_CHARS:
            return
        rows.pop(0).extract()
        cells.pop(0)
        title.extract()
        if title.tag == "th" and title.select_one("strong,b") is None and title.text.strip():
            title.wrap_children(Element("strong"))
        title.tag = "div"
        table.insert_before(title)


class _Room:
    """How much the spans of a page may still add to it."""

    def __init__(self) -> None:
        self._cells = _ADDED_CELLS
        self._chars = _ADDED_CHARS

    def square(self, rows: Sequence[Element], cells: Cells, width: int) -> None:
        """Spell out spans and fill short rows, so that every row has as many cells."""
        below: dict[int, tuple[int, str]] = {}
        widths = [self._spread(row, entries, below, width) for row, entries in zip(rows, cells, strict=True)]
        width = max(widths, default=0)
        for row, have in zip(rows, widths, strict=True):
            if self._cells >= width - have:
                self._cells -= width - have
                row.extend(Element("td") for _ in range(width - have))

    def _spread(self, row: Element, entries: Sequence[Element], below: dict[int, tuple[int, str]], width: int) -> int:
        """Spell out one row's spans. `below` maps columns to the rows that a cell above still reaches into and what it says."""
        column = 0
        for cell in entries:
            while (copy := self._copy(below, column)) is not None:
                cell.insert_before(copy)
                column += 1
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            for name in ("colspan", "rowspan"):
                if cell.attr(name) is not None:
                    del cell.attrs[name]
            text = _said(cell) if down > 1 or (cell.tag == "th" and 1 < across < width) else ""
            last = cell
            for offset in range(across):
                if down > 1:
                    below[column + offset] = (down - 1, text if offset == 0 or cell.tag == "th" else "")
                if offset and self._cells > 0:
                    added = self._cell(text if cell.tag == "th" and across < width else "")
                    last.insert_after(added)
                    last = added
            column += across
        while (copy := self._copy(below, column)) is not None:
            row.append(copy)
            column += 1
        return column

    def _copy(self, below: dict[int, tuple[int, str]], column: int) -> Element | None:
        """What a cell above says in this row; None where no cell reaches."""
        rows, text = below.pop(column, (0, ""))
        if rows == 0 or self._cells <= 0:
            return None
        if rows > 1:
            below[column] = (rows - 1, text)
        return self._cell(text)

    def _cell(self, text: str) -> Element:
        self._cells -= 1
        if not text or len(text) > self._chars:
            return Element("td")
        self._chars -= len(text)
        return Element("td", {}, [Text(text)])


def _said(cell: Element) -> str:
    """What a cell says, short enough to be said again."""
    text = " ".join(cell.text.split())
    return text if len(text) <= _COPIED_CHARS else ""


def _span(cell: Element, name: str) -> int:
    digits = (cell.attr(name) or "").strip()
    return min(max(int(digits), 1), _SPAN_LIMIT) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 1
