"""The words of the index, for a query's word that is none of them: what it is a part of, or was meant to be."""

import sqlite3
from bisect import bisect_left
from itertools import islice

from limen.kit.words import stem

# Of fewer letters, a beginning or a part is one of too many words.
_LEAST_BEGINNING, _LEAST_PART, _LEAST_MISTYPED = 4, 5, 5
_MOST_ALIKE = 8
# Longer ones are data.
_LONGEST_CHARS = 64
_TERMS = f"SELECT term FROM library_vocabulary WHERE length(term) BETWEEN {_LEAST_BEGINNING} AND {_LONGEST_CHARS}"
_STATE = "SELECT count(*), max(id) FROM library_sections"


class Vocabulary:
    """The index's words, stemmed as they stand there, in memory; read anew once sections have come or gone, which takes as long
    as reading the index (measured: 70 ms for 22,000 sections)."""

    def __init__(self) -> None:
        self._state: tuple[int, int | None] = (0, None)
        self._terms: list[str] = []
        self._text = "\n"

    def alike(self, connection: sqlite3.Connection, word: str) -> tuple[str, ...]:
        """Words of the index that begin with a word it lacks, that hold it, or, where there are none, that differ in one letter
        from it; the likeliest first."""
        word = word.lower()
        if not word.isalnum() or not _LEAST_BEGINNING <= len(word) <= _LONGEST_CHARS:
            return ()
        self._read(connection)
        found = dict.fromkeys([*self._beginning(word), *self._holding(word)])
        return tuple(islice(found, _MOST_ALIKE)) or tuple(islice(self._mistyped(word), _MOST_ALIKE))

    def _read(self, connection: sqlite3.Connection) -> None:
        state = connection.execute(_STATE).fetchone()
        if state != self._state:
            self._terms = sorted(term for (term,) in connection.execute(_TERMS))
            self._text = "\n".join(("", *self._terms, ""))
            self._state = state

    def _beginning(self, word: str) -> list[str]:
        first = bisect_left(self._terms, word)
        return [term for term in self._terms[first : first + _MOST_ALIKE] if term.startswith(word)]

    def _holding(self, word: str) -> list[str]:
        """Shorter ones first: of those the word is the larger part."""
        found: list[str] = []
        at = self._text.find(word) if len(word) >= _LEAST_PART else -1
        while at >= 0:
            start, end = self._text.rindex("\n", 0, at) + 1, self._text.index("\n", at)
            found.append(self._text[start:end])
            at = self._text.find(word, end)
        return sorted(found, key=len)

    def _mistyped(self, word: str) -> list[str]:
        """Words of the same first letter, one letter more, less, other or swapped; a stem stands for what begins with it."""
        if len(word) < _LEAST_MISTYPED or not word.isalpha():
            return []
        first = bisect_left(self._terms, word[0])
        last = bisect_left(self._terms, chr(ord(word[0]) + 1))
        meant = {word, stem(word)}
        return [term for term in self._terms[first:last] if any(_differ_in_one(term, one) for one in meant)]


def _differ_in_one(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    shorter, longer = sorted((one, other), key=len)
    at = next((at for at, (left, right) in enumerate(zip(shorter, longer, strict=False)) if left != right), len(shorter))
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    swapped = shorter[:at] + shorter[at : at + 2][::-1] + shorter[at + 2 :]
    return shorter[at + 1 :] == longer[at + 1 :] or swapped == longer
