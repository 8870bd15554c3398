"""Sections that may answer a query: the documents that hold its words best as a whole, then where in them.

BM25 over every section with any of the words is what a query's time would go to. There are far fewer documents, which one table
has whole, with their words as they are written; within the best of them, which sections hold a word in any form costs little.
"""

import json
import math
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

import msgspec

from limen.core.ports import LibraryDocument
from limen.store.library import AskedWord, DocumentMark, FoundSections, Frequencies, Near, SectionHit, Wanted
from limen.store.sqlite.library_demands import Met, Scope
from limen.store.sqlite.library_lookup import Looked
from limen.store.sqlite.library_text import readable
from limen.store.sqlite.library_vectors import Vectors
from limen.store.sqlite.library_vocabulary import Vocabulary
from limen.store.sqlite.library_whole import best_texts

# Words that the index lacks are worth a look into its vocabulary from this share of a query's weight on.
_MUCH = 0.2
# Where only demands are made, so many documents are looked at; so many sections come for their meaning alone.
_MOST_FIRSTS, _MOST_NEAR = 600, 25
# Of a document's sections those are looked at that hold so large a part of what its best one does.
_SHARE = 0.8

# So many sections are asked for their library at once.
_LOOK = 256

_COUNT = "SELECT count(*) FROM library_sections"
_OF_LIBRARY = """
SELECT EXISTS (SELECT 1 FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value
               CROSS JOIN library_documents d ON d.text_id = s.text_id WHERE d.library = ?)
"""
# The sections of a text have numbers in a row.
_SPANS = """
SELECT n.value, (SELECT min(id) FROM library_sections WHERE text_id = n.value),
       (SELECT max(id) FROM library_sections WHERE text_id = n.value)
FROM json_each(?) n
"""
_TEXTS_OF = """
SELECT s.id, s.text_id FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value
WHERE EXISTS (SELECT 1 FROM library_documents d WHERE d.text_id = s.text_id AND {})
"""
_SECTIONS = """
SELECT s.id, s.text_id, s.heading, s.anchor, s.line, s.listing, i.body || i.listing
FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value CROSS JOIN library_index i ON i.rowid = s.id
"""
_DOCUMENTS = """
SELECT d.text_id, d.stamp_ns, d.stamp_bytes, d.digest, d.root,
       d.id, d.origin, d.title, d.media_type, t.chars, t.sections, d.added_at
FROM json_each(?) n CROSS JOIN library_documents d ON d.text_id = n.value CROSS JOIN library_texts t ON t.id = d.text_id
WHERE {} ORDER BY d.id DESC
"""


class Asked(msgspec.Struct, frozen=True):
    """A word that tells sections apart, with the sections that hold it, and what holding it is worth."""

    looked: Looked
    worth: float


class LibrarySearch:
    """Searches the index. It keeps in memory what every search needs of it, for as long as that holds."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._vectors = Vectors()

    def search(self, connection: sqlite3.Connection, library: str, words: Sequence[AskedWord], wanted: Wanted) -> FoundSections:
        """See `LibraryStore.query`."""
        limit, demands, near = wanted.limit, wanted.demands, wanted.near
        looked = [Looked.up(connection, (word.text, *word.also)) for word in words]
        alike = self._alike(connection, library, words, looked)
        looked = [Looked.up_beginnings(connection, alike[at]) if at in alike else one for at, one in enumerate(looked)]
        (count,) = connection.execute(_COUNT).fetchone()
        frequencies = Frequencies(tuple(len(one.numbers) for one in looked), count)
        asked = [
            Asked(one, word.weight * math.log(1 + count / len(one.numbers)))
            for word, one, tells in zip(words, looked, frequencies.telling, strict=True)
            if tells
        ]
        if not (asked or demands or near) or limit < 1:
            return FoundSections((), frequencies, alike)
        scope = Scope.of(library, demands)
        met = Met.of(connection, demands) if demands else None
        texts = best_texts(connection, scope, " OR ".join(filter(None, (one.looked.expression for one in asked))), limit)
        if met is None and len(texts) == limit:
            held = _held(asked, connection.execute(_SPANS, (json.dumps(texts),)).fetchall())
        else:
            worth = _everywhere(connection, scope, asked, met)
            held = _by_text(worth, _texts_of(connection, scope, worth))
        nearness = self._nearness(connection, scope, met, near) if near is not None else {}
        places = {text: place for place, text in enumerate(texts)}
        chosen = _chosen(held, places, limit, wanted.each)
        hits = _hits(connection, scope, list(dict.fromkeys([*chosen, *nearness])), places, nearness)
        return FoundSections(tuple(hits), frequencies, alike)

    def _alike(
        self, connection: sqlite3.Connection, library: str, words: Sequence[AskedWord], looked: Sequence[Looked]
    ) -> dict[int, tuple[str, ...]]:
        """What stands for the words that no section of the library holds, where those are a good part of what is asked."""
        lacking = [at for at, one in enumerate(looked) if not _is_held(connection, library, one.numbers)]
        if sum(words[at].weight for at in lacking) < _MUCH * sum(word.weight for word in words):
            return {}
        found = {at: self._vocabulary.alike(connection, words[at].text) for at in lacking}
        return {at: terms for at, terms in found.items() if terms}

    def _nearness(self, connection: sqlite3.Connection, scope: Scope, met: Met | None, near: Near) -> dict[int, float]:
        """The sections of the scope that are nearest in meaning and meet what is demanded."""
        nearest = self._vectors.nearest(connection, near, _MOST_NEAR)
        held = _texts_of(connection, scope, nearest)
        return {number: value for number, value in nearest.items() if number in held and (met is None or number in met)}


def _is_held(connection: sqlite3.Connection, library: str, numbers: Sequence[int]) -> bool:
    """Whether any of some sections is of a library; the first few mostly tell."""
    for at in range(0, len(numbers), _LOOK):
        (held,) = connection.execute(_OF_LIBRARY, (json.dumps(numbers[at : at + _LOOK]), library)).fetchone()
        if held:
            return True
    return False


def _held(asked: Sequence[Asked], spans: Iterable[tuple[int, int, int]]) -> dict[int, dict[int, float]]:
    """What the sections of texts hold of the words, rare ones counting more; a text comes with its first and last section."""
    held: dict[int, dict[int, float]] = {}
    for text, first, last in spans:
        worth: dict[int, float] = {}
        for one in asked:
            numbers = one.looked.numbers
            for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]:
                worth[number] = worth.get(number, 0.0) + one.worth
        held[text] = worth
    return held


def _everywhere(connection: sqlite3.Connection, scope: Scope, asked: Sequence[Asked], met: Met | None) -> dict[int, float]:
    """The same of all sections that meet what is demanded; where nothing else is asked all of them are worth the same."""
    if not asked and met is not None:
        every = scope.firsts(connection, _MOST_FIRSTS) if met.only is None else met.only
        return {number: 0.0 for number in every if number in met}
    worth: dict[int, float] = {}
    for one in asked:
        for number in one.looked.numbers:
            worth[number] = worth.get(number, 0.0) + one.worth
    return worth if met is None else {number: value for number, value in worth.items() if number in met}


def _texts_of(connection: sqlite3.Connection, scope: Scope, numbers: Iterable[int]) -> dict[int, int]:
    """The text of each of the sections that lie in the scope."""
    rows = connection.execute(_TEXTS_OF.format(scope.condition), (json.dumps(list(numbers)), *scope.parameters))
    return dict(rows.fetchall())


def _by_text(worth: Mapping[int, float], of: Mapping[int, int]) -> dict[int, dict[int, float]]:
    """The sections that have a text, by it."""
    held: dict[int, dict[int, float]] = {}
    for number, text in of.items():
        held.setdefault(text, {})[number] = worth[number]
    return held


def _chosen(held: Mapping[int, Mapping[int, float]], places: Mapping[int, int], limit: int, each: int) -> list[int]:
    """The sections that hold most of the words: `each` of `limit` texts, and more of them where there are fewer texts. Of texts
    that hold as much in one section, those come first that hold the words best as a whole."""
    ordered = [(sorted(own, key=lambda number: (-own[number], number)), own, text) for text, own in held.items() if own]
    best = nsmallest(limit, ordered, key=lambda one: (-one[1][one[0][0]], places.get(one[2], len(places)), one[0][0]))
    first = [number for numbers, own, _ in best for number in numbers[:each] if own[number] >= _SHARE * own[numbers[0]]]
    if len(first) >= limit:
        return first
    rest = [(-own[number], number) for _, own, _ in best for number in own.keys() - set(first)]
    return [*first, *(number for _, number in nsmallest(limit - len(first), rest))]


def _hits(
    connection: sqlite3.Connection,
    scope: Scope,
    numbers: Sequence[int],
    places: Mapping[int, int],
    nearness: Mapping[int, float],
) -> Iterable[SectionHit]:
    sections = {row[0]: row[1:] for row in connection.execute(_SECTIONS, (json.dumps(numbers),))}
    held = list({row[0] for row in sections.values()})
    rows = connection.execute(_DOCUMENTS.format(scope.condition), (json.dumps(held), *scope.parameters))
    documents = {row[0]: (document(row[5:]), DocumentMark((row[1], row[2]), row[3], row[4])) for row in rows}
    for number in numbers:
        text_id, heading, anchor, line, listing, text = sections[number]
        if about := documents.get(text_id):
            place = places.get(text_id, len(places))
            yield SectionHit(*about, heading, anchor, line, readable(text), bool(listing), place, nearness.get(number, 0.0))


def document(row: tuple[int, str, str, str, int, int, float]) -> LibraryDocument:
    """A document from its number, origin, title, media type, characters, sections and time."""
    return LibraryDocument(*row, ref=f"lib:{row[0]}")
