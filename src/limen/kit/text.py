"""Cutting, measuring and comparing text. The only place where a text is shortened."""

import re
from typing import NamedTuple
from unicodedata import combining


class Place(NamedTuple):
    """A character of a text: its line and its place in that line, both from 1."""

    line: int
    char: int


class CutText(NamedTuple):
    """A shortened text: what stands before and after the gap, and where in the text the gap begins and ends."""

    head: str
    tail: str
    gap_start: Place
    gap_end: Place


# A character and the marks that belong to it are kept together; so many are looked at.
_MOST_MARKS = 16
# Where a line is cut inside, a word that is no longer than this stays whole.
_WORD_CHARS = 40


def cut_middle(text: str, budget_chars: int, head_share: float = 0.75) -> CutText | None:
    """Keep a head and a tail of `text` within `budget_chars`, at line boundaries where lines allow it; None when it fits.

    A single line longer than its share is cut inside the line, between words where it has any, since a boundary would keep
    nothing of it. The gap's places are those of the first and the last character that are left out.
    """
    if len(text) <= budget_chars:
        return None
    head_budget = int(budget_chars * head_share)
    start = _head_end(text, head_budget)
    end = _tail_start(text, budget_chars - head_budget)
    return CutText(text[:start], text[end:], place_at(text, start), place_at(text, end - 1))


def _head_end(text: str, budget: int) -> int:
    newline = text.rfind("\n", 0, budget)
    if newline >= budget // 2:
        return newline + 1
    blank = text.rfind(" ", max(budget - min(_WORD_CHARS, budget // 4), 0), budget)
    if blank >= 0:
        return blank + 1
    at_least = max(budget - _MOST_MARKS, 0)
    return next((end for end in range(budget, at_least, -1) if not _continues(text, end)), budget)


def _tail_start(text: str, budget: int) -> int:
    first = len(text) - budget
    newline = text.find("\n", first, first + budget // 2)
    if newline >= 0:
        return newline + 1
    blank = text.find(" ", first, first + min(_WORD_CHARS, budget // 4))
    if blank >= 0:
        return blank + 1
    at_most = min(first + _MOST_MARKS, len(text))
    return next((start for start in range(first, at_most) if not _continues(text, start)), first)


def _continues(text: str, offset: int) -> bool:
    """Whether the character at `offset` belongs to the one before it: a combining mark, a joiner, the end of a CRLF."""
    if not 0 < offset < len(text):
        return False
    char, before = text[offset], text[offset - 1]
    return bool(combining(char)) or char in _JOINS or before == "\u200d" or (before, char) == ("\r", "\n")


_JOINS = frozenset("\u200d\ufe0e\ufe0f")


def place_at(text: str, offset: int) -> Place:
    """Where `offset` stands: its line, and its place in that line."""
    return Place(line_at(text, offset), offset - text.rfind("\n", 0, offset))


def line_at(text: str, offset: int) -> int:
    """The 1-based number of the line in which `offset` stands."""
    return text.count("\n", 0, offset) + 1


_SURROGATES = re.compile("[\ud800-\udfff]")


def writable(text: str) -> str:
    """`text` with what no encoding can write, halves of a surrogate pair, as replacement characters."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def clip(text: str, limit_chars: int) -> str:
    """`text` on one line, ended by an ellipsis where it was longer than `limit_chars`."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit_chars else flat[: max(limit_chars - 1, 0)].rstrip() + "…"


_NO_LETTERS = re.compile(r"[\W_]+")


def letters_of(text: str) -> str:
    """The letters and digits of a text in lower case: marks and blanks do not count where two are compared."""
    return _NO_LETTERS.sub("", text.lower())


def number_lines(text: str, first: int = 1) -> str:
    """Each line of `text` behind its number, right-aligned, counting from `first`."""
    lines = text.split("\n")
    width = len(str(first + len(lines) - 1))
    return "\n".join(f"{number:>{width}}  {line}" for number, line in enumerate(lines, first))


# Overrides and isolates that make a line read otherwise than it is.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """`text` without control characters that could move a terminal's cursor or turn its direction; tabs and newlines stay."""
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\n\t":
        return char
    code = ord(char)
    return "�" if code < 32 or 0x7F <= code < 0xA0 or char in _DIRECTION else char
