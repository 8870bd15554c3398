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

from limen.core.ports import LibraryDocument
from limen.kit.operators import Demands
from limen.store.library import AskedWord, FoundSections, Frequencies, SectionHit
from limen.store.sqlite.library_demands import Met, Scope, holding
from limen.store.sqlite.library_text import match_expression, readable

# Title, heading, text, listing; chosen by the share of questions answered from the right page (bench/answers).
_WEIGHTS = "2.0, 5.0, 1.0, 0.1"
# BM25 is asked of so many sections, and of all that hold as much as the last of them, but never of more than this.
_LIKELY, _MOST_LIKELY = 300, 600
# So many of the likely ones may be of one text, and so large a part of what comes back, while others have as many words.
_MOST_OF_A_TEXT, _SHARE = 100, 4
_LEAD_SECTIONS, _LEAD_CHARS = 2, 1_200

# `+rowid` keeps FTS5 from looking each number up by itself, and bm25() instead of its `rank` from weighing what is left out.
_BEST = f"""
SELECT rowid FROM library_index WHERE library_index MATCH ? AND +rowid IN (SELECT value FROM json_each(?))
ORDER BY bm25(library_index, {_WEIGHTS})
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
WHERE {} ORDER BY d.id DESC
"""


def search(
    connection: sqlite3.Connection, library: str, words: Sequence[AskedWord], limit: int, demands: Demands
) -> FoundSections:
    """See `LibraryStore.query`."""
    scope = Scope.of(library, demands)
    held = [holding(connection, (word.text, *word.also)) for word in words]
    (sections,) = connection.execute("SELECT count(*) FROM library_sections").fetchone()
    frequencies = Frequencies(tuple(map(len, held)), sections)
    asked = [(word, numbers) for word, numbers, tells in zip(words, held, frequencies.telling, strict=True) if tells]
    worth = _worth(asked, sections)
    if demands:
        worth = _meeting(connection, scope, demands, worth if asked else None)
    if not worth or limit < 1:
        return FoundSections((), frequencies)
    likely = _likely(connection, scope, worth, limit)
    expression = match_expression([form for word, _ in asked for form in (word.text, *word.also)])
    best = _best(connection, expression, likely) if expression else list(likely)
    return FoundSections(tuple(_hits(connection, scope, _spread(best, likely, max(limit // _SHARE, 1), limit))), frequencies)


def _worth(asked: Iterable[tuple[AskedWord, list[int]]], sections: int) -> dict[int, float]:
    """What each section holds of the words, rare ones counting more."""
    worth: dict[int, float] = {}
    for word, numbers in asked:
        weight = word.weight * math.log(1 + sections / len(numbers))
        for number in numbers:
            worth[number] = worth.get(number, 0.0) + weight
    return worth


def _meeting(
    connection: sqlite3.Connection, scope: Scope, demands: Demands, worth: Mapping[int, float] | None
) -> dict[int, float]:
    """What those sections are worth that meet the demands, where nothing else is asked all of them the same."""
    met = Met.of(connection, demands)
    if worth is None:
        every = scope.firsts(connection, _MOST_LIKELY) if met.only is None else met.only
        worth = dict.fromkeys(every, 0.0)
    return {number: value for number, value in worth.items() if number in met}


def _likely(connection: sqlite3.Connection, scope: Scope, worth: Mapping[int, float], limit: int) -> dict[int, int]:
    """The scope's sections that hold most, each with its text. All libraries share the index, so that few of the first may be of
    this one; and most of them may be of one document, which keeps out all others."""
    most = _most(worth)
    likely = scope.texts(connection, most)
    of_one = max(Counter(likely.values()).values(), default=0)
    if len(most) == len(worth) or (len(likely) >= limit and of_one <= _MOST_OF_A_TEXT):
        return likely
    texts = scope.texts(connection, worth)
    ordered = sorted(texts, key=lambda number: -worth[number])
    return {number: texts[number] for number in _spread(ordered, texts, _MOST_OF_A_TEXT, _MOST_LIKELY)}


def _most(worth: Mapping[int, float]) -> list[int]:
    if len(worth) <= _LIKELY:
        return list(worth)
    # Sections with the same words are worth the same, so that there are few values.
    values = sorted(Counter(worth.values()).items(), reverse=True)
    counts = accumulate(count for _, count in values)
    least = next(value for (value, _), count in zip(values, counts, strict=True) if count >= _LIKELY)
    most = [number for number, value in worth.items() if value >= least]
    return most if len(most) <= _MOST_LIKELY else nlargest(_MOST_LIKELY, most, key=worth.__getitem__)


def _spread(numbers: Sequence[int], texts: Mapping[int, int], of_one: int, limit: int) -> list[int]:
    """At most `limit` of the numbers in their order: no more than `of_one` of a text, and the others where there is room left."""
    taken: Counter[int] = Counter()
    first: list[int] = []
    rest: list[int] = []
    for number in numbers:
        taken[texts[number]] += 1
        (first if taken[texts[number]] <= of_one else rest).append(number)
    return [*first, *rest][:limit]


def _best(connection: sqlite3.Connection, expression: str, likely: Iterable[int]) -> list[int]:
    """The sections by BM25."""
    return [number for (number,) in connection.execute(_BEST, (expression, json.dumps(list(likely))))]


def _hits(connection: sqlite3.Connection, scope: Scope, numbers: Sequence[int]) -> Iterable[SectionHit]:
    sections = {row[0]: row[1:] for row in connection.execute(_SECTIONS, (json.dumps(numbers),))}
    texts = json.dumps(list({row[0] for row in sections.values()}))
    rows = connection.execute(_DOCUMENTS.format(scope.condition), (texts, *scope.parameters))
    documents = {row[0]: document(row[1:]) for row in rows}
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
