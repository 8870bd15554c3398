"""Presentations (.pptx) to a Page: each slide a section with its notes (ECMA-376 part 1, 19 and 21)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from turbohtml import Element

from limen.core.web import Page
from limen.reading.formats.blocks import Blocks, Entry, kept, line_of, link, page_of, picture, spans, table, text_html
from limen.reading.formats.office.package import (
    Package,
    Relation,
    below,
    children,
    core_properties,
    first,
    spanned,
    texts,
    value,
    whole,
)
from limen.reading.formats.office.tex import tex_of

_TITLES = frozenset({"title", "ctrTitle"})
# What repeats on each slide.
_FRAME = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
# Placeholders whose paragraphs have bullets unless they say otherwise.
_BULLETED = frozenset({"", "body", "obj"})
_MOST_SERIES = 100
_ON = frozenset({"1", "true"})
_BULLETS, _NO_BULLET = ("buChar", "buBlip"), "buNone"


def read_slides(data: bytes) -> Page:
    """The slides of a presentation in order: titles, nested points, tables, charts, notes; hidden ones are left out and named."""
    package = Package(data)
    main = package.start("ppt/presentation.xml")
    relations = package.related(main)
    blocks, hidden, dropped = Blocks(), [], Counter[str]()
    for number, (_, one) in enumerate(children(first(package.main(main), "sldIdLst")), 1):
        relation = relations.get(one.attr("r:id") or "")
        root = package.xml(relation.target) if relation is not None else None
        if relation is None or root is None:
            continue
        if value(root, "show") in {"0", "false"}:
            hidden.append(str(number))
        else:
            _Slide(package, relation.target, dropped).write(number, root, blocks)
    return page_of(blocks.html(), core_properties(package), dropped, kind="slide", hidden=hidden)


class _Slide:
    def __init__(self, package: Package, part: str, dropped: Counter[str]) -> None:
        self._package = package
        self._dropped = dropped
        self._relations: Mapping[str, Relation] = package.related(part)

    def write(self, number: int, root: Element, blocks: Blocks) -> None:
        """The slide as a section: its title, its shapes in their order, then its notes and comments."""
        shapes = list(_shapes(first(root, "cSld", "spTree")))
        title = next((one for one in shapes if _placeholder(one) in _TITLES), None)
        blocks.slide(number, " ".join(filter(str.strip, (self._line(one) for _, one in children(first(title, "txBody"))))))
        for shape in shapes:
            if shape is not title and _placeholder(shape) not in _FRAME:
                self._shape(shape, blocks)
        for relation in self._relations.values():
            if relation.kind == "notesSlide":
                self._notes(relation.target, blocks)
            elif relation.kind == "comments":
                self._comments(relation.target, blocks)

    def _notes(self, part: str, blocks: Blocks) -> None:
        notes = Blocks()
        for shape in _shapes(first(self._package.xml(part), "cSld", "spTree")):
            if _placeholder(shape) == "body":
                for _, one in children(first(shape, "txBody")):
                    notes.paragraph(self._line(one))
        blocks.notes(notes)

    def _comments(self, part: str, blocks: Blocks) -> None:
        for comment in below(self._package.xml(part), "cm"):
            said = first(comment, "text") or first(comment, "txBody")
            blocks.paragraph(text_html(f"Comment: {' '.join(said.text.split())}") if said is not None else "")

    def _shape(self, shape: Element, blocks: Blocks) -> None:
        body = first(shape, "txBody")
        if body is not None:
            kind = _placeholder(shape)
            self._paragraphs(body, blocks, bulleted=kind in _BULLETED if kind is not None else False)
        grid = next(below(first(shape, "graphic"), "tbl"), None)
        if grid is not None:
            blocks.add(self._table(grid))
        for chart in below(first(shape, "graphic"), "chart"):
            self._chart(self._target(chart, "r:id"), blocks)
        for drawn in below(first(shape, "graphic"), "relIds"):
            self._diagram(self._target(drawn, "r:dm"), blocks)
        shown = picture(value(_about(shape, "cNvPr"), "descr")) if body is None and grid is None else ""
        blocks.paragraph(shown)
        if not shown and first(shape, "blipFill") is not None:
            self._dropped["image"] += 1

    def _paragraphs(self, body: Element, blocks: Blocks, *, bulleted: bool) -> None:
        counts: dict[int, int] = {}
        for tag, paragraph in children(body):
            html = self._line(paragraph) if tag == "p" else ""
            if not html.strip():
                continue
            properties = first(paragraph, "pPr")
            said = value(properties, "lvl")
            level = whole(said)
            kinds = {name for name, _ in children(properties)}
            counts = {deep: count for deep, count in counts.items() if deep <= level and (deep < level or "buAutoNum" in kinds)}
            if "buAutoNum" in kinds:
                start = value(first(properties, "buAutoNum"), "startAt")
                counts[level] = counts[level] + 1 if level in counts else whole(start, 1)
                blocks.entry(Entry(level, counts[level]), html)
            elif not kinds.isdisjoint(_BULLETS) or (bulleted and _NO_BULLET not in kinds):
                blocks.entry(Entry(level), html)
            else:
                blocks.paragraph(html)

    def _line(self, paragraph: Element) -> str:
        parts: list[str] = []
        for tag, child in children(paragraph):
            if tag in {"r", "fld"} and value(child, "type") != "slidenum":
                parts.append(self._run(child))
            elif tag == "br":
                parts.append("<br>")
            elif tag in {"AlternateContent", "m"}:
                formulas = below(first(child, "Choice") or child, "oMath")
                parts += [kept(f"${' '.join(tex_of(one).split())}$") for one in formulas]
        return "".join(parts)

    def _run(self, run: Element) -> str:
        properties, said = first(run, "rPr"), first(run, "t")
        html = text_html(said.text if said is not None else "").replace("\v", "<br>")
        if not html.strip():
            return html
        raised = value(properties, "baseline")
        marks = {"strong": value(properties, "b") in _ON, "em": value(properties, "i") in _ON}
        marks |= {"s": value(properties, "strike").endswith("Strike") and value(properties, "strike") != "noStrike"}
        marks |= {"sub": raised.startswith("-"), "sup": raised.strip("0%") != "" and not raised.startswith("-")}
        for mark in (mark for mark, is_set in marks.items() if is_set):
            html = f"<{mark}>{html}</{mark}>"
        clicked = first(properties, "hlinkClick")
        relation = self._relations.get((clicked.attr("r:id") or "") if clicked is not None else "")
        return link(relation.target, html) if relation is not None and relation.external else html

    def _table(self, grid: Element) -> str:
        rows = []
        for tag, row in children(grid):
            if tag == "tr":
                cells = [cell for name, cell in children(row) if name == "tc"]
                rows.append(
                    [
                        (spans(spanned(value(cell, "gridSpan")), spanned(value(cell, "rowSpan"))), self._cell(cell))
                        for cell in cells
                        if not {value(cell, "hMerge"), value(cell, "vMerge")} & {"1", "true"}
                    ]
                )
        return table(rows)

    def _cell(self, cell: Element) -> str:
        return "<br>".join(filter(str.strip, (self._line(one) for tag, one in children(first(cell, "txBody")) if tag == "p")))

    def _target(self, element: Element, name: str) -> str:
        relation = self._relations.get(element.attr(name) or "")
        return relation.target if relation is not None and not relation.external else ""

    def _chart(self, part: str, blocks: Blocks) -> None:
        """A chart as the table of its numbers, as they were when it was saved."""
        root = self._package.xml(part) if part else None
        title = texts(first(root, "chart", "title"))
        series = list(islice(below(root, "ser"), _MOST_SERIES))
        if not series:
            return
        names = ["".join(_points(first(one, "tx"))) or f"Series {n}" for n, one in enumerate(series, 1)]
        categories = _points(first(series[0], "cat") or first(series[0], "xVal"))
        columns = [_points(first(one, "val") or first(one, "yVal")) for one in series]
        count = min(max(map(len, (categories, *columns))), 1_000)
        rows = [[line_of(title) or "Chart", *names]]
        rows += [[cells[row] if row < len(cells) else "" for cells in (categories, *columns)] for row in range(count)]
        blocks.add(table(map(text_html, row) for row in rows))

    def _diagram(self, part: str, blocks: Blocks) -> None:
        for point in below(self._package.xml(part) if part else None, "pt"):
            said = texts(first(point, "t"))
            if said.strip():
                blocks.entry(Entry(0), text_html(said))


def _points(element: Element | None) -> list[str]:
    """The saved values of a chart's reference, in the places that they say."""
    found: dict[int, str] = {}
    for point in below(element, "pt"):
        place, said = value(point, "idx"), first(point, "v")
        if whole(place, 1_000) < 1_000:
            found[whole(place)] = said.text if said is not None else ""
    return [found.get(place, "") for place in range(max(found, default=-1) + 1)]


def _shapes(tree: Element | None) -> Iterator[Element]:
    """The shapes of a slide, those of its groups among them."""
    for tag, child in children(tree):
        if tag in {"grpSp", "AlternateContent", "Choice"}:
            yield from _shapes(child)
        elif tag in {"sp", "graphicFrame", "pic", "cxnSp"}:
            yield child


def _about(shape: Element, name: str) -> Element | None:
    """A part of what a shape says about itself."""
    return next(
        (one for tag, part in children(shape) if tag.startswith("nv") for kind, one in children(part) if kind == name), None
    )


def _placeholder(shape: Element) -> str | None:
    """The kind of a placeholder, empty where it has none of its own; None for a shape that is none."""
    held = first(_about(shape, "nvPr"), "ph")
    return None if held is None else value(held, "type")
