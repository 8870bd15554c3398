"""Spreadsheets (.xlsx) to a Page: each sheet a section, its cells as tables (ECMA-376 part 1, 18)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from turbohtml import Element

from limen.core.web import Page
from limen.reading.formats.blocks import Blocks, comment_by, heading, kept, line_of, link, note, page_of, text_html
from limen.reading.formats.office.grid import MOST_CELLS, Grid
from limen.reading.formats.office.number_format import Format, format_of, shown
from limen.reading.formats.office.package import Package, Relation, children, core_properties, first, local, texts, value, whole

# Of a longer part the beginning is read: at about 40 bytes a cell this is more than is shown.
_SHEET_BYTES = 24_000_000
_STRINGS_BYTES = 48_000_000
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
ROW_END, STRING_END = re.compile(rb"</(\w+:)?row\s*>"), re.compile(rb"</(\w+:)?si\s*>")
_CELL_CHARS = 32_767
# A cell by its row and column, from 1.
Place = tuple[int, int]


def read_sheets(data: bytes) -> Page:
    """The cells of a workbook's sheets, with what their formulas gave; hidden sheets, rows and columns are left out and named."""
    package = Package(data)
    main = package.start("xl/workbook.xml")
    book = _Book(package, main)
    html = book.html()
    return page_of(html, core_properties(package), book.dropped, kind="sheet", hidden=book.hidden, notices=book.notices)


class _Book:
    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._relations = package.related(main)
        self._root = package.main(main)
        parts = {one.kind: one.target for one in self._relations.values()}
        self._formats = _formats(package.xml(parts.get("styles", "")))
        self._from_1904 = value(first(self._root, "workbookPr"), "date1904") in {"1", "true"}
        self.notices: list[str] = []
        self.hidden: list[str] = []
        self.dropped: Counter[str] = Counter()
        self._strings = self._shared(parts.get("sharedStrings", ""))
        self._left_cells = MOST_CELLS
        self._comments = 0

    def html(self) -> str:
        """The sheets in order."""
        blocks = Blocks()
        for _, sheet in children(first(self._root, "sheets")):
            name = line_of(value(sheet, "name"))
            part = self._relations.get(sheet.attr("r:id") or value(sheet, "id"))
            if value(sheet, "state") in {"hidden", "veryHidden"}:
                self.hidden.append(name)
            elif part is not None and part.kind == "worksheet" and part.target in self._package:
                blocks.add(heading(2, text_html(name)))
                self._sheet(name, part.target, blocks)
        return blocks.html()

    def _sheet(self, name: str, part: str, blocks: Blocks) -> None:
        got = self._package.read(part, limit=_SHEET_BYTES)
        data, whole = got if got is not None else (b"", True)
        root = self._package.parsed(data if whole else closed(data, ROW_END, "sheetData"), part)
        relations = self._package.related(part)
        links = _links(root, relations)
        comments = self._remarks(relations)
        hidden = {n for _, one in children(first(root, "cols")) if _is_hidden(one) for n in _columns(one)}
        grid, seen = Grid(self._left_cells), set[int]()
        for number, row in _rows(root):
            if _is_hidden(row):
                self.dropped["hidden row"] += 1
                continue
            cells = {at: html for at, cell in _cells(row) if (html := self._cell(cell))}
            seen |= cells.keys() & hidden
            shown_cells = (
                (at, self._beside((number, at), html, links, comments)) for at, html in cells.items() if at not in hidden
            )
            if not grid.row(number, shown_cells):
                whole = False
                break
        self.dropped["hidden column"] += len(seen)
        self._left_cells -= grid.cells
        grid.write(blocks)
        for sign, html in comments.values():
            blocks.add(note(sign, html))
        if not whole:
            size = value(first(root, "dimension"), "ref")
            self.notices.append(
                f"Of the sheet {name} the first {grid.last_row:,} rows are shown"
                + (f"; it says that it holds {line_of(size)}." if size else ".")
            )

    def _cell(self, cell: Element) -> str:
        kind, said = cell.attr("t") or "n", first(cell, "v")
        text = said.text if said is not None else ""
        if kind == "inlineStr":
            text = _string(first(cell, "is"))
        elif kind == "s":
            text = self._strings[place] if (place := whole(text, len(self._strings))) < len(self._strings) else "…"
        elif kind == "b":
            text = "TRUE" if text == "1" else "FALSE"
        elif kind == "n" and text:
            style = cell.attr("s") or "0"
            form = self._formats[place] if (place := whole(style, len(self._formats))) < len(self._formats) else Format()
            text = shown(text, form, from_1904=self._from_1904)
        formula = first(cell, "f") if not text else None
        if formula is not None and formula.text:
            text = f"={formula.text}"  # nobody has calculated it yet
        return text_html(text.strip()[:_CELL_CHARS]).replace("\n", "<br>")

    def _beside(self, place: Place, html: str, links: Mapping[Place, str], comments: Mapping[Place, tuple[str, str]]) -> str:
        html = link(links.get(place, ""), html)
        return html + kept(f"[^{comments[place][0]}]") if place in comments else html

    def _remarks(self, relations: Mapping[str, Relation]) -> dict[Place, tuple[str, str]]:
        """The comments of a sheet by their cell: sign and text."""
        found: dict[Place, tuple[str, str]] = {}
        for part in (one.target for one in relations.values() if one.kind == "comments"):
            root = self._package.xml(part)
            authors = [one.text for _, one in children(first(root, "authors"))]
            for _, one in children(first(root, "commentList")):
                place, author = _place(value(one, "ref")), value(one, "authorId")
                text = _string(first(one, "text")).strip()
                if place and text:
                    self._comments += 1
                    by = authors[number] if (number := whole(author, len(authors))) < len(authors) else ""
                    found[place] = (f"c{self._comments}", text_html(comment_by(by) + text))
        return found

    def _shared(self, part: str) -> list[str]:
        got = self._package.read(part, limit=_STRINGS_BYTES) if part else None
        if got is None:
            return []
        data, whole = got
        if not whole:
            self.notices.append("Some texts of cells are left out as …, since the workbook has too many of them.")
        root = self._package.parsed(data if whole else closed(data, STRING_END), part)
        return [_string(one) for tag, one in children(root) if tag == "si"]


def closed(data: bytes, end: re.Pattern[bytes], *inner: str) -> bytes:
    """The beginning of an XML part up to its last whole entry, ended as it should be."""
    last = max((found.end() for found in end.finditer(data)), default=0)
    root = re.search(rb"<(\w+:)?(worksheet|sst)\b", data)
    if root is None:
        return data
    prefix = root[1] or b""
    if not last:
        return b"<" + root[2] + b"/>"
    closing = [*(name.encode() for name in inner), root[2]]
    return data[:last] + b"".join(b"</" + prefix + name + b">" for name in closing)


def _formats(root: Element | None) -> list[Format]:
    codes = {value(one, "numFmtId"): value(one, "formatCode") for _, one in children(first(root, "numFmts"))}
    made: dict[str, Format] = {}
    formats = []
    for _, one in children(first(root, "cellXfs")):
        number = value(one, "numFmtId") or "0"
        if number not in made:
            made[number] = format_of(whole(number), codes.get(number))
        formats.append(made[number])
    return formats


def _string(element: Element | None) -> str:
    """The text of a string with or without runs; how it is spoken, in East Asian files, is left out."""
    return "".join(one.text if tag == "t" else texts(one) for tag, one in children(element) if tag in {"t", "r"})


def _rows(root: Element) -> Iterator[tuple[int, Element]]:
    number = 0
    for tag, row in children(first(root, "sheetData")):
        if tag == "row":
            said = row.attr("r") or ""
            number = whole(said, number + 1)
            yield number, row


def _cells(row: Element) -> Iterator[tuple[int, Element]]:
    column = 0
    for cell in row.children:
        if isinstance(cell, Element) and local(cell) == "c":
            place = _place(cell.attr("r") or "")
            column = place[1] if place else column + 1
            yield column, cell


def _place(said: str) -> Place | None:
    """The cell of a name: `B7`."""
    found = _CELL.match(said)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]), column


def _links(root: Element, relations: Mapping[str, Relation]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for _, one in children(first(root, "hyperlinks")):
        place, relation = _place(value(one, "ref")), relations.get(one.attr("r:id") or "")
        if place and relation is not None and relation.external:
            found[place] = relation.target
    return found


def _columns(element: Element) -> Iterable[int]:
    low, high = whole(value(element, "min")), whole(value(element, "max"))
    # Sheets hide everything to the right of what they use.
    return range(low, min(high, low + 16_384) + 1) if low else ()


def _is_hidden(element: Element) -> bool:
    return value(element, "hidden") in {"1", "true"}
