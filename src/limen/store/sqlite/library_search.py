"""Sections that may answer a query: chosen by which of its words they hold, then by BM25.

BM25 over every section with any of the words is what a query's time would go to. Which sections hold a word costs little, so
that decides first, and BM25 is asked of the likeliest alone.
"""

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate

from limen.core.ports import LibraryDocument
from limen.kit.operators import Demands
from limen.store.library import AskedWord, FoundSections, Frequencies, Near, SectionHit
from limen.store.sqlite.library_demands import Met, Scope
from limen.store.sqlite.library_lookup import Looked
from limen.store.sqlite.library_text import readable
from limen.store.sqlite.library_texts import KnownTexts, Texts
from limen.store.sqlite.library_vectors import Vectors
from limen.store.sqlite.library_vocabulary import Vocabulary

# Title, heading, text, listing; chosen by the share of questions answered from the right page (bench/answers).
_WEIGHTS = "2.0, 5.0, 1.0, 0.1"
# BM25 is asked of so many sections, and of all that hold as much as the last of them, but never of more than this.
_LIKELY, _MOST_LIKELY = 300, 600
# So many of the likely ones may be of one text, and so large a part of what comes back, while others have as many words.
_MOST_OF_A_TEXT, _SHARE = 100, 8
# What counts beside the words of a section, 1 being all of them: those of its whole text, and its place by BM25, which is worth
# half at the 20th. Neighbouring values do as well.
_STANDING_WORTH, _BM25_WORTH, _BM25_PLACES = 0.15, 0.3, 20
# Behind the first so many, what is not worth this share of the best is not looked at.
_LEAST, _LEAST_SHARE = 16, 0.5
# Words that the index lacks are worth a look into its vocabulary from this share of a query's weight on.
_MUCH = 0.2
# So many sections come for their meaning alone.
_MOST_NEAR = 25
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
_LEADS = f"""
SELECT s.id, s.text_id, substr(i.body || i.listing, 1, {_LEAD_CHARS})
FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value CROSS JOIN library_index i ON i.rowid = s.id
"""
_DOCUMENTS = """
SELECT d.text_id, d.id, d.origin, d.title, d.media_type, t.chars, t.sections, d.added_at
FROM json_each(?) n CROSS JOIN library_documents d ON d.text_id = n.value CROSS JOIN library_texts t ON t.id = d.text_id
WHERE {} ORDER BY d.id DESC
"""


class LibrarySearch:
    """Searches the index. It keeps in memory what every search needs of it, for as long as that holds."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._texts = KnownTexts()
        self._vectors = Vectors()

    def search(
        self,
        connection: sqlite3.Connection,
        library: str,
        words: Sequence[AskedWord],
        limit: int,
        demands: Demands,
        near: Near | None,
    ) -> FoundSections:
        """See `LibraryStore.query`."""
        texts = self._texts.read(connection)
        looked = [Looked.up(connection, (word.text, *word.also)) for word in words]
        alike = _alike(connection, self._vocabulary, words, looked)
        looked = [Looked.up_beginnings(connection, alike[at]) if at in alike else one for at, one in enumerate(looked)]
        frequencies = Frequencies(tuple(len(one.numbers) for one in looked), texts.sections)
        asked = [(word, one) for word, one, tells in zip(words, looked, frequencies.telling, strict=True) if tells]
        if not (asked or demands or near) or limit < 1:
            return FoundSections((), frequencies, alike)
        scope = Scope.of(library, demands)
        worth = _worth(((word, one.numbers) for word, one in asked), texts.sections)
        met = Met.of(connection, demands) if demands else None
        if met is not None:
            worth = _meeting(connection, scope, met, worth if asked else None)
        standing = texts.standing((word.weight, one.numbers) for word, one in asked)
        likely = _likely(connection, scope, texts, worth, standing, limit)
        best = _best(connection, " OR ".join(filter(None, (one.expression for _, one in asked))), likely)
        chosen = _chosen(best, texts, worth, standing, limit)
        nearness = self._nearness(connection, scope, texts, met, near) if near is not None else {}
        chosen = list(dict.fromkeys([*chosen, *nearness]))
        return FoundSections(tuple(_hits(connection, scope, texts, chosen, standing, nearness)), frequencies, alike)

    def _nearness(
        self, connection: sqlite3.Connection, scope: Scope, texts: Texts, met: Met | None, near: Near
    ) -> dict[int, float]:
        """The sections of the scope that are nearest in meaning and meet what is demanded."""
        nearest = self._vectors.nearest(connection, near, _MOST_NEAR)
        held = scope.texts(connection, {texts.of[number] for number in nearest})
        fit = {number for number in nearest if texts.of[number] in held and (met is None or number in met)}
        return {number: value for number, value in nearest.items() if number in fit}


def _alike(
    connection: sqlite3.Connection, vocabulary: Vocabulary, words: Sequence[AskedWord], looked: Sequence[Looked]
) -> dict[int, tuple[str, ...]]:
    """What stands for the words that no section holds, where those are a good part of what is asked."""
    lacking = [at for at, one in enumerate(looked) if not one.numbers]
    if sum(words[at].weight for at in lacking) < _MUCH * sum(word.weight for word in words):
        return {}
    found = {at: vocabulary.alike(connection, words[at].text) for at in lacking}
    return {at: terms for at, terms in found.items() if terms}


def _worth(asked: Iterable[tuple[AskedWord, list[int]]], sections: int) -> dict[int, float]:
    """What each section holds of the words, rare ones counting more."""
    worth: dict[int, float] = {}
    for word, numbers in asked:
        weight = word.weight * math.log(1 + sections / len(numbers))
        for number in numbers:
            worth[number] = worth.get(number, 0.0) + weight
    return worth


def _meeting(connection: sqlite3.Connection, scope: Scope, met: Met, worth: Mapping[int, float] | None) -> dict[int, float]:
    """What those sections are worth that meet the demands, where nothing else is asked all of them the same."""
    if worth is None:
        every = scope.firsts(connection, _MOST_LIKELY) if met.only is None else met.only
        worth = dict.fromkeys(every, 0.0)
    return {number: value for number, value in worth.items() if number in met}


def _likely(
    connection: sqlite3.Connection,
    scope: Scope,
    texts: Texts,
    worth: Mapping[int, float],
    standing: Mapping[int, float],
    limit: int,
) -> list[int]:
    """The scope's sections that hold most. All libraries share the index, so that few of the first may be of this one; and most
    of them may be of one document, which keeps out all others."""
    most = _most(worth, lambda number: (worth[number], standing.get(texts.of[number], 0.0)))
    held = scope.texts(connection, set(map(texts.of.__getitem__, most)))
    likely = [number for number in most if texts.of[number] in held]
    of_one = max(Counter(map(texts.of.__getitem__, likely)).values(), default=0)
    if len(most) < len(worth) and (len(likely) < limit or of_one > _MOST_OF_A_TEXT):
        held = scope.texts(connection, set(map(texts.of.__getitem__, worth)))
        ordered = sorted((number for number in worth if texts.of[number] in held), key=lambda number: -worth[number])
        likely = _spread(ordered, texts.of, _MOST_OF_A_TEXT, _MOST_LIKELY)
    return likely


def _chosen(
    best: Sequence[int], texts: Texts, worth: Mapping[int, float], standing: Mapping[int, float], limit: int
) -> list[int]:
    """The sections that are weighed further: by the words they hold, by those that their text holds, and by BM25."""
    most, highest = (max(values, default=0.0) or 1.0 for values in (map(worth.__getitem__, best), standing.values()))
    fused = {
        number: worth[number] / most
        + _STANDING_WORTH * standing.get(texts.of[number], 0.0) / highest
        + _BM25_WORTH / (1 + place / _BM25_PLACES)
        for place, number in enumerate(best)
    }
    ordered = sorted(best, key=lambda number: -fused[number])
    least = _LEAST_SHARE * max(fused.values(), default=0.0)
    spread = _spread(ordered, texts.of, max(limit // _SHARE, 1), limit)
    chosen = {number for place, number in enumerate(spread) if place < _LEAST or fused[number] >= least}
    return [number for number in best if number in chosen]


def _most(worth: Mapping[int, float], order: Callable[[int], tuple[float, float]]) -> list[int]:
    """The sections that hold most; where very many hold the same, the first in an order."""
    if len(worth) <= _LIKELY:
        return list(worth)
    # Sections with the same words are worth the same, so that there are few values.
    values = sorted(Counter(worth.values()).items(), reverse=True)
    counts = accumulate(count for _, count in values)
    least = next(value for (value, _), count in zip(values, counts, strict=True) if count >= _LIKELY)
    most = [number for number, value in worth.items() if value >= least]
    return most if len(most) <= _MOST_LIKELY else nlargest(_MOST_LIKELY, most, key=order)


def _spread(numbers: Sequence[int], texts: Sequence[int], of_one: int, limit: int) -> list[int]:
    """At most `limit` of the numbers in their order: no more than `of_one` of a text, and the others where there is room left."""
    taken: Counter[int] = Counter()
    first: list[int] = []
    rest: list[int] = []
    for number in numbers:
        taken[texts[number]] += 1
        (first if taken[texts[number]] <= of_one else rest).append(number)
    return [*first, *rest][:limit]


def _best(connection: sqlite3.Connection, expression: str, likely: Iterable[int]) -> list[int]:
    """The sections by BM25, those that it does not know last."""
    if not expression:
        return list(likely)
    known = [number for (number,) in connection.execute(_BEST, (expression, json.dumps(list(likely))))]
    return list(dict.fromkeys([*known, *likely]))


def _hits(
    connection: sqlite3.Connection,
    scope: Scope,
    texts: Texts,
    numbers: Sequence[int],
    standing: Mapping[int, float],
    nearness: Mapping[int, float],
) -> Iterable[SectionHit]:
    sections = {row[0]: row[1:] for row in connection.execute(_SECTIONS, (json.dumps(numbers),))}
    held = list({row[0] for row in sections.values()})
    rows = connection.execute(_DOCUMENTS.format(scope.condition), (json.dumps(held), *scope.parameters))
    documents = {row[0]: document(row[1:]) for row in rows}
    leads = _leads(connection, [texts.first[text_id] for text_id in held])
    highest = max(standing.values(), default=1.0)
    for number in numbers:
        text_id, heading, anchor, line, listing, text = sections[number]
        if about := documents.get(text_id):
            lead, share = leads.get(text_id, ""), standing.get(text_id, 0.0) / highest
            yield SectionHit(about, heading, anchor, line, readable(text), bool(listing), lead, share, nearness.get(number, 0.0))


def _leads(connection: sqlite3.Connection, firsts: Iterable[int]) -> dict[int, str]:
    """How each text begins: its first sections, a lone name or heading being too little to tell what follows."""
    numbers = dict.fromkeys(first + place for place in range(_LEAD_SECTIONS) for first in firsts)
    leads: dict[int, str] = {}
    for _, text_id, text in sorted(connection.execute(_LEADS, (json.dumps(list(numbers)),))):
        leads[text_id] = f"{leads[text_id]}\n{readable(text)}" if text_id in leads else readable(text)
    return leads


def document(row: tuple[int, str, str, str, int, int, float]) -> LibraryDocument:
    """A document from its number, origin, title, media type, characters, sections and time."""
    return LibraryDocument(*row, ref=f"lib:{row[0]}")
