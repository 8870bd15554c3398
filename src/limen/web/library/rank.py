"""Ordering sections that answer a question: BM25 from the store, weighed by how much of the question they cover and where."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from limen.kit.words import terms
from limen.store.ports import SectionHit
from limen.web.library.query import Question, Word

# Chosen on half of 124 questions over three sets of documentation, and checked on the other half (bench/library.py).
_COVERAGE_FLOOR = 0.5
_HEADING_WEIGHT, _TITLE_WEIGHT, _NEARNESS_WEIGHT = 1.0, 1.5, 0.8
_LISTING_FACTOR = 0.5
# A shorter section is mostly heading: BM25 overrates it.
_FULL_CHARS = 400
_NEAR_CHARS = 60
_MOST_OF_A_DOCUMENT = 2
_SAME_SHARE = 0.8
_TOKEN = re.compile(r"\w+")


class Ranked(msgspec.Struct, frozen=True):
    """A section with the score it was ordered by, and the share (0 to 1) of the question's weight that it covers."""

    hit: SectionHit
    score: float
    coverage: float


def rank(question: Question, hits: Sequence[SectionHit], limit: int) -> list[Ranked]:
    """The best `limit` sections: no two that say the same, and at most two of a document while others have something to say."""
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    scored = sorted((_scored(question.words, hit, hit.score / best) for hit in hits), key=lambda ranked: -ranked.score)
    chosen: list[Ranked] = []
    spare: list[Ranked] = []
    of_document: Counter[int] = Counter()
    for ranked in _without_repetition(scored):
        if len(chosen) == limit:
            break
        document = ranked.hit.document.id
        of_document[document] += 1
        (chosen if of_document[document] <= _MOST_OF_A_DOCUMENT else spare).append(ranked)
    return [*chosen, *spare[: limit - len(chosen)]]


def _scored(asked: Sequence[Word], hit: SectionHit, relevance: float) -> Ranked:
    """`relevance` is the section's BM25 beside the best one's, 0 to 1."""
    total = sum(word.weight for word in asked) or 1.0
    heading, title = _named(hit.heading), _named(hit.document.title)
    in_text = {mark.word for mark in hit.marks}
    covered = sum(word.weight for number, word in enumerate(asked) if number in in_text or word.stem in heading | title)
    coverage = covered / total
    # BM25 counts twice, but once as it is: then scores of several libraries in one index compare.
    score = hit.score * relevance * (_COVERAGE_FLOOR + coverage)
    score *= 1 + _HEADING_WEIGHT * _agreement(asked, heading, total) + _TITLE_WEIGHT * _agreement(asked, title, total)
    score *= 1 + _NEARNESS_WEIGHT * _nearness(asked, hit)
    score *= min(1.0, math.sqrt((len(hit.text) + 50) / _FULL_CHARS)) * (_LISTING_FACTOR if hit.listing else 1.0)
    return Ranked(hit, score, coverage)


@lru_cache(maxsize=8_192)
def _named(heading: str) -> frozenset[str]:
    return frozenset(terms(heading))


def _agreement(asked: Sequence[Word], named: frozenset[str], total: float) -> float:
    """How far a heading names what is asked and nothing else: the middle of both shares."""
    shared = [word for word in asked if word.stem in named]
    if not shared:
        return 0.0
    of_question = sum(word.weight for word in shared) / total
    of_heading = len({word.stem for word in shared}) / len(named)
    return 2 * of_question * of_heading / (of_question + of_heading)


def _nearness(asked: Sequence[Word], hit: SectionHit) -> float:
    """0 to 1: how many pairs of the question's words stand close together somewhere in the text."""
    pairs: set[frozenset[int]] = set()
    marks = sorted(hit.marks, key=lambda mark: mark.start)
    for mark, following in pairwise(marks):
        if mark.word != following.word and following.start - mark.end <= _NEAR_CHARS:
            pairs.add(frozenset((mark.word, following.word)))
    return min(len(pairs) / max(len(asked) - 1, 1), 1.0)


def _without_repetition(scored: Iterable[Ranked]) -> Iterable[Ranked]:
    seen: list[set[str]] = []
    for ranked in scored:
        said = set(_TOKEN.findall(ranked.hit.text.lower()))
        if not any(len(said & other) >= _SAME_SHARE * max(len(said), len(other)) for other in seen):
            seen.append(said)
            yield ranked
