"""The words of a line of mdoc(7): macros that say what a word is, and may stand within one another."""

from limen.reading.formats.blocks import text_html
from limen.reading.formats.manual.man import linked
from limen.reading.formats.manual.text import TAGS, Inline

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
CALLED = frozenset(_ENCLOSING) | frozenset(_OPENED) | frozenset(_CLOSED) | frozenset(_STYLED) | _SPACING
_MOST_WORDS = 2_000
_DEEPEST = 50


class Words:
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


class WordWriter:
    """Writes lines as HTML. `name` is the page's, `section` the one it is in; `function` holds parameters while one is open."""

    def __init__(self, inline: Inline) -> None:
        self._inline = inline
        self.name = ""
        self.section = ""
        self.function: list[str] | None = None
        self.spaced = True

    def words(self, arguments: list[str]) -> Words:
        """A line's words, the macros among them done."""
        words = Words()
        words.spaced = self.spaced
        self._take(arguments[:_MOST_WORDS], words, 0)
        return words

    def _take(self, arguments: list[str], words: Words, depth: int) -> None:
        """Write a line's words: a macro has those up to the next one; marks that close stay outside."""
        at = 0
        while at < len(arguments):
            name = arguments[at]
            at += 1
            if name not in CALLED:
                self._word(name, "", words)
                continue
            end = at
            while end < len(arguments) and arguments[end] not in CALLED:
                end += 1
            if name in _ENCLOSING and depth < _DEEPEST:
                within, marks = _parted(arguments[at:])
                words.add(_ENCLOSING[name][0], joins_after=True)
                self._take(within, words, depth + 1)
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
            elif name in _STYLED:
                self._styled(name, arguments[at:end], words)
                at = end

    def _spacing(self, name: str, arguments: list[str], at: int, words: Words) -> int:
        if name == "Ns":
            words.joins = True
        elif name == "Ap":
            words.add("'", joins_before=True, joins_after=True)
        elif name == "Pf" and at < len(arguments):
            words.add(self._inline.html(arguments[at]), joins_after=True)
            return at + 1
        elif name == "Sm" and at < len(arguments):
            words.spaced = self.spaced = arguments[at] != "off"
            return at + 1
        return at

    def _word(self, word: str, font: str, words: Words) -> None:
        opening, closing = TAGS[font]
        if word in _CLOSING:
            words.add(text_html(word), joins_before=True)
        elif word in _OPENING:
            words.add(text_html(word), joins_after=True)
        else:
            self._inline.reset()
            said = self._inline.html(word)
            words.add(f"{opening}{said}{closing}" if said else "")

    def _styled(self, name: str, given: list[str], words: Words) -> None:
        said, marks = _parted(given)
        if name == "Nm":
            self.name = self.name or " ".join(said)
        said = said or _UNSAID.get(name, [self.name] if name == "Nm" else [])
        special = _SPECIAL.get(name)
        if special is not None:
            special(self, said, words)
        elif name in _SYSTEMS:
            words.add(" ".join(filter(None, (_SYSTEMS[name], *map(text_html, said)))))
        elif name in _FIXED:
            words.add(_FIXED[name])
        elif name == "Fa" and self.function is not None:
            self.function += [f"<i>{self._inline.html(word)}</i>" for word in said]
        elif name != "An" or said[:1] not in (["-nosplit"], ["-split"]):
            self._phrase(said, _STYLED[name], words)
        for mark in marks:
            self._word(mark, "", words)

    def _flags(self, said: list[str], words: Words) -> None:
        for flag in said or [""]:
            self._word(flag if flag in _MARKS else f"\\-{flag}", "" if flag in _MARKS else "b", words)

    def _phrase(self, said: list[str], font: str, words: Words) -> None:
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

    def _reference_to(self, said: list[str], words: Words) -> None:
        page, *section = said or [""]
        words.add(f"<b>{self._inline.html(page)}</b>" + (f"({self._inline.html(section[0])})" if section else ""))
        for more in section[1:]:
            self._word(more, "", words)

    def _function_call(self, said: list[str], words: Words) -> None:
        name, *arguments = [self._inline.html(word) for word in said] or [""]
        words.add(f"<b>{name}</b>({', '.join(f'<i>{argument}</i>' for argument in arguments)})")

    def _include(self, said: list[str], words: Words) -> None:
        header = self._inline.html(" ".join(said))
        words.add(f"<b>#include &lt;{header}&gt;</b>" if self.section == "SYNOPSIS" else f"<code>&lt;{header}&gt;</code>")

    def _link(self, said: list[str], words: Words) -> None:
        address, *text = said or [""]
        words.add(linked(self._inline.html(" ".join(text)), self._inline.plain(address)))

    def _mail(self, said: list[str], words: Words) -> None:
        for address in said:
            words.add(text_html(self._inline.plain(address)))

    def _library(self, said: list[str], words: Words) -> None:
        words.add(f"library {' '.join(self._inline.html(word) for word in said)}")

    def _standard(self, said: list[str], words: Words) -> None:
        for standard in said:
            words.add(_STANDARDS.get(standard, text_html(standard.lstrip("-"))))


_SPECIAL = {
    "Xr": WordWriter._reference_to, "Fn": WordWriter._function_call, "In": WordWriter._include, "Lk": WordWriter._link,
    "Mt": WordWriter._mail, "Fl": WordWriter._flags, "St": WordWriter._standard, "Lb": WordWriter._library,
}  # fmt: skip


def _parted(given: list[str]) -> tuple[list[str], list[str]]:
    """A macro's words, and the marks at their end."""
    end = len(given)
    while end and given[end - 1] in _CLOSING:
        end -= 1
    return given[:end], given[end:]
