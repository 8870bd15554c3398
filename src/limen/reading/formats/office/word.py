"""Word documents (.docx) to a Page: WordprocessingML (ECMA-376 part 1, 17) as HTML."""

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
from turbohtml import Element

from limen.core.web import Page
from limen.reading.formats.blocks import Blocks, Entry, heading, line_of, note, page_of, spans, table, text_html, words_of
from limen.reading.formats.office.numbering import Numbered, Numbering, Style, Styles
from limen.reading.formats.office.package import Package, Relation, below, children, core_properties, first, spanned, value, whole
from limen.reading.formats.office.words import Notes, Source, Words

# Wrappers that stand for what is in them.
_THROUGH = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"})


def read_word(data: bytes) -> Page:
    """The text of a Word document: headings, lists, tables, notes, comments, formulas, inserted words.

    Headers, footers, tables of contents, deleted and hidden words are left out.
    """
    package = Package(data)
    main = package.start("word/document.xml")
    document = _Document(package, main)
    html = document.html()
    return page_of(html, core_properties(package, document.title), document.dropped)


class _Document:
    def __init__(self, package: Package, main: str) -> None:
        folder = main.rpartition("/")[0]
        self._relations: Mapping[str, Relation] = package.related(main)
        parts = {one.kind: one.target for one in self._relations.values() if not one.external}
        self._root = package.main(main)
        self._styles = Styles(package.xml(parts.get("styles", f"{folder}/styles.xml")))
        self._numbering = Numbering(package.xml(parts.get("numbering", f"{folder}/numbering.xml")), self._styles)
        self.dropped: Counter[str] = Counter()
        self._source = Source(self._styles, Notes(package, parts), self.dropped)
        self._below_title = 0
        self._anchor = ""
        self.title = ""

    def html(self) -> str:
        """The body, then the notes in the order in which the text refers to them."""
        blocks = Blocks()
        self._blocks(first(self._root, "body"), blocks)
        for one in self._source.notes:
            self._relations = one.relations
            blocks.add(note(one.sign, self._cell(one.element), one.said))
        return blocks.html()

    def _blocks(self, element: Element | None, blocks: Blocks) -> None:
        for tag, child in children(element):
            if tag == "p":
                self._paragraph(child, blocks)
            elif tag == "tbl":
                blocks.add(self._table(child))
            elif tag == "bookmarkStart":
                self._anchor = value(child, "name")
            elif tag == "sdt" and any(
                value(one, "val") == "Table of Contents" for one in below(first(child, "sdtPr"), "docPartGallery")
            ):
                self.dropped["table of contents"] += 1
            elif tag in _THROUGH:
                self._blocks(child, blocks)

    def _paragraph(self, element: Element, blocks: Blocks) -> None:
        properties = first(element, "pPr")
        style_id = value(first(properties, "pStyle"), "val")
        style = self._styles.of(style_id)
        if style.kind == "contents":
            self.dropped["table of contents"] += 1
            return
        words = Words(self._source, self._relations, self._anchor)
        self._anchor = ""
        words.take(element)
        place = self._place(properties, style_id, style)
        label = self._numbering.label(place) if place else None
        level = style.level or _outline_level(properties)
        if style.kind == "title" or level:
            self._heading(
                words, 0 if style.kind == "title" else level, label.text or _number(label.number) if label else "", blocks
            )
        elif place and label:
            html = words.html()
            if label.goes_on:
                blocks.more(place.level, html)
            elif html.strip():
                blocks.entry(
                    Entry(place.level or style.deeper, label.number), f"{text_html(label.text)} {html}" if label.text else html
                )
        elif style.kind == "code":
            blocks.code(words.html())
        elif style.kind == "quote" and words.html().strip():
            blocks.add(f"<blockquote><p>{words.html()}</p></blockquote>")
        else:
            blocks.paragraph(words.html())
        for box in words.boxes:
            self._blocks(box, blocks)

    def _heading(self, words: Words, level: int, label: str, blocks: Blocks) -> None:
        """A heading of level 1 to 9, or the title as level 0: the document's own title stands above its headings."""
        html = words.html(without="strong")
        if not html.strip():
            return
        if not level and not self.title:
            self._below_title = 1
        if not self.title:
            self.title = line_of(words_of(html))
        blocks.add(heading(max(level + self._below_title, 1), f"{text_html(label)} {html}" if label else html, words.anchor))

    def _place(self, properties: Element | None, style_id: str, style: Style) -> Numbered | None:
        """A paragraph's place in a list: its own, else that of its style."""
        own = first(properties, "numPr")
        list_id, depth = value(first(own, "numId"), "val"), value(first(own, "ilvl"), "val")
        if list_id == "0":
            return None
        if list_id:
            return Numbered(list_id, whole(depth))
        if style.numbered is None or style.numbered.list_id == "0":
            return None
        listed = self._numbering.level_of(style.numbered.list_id, style_id, style.numbered.level)
        return Numbered(style.numbered.list_id, whole(depth, listed))

    def _table(self, element: Element) -> str:
        rows: list[list[_Cell]] = []
        above: dict[int, _Cell] = {}
        for row in _rows(element):
            cells: list[_Cell] = []
            column = 0
            for cell in _cells(row):
                properties = first(cell, "tcPr")
                across = spanned(value(first(properties, "gridSpan"), "val"))
                merge = first(properties, "vMerge")
                if merge is not None and value(merge, "val") != "restart" and column in above:
                    above[column].down += 1
                else:
                    cells.append(_Cell(across, self._cell(cell)))
                    above[column] = cells[-1]
                column += across
            rows.append(cells)
        return table([(spans(cell.across, cell.down), cell.html) for cell in row] for row in rows)

    def _cell(self, element: Element) -> str:
        inner = Blocks()
        self._blocks(element, inner)
        return inner.inline()


class _Cell(msgspec.Struct):
    across: int
    html: str
    down: int = 1


def _rows(element: Element) -> Iterator[Element]:
    for tag, child in children(element):
        if tag == "tr" and first(child, "trPr", "del") is None:
            yield child
        elif tag in _THROUGH:
            yield from _rows(child)


def _cells(row: Element) -> Iterator[Element]:
    for tag, child in children(row):
        if tag == "tc":
            yield child
        elif tag in _THROUGH:
            yield from _cells(child)


def _outline_level(properties: Element | None) -> int:
    said = value(first(properties, "outlineLvl"), "val")
    return level + 1 if (level := whole(said, 9)) < 9 else 0


def _number(number: int | None) -> str:
    return "" if number is None else f"{number}."
