"""Which text each section is of, in memory: what a search would otherwise join tables for, thousands of rows at a time."""

import math
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

# Numbers of sections and texts only grow while none goes, and a document that comes again gets a new number.
_STATE = """
SELECT (SELECT count(*) FROM library_sections), (SELECT max(id) FROM library_sections), (SELECT count(*) FROM library_texts),
       (SELECT max(id) FROM library_texts), (SELECT max(seq) FROM sqlite_sequence WHERE name = 'library_documents')
"""
# BM25's usual constants; a text's length is that of its characters, and how often it has a word the sections that do.
_K1, _B = 1.2, 0.75

State = tuple[int, int | None, int, int | None, int | None]


class Texts(msgspec.Struct, frozen=True):
    """The text of every section by the section's number (0 where there is none), the first section of each text, and its
    characters."""

    state: State
    of: Sequence[int]
    first: Mapping[int, int]
    chars: Mapping[int, int]

    @property
    def sections(self) -> int:
        return self.state[0]

    def standing(self, asked: Iterable[tuple[float, Sequence[int]]]) -> dict[int, float]:
        """How well each text as a whole holds some words, by BM25; a word comes as its weight and the sections that hold it."""
        mean = sum(self.chars.values()) / len(self.chars) if self.chars else 1.0
        norms: dict[int, float] = {}
        found: dict[int, float] = {}
        for weight, numbers in asked:
            times = Counter(map(self.of.__getitem__, numbers))
            rarity = weight * math.log(1 + (len(self.chars) - len(times) + 0.5) / (len(times) + 0.5))
            for text, often in times.items():
                if text not in norms:
                    norms[text] = _K1 * (1 - _B + _B * self.chars.get(text, 0) / mean)
                found[text] = found.get(text, 0.0) + rarity * often * (_K1 + 1) / (often + norms[text])
        return found


class KnownTexts:
    """Keeps `Texts` as long as they are the database's."""

    def __init__(self) -> None:
        self._texts = Texts((0, None, 0, None, None), (), {}, {})

    def read(self, connection: sqlite3.Connection) -> Texts:
        """The texts as a reading transaction sees them."""
        state: State = connection.execute(_STATE).fetchone()
        texts = self._texts
        if state != texts.state:
            of = array("q", bytes(8 * ((state[1] or 0) + 1)))
            first: dict[int, int] = {}
            for number, text in connection.execute("SELECT id, text_id FROM library_sections ORDER BY id"):
                of[number] = text
                first.setdefault(text, number)
            texts = Texts(state, of, first, dict(connection.execute("SELECT id, chars FROM library_texts").fetchall()))
            self._texts = texts
        return texts
