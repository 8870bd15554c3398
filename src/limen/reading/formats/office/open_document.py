"""OpenDocument texts and presentations (.odt, .odp) to a Page (ODF 1.3 part 3)."""

from collections import Counter
from collections.abc import Callable, Iterator

from turbohtml import Element

from limen.core.web import Page
from limen.reading.dates import iso_date
from limen.reading.formats.blocks import (
    About,
    Blocks,
    Entry,
    comment_by,
    heading,
    kept,
    line_of,
    link,
    note,
    page_of,
    picture,
    spans,
    table,
    text_html,
    words_of,
)
from limen.reading.formats.office.open_styles import OpenStyles
from limen.reading.formats.office.package import Package, below, children, encrypted, first, local, stated, value, whole
from limen.reading.markup.mathml import tex_of

_THROUGH = frozenset({"section", "index-body", "g", "list-header", "table-header-rows", "table-row-group", "table-rows", "a"})
_INDEXES = frozenset({"table-of-content", "illustration-index", "table-index", "alphabetical-index", "user-index"})
_TITLES = frozenset({"title"})
# What repeats on each slide.
_FRAME = frozenset({"header", "footer", "date-time", "page-number", "page"})
_BULLETED = frozenset({"outline"})
_MOST_BLANKS = 100


def read_open_document(data: bytes) -> Page:
    """The text of a document or the slides of a presentation; indexes, deleted and hidden words, page frames are left out."""
    package = opened(data)
    content = package.main("content.xml")
    body = next((one for _, one in children(first(content, "body"))), None)
    document = OpenText(package, OpenStyles(package.xml("styles.xml"), content))
    blocks = Blocks()
    document.blocks(body, blocks)
    document.notes_to(blocks)
    about = properties(package, document.title)
    return page_of(blocks.html(), about, document.dropped, kind="slide", hidden=document.hidden)


def opened(data: bytes) -> Package:
    """The package; ToolFault `reading.encrypted` where its parts are."""
    package = Package(data)
    if next(below(package.xml("META-INF/manifest.xml"), "encryption-data"), None) is not None:
        raise encrypted("this document")
    return package


def properties(package: Package, title: str = "") -> About:
    """What an OpenDocument package says about itself; `title` where it says none."""
    meta = first(package.xml("meta.xml"), "meta")
    published = iso_date(stated(meta, "creation-date", "date"))
    return About(stated(meta, "title") or title, stated(meta, "initial-creator", "creator"), published, stated(meta, "language"))


class OpenText:
    """Writes what stands below an element of OpenDocument as blocks; `hidden` are the numbers of slides that are not shown."""

    def __init__(self, package: Package, styles: OpenStyles) -> None:
        self._package = package
        self._styles = styles
        self._notes: list[tuple[str, str, Element]] = []
        self._noted: Counter[str] = Counter()
        self._boxes: list[Element] = []
        self._counts: dict[tuple[str, int], int] = {}
        self._slides = 0
        self._below_title = 0
        self.title = ""
        self.hidden: list[str] = []
        self.dropped: Counter[str] = Counter()
        self._blocks: dict[str, Callable[[Element, Blocks], None]] = {
            "p": self._paragraph, "h": self._paragraph, "list": self._list, "table": self._table, "frame": self._frame,
            "custom-shape": self.blocks, "text-box": self.blocks, "page": self._slide, "notes": self._slide_notes,
            "numbered-paragraph": self.blocks, **dict.fromkeys(_THROUGH, self._through),
        }  # fmt: skip

    def blocks(self, element: Element | None, blocks: Blocks) -> None:
        """All blocks below an element."""
        for tag, child in children(element):
            writer = self._blocks.get(tag)
            if writer is not None:
                writer(child, blocks)
            elif tag in _INDEXES:
                self.dropped["table of contents"] += 1

    def notes_to(self, blocks: Blocks) -> None:
        """The notes that the text refers to, once it was written."""
        for sign, said, element in self._notes:
            blocks.add(note(sign, self.cell(element), text_html(said)))
        self._notes.clear()

    def cell(self, element: Element) -> str:
        """What stands in a cell or a note; its only paragraph without a tag of its own."""
        inner = Blocks()
        self.blocks(element, inner)
        return inner.inline()

    def line(self, element: Element) -> str:
        """The words right below an element, with their marks."""
        parts: list[str] = []
        for child in element.children:
            if isinstance(child, Element):
                parts.append(self._piece(local(child), child))
            elif child.text:
                parts.append(text_html(child.text))
        return "".join(parts).replace("</code><code>", "")

    def _through(self, element: Element, blocks: Blocks) -> None:
        if value(element, "display") != "none":
            self.blocks(element, blocks)

    def _piece(self, tag: str, e: Element) -> str:
        if tag == "span":
            return self._span(e)
        if tag == "a":
            return link(value(e, "href"), self.line(e))
        if tag == "s":
            count = value(e, "c")
            return " " * min(whole(count, 1), _MOST_BLANKS)
        if tag in {"tab", "line-break"}:
            return " " if tag == "tab" else "<br>"
        if tag in {"note", "annotation"}:
            return self._note(tag, e)
        if tag in {"frame", "custom-shape"}:
            return self._drawing(e)
        if tag == "ruby":
            base, over = first(e, "ruby-base"), first(e, "ruby-text")
            return (self.line(base) if base is not None else "") + (f"({self.line(over)})" if over is not None else "")
        return "" if tag in {"tracked-changes", "hidden-text", "script", "annotation-end"} else self.line(e)

    def _span(self, e: Element) -> str:
        style = value(e, "style-name")
        if self._styles.hidden(style, "text-properties"):
            self.dropped["hidden text"] += 1
            return ""
        html = self.line(e)
        for mark in reversed(self._styles.marks(style)) if html.strip() else ():
            html = f"<{mark}>{html}</{mark}>"
        return html

    def remark(self, e: Element) -> str:
        """The sign of a comment, whose text comes with the notes."""
        return self._note("annotation", e)

    def _note(self, tag: str, e: Element) -> str:
        said, body = "", first(e, "note-body")
        if tag == "annotation":
            author, date = ("" if (one := first(e, name)) is None else one.text[:60] for name in ("creator", "date"))
            said, body = comment_by(author, date.partition("T")[0]), e
        if body is None:
            return ""
        self._noted[tag] += 1
        sign = f"{'c' if tag == 'annotation' else ''}{self._noted[tag]}"
        self._notes.append((sign, said, body))
        return kept(f"[^{sign}]")

    def _drawing(self, e: Element) -> str:
        """What stands for a picture or a formula in a line; the text of a box comes behind its paragraph."""
        formula = self._embedded(e)
        if formula is not None and local(formula) == "math":
            return _formula(formula)
        box = e if local(e) == "custom-shape" else first(e, "text-box")
        if box is not None:
            self._boxes.append(box)
            return ""
        shown = picture("".join(one.text for name in ("desc", "title") if (one := first(e, name)) is not None))
        if not shown and first(e, "image") is not None:
            self.dropped["image"] += 1
        return shown

    def _embedded(self, e: Element) -> Element | None:
        """The root of a document within the document: a formula, a chart."""
        found = first(e, "object")
        part = f"{value(found, 'href').removeprefix('./').rstrip('/')}/content.xml" if found is not None else ""
        return self._package.xml(part) if part in self._package else None

    def _paragraph(self, e: Element, blocks: Blocks) -> None:
        names = list(self._styles.names(value(e, "style-name")))
        html, level = self.line(e), value(e, "outline-level")
        if self._styles.hidden(value(e, "style-name"), "text-properties"):
            self.dropped["hidden text"] += 1
        elif "Title" in names and html.strip():
            self._below_title = 0 if self.title else 1
            self._heading(1, html, blocks, _anchor(e))
        elif local(e) == "h" and html.strip():
            self._heading(whole(level, 1) + self._below_title, html, blocks, _anchor(e))
        elif self._styles.code(value(e, "style-name")):
            blocks.code(html)
        elif any(name in {"Quotations", "Quote", "Intense_20_Quote"} for name in names) and html.strip():
            blocks.add(f"<blockquote><p>{html}</p></blockquote>")
        else:
            blocks.paragraph(html)
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.blocks(box, blocks)

    def _heading(self, level: int, html: str, blocks: Blocks, anchor: str) -> None:
        self.title = self.title or line_of(words_of(html))
        blocks.add(heading(level, html, anchor))

    def _list(self, e: Element, blocks: Blocks, level: int = 1, style: str = "") -> None:
        style = value(e, "style-name") or style
        goes_on = bool(value(e, "continue-list")) or value(e, "continue-numbering") == "true"
        for item in (item for tag, item in children(e) if tag in {"list-item", "list-header"}):
            begun = False
            for name, child in children(item):
                if name == "list":
                    self._list(child, blocks, level + 1, style)
                elif name not in {"p", "h"}:
                    self.blocks(item, blocks)
                    break
                elif begun:
                    self._continued(child, level, blocks)
                elif child.text.strip() or first(child, "frame") is not None:
                    self._item(child, style, level, blocks, goes_on=goes_on)
                    begun = goes_on = True

    def _item(self, e: Element, style: str, level: int, blocks: Blocks, *, goes_on: bool) -> None:
        html = self.line(e)
        if local(e) == "h":
            said = value(e, "outline-level")
            self._heading(whole(said, 1) + self._below_title, html, blocks, _anchor(e))
            return
        style = style or self._styles.list_of(value(e, "style-name"))
        level = max(level, self._styles.depth(value(e, "style-name")))
        form, key = self._styles.numbered(style, level), (style, level)
        if form is None:
            blocks.entry(Entry(level - 1), html)
            return
        self._counts[key] = self._counts[key] + 1 if goes_on and key in self._counts else form.start
        label = form.label(self._counts[key])
        blocks.entry(Entry(level - 1, None if label else self._counts[key]), f"{text_html(label)} {html}" if label else html)

    def _continued(self, e: Element, level: int, blocks: Blocks) -> None:
        html = self.line(e)
        if html.strip():
            blocks.more(level - 1, html)

    def _table(self, e: Element, blocks: Blocks) -> None:
        blocks.add(table([(spans(across, down), html) for across, down, html in row] for row in self._rows(e)))

    def _rows(self, e: Element) -> Iterator[list[tuple[int, int, str]]]:
        for tag, row in children(e):
            if tag in _THROUGH:
                yield from self._rows(row)
            elif tag == "table-row":
                cells = [cell for name, cell in children(row) if name == "table-cell"]
                yield [
                    (count(cell, "number-columns-spanned"), count(cell, "number-rows-spanned"), self.cell(cell)) for cell in cells
                ]

    def _frame(self, e: Element, blocks: Blocks) -> None:
        """A shape on a page: a text, a table or a picture."""
        kind = value(e, "class")
        if kind in _FRAME or kind in _TITLES:
            return
        grid = first(e, "table") or first(self._embedded(e), "body", "chart", "chart", "table")
        if grid is not None:
            self._table(grid, blocks)
            return
        html = self._drawing(e)
        boxes, self._boxes = self._boxes, []
        blocks.paragraph(html)
        for box in boxes:
            self.blocks(box, blocks)

    def _slide(self, e: Element, blocks: Blocks) -> None:
        self._slides += 1
        if self._styles.hidden(value(e, "style-name"), "drawing-page-properties"):
            self.hidden.append(str(self._slides))
            return
        frame = next((one for tag, one in children(e) if tag == "frame" and value(one, "class") in _TITLES), None)
        blocks.slide(self._slides, " ".join(self.line(one) for tag, one in children(first(frame, "text-box")) if tag == "p"))
        self.blocks(e, blocks)
        self.notes_to(blocks)

    def _slide_notes(self, e: Element, blocks: Blocks) -> None:
        inner = Blocks()
        self.blocks(e, inner)
        blocks.notes(inner)


def _anchor(e: Element) -> str:
    """The first bookmark in a paragraph."""
    return next((value(one, "name") for tag, one in children(e) if tag in {"bookmark", "bookmark-start"}), "")


def count(e: Element, name: str) -> int:
    """A number of columns or rows, at least 1."""
    said = value(e, name)
    return max(whole(said), 1)


def _formula(root: Element) -> str:
    """A formula as TeX: from its MathML, where that is written without prefixes, else what its program calls it."""
    source = tex_of(root) if root.tag == "math" else next((one.text for one in below(root, "annotation")), "")
    return kept(f"${' '.join(source.split())}$") if source.strip() else ""
