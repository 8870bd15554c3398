"""Which blocks of evidence may hold a query: the index of their words, made beside the work, in the order they were stored."""

import re
import sqlite3
import zlib
from collections.abc import Callable, Sequence

from limen.kit.log import failed_open
from limen.store.packing import unpack

# A step of so many takes about ten milliseconds.
_STEP_BLOCKS = 4
# FTS5 cuts longer words. What comes of these bytes in lower case is at most three times as long.
_ENDLESS_WORD = re.compile(rb"(?<![0-9A-Za-z\x80-\xff])[0-9A-Za-z\x80-\xff]{8000}")
# Stands in the index for a block that is looked through at every search.
_ALWAYS = "limenlooksthroughit"
# Words that hardly shrink are random letters, each in one place: their index would be as large as they are.
_DENSE, _DENSE_BYTES = 0.5, 16 * 1024
# What stands in so many words stands in most blocks; what is shorter, in most words.
_MOST_WORDS, _LEAST_CHARS = 300, 2
# Words of random letters could be as long as the texts; then every search looks through all.
_VOCABULARY_CHARS = 16_000_000
_LINE = "\n"


def is_behind(connection: sqlite3.Connection) -> bool:
    """Whether there are blocks to index."""
    return (
        connection.execute("SELECT 1 FROM evidence_blocks WHERE id > (SELECT upto FROM evidence_indexed)").fetchone() is not None
    )


def index_some(connection: sqlite3.Connection) -> int:
    """Index the next blocks; how many, 0 when there are none. Part of a write job."""
    blocks = connection.execute(
        "SELECT id, packed, whole, body FROM evidence_blocks WHERE id > (SELECT upto FROM evidence_indexed) ORDER BY id LIMIT ?",
        (_STEP_BLOCKS,),
    ).fetchall()
    for number, packed, whole, body in blocks:
        try:
            words = _words(packed, whole, body)
        except zlib.error:  # a search comes to it, and says so
            words = _ALWAYS
        connection.execute("INSERT INTO evidence_words (rowid, text) VALUES (?, ?)", (number, words))
    if blocks:
        connection.execute("UPDATE evidence_indexed SET upto = ?", (blocks[-1][0],))
    return len(blocks)


def forget_words(connection: sqlite3.Connection, number: int, packed: int, whole: int, body: bytes) -> None:
    """Take a block out of the index, if it is in there."""
    if number > _upto(connection):
        return
    try:
        words = _words(packed, whole, body)
    except zlib.error as error:  # its words stay in the index, where they find nothing
        failed_open("store.words_left", error)
        return
    connection.execute("INSERT INTO evidence_words (evidence_words, rowid, text) VALUES ('delete', ?, ?)", (number, words))


class IndexedWords:
    """Knows the words of the index, so that a part of a word finds them. Each process learns them at its first search."""

    def __init__(self) -> None:
        self._words, self._numbers = _Vocabulary("GLOB '*[^0-9]*'"), _Vocabulary("NOT GLOB '*[^0-9]*'")

    def wanted(self, connection: sqlite3.Connection, parts: Sequence[str]) -> Callable[[int], bool] | None:
        """Whether a block, by its number, may hold a line with all of `parts`, which are letters and digits of ASCII in lower
        case; None where any may."""
        upto = _upto(connection)
        told = [part for part in dict.fromkeys(parts) if len(part) >= _LEAST_CHARS] if upto else []
        alternatives = [found for part in told if (found := self._holding(connection, part, upto)) is not None]
        if not alternatives:
            return None
        # A part that no word holds stands in no block of the index.
        expression = " AND ".join(f"({' OR '.join(found)})" for found in alternatives) if all(alternatives) else '""'
        query = f'"{_ALWAYS}" OR ({expression})'
        rows = connection.execute("SELECT rowid FROM evidence_words WHERE evidence_words MATCH ?", (query,))
        numbers = {number for (number,) in rows}
        return lambda number: number > upto or number in numbers

    def _holding(self, connection: sqlite3.Connection, part: str, upto: int) -> list[str] | None:
        """The words that a part stands in, quoted; None where there are too many."""
        found: list[str] = []
        for vocabulary in (self._words, self._numbers) if part.isdigit() else (self._words,):
            words = vocabulary.known(connection, upto)
            if words is None:
                return None
            found += _holding(words, part)
        return found if len(found) <= _MOST_WORDS else None


class _Vocabulary:
    """Some of the words of the index, one a line, as far as they are not too many."""

    def __init__(self, which: str) -> None:
        self._which = which
        self._learned: tuple[int, str | None] = (-1, None)

    def known(self, connection: sqlite3.Connection, upto: int) -> str | None:
        """What stands in the index up to a block. What was learned when it held more is as good."""
        learned, text = self._learned
        if learned < upto:
            words, room = list[str](), _VOCABULARY_CHARS
            for (word,) in connection.execute(f"SELECT term FROM evidence_vocabulary WHERE term {self._which}"):
                words.append(word)
                room -= len(word)
                if room < 0:
                    break
            text = None if room < 0 else "\n".join(("", *words, ""))
            self._learned = (upto, text)  # at once: several threads search
        return text


def _holding(vocabulary: str, part: str) -> list[str]:
    """The words that a part stands in, quoted; of too many, one too many."""
    found: list[str] = []
    at = vocabulary.find(part)
    while at >= 0 and len(found) <= _MOST_WORDS:
        end = vocabulary.find("\n", at)
        found.append(f'"{vocabulary[vocabulary.rfind(_LINE, 0, at) + 1 : end]}"')
        at = vocabulary.find(part, end)
    return found


def _words(packed: int, whole: int, body: bytes) -> str:
    """What the index is given of a block. It keeps no text, so the same must come out when the block is taken out of it."""
    data = unpack(packed, body)
    is_dense = len(data) > _DENSE_BYTES and len(body) > _DENSE * len(data)
    if not whole or is_dense or _ENDLESS_WORD.search(data):
        return _ALWAYS
    return data.decode("utf-8", "replace").casefold().replace("\0", " ")


def _upto(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT upto FROM evidence_indexed").fetchone()[0])
