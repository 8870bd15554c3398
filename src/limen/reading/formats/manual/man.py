"""Manual pages by man(7): its macros, those of groff_man(7), and of the generators that most pages come from."""

import re
from collections.abc import Iterator

from limen.reading.formats.blocks import link, text_html, words_of
from limen.reading.formats.manual.blocks import Blocks
from limen.reading.formats.manual.roff import Roff, arguments_of
from limen.reading.formats.manual.tables import table_of
from limen.reading.formats.manual.text import Inline, html_of

_FONT_MACROS = {"B": "b", "I": "i", "SM": "", "SB": "b"}
_PAIRS = {"BR": ("b", ""), "RB": ("", "b"), "IR": ("i", ""), "RI": ("", "i"), "BI": ("b", "i"), "IB": ("i", "b")}
_PARAGRAPHS = frozenset({"PP", "P", "LP", "HP", "Pp"})
_LISTINGS = frozenset({"nf", "EX", "Vb", "CS", "DS"})
_LISTING_ENDS = frozenset({"fi", "EE", "Ve", "CE", "DE"})
_BREAKS = frozenset({"br", "ti", "in", "ce", "rj", "RS", "sp", "Sp"})
_OTHERS = (
    "TH SH SS Sh Ss TP TQ IP Ip RS RE UR UE MT ME URL SY YS TS TE EQ EN IX PD AT UC DT ft CW R MR".split()  # noqa: SIM905
)
KNOWN = frozenset(_OTHERS) | frozenset(_FONT_MACROS) | frozenset(_PAIRS) | _PARAGRAPHS | _LISTINGS | _LISTING_ENDS | _BREAKS
_BULLETS = frozenset({"•", "*", "-", "o", "+", "·", "–", "—", "○", "□", "‣", "◦"})
_ORDINAL = re.compile(r"\(?(\d{1,4})[.)\]:]$")
# How DocBook's pages write the mark of a list item.
_HUNG = re.compile(r"\\h'-0?\d+'(.{1,20}?)\\h'\+0?\d+'\\c$")
# A term that goes on for longer than this has no end.
_TERM_CHARS = 10_000
_LEADING = re.compile(r"[ \t]+")
_SPACE = re.compile(r"\s+")


class Head:
    """What `.TH` or `.Dd` and `.Dt` say of a page."""

    def __init__(self) -> None:
        self.name = self.section = self.date = self.source = ""


class ManPage:
    """Formats the lines of one page. Unknown requests say nothing and are passed by."""

    def __init__(self, source: str) -> None:
        self.head = Head()
        self.blocks = Blocks()
        roff = Roff(KNOWN)
        self._inline = Inline(roff.register)
        self._lines = roff.lines(source)
        self._unfilled = False
        self._wants_term = ""  # the macro whose term the next text is
        self._wants_heading = 0
        self._wants_font: str | None = None
        self._address = ""

    def run(self) -> None:
        """Go through the page."""
        for line in self._lines:
            if line[:1] in {".", "'"} and len(line) > 1:
                name, _, rest = line[1:].lstrip(" \t").partition(" ")
                if "\t" in name:
                    name, _, more = name.partition("\t")
                    rest = f"{more} {rest}"
                self._request(name, rest.strip(" \t"))
            else:
                self._text(line)
        self.blocks.close_all()

    def _request(self, name: str, rest: str) -> None:
        if name in _FONT_MACROS or name in _PAIRS:
            self._font_macro(name, arguments_of(rest))
        elif name in {"SH", "SS", "Sh", "Ss"}:
            self._heading(2 if name in {"SH"} else 3, " ".join(arguments_of(rest)))
        elif name in _PARAGRAPHS:
            self._new_paragraph()
        elif name in {"TP", "TQ"}:
            self._wants_term = name
            self._inline.reset()
        elif name in {"IP", "Ip"}:
            self._item(arguments_of(rest))
        elif name in _LISTINGS:
            self._unfilled = True
            self.blocks.open_listing()
        elif name in _LISTING_ENDS:
            self._unfilled = False
            self.blocks.close_listing()
        else:
            self._other(name, rest)

    def _other(self, name: str, rest: str) -> None:
        match name:
            case "RS":
                self.blocks.enter(defines=not self.blocks.in_item)
            case "RE":
                self._inline.reset()
                self.blocks.leave()
            case "br" | "ti" | "ce" | "rj" | "in":
                self.blocks.break_line()
            case "sp" | "Sp":
                self._space(rest)
            case "ft":
                self._inline.switch(rest.split(" ")[0] or "P")
            case "R" | "CW":
                self._inline.switch(name)
            case "TH":
                self._title(arguments_of(rest))
            case "SY" | "YS":
                self.blocks.end_paragraph()
                self._say(self._inline.html(" ".join(arguments_of(rest)), "b"))
            case "TS":
                self.blocks.raw(table_of(lines_until(self._lines, "TE"), self._inline, cell_text))
            case "PS" | "GS":
                for _ in lines_until(self._lines, name[0] + "E"):
                    pass
            case _:
                self._reference(name, rest)

    def _reference(self, name: str, rest: str) -> None:
        """Links, other pages, options: macros that GNU added."""
        first, *more = arguments_of(rest) or [""]
        match name:
            case "UR" | "MT":
                self._address = ("mailto:" if name == "MT" else "") + self._inline.plain(first)
                self.blocks.say("\ufdd2")
            case "UE" | "ME":
                self._end_link(self._inline.html(rest))
            case "URL":
                said = self._inline.html("".join(more[:1]))
                self._say(linked(said, self._inline.plain(first)) + self._inline.html("".join(more[1:2])))
            case "MR":
                section, after = (self._inline.html("".join(part)) for part in (more[:1], more[1:2]))
                self._say(f"<b>{self._inline.html(first)}</b>({section}){after}")
            case "OP":
                said = f" {self._inline.html(' '.join(more), 'i')}" if more else ""
                self._say(f"[{self._inline.html(first, 'b')}{said}]")

    def _title(self, arguments: list[str]) -> None:
        told = [_SPACE.sub(" ", self._inline.plain(argument)).strip() for argument in arguments[:5]]
        name, section, date, source, _ = [*told, "", "", "", "", ""][:5]
        if not self.head.name:
            self.head.name, self.head.section, self.head.date, self.head.source = name, section, date, source
        self._inline.reset()

    def _text(self, line: str) -> None:
        hung = _HUNG.match(line)
        if hung and not self._unfilled:
            self._mark(self._inline.plain(hung.group(1)).strip())
            return
        if self._wants_heading or self._wants_term:
            self._say(self._inline.html(line))
            return
        if self.blocks.in_listing or self._unfilled:
            self._listed(self._inline.plain(line))
        elif not line.strip():
            self.blocks.end_paragraph()
        else:
            leading = _LEADING.match(line)
            if leading and not self.blocks.goes_on:
                self.blocks.break_line(indent=len(leading.group().expandtabs(8)))
                line = line[leading.end() :]
            font = self._wants_font
            self._wants_font = None
            self._say(self._inline.html(line.rstrip(), font))

    def _listed(self, text: str) -> None:
        self.blocks.open_listing()
        self.blocks.say_line(text)
        self.blocks.join_next(joins=self._inline.continues)

    def _say(self, html: str) -> None:
        """A line of text, wherever it belongs: a heading that waits for it, a term, a listing, the paragraph."""
        joins = self._inline.continues
        if self._wants_heading:
            level, self._wants_heading = self._wants_heading, 0
            self.blocks.heading(level, html)
        elif self._wants_term:
            if self._wants_term in {"TP", "TQ"}:
                self.blocks.end_paragraph()
            if joins and len(self._wants_term) < _TERM_CHARS:
                self._wants_term += html
                return
            macro, held = self._wants_term[:2], self._wants_term[2:]
            self._wants_term = ""
            self._term(macro, held + html)
        elif self.blocks.in_listing or self._unfilled:
            self._listed(words_of(html))
        else:
            self.blocks.say(html, joins=joins)

    def _term(self, macro: str, html: str) -> None:
        if macro == "TQ":
            self.blocks.another_term(html)
        else:
            plain = words_of(html).strip()
            if plain in _BULLETS or _ORDINAL.match(plain):
                self._mark(plain)
            else:
                self.blocks.item("dd", html)
        self._inline.reset()

    def _mark(self, mark: str) -> None:
        """An item whose term is a bullet or a number."""
        ordinal = _ORDINAL.match(mark)
        if ordinal:
            self.blocks.item("ol", start=int(ordinal.group(1)))
        else:
            self.blocks.item("li")

    def _item(self, arguments: list[str]) -> None:
        self._inline.reset()
        term = self._inline.html(arguments[0]).strip() if arguments else ""
        if term:
            self._inline.reset()
            self._term("IP", term)
        elif self.blocks.in_listing:
            self.blocks.say_line("")
        else:
            self.blocks.end_paragraph()

    def _font_macro(self, name: str, arguments: list[str]) -> None:
        if not arguments:
            self._wants_font = _FONT_MACROS.get(name)
            return
        self._wants_font = None
        self._say(in_fonts(name, arguments, self._inline))

    def _heading(self, level: int, title: str) -> None:
        self._inline.reset()
        self._unfilled = False
        self._wants_term = ""
        self.blocks.close_all()
        if not title:
            self._wants_heading = level
            return
        self.blocks.heading(level, text_html(_SPACE.sub(" ", self._inline.plain(title)).strip()))
        self._inline.reset()

    def _new_paragraph(self) -> None:
        self._inline.reset()
        self._wants_term = ""
        if self.blocks.in_listing:
            self.blocks.say_line("")
        else:
            self.blocks.leave_items()

    def _space(self, rest: str) -> None:
        if self.blocks.in_listing:
            if not rest.startswith("-"):
                self.blocks.say_line("")
        elif rest.startswith(("-", "0")):
            self.blocks.break_line()
        else:
            self.blocks.end_paragraph()

    def _end_link(self, after: str) -> None:
        before, _, said = self.blocks.take_paragraph().rpartition("\ufdd2")
        self.blocks.say(before.rstrip() + (" " if before.strip() else "") + linked(said.strip(), self._address) + after)
        self._address = ""


def linked(html: str, address: str) -> str:
    """A link, shown as its address where it has no words."""
    return link(address, html or text_html(address.removeprefix("mailto:")))


def lines_until(lines: Iterator[str], end: str) -> Iterator[str]:
    """The lines before a request, which is taken as well."""
    for line in lines:
        if line[:1] in {".", "'"} and line[1:].strip() == end:
            return
        yield line


def in_fonts(name: str, arguments: list[str], inline: Inline) -> str:
    """The arguments of a macro that sets fonts: all in one, or each second one in another."""
    runs = []
    for n, argument in enumerate(arguments if name in _PAIRS else [" ".join(arguments)]):
        inline.reset()
        other = _PAIRS[name][n % 2] if name in _PAIRS else _FONT_MACROS[name]
        runs += [(font or other, said) for font, said in inline.runs(argument)]
    inline.reset()
    return html_of(runs)


def cell_text(lines: list[str], inline: Inline) -> str:
    """The words of a table's text block: macros that set fonts do, breaks part lines."""
    pieces: list[str] = []
    for line in lines:
        name, _, rest = line[1:].partition(" ") if line[:1] in {".", "'"} else ("", "", line)
        if not name:
            pieces.append(inline.html(line))
        elif name in _PAIRS or name in _FONT_MACROS:
            pieces.append(in_fonts(name, arguments_of(rest), inline))
        elif name in {"br", "sp", "PP", "P", "LP"}:
            pieces.append("<br>")
        elif name in {"IP", "TP"} and rest:
            pieces.append("<br>" + inline.html(arguments_of(rest)[0] if arguments_of(rest) else ""))
    return " ".join(piece for piece in pieces if piece)
