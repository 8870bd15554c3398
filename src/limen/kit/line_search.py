"""Lines of a text that answer a query, by their numbers: a phrase, words in any order, or a pattern, all in linear time."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import re2

# What a pattern and its automaton may take; one that needs more is refused when it is made.
_PATTERN_BYTES = 8 << 20
# Blanks of all scripts; a line's end is none, so that no match reaches over it.
_BLANKS = r"[\t\r\f\v\x1c-\x1f\x{85}\p{Z}]+"
# Folded in several letters, which a pattern's own folding does not do.
_SHARP_S = {"ss": "(?:ss|ß|ẞ)"}
_PARTS = re.compile("[0-9a-z]+")


class Line(NamedTuple):
    """A line's number, from 1, and where in the data its bytes lie, without its end."""

    number: int
    start: int
    end: int


class LinePattern:
    """Finds lines that match all of some patterns of RE2, in UTF-8 text. Raises ValueError for what is no pattern.

    In every such line, in lower case, stand all `parts`: letters and digits of ASCII without a gap.
    """

    def __init__(self, patterns: Sequence[str], parts: Sequence[str] = ()) -> None:
        self.parts = tuple(parts)
        options = re2.Options()
        options.never_nl, options.log_errors, options.max_mem = True, False, _PATTERN_BYTES
        try:
            self._all = [re2.compile(pattern.encode("utf-8"), options) for pattern in patterns]
        except (re2.error, UnicodeEncodeError) as error:
            raise ValueError(_said(error)) from error

    def lines(self, data: bytes) -> Iterator[Line]:
        """The matching lines, in order."""
        first, *others = self._all
        at, number, counted = 0, 1, 0
        while at <= len(data) and (match := first.search(data, at)) is not None:
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.start())
            end = len(data) if end < 0 else end
            number, counted = number + data.count(b"\n", counted, start), start
            line = data[start:end] if others else b""
            if all(other.search(line) is not None for other in others):
                yield Line(number, start, end)
            at = end + 1

    def column(self, line: str) -> int:
        """Where in a line what it was found for begins: a character's number, from 1."""
        data = line.encode("utf-8", "surrogatepass")
        match = self._all[0].search(data)
        return 1 if match is None else len(data[: match.start()].decode("utf-8", "surrogatepass")) + 1


def phrase_pattern(phrase: str) -> LinePattern:
    """Lines that hold a phrase, whatever its case and spacing. A phrase without a word matches none: ValueError."""
    words = phrase.split()
    if not words:
        raise ValueError("it holds no word")
    return LinePattern([f"(?i){_BLANKS.join(map(_literal, words))}"], _parts(words))


def words_pattern(phrase: str) -> LinePattern:
    """Lines that hold all words of a phrase, in any order and case; the longest is looked for first."""
    words = phrase.split()
    return LinePattern([f"(?i){_literal(word)}" for word in sorted(words, key=len, reverse=True)], _parts(words))


def regex_pattern(pattern: str) -> LinePattern:
    """Lines that match a pattern of RE2; `^` and `$` stand for a line's ends."""
    return LinePattern([f"(?m){pattern}"])


def _literal(word: str) -> str:
    escaped = str(re2.escape(word.casefold()))
    for folded, pattern in _SHARP_S.items():
        escaped = escaped.replace(folded, pattern)
    return escaped


def _parts(words: Sequence[str]) -> list[str]:
    return [part for word in words for part in _PARTS.findall(word.casefold())]


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else error
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
