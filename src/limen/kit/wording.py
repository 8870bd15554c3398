"""Where quoted words stand in a text. Words are compared as a reader sees them.

Markdown, case, blanks, hyphens, and kinds of quotation marks and dashes make no difference; letters, numbers with their signs
and separators, and currencies have to be the same. Linear in the text and in the quotation.
"""

import html
import re
import unicodedata
from bisect import bisect_left
from typing import NamedTuple

from limen.kit.words import UNSPACED

# The piece on one side of an ellipsis proves less the shorter it is.
_LEAST_PIECE_CHARS = 12
# So often the same letters may stand inside of other words before they are taken for not there.
_MOST_TRIES = 1_000

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
# What a Markdown text holds beside its words: marks that begin lines, pictures, numbers of notes, targets of links, tags.
_TARGET = r"\((?:<[^<>\n]*>|(?:[^()\s\\]|\\.|\([^()\s]*\))*+)(?:[ \t]+[^()\n]{0,300})?\)"
_NOTE_TARGET = r"\([^()\s#]{0,2000}#(?:cite|fn|ref|note|endnote|bib)[^()\s]{0,300}\)"
_UNSAID = re.compile(
    r"^[ \t]*(?:>[ \t]*)+|^[ \t]*\+[ \t]"
    rf"|!\[[^\[\]\n]{{0,2000}}\]{_TARGET}|\[IMAGES?(?::[^\[\]\n]{{0,2000}})?\]"
    rf"|\[?\\?\[\^?\d{{1,4}}\\?\](?:\]?{_NOTE_TARGET}|(?!\())"
    rf"|\]{_TARGET}"
    r"|</?(?:br|sup|sub|u|b|i|em|strong|kbd|mark|small|ins|del|abbr|span|wbr|details|summary)(?:\s[^<>\n]{0,200})?/?>",
    re.MULTILINE | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_DASH = "\\-\u2010-\u2015\u2212"
# Combining marks, and the letters and marks of Indic scripts: a regular expression takes some of them for no words.
_LETTERS = rf"(?:[^\W_{UNSPACED}]++|[\u0300-\u036f\u0900-\u0dff])"
_SIGN = rf"(?:(?<![^\W_])(?<![{_DASH}])[\-\u2012\u2013\u2212](?=\d))?"
_TOKEN = re.compile(
    rf"[{UNSPACED}]"
    rf"|{_SIGN}{_LETTERS}++(?:(?<=\d)[.,:/\u2044'’{_DASH}]\d{_LETTERS}*+)*+"
    r"|(?<=[^\W_])\++|[%‰°§±×÷≤≥≠∞€£¥₽₹₩]|\$(?=\d)"
)
_DASHES = re.compile(f"[{_DASH}]")
_ELLIPSIS = re.compile(r"[\[(]?(?:…|\.{3,})[\])]?")
_ENDS_CUT = re.compile(r"\S(?:…|\.{3})[\s\"'”’»]*\Z")


class _Folded(NamedTuple):
    """The words of a text run together. `starts` are the places in `letters` where words begin, `offsets` those in `text`."""

    text: str
    letters: str
    starts: list[int]
    offsets: list[int]


class Wording:
    """The words of a text, to look quotations up in. `first_line` is the number of the text's first line."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._folded = _fold(text)
        self._first_line = first_line

    def line_of(self, quotation: str) -> int | None:
        """The line on which a quotation begins; None when it does not stand there.

        One that ends in an ellipsis may end inside a word. What an ellipsis parts has to stand there piece by piece, in order.
        """
        at = self._find(_fold(quotation).letters, 0, cut=bool(_ENDS_CUT.search(quotation)))
        if at is None:
            at = self._in_pieces([_fold(piece).letters for piece in _ELLIPSIS.split(quotation)])
        if at is None:
            return None
        folded = self._folded
        return self._first_line + folded.text.count("\n", 0, folded.offsets[bisect_left(folded.starts, at)])

    def _in_pieces(self, pieces: list[str]) -> int | None:
        pieces = [piece for piece in pieces if piece]
        if len(pieces) < 2 or min(map(len, pieces)) < _LEAST_PIECE_CHARS:
            return None
        first, behind = None, 0
        for piece in pieces:
            at = self._find(piece, behind)
            if at is None:
                return None
            first, behind = at if first is None else first, at + len(piece)
        return first

    def _find(self, letters: str, start: int, *, cut: bool = False) -> int | None:
        """Where these letters stand as whole words."""
        folded = self._folded
        for _ in range(_MOST_TRIES if letters else 0):
            at = folded.letters.find(letters, start)
            if at < 0:
                return None
            if self._begins(at) and (cut or self._ends(at + len(letters))):
                return at
            start = at + 1
        return None

    def _begins(self, at: int) -> bool:
        starts = self._folded.starts
        place = bisect_left(starts, at)
        return place < len(starts) and starts[place] == at

    def _ends(self, at: int) -> bool:
        letters = self._folded.letters
        return at == len(letters) or self._begins(at) or (letters[at] in " -" and self._begins(at + 1))


def line_of(quotation: str, text: str, first_line: int = 1) -> int | None:
    """The line on which a quotation begins in a text that starts at `first_line`; None when it does not stand there."""
    return Wording(text, first_line).line_of(quotation)


def _fold(text: str) -> _Folded:
    """Every step keeps the number of line ends before a word, so that lines can be counted in `_Folded.text`."""
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    text = unicodedata.normalize("NFKC", _ESCAPE.sub("", _UNSAID.sub("\0", text))).casefold()
    letters: list[str] = []
    starts: list[int] = []
    offsets: list[int] = []
    size, last, end = 0, "", 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        if not word.isalnum():
            word = _DASHES.sub("-", word).replace("’", "'").replace("\u2044", "/")
        if last.isdigit() and (word[0].isdigit() or word[0] == "-"):
            # Numbers side by side are not the number of their digits; with a dash between them they are a range.
            letters.append("-" if _DASHES.search(text, end, match.start()) else " ")
            size += 1
        letters.append(word)
        starts.append(size)
        offsets.append(match.start())
        size += len(word)
        last, end = word[-1], match.end()
    return _Folded(text, "".join(letters), starts, offsets)


def _character(entity: re.Match[str]) -> str:
    said = html.unescape(entity[0])
    return " " if said.isspace() else said
