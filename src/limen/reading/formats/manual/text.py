"""Text of roff with its escapes (groff(7)), to runs of characters in a font and to HTML."""

import re
import unicodedata
from collections.abc import Callable

from limen.reading.formats.blocks import text_html
from limen.reading.formats.manual.characters import named_character

# A name after an escape: one character, two after `(`, any number between brackets.
_NAME = re.compile(r"\[([^\]\n]*)\]|\((..)|(.)", re.DOTALL)
_SIZE = re.compile(r"\[[^\]\n]*\]|\(\d\d|'[^'\n]*'|[-+]?(?:\(\d\d|\[[^\]\n]*\]|'[^'\n]*'|[1-3]\d|\d)")
_NAMED = frozenset("mMFgkVYO")
_DELIMITED = frozenset("hvwlLDbxXZoNRHBASC")
_PLAIN = {
    "-": "-", " ": " ", "~": "\u00a0", "0": " ", "e": "\\", "\\": "\\", "E": "\\", "'": "'", "`": "`", ".": ".", "_": "_",
    "t": "\t", "|": "", "^": "", "&": "", ")": "", "%": "", ":": "", "/": "", ",": "", "{": "", "}": "", "d": "", "u": "",
    "r": "", "a": "", "p": "", "!": "", "?": "", "c": "", "z": "",
}  # fmt: skip
_FONTS = {
    "B": "b", "3": "b", "I": "i", "2": "i", "4": "bi", "BI": "bi", "R": "", "1": "", "CW": "m", "C": "m", "CR": "m", "CB": "b",
    "CI": "i", "CO": "i", "V": "m", "VB": "b", "L": "m", "LB": "b", "TT": "m", "": "", "S": "", "H": "", "HB": "b", "TB": "b",
    "TI": "i", "Q": "", "CBI": "bi", "HI": "i", "Cr": "m",
}  # fmt: skip
TAGS = {"b": ("<b>", "</b>"), "i": ("<i>", "</i>"), "bi": ("<b>", "</b>"), "m": ("<code>", "</code>"), "": ("", "")}
_BLANKS = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)
_DEEPEST = 20

Run = tuple[str, str]
Lookup = Callable[[str], str]


class Inline:
    """Reads escapes, remembering the font from one text to the next. `register` gives a number register's value as text."""

    def __init__(self, register: Lookup) -> None:
        self.font = ""
        self._before = ""
        self._register = register
        self.continues = False  # the last text ended in \c: what follows belongs to its last word

    def reset(self) -> None:
        """Back to the plain font, as every heading and paragraph does."""
        self.font = self._before = ""

    def switch(self, name: str) -> None:
        """Change the font by its name; `P` is the one before. Unknown fonts are plain."""
        if name == "P":
            self.font, self._before = self._before, self.font
        else:
            self.font, self._before = _FONTS.get(name, ""), self.font

    def runs(self, text: str) -> list[Run]:
        """Pieces of the text, each with its font: `b`, `i`, `bi`, `m` (monospaced) or none."""
        self.continues = text.endswith("\\c") and not text.endswith("\\\\c")
        found: list[Run] = []
        self._read(text, found, 0)
        return found

    def html(self, text: str, font: str | None = None) -> str:
        """The text as HTML; within `font` where a macro says so."""
        return html_of([(run_font or (font or ""), said) for run_font, said in self.runs(text)])

    def plain(self, text: str) -> str:
        """The characters alone."""
        return "".join(said for _, said in self.runs(text))

    def _read(self, text: str, found: list[Run], depth: int) -> None:
        at = 0
        while at < len(text):
            stop = text.find("\\", at)
            if stop < 0:
                stop = len(text)
            if stop > at:
                found.append((self.font, text[at:stop]))
            if stop + 1 >= len(text):
                return
            at = self._escape(text, stop + 1, found, depth)

    def _escape(self, text: str, at: int, found: list[Run], depth: int) -> int:
        """Read the escape whose letter stands at `at`; where the text goes on."""
        letter = text[at]
        if letter == "f":
            name, at = name_at(text, at + 1)
            self.switch(name)
            return at
        if letter in "([":
            name, at = name_at(text, at)
            found.append((self.font, named_character(name)))
            return at
        if letter == "s":
            size = _SIZE.match(text, at + 1)
            return size.end() if size else at + 1
        if letter == "n":
            at += text[at + 1 : at + 2] in {"+", "-"}
            name, at = name_at(text, at + 1)
            found.append((self.font, self._register(name)))
            return at
        if letter == "*":
            return name_at(text, at + 1)[1]  # no such string, or it would have been put in
        if letter in _NAMED:
            return name_at(text, at + 1)[1]
        if letter in _DELIMITED and at + 1 < len(text):
            said, end = delimited_at(text, at + 1)
            self._delimited(letter, said, found, depth)
            return end
        found.append((self.font, _PLAIN.get(letter, letter)))
        return at + 1

    def _delimited(self, letter: str, said: str, found: list[Run], depth: int) -> None:
        if letter == "N" and said.isascii() and said.isdigit():
            found.append((self.font, named_character(f"char{said}")))
        elif letter == "C":
            found.append((self.font, named_character(said)))
        elif letter in "oZb" and depth < _DEEPEST:
            inner: list[Run] = []
            self._read(said, inner, depth + 1)
            found.extend([(self.font, inner[0][1][:1])] if letter == "o" and inner else inner)
        elif letter == "h" and said[:1] not in {"-", "0", ""} and not said.startswith("|"):
            found.append((self.font, " "))


def name_at(text: str, at: int) -> tuple[str, int]:
    """The name that begins at a place, and where the text goes on."""
    found = _NAME.match(text, at)
    if not found:
        return "", len(text)
    return next((name for name in found.groups() if name is not None), ""), found.end()


def delimited_at(text: str, at: int) -> tuple[str, int]:
    """What stands between two signs of the same kind, the first of them at `at`; escapes within may have their own pairs."""
    delimiter, start = text[at], at + 1
    at = start
    nested = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            opens = text[at + 1] in _DELIMITED and text[at + 2 : at + 3] == delimiter
            nested += opens
            at += 3 if opens else 2
        elif text[at] == delimiter:
            if not nested:
                return text[start:at], at + 1
            nested -= 1
            at += 1
        else:
            at += 1
    return text[start:], len(text)


def html_of(runs: list[Run]) -> str:
    """Runs as HTML; neighbours of one font together, blanks at their ends outside."""
    joined: list[list[str]] = []
    for font, said in runs:
        if not said:
            continue
        if joined and (joined[-1][0] == font or said.isspace()):
            joined[-1][1] += said
        else:
            joined.append([font, said])
    return "".join(_tagged(font, unicodedata.normalize("NFC", said)) for font, said in joined)


def _tagged(font: str, said: str) -> str:
    opening, closing = TAGS[font]
    blanks = _BLANKS.match(said)
    if blanks is None or not opening or not blanks.group(2):
        return text_html(said)
    before, words, after = blanks.groups()
    return f"{before}{opening}{text_html(words)}{closing}{after}"
