"""The words of a paragraph of WordprocessingML: runs, links, fields, notes, formulas, pictures (ECMA-376 part 1, 17.3, 17.16)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

import msgspec
from turbohtml import Element

from limen.reading.formats.blocks import comment_by, kept, link, picture, text_html
from limen.reading.formats.office.numbering import Styles
from limen.reading.formats.office.package import Package, Relation, below, children, first, value
from limen.reading.formats.office.tex import tex_of

# Tags of HTML for the switches of a run.
_SWITCHES = {"b": "strong", "i": "em", "strike": "s", "dstrike": "s"}
_RAISED = {"superscript": "sup", "subscript": "sub"}
_SIGNS = {"tab": " ", "ptab": " ", "cr": "<br>", "noBreakHyphen": "‑"}
# What stands in the Symbol and Wingdings fonts for the signs that lists and forms use.
_SYMBOLS = {"F0B7": "•", "F0A7": "▪", "F0D8": "➢", "F0FC": "✓", "F0FE": "☑", "F0A8": "☐", "F06F": "☐", "F0E0": "→", "F0E8": "➔"}
_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_ADDRESS = re.compile(r'\s*HYPERLINK\s+(?:(?!\\)"?([^"\s]+)"?\s*)?(?:\\l\s+"([^"]+)")?', re.IGNORECASE)


class Note(msgspec.Struct, frozen=True):
    """A note that the text refers to: its sign, what is said before it, its element, the relations of its part."""

    sign: str
    said: str
    element: Element
    relations: Mapping[str, Relation]


class Notes:
    """Footnotes, endnotes and comments in the order in which they are referred to; notes may refer to further ones."""

    def __init__(self, package: Package, parts: Mapping[str, str]) -> None:
        self._package = package
        self._parts = parts
        self._held: dict[str, tuple[dict[str, Element], Mapping[str, Relation]]] = {}
        self._signs: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()
        self._found: list[Note] = []

    def __iter__(self) -> Iterator[Note]:
        return iter(self._found)

    def sign(self, kind: str, number: str) -> str:
        """The sign of a note; empty where there is no such note."""
        key = (kind, number)
        if key not in self._signs:
            elements, relations = self._part(kind)
            element = elements.get(number)
            if element is None:
                return ""
            mark = "c" if kind == "comment" else ""
            self._counts[mark] += 1
            self._signs[key] = f"{mark}{self._counts[mark]}"
            self._found.append(Note(self._signs[key], _by(element) if kind == "comment" else "", element, relations))
        return self._signs[key]

    def _part(self, kind: str) -> tuple[dict[str, Element], Mapping[str, Relation]]:
        if kind not in self._held:
            name = self._parts.get(_PARTS[kind], "")
            elements = {value(one, "id"): one for tag, one in children(self._package.xml(name) if name else None) if tag == kind}
            self._held[kind] = (elements, self._package.related(name) if name else {})
        return self._held[kind]


class Source(msgspec.Struct, frozen=True):
    """What the words of a document are read with; `dropped` counts what is left out."""

    styles: Styles
    notes: Notes
    dropped: Counter[str]


class _Field(msgspec.Struct):
    """A field whose end is yet to come: its instruction, and where its result begins."""

    instruction: str = ""
    result: int | None = None


class Words:
    """Takes up the content of one paragraph. `boxes` are the texts of shapes that hang on it, `anchor` its first bookmark."""

    def __init__(self, source: Source, relations: Mapping[str, Relation], anchor: str = "") -> None:
        self._source = source
        self._relations = relations
        self._spans: list[tuple[str, tuple[str, ...]]] = []
        self._fields: list[_Field] = []
        self.boxes: list[Element] = []
        self.anchor = anchor

    def take(self, element: Element) -> None:
        """What stands below an element. What a change took out has no taker."""
        for tag, child in children(element):
            taker = _TAKERS.get(tag)
            if taker is not None:
                taker(self, child)

    def html(self, *, without: str = "") -> str:
        """The words with their marks; `without` one that says nothing where all has it."""
        return _merged(self._spans, without)

    def _add(self, html: str, marks: tuple[str, ...] = ()) -> None:
        self._spans.append((html, marks))

    def _run(self, run: Element) -> None:
        properties = dict(children(first(run, "rPr")))
        if is_on(properties.get("vanish")):
            self._source.dropped["hidden text"] += 1
            return
        marks = self._marks(properties) if properties else ()
        for tag, child in children(run):
            if tag == "t":
                text = text_html(child.text)
                self._add(text, marks if text.strip() else ())
            elif tag in _SIGNS:
                self._add(_SIGNS[tag])
            else:
                self._piece(tag, child)

    def _piece(self, tag: str, child: Element) -> None:
        """A part of a run that is no text."""
        if tag == "br" and value(child, "type") not in {"page", "column"}:
            self._add("<br>")
        elif tag.endswith("Reference") and tag[:-9] in _PARTS:
            sign = self._source.notes.sign(tag[:-9], value(child, "id"))
            self._add(kept(f"[^{sign}]") if sign else "")
        elif tag == "sym":
            self._add(_symbol(value(child, "char").upper()))
        elif tag in {"drawing", "pict", "object"}:
            self._drawing(child)
        elif tag in {"fldChar", "instrText"}:
            self._field(tag, child)
        elif tag == "ruby":
            self.take_all(first(child, "rubyBase"), "", "")
            self.take_all(first(child, "rt"), "(", ")")
        elif tag == "AlternateContent":
            self._alternative(child)

    def take_all(self, element: Element | None, opened: str, closed: str) -> None:
        """What stands below an element, between two signs."""
        if element is not None:
            self._add(opened)
            self.take(element)
            self._add(closed)

    def _marks(self, properties: Mapping[str, Element]) -> tuple[str, ...]:
        marks = dict.fromkeys(mark for switch, mark in _SWITCHES.items() if is_on(properties.get(switch)))
        raised = _RAISED.get(value(properties.get("vertAlign"), "val"), "")
        style = value(properties.get("rStyle"), "val")
        code = "code" if style and self._source.styles.code(style) else ""
        return (*marks, *(mark for mark in (raised, code) if mark))

    def _hyperlink(self, element: Element) -> None:
        begin = len(self._spans)
        self.take(element)
        relation = self._relations.get(element.attr("r:id") or "")
        anchor = value(element, "anchor")
        self._link(begin, (relation.target if relation else "") + (f"#{anchor}" if anchor else ""))

    def _link(self, begin: int, href: str) -> None:
        """Make a link of the spans from one on."""
        inner = _merged(self._spans[begin:])
        self._spans[begin:] = [(link(href, inner), ())]

    def _simple_field(self, element: Element) -> None:
        begin = len(self._spans)
        self.take(element)
        self._of_instruction(value(element, "instr"), begin)

    def _field(self, tag: str, element: Element) -> None:
        kind = value(element, "fldCharType")
        if tag == "fldChar" and kind == "begin":
            self._fields.append(_Field())
        elif not self._fields:
            return
        elif tag == "instrText":
            self._fields[-1].instruction += element.text
        elif kind == "separate":
            self._fields[-1].result = len(self._spans)
        elif kind == "end":
            field = self._fields.pop()
            if field.result is not None:
                self._of_instruction(field.instruction, field.result)

    def _of_instruction(self, instruction: str, begin: int) -> None:
        found = _ADDRESS.match(instruction)
        if found:
            self._link(begin, (found[1] or "") + (f"#{found[2]}" if found[2] else ""))

    def _formula(self, element: Element) -> None:
        tex = " ".join(tex_of(element).split())
        self._add(kept(f"${tex}$") if tex else "")

    def _formulas(self, element: Element) -> None:
        for tag, child in children(element):
            tex = " ".join(tex_of(child).split()) if tag == "oMath" else ""
            self._add(kept(f"$${tex}$$") if tex else "")

    def _bookmark(self, element: Element) -> None:
        name = value(element, "name")
        self.anchor = self.anchor or ("" if name == "_GoBack" else name)

    def _alternative(self, element: Element) -> None:
        chosen = first(element, "Choice") or first(element, "Fallback")
        for tag, child in children(chosen):
            if tag in {"drawing", "pict", "object"}:
                self._drawing(child)
            elif tag in _TAKERS:
                _TAKERS[tag](self, child)

    def _drawing(self, element: Element) -> None:
        boxes = list(_boxes(element))
        self.boxes += boxes
        described = next(iter([*below(element, "docPr"), *below(element, "shape")]), None)
        words = value(described, "descr") or value(described, "alt") or value(described, "title")
        shown = picture(words)
        self._add(shown)
        if not shown and not boxes:
            self._source.dropped["image"] += 1


def _merged(spans: Iterable[tuple[str, tuple[str, ...]]], without: str = "") -> str:
    """Spans as HTML: programs cut a word into many runs, which become one mark again."""
    parts: list[str] = []
    for marks, same in groupby(((html, marks) for html, marks in spans if html), key=lambda span: span[1]):
        html = "".join(one for one, _ in same)
        for mark in reversed(marks):
            html = f"<{mark}>{html}</{mark}>" if mark != without else html
        parts.append(html)
    return "".join(parts)


def _boxes(element: Element) -> Iterator[Element]:
    """The texts of shapes, each once: what is there for older programs repeats them."""
    for tag, child in children(element):
        if tag == "txbxContent":
            yield child
        elif tag != "Fallback":
            yield from _boxes(child)


# What takes up each element of a paragraph, by its local name.
_TAKERS: Mapping[str, Callable[[Words, Element], None]] = {
    "r": Words._run, "hyperlink": Words._hyperlink, "fldSimple": Words._simple_field, "oMath": Words._formula,
    "oMathPara": Words._formulas, "bookmarkStart": Words._bookmark, "AlternateContent": Words._alternative,
    **dict.fromkeys(("ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml", "bdo", "dir"), Words.take),
}  # fmt: skip


def is_on(switch: Element | None) -> bool:
    """Whether a switch is there and not turned off."""
    return switch is not None and value(switch, "val") not in {"0", "false", "off", "none"}


def _symbol(code: str) -> str:
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    number = int(code, 16) if re.fullmatch(r"[0-9A-F]{2,5}", code) else 0
    return text_html(chr(number)) if 0x20 <= number < 0xD800 else ""


def _by(comment: Element) -> str:
    """Who says a comment, and when."""
    return text_html(comment_by(value(comment, "author"), value(comment, "date")[:10]))
