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
    "Rv", "Db", "TS", "TE", "br", "sp", "nf", "fi", "Sx", "Sm", "Tg",
})  # fmt: skip
KNOWN = CALLED | _OWN | frozenset(f"%{letter}" for letter in "ABCDIJNOPQRTUV")
_TERM_LISTS = frozenset({"-tag", "-hang", "-ohang", "-inset", "-diag"})
_LISTS = _TERM_LISTS | {"-bullet", "-dash", "-hyphen", "-item", "-enum", "-column"}
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
        if name in _OWN:
            self._own(name, rest, arguments_of(rest))
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

    def _own(self, name: str, rest: str, arguments: list[str]) -> None:
        """A macro that makes no words of a line: of the page's head, its sections, its lists, its displays."""
        match name:
            case "Dd" | "Dt" | "Os":
                self._told(name, rest, arguments)
            case "Sh" | "Ss":
                self._heading(2 if name == "Sh" else 3, arguments)
            case "Bl" | "El" | "It":
                self._listed(name, rest, arguments)
            case "Bd" | "Ed" | "nf" | "fi" | "Pp" | "Lp" | "sp" | "br":
                self._display(name, arguments)
            case "Fo" | "Fc":
                self._function(name, arguments)
            case "Rs" | "Re":
                self._referred(name)
            case "Ex" | "Rv":
                self._status(name, [word for word in arguments if word != "-std"])
            case "TS":
                self.blocks.raw(table_of(lines_until(self._lines, "TE"), self._inline, self._cell))
            case _:
                self._phrase(name, rest.strip(), arguments)

    def _told(self, name: str, rest: str, arguments: list[str]) -> None:
        if name == "Dd":
            self.head.date = self._inline.plain(rest).replace("$Mdocdate:", "").strip(" $")
        elif name == "Dt":
            self.head.name, self.head.section = [*map(self._inline.plain, arguments), "", ""][:2]

    def _phrase(self, name: str, rest: str, arguments: list[str]) -> None:
        match name:
            case "Nd" | "Sx":
                self._say(f"{'— ' if name == 'Nd' else ''}{self._writer.words(arguments).html}")
            case "Sm":
                self._writer.spaced = rest != "off" if rest else not self._writer.spaced
            case "Bf":
                self._inline.switch({"-emphasis": "I", "Em": "I", "-symbolic": "B", "Sy": "B"}.get(rest, "R"))
            case "Ef":
                self._inline.reset()

    def _heading(self, level: int, arguments: list[str]) -> None:
        self._end_columns()
        self._lists.clear()
        self._displays.clear()
        self._inline.reset()
        said = self._writer.words(arguments).html
        if level == 2:
            self._writer.section = words_of(said)
        self.blocks.heading(level, said)

    def _listed(self, name: str, rest: str, arguments: list[str]) -> None:
        if name == "Bl":
            self.blocks.enter()
            self._lists.append(next((word for word in arguments if word in _LISTS), "-item"))
        elif name == "It":
            self._item(self._lists[-1] if self._lists else "-tag", rest, arguments)
        elif self._lists:
            self._end_columns()
            self._lists.pop()
            self.blocks.leave()

    def _item(self, kind: str, rest: str, arguments: list[str]) -> None:
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

    def _display(self, name: str, arguments: list[str]) -> None:
        if name == "Bd":
            self._displays.append("-literal" in arguments or "-unfilled" in arguments)
        literal = self._displays[-1] if name == "Bd" else name == "Ed" and bool(self._displays) and self._displays.pop()
        if name == "br":
            self.blocks.break_line()
        elif name == "nf" or (name == "Bd" and literal):
            self.blocks.open_listing()
        elif name == "fi" or literal:
            self.blocks.close_listing()
        elif name in {"Pp", "Lp", "sp"} and self.blocks.in_listing:
            self.blocks.say_line("")
        else:
            self.blocks.end_paragraph()

    def _function(self, name: str, arguments: list[str]) -> None:
        if name == "Fc":
            self._say(f"{', '.join(self._writer.function or [])}){''.join(arguments)}")
            self._writer.function = None
            return
        self._writer.function = []
        if self._writer.section == "SYNOPSIS" and not self._after_type:
            self.blocks.end_paragraph()
        self._after_type = False
        self._say(f"<b>{self._writer.words(arguments).html}</b>(", joins=True)

    def _referred(self, name: str) -> None:
        if name == "Re" and self._reference:
            self._say(", ".join(self._reference) + ".")
            self.blocks.end_paragraph()
        self._reference = [] if name == "Rs" else None

    def _status(self, name: str, names: list[str]) -> None:
        """What a utility exits with, or a function returns, in the words that the system has for it."""
        bold = " and ".join(f"<b>{text_html(one)}</b>{'()' if name == 'Rv' else ''}" for one in names or [self._writer.name])
        several = len(names) > 1
        if name == "Ex":
            self._say(f"The {bold} {'utilities exit' if several else 'utility exits'} 0 on success, and >0 if an error occurs.")
            return
        self._say(
            f"The {bold} function{'s return' if several else ' returns'} the value 0 if successful; "
            "otherwise the value -1 is returned and the global variable <i>errno</i> is set to indicate the error."
        )

    def _cell(self, lines: list[str], inline: Inline) -> str:
        """The words of a table's text block."""
        said = [
            self._writer.words(arguments_of(line[1:])).html if line[:1] in {".", "'"} else inline.html(line) for line in lines
        ]
        return " ".join(piece for piece in said if piece)
