"""Rich Text Format (.rtf) to a Page: paragraphs, marks, tables, links, and what it says of itself (RTF 1.9.1)."""

import codecs
import re
from bisect import bisect_right
from collections import Counter
from itertools import chain, count

import msgspec

from limen.core.web import Page
from limen.reading.formats.blocks import (
    About,
    Blocks,
    Entry,
    heading,
    kept,
    line_of,
    link,
    note,
    page_of,
    spans,
    table,
    text_html,
    words_of,
)

_TOKEN = re.compile(rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.IGNORECASE)
# Groups that hold no text of the document.
_SKIPPED = frozenset(
    ("fonttbl", "colortbl", "stylesheet", "pict", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr",
     "footerf", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "xmlnstbl", "themedata", "datastore",
     "object", "shprslt", "filetbl", "latentstyles", "bkmkstart", "bkmkend", "nonshppict", "mmathpr", "annotation", "atnid",
     "atnauthor", "xe", "tc")
)  # fmt: skip
_KNOWN = frozenset({"fldinst", "footnote", "listtext", "pntext", "ud", "upr"})
_INFO = frozenset({"title", "author"})
_BESIDE = _INFO | {"label", "said"}
_SIGNS = {
    "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "tab": " ", "line": "<br>", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_SYMBOLS = {"~": "\u00a0", "_": "‑", "-": ""}
_MARKS = {"b": "strong", "i": "em", "strike": "s", "super": "sup", "sub": "sub"}
_CODE_PAGES = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}
_ADDRESS = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"?([^"\s]+)', re.IGNORECASE)
# What a field shows that is a place to fill in.
_PLACE = re.compile(r"MACROBUTTON\s+\S+\s+(.+)", re.IGNORECASE | re.DOTALL)
# A bullet or number that is typed before a hanging indent.
_HUNG = re.compile(r"(?:[•◦▪●○■·–*-]|(\d{1,4})[.)]) ")
_TYPEWRITER = re.compile(rb"\{\\f(\d{1,5})\b[^{};]{0,60}?(?:\\fmodern\b|Courier|Consolas|Menlo|Monaco|Mono\b|Monospace)")
_CODE_OR_TAG = re.compile(r"<code>.*?</code>|<[^<>]*>", re.DOTALL)
_WHOLE = re.compile(r"\A<em>([^<]*)</em>\Z")
_HEADING = re.compile(rb"\\s(\d{1,4})\b[^{};]{0,600}?\bheading ([1-9]);", re.IGNORECASE)
# Edges of cells that lie within so many twips of each other are one.
_SAME_EDGE = 30
_FAR = 1_000_000
_NUMBER = re.compile(r"(\d{1,6})[.)]?\Z")
_DEEPEST = 500


class _State(msgspec.Struct):
    """What holds within a group."""

    target: str = "text"
    marks: tuple[str, ...] = ()
    hidden: bool = False
    unicode_skip: int = 1


def read_rtf(data: bytes) -> Page:
    """The text of an RTF document. Nothing of it can be broken enough to raise."""
    reader = _read(data, {int(font) for font in _TYPEWRITER.findall(data)})
    if reader.code_chars * 2 > reader.chars:
        reader = _read(data, set())  # it is typed as a whole
    about = About(*(line_of(reader.take(name)) for name in ("title", "author")))
    return page_of(reader.blocks.html(), about, {})


def _read(data: bytes, code_fonts: set[int]) -> "_Reader":
    reader = _Reader({int(number): int(level) for number, level in _HEADING.findall(data)}, code_fonts)
    for found in _TOKEN.finditer(data):
        reader.token(found)
    reader.end()
    return reader


class _Reader:
    def __init__(self, headings: dict[int, int], code_fonts: set[int]) -> None:
        self._headings = headings
        self._code_fonts = code_fonts
        self.blocks = Blocks()
        self.chars = self.code_chars = 0
        self._stack: list[_State] = []
        self._state = _State()
        self._code_page = "cp1252"
        self._bytes = bytearray()
        self._skip = 0
        self._spans: list[str] = []
        self._fields: list[tuple[int, int]] = []
        self._beside: dict[str, list[str]] = {}
        self._notes: list[str] = []
        self._around: list[tuple[int, list[str]]] = []  # what stands around the note that is open, and how deep it is
        self._level, self._in_table = 0, False
        self._place = Counter[str]()  # where a paragraph stands: its indents in twips, its depth in a list
        self._hung: list[int] = []  # the indents of the typed lists that are open
        self._cells: list[str] = []
        self._edges: list[int] = []
        self._rows: list[list[tuple[int, str]]] = []

    def token(self, found: re.Match[bytes]) -> None:
        """Take one token of the text."""
        word, number, code, symbol, brace, text = found.groups()
        if code and not self._skip:
            self._bytes.append(int(code, 16))
            return
        if self._bytes:
            self._put(self._decoded())
        if self._skip and (code or text or symbol):
            self._skipped(code, text)
        elif word:
            self._word(word.decode().lower(), int(number) if number else None)
        elif symbol:
            self._symbol(symbol.decode("latin-1"))
        elif brace:
            self._group(opens=brace == b"{")
        elif text:
            self._put(text.decode("latin-1" if text.isascii() else self._code_page, "replace"))

    def _skipped(self, code: bytes | None, text: bytes | None) -> None:
        """What stands for older readers behind a character of Unicode."""
        if text:
            self._put(text[self._skip :].decode(self._code_page, "replace"))
        self._skip = max(self._skip - (1 if code or not text else len(text)), 0)

    def _decoded(self) -> str:
        text = self._bytes.decode(self._code_page, "replace")
        self._bytes.clear()
        return text

    def take(self, target: str) -> str:
        """What was said beside the text since it was taken last: the title, the author, a list's label, a field's instruction."""
        return "".join(self._beside.pop(target, ()))

    def _group(self, *, opens: bool) -> None:
        if opens and len(self._stack) < _DEEPEST:
            self._stack.append(self._state)
            self._state = msgspec.structs.replace(self._state)
        elif not opens and self._stack:
            self._state = self._stack.pop()
            while self._fields and self._fields[-1][0] > len(self._stack):
                self._end_field(self._fields.pop()[1])
            self._end_notes(len(self._stack))

    def _end_notes(self, depth: int) -> None:
        while self._around and self._around[-1][0] > depth:
            self._notes.append(self._taken())
            self._spans = self._around.pop()[1]

    def _end_field(self, begin: int) -> None:
        said = self.take("said")
        address, place = _ADDRESS.search(said), _PLACE.search(said)
        if place:
            self._put(place[1].strip())
        if address:
            self._spans[begin:] = [link(f"#{address[1]}" if "\\l" in said else address[1], "".join(self._spans[begin:]))]

    def _put(self, text: str) -> None:
        if self._state.hidden or self._state.target == "skip":
            return
        if self._state.target == "text":
            self.chars += len(text)
            self.code_chars += len(text) if "code" in self._state.marks else 0
            html = text_html(text)
            for mark in self._state.marks if html.strip() or "code" in self._state.marks else ():
                html = f"<{mark}>{html}</{mark}>"
            self._spans.append(html)
        elif self._state.target in _BESIDE:
            self._beside.setdefault(self._state.target, []).append(text)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._state.target = "maybe" if self._state.target == "text" else self._state.target
        elif symbol in "\r\n":
            self.paragraph()
        else:
            self._put(_SYMBOLS.get(symbol, symbol))

    def _word(self, word: str, number: int | None) -> None:
        state = self._state
        if state.target == "maybe":
            state.target = "text" if word in _KNOWN else "skip"
        if word == "shptxt":
            state.target = "text"
        elif word in _SKIPPED:
            state.target = "skip"
        elif word == "info" or (word in _INFO and state.target == "info"):
            state.target = word
        elif word == "footnote":
            self._spans.append(kept(f"[^{len(self._notes) + len(self._around) + 1}]"))
            self._around.append((len(self._stack), self._spans))
            self._spans = []
        elif word in {"listtext", "pntext", "fldinst"}:
            state.target = "said" if word == "fldinst" else "label"
        elif word in _MARKS:
            rest = tuple(mark for mark in state.marks if mark != _MARKS[word])
            state.marks = rest if number == 0 else (*rest, _MARKS[word])
        elif word in _SIGNS:
            sign = _SIGNS[word]
            self._spans.append(sign) if sign == "<br>" and state.target == "text" else self._put(sign)
        else:
            self._control(word, number)

    def _control(self, word: str, number: int | None) -> None:
        state = self._state
        if word == "u" and number is not None:
            self._put(chr(number % 65_536) if not 0xD800 <= number % 65_536 < 0xE000 else "\ufffd")
            self._skip = state.unicode_skip
        elif word == "uc":
            state.unicode_skip = min(max(number or 0, 0), 9)
        elif word == "plain":
            state.marks, state.hidden = (), False
        elif word == "nosupersub":
            state.marks = tuple(mark for mark in state.marks if mark not in {"sup", "sub"})
        elif word in {"v", "deleted"}:
            state.hidden = number != 0
        elif word == "f":
            others = tuple(mark for mark in state.marks if mark != "code")
            state.marks = ("code", *others) if number in self._code_fonts else others
        elif word == "field":
            self._fields.append((len(self._stack), len(self._spans)))
        elif word == "ansicpg" and number:
            self._code_page = _code_page(f"cp{number}")
        elif word in _CODE_PAGES:
            self._code_page = _CODE_PAGES[word]
        elif state.target == "text":
            self._layout(word, number)

    def _layout(self, word: str, number: int | None) -> None:
        match word:
            case "par" | "sect" | "page":
                self.paragraph()
            case "pard":
                self._level, self._in_table = 0, False
                self._place.clear()
            case "intbl":
                self._in_table = True
            case "li" | "fi" | "ilvl":
                self._place[word] = number or 0
            case "outlinelevel":
                self._level = min((number or 0) + 1, 6)
            case "s":
                self._level = self._headings.get(number or 0, 0)
            case "trowd":
                self._edges = []
            case "cellx":
                self._edges.append(number or 0)
            case "cell":
                self._cells.append(self._taken())
            case "row":
                self._rows.append(list(zip(chain(self._edges, count(_FAR)), self._cells, strict=False)))
                self._cells = []

    def _taken(self) -> str:
        html, self._spans = "".join(self._spans).strip(), []
        for mark in ("code", *_MARKS.values()):
            html = html.replace(f"</{mark}><{mark}>", "")
        return html

    def end(self) -> None:
        """The last paragraph, then the notes."""
        self._end_notes(-1)
        self._in_table = False
        self.paragraph()
        for number, html in enumerate(self._notes, 1):
            self.blocks.add(note(str(number), html))

    def paragraph(self) -> None:
        """End a paragraph; within a table it is a line of its cell, within a note a blank."""
        if self._around:
            self._spans.append(" ")
            return
        if self._in_table:
            self._spans.append("<br>")
            return
        if self._rows:
            self.blocks.add(_table(self._rows))
            self._rows = []
        html, label = self._taken(), self.take("label").strip()
        if not html:
            return
        hung = _HUNG.match(html) if self._place["fi"] < 0 and not label else None
        if hung:
            depth = self._depth_of(self._place["li"])
            self.blocks.entry(Entry(depth, int(hung[1]) if hung[1] else None), html[hung.end() :])
        elif "<code>" in html and not _CODE_OR_TAG.sub("", html).strip():
            for line in words_of(html.replace("<br>", "\n")).split("\n"):
                self.blocks.code(text_html(line))
        elif self._hung and self._place["li"] >= self._hung[0] and not self._level and not label:
            self.blocks.more(self._depth_of(self._place["li"]), html)
        else:
            self._hung.clear()
            self._plain_paragraph(html, label)

    def _depth_of(self, indent: int) -> int:
        """How deep an entry of a typed list stands, by those above it."""
        while self._hung and self._hung[-1] > indent:
            self._hung.pop()
        if not self._hung or self._hung[-1] < indent:
            self._hung.append(indent)
        return len(self._hung) - 1

    def _plain_paragraph(self, html: str, label: str) -> None:
        if label and not self._level:
            number = _NUMBER.match(label)
            self.blocks.entry(Entry(self._place["ilvl"], int(number[1]) if number else None), html)
        elif self._level:
            self.blocks.add(heading(self._level, _WHOLE.sub(r"\1", html.replace("<strong>", "").replace("</strong>", ""))))
        else:
            self.blocks.paragraph(html)


def _table(rows: list[list[tuple[int, str]]]) -> str:
    """A table of cells by their right edges in twips: a cell covers the columns that end at or before its edge."""
    edges: list[int] = []
    for edge in sorted({edge for row in rows for edge, _ in row}):
        if not edges or edge > edges[-1] + _SAME_EDGE:
            edges.append(edge)
    made = []
    for row in rows:
        cells, passed = [], 0
        for edge, html in row:
            upto = bisect_right(edges, edge)
            cells.append((spans(upto - passed), html))
            passed = max(upto, passed)
        made.append(cells)
    return table(made)


def _code_page(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
