"""Sections that may answer a query: chosen by which of its words they hold, then by BM25.

BM25 over every section with any of the words is what a query's time would go to. Which sections hold a word costs little, so
that decides first, and BM25 is asked of the likeliest alone.
"""

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate

import msgspec

from limen.core.ports import LibraryDocument
from limen.store.library import AskedWord, FoundSections, Frequencies, SectionHit
from limen.store.sqlite.library_text import match_expression, readable

# Title, heading, text, listing; chosen by the share of questions answered from the right page (bench/answers).
_WEIGHTS = "2.0, 5.0, 1.0, 0.1"
# BM25 is asked of so many sections, and of all that hold as much as the last of them, but never of more than this.
_LIKELY, _MOST_LIKELY = 300, 600
_LEAD_SECTIONS, _LEAD_CHARS = 2, 1_200

_HOLDING = "SELECT group_concat(rowid) FROM library_index WHERE library_index MATCH ?"
# CROSS JOIN: the numbers come first, whatever SQLite knows of the tables' sizes.
_OF_LIBRARY = """
SELECT s.id FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value
WHERE EXISTS (SELECT 1 FROM library_documents d WHERE d.text_id = s.text_id AND d.library = ?)
"""
# `+rowid` keeps FTS5 from looking each number up by itself, and bm25() instead of its `rank` from weighing what is left out.
_BEST = f"""
SELECT rowid FROM library_index WHERE library_index MATCH ? AND +rowid IN (SELECT value FROM json_each(?))
ORDER BY bm25(library_index, {_WEIGHTS}) LIMIT ?
"""
_SECTIONS = """
SELECT s.id, s.text_id, s.heading, s.anchor, s.line, s.listing, i.body || i.listing
FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value CROSS JOIN library_index i ON i.rowid = s.id
"""
_FIRST = "SELECT (SELECT min(id) FROM library_sections WHERE text_id = n.value) FROM json_each(?) n"
_LEADS = f"""
SELECT s.id, s.text_id, substr(i.body || i.listing, 1, {_LEAD_CHARS})
FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value CROSS JOIN library_index i ON i.rowid = s.id
"""
_DOCUMENTS = """
SELECT d.text_id, d.id, d.origin, d.title, d.media_type, t.chars, t.sections, d.added_at
FROM json_each(?) n CROSS JOIN library_documents d ON d.text_id = n.value CROSS JOIN library_texts t ON t.id = d.text_id
WHERE d.library = ? ORDER BY d.id DESC
"""
_numbers = msgspec.json.Decoder(list[int])


def search(connection: sqlite3.Connection, library: str, words: Sequence[AskedWord], limit: int) -> FoundSections:
    """See `LibraryStore.query`."""
    holding = [_holding(connection, word) for word in words]
    (sections,) = connection.execute("SELECT count(*) FROM library_sections").fetchone()
    frequencies = Frequencies(tuple(map(len, holding)), sections)
    asked = [(word, numbers) for word, numbers, tells in zip(words, holding, frequencies.telling, strict=True) if tells]
    if not asked or limit < 1:
        return FoundSections((), frequencies)
    likely = _likely(connection, library, _worth(asked, sections), limit)
    expression = match_expression([form for word, _ in asked for form in (word.text, *word.also)])
    best = [number for (number,) in connection.execute(_BEST, (expression, json.dumps(likely), limit))]
    return FoundSections(tuple(_hits(connection, library, best)), frequencies)


def _holding(connection: sqlite3.Connection, word: AskedWord) -> list[int]:
    """The numbers of the sections that hold a word."""
    expression = match_expression((word.text, *word.also))
    if not expression:
        return []
    (numbers,) = connection.execute(_HOLDING, (expression,)).fetchone()
    return _numbers.decode(f"[{numbers or ''}]")


def _worth(asked: Iterable[tuple[AskedWord, list[int]]], sections: int) -> dict[int, float]:
    """What each section holds of the words, rare ones counting more."""
    worth: dict[int, float] = {}
    for word, numbers in asked:
        weight = word.weight * math.log(1 + sections / len(numbers))
        for number in numbers:
            worth[number] = worth.get(number, 0.0) + weight
    return worth


def _likely(connection: sqlite3.Connection, library: str, worth: Mapping[int, float], limit: int) -> list[int]:
    """The library's sections that hold most. All libraries share the index, so that few of the first may be of this one."""
    most = _most(worth)
    likely = _of_library(connection, library, most)
    if len(likely) < limit and len(most) < len(worth):
        likely = _most({number: worth[number] for number in _of_library(connection, library, list(worth))})
    return likely


def _most(worth: Mapping[int, float]) -> list[int]:
    if len(worth) <= _LIKELY:
        return list(worth)
    # Sections with the same words are worth the same, so that there are few values.
    values = sorted(Counter(worth.values()).items(), reverse=True)
    counts = accumulate(count for _, count in values)
    least = next(value for (value, _), count in zip(values, counts, strict=True) if count >= _LIKELY)
    most = [number for number, value in worth.items() if value >= least]
    return most if len(most) <= _MOST_LIKELY else nlargest(_MOST_LIKELY, most, key=worth.__getitem__)


def _of_library(connection: sqlite3.Connection, library: str, numbers: list[int]) -> list[int]:
    return [number for (number,) in connection.execute(_OF_LIBRARY, (json.dumps(numbers), library))]


def _hits(connection: sqlite3.Connection, library: str, numbers: list[int]) -> Iterable[SectionHit]:
    sections = {row[0]: row[1:] for row in connection.execute(_SECTIONS, (json.dumps(numbers),))}
    texts = json.dumps(list({row[0] for row in sections.values()}))
    documents = {row[0]: document(row[1:]) for row in connection.execute(_DOCUMENTS, (texts, library))}
    leads = _leads(connection, texts)
    for number in numbers:
        text_id, heading, anchor, line, listing, text = sections[number]
        if about := documents.get(text_id):
            yield SectionHit(about, heading, anchor, line, readable(text), bool(listing), leads.get(text_id, ""))


def _leads(connection: sqlite3.Connection, texts: str) -> dict[int, str]:
    """How each text begins: its first sections, a lone name or heading being too little to tell what follows."""
    firsts = [first for (first,) in connection.execute(_FIRST, (texts,))]
    numbers = dict.fromkeys(first + place for place in range(_LEAD_SECTIONS) for first in firsts)
    leads: dict[int, str] = {}
    for _, text_id, text in sorted(connection.execute(_LEADS, (json.dumps(list(numbers)),))):
        leads[text_id] = f"{leads[text_id]}\n{readable(text)}" if text_id in leads else readable(text)
    return leads


def document(row: tuple[int, str, str, str, int, int, float]) -> LibraryDocument:
    """A document from its number, origin, title, media type, characters, sections and time."""
    return LibraryDocument(*row, ref=f"lib:{row[0]}")
