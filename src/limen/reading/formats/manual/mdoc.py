"""Manual pages by mdoc(7), whose macros say what a word is."""

from limen.reading.formats.blocks import table, text_html, words_of
from limen.reading.formats.manual.blocks import Blocks
from limen.reading.formats.manual.man import Head, lines_until
from limen.reading.formats.manual.mdoc_words import CALLED, WordWriter
from limen.reading.formats.manual.roff import Roff, arguments_of
from limen.reading.formats.manual.tables import table_of
from limen.reading.formats.manual.text import Inline

_OWN = frozenset({
    "Dd", "Dt", "Os", "Sh", "Ss", "Pp", "Lp", "Nd", "Bl", "El", "It", "Bd", "Ed", "Fo", "Fc", "Rs", "Re", "Bf", "Ef", "Ex",
    "Rv", "Db", "TS", "TE", "br", "sp", "nf", "fi", "Sx", "Brq", "Sm", "Tg",
})  # fmt: skip
KNOWN = CALLED | _OWN | frozenset(f"%{letter}" for letter in "ABCDIJNOPQRTUV")
_TERM_LISTS = frozenset({"-tag", "-hang", "-ohang", "-inset", "-diag"})
# Lines that a term may be spread over.
_MOST_LINES = 200


class MdocPage:
    """Formats the lines of one page."""

    def __init__(self, source: str) -> None:
        self.head = Head()
        self.blocks = Blocks()
        roff = Roff(KNOWN)
        self._inline = Inline(roff.register)
        self._writer = WordWriter(self._inline)
        self._lines = roff.lines(source)
        self._lists: list[str] = []
        self._columns: list[list[list[str]]] = []
        self._displays: list[bool] = []
        self._after_type = False
        self._reference: list[str] | None = None

    def run(self) -> None:
        """Go through the page."""
        for line in self._lines:
            if line[:1] in {".", "'"} and len(line) > 1:
                name, _, rest = line[1:].lstrip(" \t").partition(" ")
                self._macro(name.strip("\t"), rest)
            elif self.blocks.in_listing:
                self.blocks.say_line(self._inline.plain(line))
            elif not line.strip():
                self.blocks.end_paragraph()
            else:
                self._say(self._inline.html(line.strip()))
        self._end_columns()
        self.blocks.close_all()

    def _say(self, html: str, *, joins: bool = False) -> None:
        if self._columns and self._lists and self._lists[-1] == "-column":
            if self._columns[-1] and html:
                self._columns[-1][-1].append(html)
        elif self.blocks.in_listing:
            self.blocks.say_line(words_of(html))
        else:
            self.blocks.say(html, joins=joins)

    def _macro(self, name: str, rest: str) -> None:
        handler = getattr(self, f"_do_{name.lower()}", None) if name in _OWN else None
        if handler is not None:
            handler(rest)
        elif name in CALLED:
            words = self._writer.words([name, *arguments_of(rest)])
            if name in {"D1", "Dl"}:
                self.blocks.open_listing()
                self.blocks.say_line(words_of(words.html))
                self.blocks.close_listing()
                return
            if self._writer.section == "SYNOPSIS" and (
                name in {"Ft", "Fd", "In", "Nm"} or (name == "Fn" and not self._after_type)
            ):
                self.blocks.end_paragraph()
            self._after_type = name == "Ft"
            self._say(words.html, joins=words.joins and bool(words.html))
        elif name.startswith("%") and self._reference is not None:
            said = self._writer.words(arguments_of(rest)).html
            self._reference.append(f"<i>{said}</i>" if name in {"%B", "%J", "%T"} else said)

    def _do_dd(self, rest: str) -> None:
        self.head.date = self._inline.plain(rest).replace("$Mdocdate:", "").strip(" $")

    def _do_dt(self, rest: str) -> None:
        told = [self._inline.plain(argument) for argument in arguments_of(rest)]
        self.head.name, self.head.section = [*told, "", ""][:2]

    def _do_os(self, rest: str) -> None:
        self.head.source = self._inline.plain(rest)

    def _do_sh(self, rest: str) -> None:
        self._heading(2, rest)

    def _do_ss(self, rest: str) -> None:
        self._heading(3, rest)

    def _heading(self, level: int, rest: str) -> None:
        self._end_columns()
        self._lists.clear()
        self._displays.clear()
        self._inline.reset()
        said = self._writer.words(arguments_of(rest)).html
        if level == 2:
            self._writer.section = words_of(said)
        self.blocks.heading(level, said)

    def _do_pp(self, rest: str) -> None:
        if self.blocks.in_listing:
            self.blocks.say_line("")
        else:
            self.blocks.end_paragraph()

    _do_lp = _do_pp
    _do_sp = _do_pp

    def _do_br(self, rest: str) -> None:
        self.blocks.break_line()

    def _do_nd(self, rest: str) -> None:
        self._say(f"— {self._writer.words(arguments_of(rest)).html}")

    def _do_sx(self, rest: str) -> None:
        self._say(self._writer.words(arguments_of(rest)).html)

    def _do_sm(self, rest: str) -> None:
        self._writer.spaced = rest.strip() != "off" if rest.strip() else not self._writer.spaced

    def _do_bl(self, rest: str) -> None:
        kinds = [word for word in arguments_of(rest) if word.startswith("-")]
        kind = next(
            (
                word
                for word in kinds
                if word in _TERM_LISTS or word in {"-bullet", "-dash", "-hyphen", "-item", "-enum", "-column"}
            ),
            "-item",
        )
        self.blocks.enter()
        self._lists.append(kind)

    def _do_el(self, rest: str) -> None:
        if self._lists:
            self._end_columns()
            self._lists.pop()
            self.blocks.leave()

    def _do_it(self, rest: str) -> None:
        kind = self._lists[-1] if self._lists else "-tag"
        arguments = arguments_of(rest)
        if kind == "-column":
            self._row(rest)
        elif kind == "-enum":
            self.blocks.item("ol", start=1)
        elif kind in _TERM_LISTS:
            term = self._writer.words(arguments).html
            if "Xo" in arguments and "Xc" not in arguments:
                term += self._until_closed()
            self.blocks.item("dd", term)
        else:
            self.blocks.item("li")

    def _until_closed(self) -> str:
        """The rest of a term that `Xo` spreads over several lines."""
        pieces: list[str] = []
        for line in self._lines:
            if line[:1] in {".", "'"}:
                arguments = arguments_of(line[1:])
                joined = arguments[:1] in (["Ns"], ["Oc"], ["Fc"])
                pieces.append(("" if joined else " ") + self._said_in_term(arguments))
                if "Xc" in arguments:
                    break
            else:
                pieces.append(" " + self._inline.html(line))
            if len(pieces) > _MOST_LINES:
                break
        return "".join(pieces)

    def _said_in_term(self, arguments: list[str]) -> str:
        """One line of a term; a function's parameters are held until it ends."""
        if arguments[:1] == ["Fo"]:
            self._writer.function = []
            return f"<b>{self._writer.words(arguments[1:]).html}</b>("
        if arguments[:1] == ["Fc"]:
            held, self._writer.function = self._writer.function or [], None
            return f"{', '.join(held)})"
        return self._writer.words(arguments).html

    def _row(self, rest: str) -> None:
        cells: list[list[str]] = [[]]
        for argument in arguments_of(rest.replace("\t", " Ta ")):
            if argument == "Ta":
                cells.append([])
            else:
                cells[-1].append(argument)
        self._columns.append([[self._writer.words(cell).html] for cell in cells])

    def _end_columns(self) -> None:
        if self._columns:
            cells = ([" ".join(filter(None, cell)) for cell in row] for row in self._columns)
            self.blocks.raw(table(cells, headed=False))
            self._columns = []

    def _do_bd(self, rest: str) -> None:
        literal = any(word in {"-literal", "-unfilled"} for word in arguments_of(rest))
        self._displays.append(literal)
        if literal:
            self.blocks.open_listing()
        else:
            self.blocks.end_paragraph()

    def _do_ed(self, rest: str) -> None:
        if self._displays and self._displays.pop():
            self.blocks.close_listing()
        else:
            self.blocks.end_paragraph()

    def _do_nf(self, rest: str) -> None:
        self.blocks.open_listing()

    def _do_fi(self, rest: str) -> None:
        self.blocks.close_listing()

    def _do_bf(self, rest: str) -> None:
        self._inline.switch({"-emphasis": "I", "Em": "I", "-symbolic": "B", "Sy": "B"}.get(rest.strip(), "R"))

    def _do_ef(self, rest: str) -> None:
        self._inline.reset()

    def _do_fo(self, rest: str) -> None:
        self._writer.function = []
        if self._writer.section == "SYNOPSIS" and not self._after_type:
            self.blocks.end_paragraph()
        self._after_type = False
        self._say(f"<b>{self._writer.words(arguments_of(rest)).html}</b>(", joins=True)

    def _do_fc(self, rest: str) -> None:
        self._say(f"{', '.join(self._writer.function or [])}){''.join(arguments_of(rest))}")
        self._writer.function = None

    def _do_rs(self, rest: str) -> None:
        self._reference = []

    def _do_re(self, rest: str) -> None:
        if self._reference:
            self._say(", ".join(self._reference) + ".")
            self.blocks.end_paragraph()
        self._reference = None

    def _do_ex(self, rest: str) -> None:
        names = [word for word in arguments_of(rest) if word != "-std"] or [self._writer.name]
        utility = "utilities exit" if len(names) > 1 else "utility exits"
        bold = " and ".join(f"<b>{text_html(name)}</b>" for name in names)
        self._say(f"The {bold} {utility} 0 on success, and >0 if an error occurs.")

    def _do_rv(self, rest: str) -> None:
        names = [f"<b>{text_html(word)}</b>()" for word in arguments_of(rest) if word != "-std"]
        self._say(
            f"The {' and '.join(names)} function{'s return' if len(names) > 1 else ' returns'} the value 0 if successful; "
            "otherwise the value -1 is returned and the global variable <i>errno</i> is set to indicate the error."
        )

    def _do_ts(self, rest: str) -> None:
        self.blocks.raw(table_of(lines_until(self._lines, "TE"), self._inline, self._cell))

    def _cell(self, lines: list[str], inline: Inline) -> str:
        """The words of a table's text block."""
        said = [
            self._writer.words(arguments_of(line[1:])).html if line[:1] in {".", "'"} else inline.html(line) for line in lines
        ]
        return " ".join(piece for piece in said if piece)
