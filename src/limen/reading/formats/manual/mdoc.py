"""Manual pages by mdoc(7), whose macros say what a word is."""

import re
from html import escape

from limen.reading.formats.manual.blocks import Blocks
from limen.reading.formats.manual.man import Head, lines_until, linked, untagged
from limen.reading.formats.manual.roff import Roff, arguments_of
from limen.reading.formats.manual.tables import table_of
from limen.reading.formats.manual.text import Inline

_CLOSING = frozenset({".", ",", ":", ";", ")", "]", "?", "!"})
_OPENING = frozenset({"(", "["})
_MARKS = _CLOSING | _OPENING | {"|"}
# Pairs of marks: around the rest of a line, and opened by one macro and closed by another.
_ENCLOSING = {
    "Op": ("[", "]"), "Dq": ("“", "”"), "Sq": ("‘", "’"), "Ql": ("‘", "’"), "Qq": ('"', '"'), "Pq": ("(", ")"), "Bq": ("[", "]"),
    "Brq": ("{", "}"), "Aq": ("⟨", "⟩"), "D1": ("", ""), "Dl": ("", ""), "En": ("", ""),
}  # fmt: skip
_OPENED = {
    "Oo": "[", "Do": "“", "So": "‘", "Qo": '"', "Po": "(", "Bo": "[", "Bro": "{", "Ao": "⟨", "Xo": "", "Eo": "", "Bk": "",
}  # fmt: skip
_CLOSED = {
    "Oc": "]", "Dc": "”", "Sc": "’", "Qc": '"', "Pc": ")", "Bc": "]", "Brc": "}", "Ac": "⟩", "Xc": "", "Ec": "", "Ek": "",
}  # fmt: skip
_STYLED = {
    "Ar": "i", "Cm": "b", "Ic": "b", "Fl": "b", "Em": "i", "Sy": "b", "Li": "m", "Pa": "i", "Va": "i", "Vt": "i",
    "Ev": "m", "Er": "m", "Dv": "m", "Fa": "i", "Ft": "i", "Fd": "b", "Cd": "b", "Ad": "i", "An": "", "Ms": "b", "No": "",
    "Tn": "", "Nm": "b", "Mt": "", "Lb": "", "St": "", "Fr": "", "Ot": "", "Hf": "", "Xr": "", "Ux": "", "Bx": "", "Bsx": "",
    "Fx": "", "Nx": "", "Ox": "", "Dx": "", "At": "", "Lk": "", "In": "b", "Fn": "b", "Bt": "", "Ud": "", "Ql": "m", "Es": "",
}  # fmt: skip
_SYSTEMS = {
    "Ux": "UNIX", "Bx": "BSD", "Bsx": "BSD/OS", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly",
    "At": "AT&T UNIX",
}  # fmt: skip
_FIXED = {"Bt": "is currently in beta test.", "Ud": "currently under development."}
_STANDARDS = {
    "-ansiC": "ANSI X3.159-1989 (“ANSI C89”)", "-isoC-99": "ISO/IEC 9899:1999 (“ISO C99”)",
    "-isoC-2011": "ISO/IEC 9899:2011 (“ISO C11”)", "-p1003.1": "IEEE Std 1003.1 (“POSIX.1”)",
    "-p1003.1-90": "IEEE Std 1003.1-1990 (“POSIX.1”)", "-p1003.1-2001": "IEEE Std 1003.1-2001 (“POSIX.1”)",
    "-p1003.1-2004": "IEEE Std 1003.1-2004 (“POSIX.1”)", "-p1003.1-2008": "IEEE Std 1003.1-2008 (“POSIX.1”)",
    "-p1003.2": "IEEE Std 1003.2 (“POSIX.2”)", "-p1003.2-92": "IEEE Std 1003.2-1992 (“POSIX.2”)",
    "-susv2": "Version 2 of the Single UNIX Specification (“SUSv2”)",
    "-susv3": "Version 3 of the Single UNIX Specification (“SUSv3”)",
    "-xpg4.2": "X/Open Portability Guide Issue 4, Version 2 (“XPG4.2”)",
}  # fmt: skip
# What a macro means that is given nothing.
_UNSAID = {"Ar": ["file ..."], "Pa": ["~"]}
_SPACING = frozenset({"Ns", "Ap", "Pf", "Sm", "Ta"})
_CALLED = frozenset(_ENCLOSING) | frozenset(_OPENED) | frozenset(_CLOSED) | frozenset(_STYLED) | _SPACING
_OWN = frozenset({
    "Dd", "Dt", "Os", "Sh", "Ss", "Pp", "Lp", "Nd", "Bl", "El", "It", "Bd", "Ed", "Fo", "Fc", "Rs", "Re", "Bf", "Ef", "Ex",
    "Rv", "Db", "TS", "TE", "br", "sp", "nf", "fi", "Sx", "Brq", "Sm", "Tg",
})  # fmt: skip
KNOWN = _CALLED | _OWN | frozenset(f"%{letter}" for letter in "ABCDIJNOPQRTUV")
_TAGS = {"b": ("<b>", "</b>"), "i": ("<i>", "</i>"), "m": ("<code>", "</code>"), "": ("", "")}
_PAGE = re.compile(r"\d\w{0,8}$")
_TERM_LISTS = frozenset({"-tag", "-hang", "-ohang", "-inset", "-diag"})
_MOST_WORDS = 2_000


class _Words:
    """The words of a line on their way to HTML: some join their neighbours without a blank."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.joins = True  # nothing stands before the first
        self.spaced = True

    def add(self, html: str, *, joins_before: bool = False, joins_after: bool = False) -> None:
        if not html and not joins_after:
            return
        if self._pieces and self.spaced and not self.joins and not joins_before:
            self._pieces.append(" ")
        self._pieces.append(html)
        self.joins = joins_after

    @property
    def html(self) -> str:
        return "".join(self._pieces)


class MdocPage:
    """Formats the lines of one page."""

    def __init__(self, source: str) -> None:
        self.head = Head()
        self.blocks = Blocks()
        roff = Roff(KNOWN)
        self._inline = Inline(roff.register)
        self._lines = roff.lines(source)
        self._name = ""
        self._section = ""
        self._lists: list[str] = []
        self._columns: list[list[str]] = []
        self._displays: list[bool] = []
        self._spaced = True
        self._after_type = False
        self._function: list[str] | None = None
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
                self._columns[-1][-1] = f"{self._columns[-1][-1]} {html}".strip()
        elif self.blocks.in_listing:
            self.blocks.say_line(untagged(html))
        else:
            self.blocks.say(html, joins=joins)

    def _macro(self, name: str, rest: str) -> None:
        handler = getattr(self, f"_do_{name.lower()}", None) if name in _OWN else None
        if handler is not None:
            handler(rest)
        elif name in _CALLED:
            words = self._words([name, *arguments_of(rest)])
            if name in {"D1", "Dl"}:
                self.blocks.open_listing()
                self.blocks.say_line(untagged(words.html))
                self.blocks.close_listing()
                return
            if self._section == "SYNOPSIS" and (name in {"Ft", "Fd", "In", "Nm"} or (name == "Fn" and not self._after_type)):
                self.blocks.end_paragraph()
            self._after_type = name == "Ft"
            self._say(words.html, joins=words.joins and bool(words.html))
        elif name.startswith("%") and self._reference is not None:
            said = self._words(arguments_of(rest)).html
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
        said = self._words(arguments_of(rest)).html
        if level == 2:
            self._section = untagged(said)
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
        self._say(f"— {self._words(arguments_of(rest)).html}")

    def _do_sx(self, rest: str) -> None:
        self._say(self._words(arguments_of(rest)).html)

    def _do_sm(self, rest: str) -> None:
        self._spaced = rest.strip() != "off" if rest.strip() else not self._spaced

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
            term = self._words(arguments).html
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
            if len(pieces) > _MOST_WORDS:
                break
        return "".join(pieces)

    def _said_in_term(self, arguments: list[str]) -> str:
        """One line of a term; a function's parameters are held until it ends."""
        if arguments[:1] == ["Fo"]:
            self._function = []
            return f"<b>{self._words(arguments[1:]).html}</b>("
        if arguments[:1] == ["Fc"]:
            held, self._function = self._function or [], None
            return f"{', '.join(held)})"
        return self._words(arguments).html

    def _row(self, rest: str) -> None:
        cells: list[list[str]] = [[]]
        for argument in arguments_of(rest.replace("\t", " Ta ")):
            if argument == "Ta":
                cells.append([])
            else:
                cells[-1].append(argument)
        self._columns.append([self._words(cell).html for cell in cells])

    def _end_columns(self) -> None:
        if self._columns:
            rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in self._columns)
            self._columns = []
            self.blocks.raw(f"<table>{rows}</table>")

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
        self._function = []
        if self._section == "SYNOPSIS" and not self._after_type:
            self.blocks.end_paragraph()
        self._after_type = False
        self._say(f"<b>{self._words(arguments_of(rest)).html}</b>(", joins=True)

    def _do_fc(self, rest: str) -> None:
        self._say(f"{', '.join(self._function or [])}){''.join(arguments_of(rest))}")
        self._function = None

    def _do_rs(self, rest: str) -> None:
        self._reference = []

    def _do_re(self, rest: str) -> None:
        if self._reference:
            self._say(", ".join(self._reference) + ".")
            self.blocks.end_paragraph()
        self._reference = None

    def _do_ex(self, rest: str) -> None:
        names = [word for word in arguments_of(rest) if word != "-std"] or [self._name]
        utility = "utilities exit" if len(names) > 1 else "utility exits"
        self._say(
            f"The {' and '.join(f'<b>{escape(name)}</b>' for name in names)} {utility} 0 on success, and >0 if an error occurs."
        )

    def _do_rv(self, rest: str) -> None:
        names = [f"<b>{escape(word)}</b>()" for word in arguments_of(rest) if word != "-std"]
        self._say(
            f"The {' and '.join(names)} function{'s return' if len(names) > 1 else ' returns'} the value 0 if successful; "
            "otherwise the value -1 is returned and the global variable <i>errno</i> is set to indicate the error."
        )

    def _do_ts(self, rest: str) -> None:
        self.blocks.raw(table_of(lines_until(self._lines, "TE"), self._inline, self._cell))

    def _cell(self, lines: list[str], inline: Inline) -> str:
        """The words of a table's text block."""
        said = [self._words(arguments_of(line[1:])).html if line[:1] in {".", "'"} else inline.html(line) for line in lines]
        return " ".join(piece for piece in said if piece)

    def _words(self, arguments: list[str]) -> _Words:
        words = _Words()
        words.spaced = self._spaced
        self._take(arguments[:_MOST_WORDS], words)
        return words

    def _take(self, arguments: list[str], words: _Words) -> None:
        """Write a line's words: a macro has those up to the next one; marks that close stay outside."""
        at = 0
        while at < len(arguments):
            name = arguments[at]
            at += 1
            if name not in _CALLED:
                self._word(name, "", words)
                continue
            end = at
            while end < len(arguments) and arguments[end] not in _CALLED:
                end += 1
            if name in _ENCLOSING:
                within, marks = _parted(arguments[at:])
                words.add(_ENCLOSING[name][0], joins_after=True)
                self._take(within, words)
                words.add(_ENCLOSING[name][1], joins_before=True)
                for mark in marks:
                    self._word(mark, "", words)
                return
            if name in _OPENED:
                words.add(_OPENED[name], joins_after=bool(_OPENED[name]))
            elif name in _CLOSED:
                words.add(_CLOSED[name], joins_before=True)
            elif name in _SPACING:
                at = self._spacing(name, arguments, at, words)
            else:
                self._styled(name, arguments[at:end], words)
                at = end

    def _spacing(self, name: str, arguments: list[str], at: int, words: _Words) -> int:
        if name == "Ns":
            words.joins = True
        elif name == "Ap":
            words.add("'", joins_before=True, joins_after=True)
        elif name == "Pf" and at < len(arguments):
            words.add(self._inline.html(arguments[at]), joins_after=True)
            return at + 1
        elif name == "Sm" and at < len(arguments):
            words.spaced = self._spaced = arguments[at] != "off"
            return at + 1
        return at

    def _word(self, word: str, font: str, words: _Words) -> None:
        opening, closing = _TAGS[font]
        if word in _CLOSING:
            words.add(escape(word), joins_before=True)
        elif word in _OPENING:
            words.add(escape(word), joins_after=True)
        else:
            self._inline.reset()
            said = self._inline.html(word)
            words.add(f"{opening}{said}{closing}" if said else "")

    def _styled(self, name: str, given: list[str], words: _Words) -> None:
        said, marks = _parted(given)
        if name == "Nm":
            self._name = self._name or " ".join(said)
        said = said or _UNSAID.get(name, [self._name] if name == "Nm" else [])
        special = _SPECIAL.get(name)
        if special is not None:
            special(self, said, words)
        elif name in _SYSTEMS:
            words.add(" ".join(filter(None, (_SYSTEMS[name], *map(escape, said)))))
        elif name in _FIXED:
            words.add(_FIXED[name])
        elif name == "Fa" and self._function is not None:
            self._function += [f"<i>{self._inline.html(word)}</i>" for word in said]
        elif name != "An" or said[:1] not in (["-nosplit"], ["-split"]):
            self._phrase(said, _STYLED[name], words)
        for mark in marks:
            self._word(mark, "", words)

    def _flags(self, said: list[str], words: _Words) -> None:
        for flag in said or [""]:
            self._word(flag if flag in _MARKS else f"\\-{flag}", "" if flag in _MARKS else "b", words)

    def _phrase(self, said: list[str], font: str, words: _Words) -> None:
        """Words of one kind, together."""
        held: list[str] = []
        for word in [*said, ""]:
            if word and word not in _MARKS:
                held.append(word)
                continue
            if held:
                self._word(" ".join(held), font, words)
                held = []
            if word:
                self._word(word, "", words)

    def _reference_to(self, said: list[str], words: _Words) -> None:
        page, *section = said or [""]
        words.add(f"<b>{self._inline.html(page)}</b>" + (f"({self._inline.html(section[0])})" if section else ""))
        for more in section[1:]:
            self._word(more, "", words)

    def _function_call(self, said: list[str], words: _Words) -> None:
        name, *arguments = [self._inline.html(word) for word in said] or [""]
        words.add(f"<b>{name}</b>({', '.join(f'<i>{argument}</i>' for argument in arguments)})")

    def _include(self, said: list[str], words: _Words) -> None:
        header = self._inline.html(" ".join(said))
        words.add(f"<b>#include &lt;{header}&gt;</b>" if self._section == "SYNOPSIS" else f"<code>&lt;{header}&gt;</code>")

    def _link(self, said: list[str], words: _Words) -> None:
        address, *text = said or [""]
        words.add(linked(self._inline.html(" ".join(text)), self._inline.plain(address)))

    def _mail(self, said: list[str], words: _Words) -> None:
        for address in said:
            words.add(escape(self._inline.plain(address)))

    def _library(self, said: list[str], words: _Words) -> None:
        words.add(f"library {' '.join(self._inline.html(word) for word in said)}")

    def _standard(self, said: list[str], words: _Words) -> None:
        for standard in said:
            words.add(_STANDARDS.get(standard, escape(standard.lstrip("-"))))


_SPECIAL = {
    "Xr": MdocPage._reference_to, "Fn": MdocPage._function_call, "In": MdocPage._include, "Lk": MdocPage._link,
    "Mt": MdocPage._mail, "Fl": MdocPage._flags, "St": MdocPage._standard, "Lb": MdocPage._library,
}  # fmt: skip


def _parted(given: list[str]) -> tuple[list[str], list[str]]:
    """A macro's words, and the marks at their end."""
    end = len(given)
    while end and given[end - 1] in _CLOSING:
        end -= 1
    return given[:end], given[end:]
