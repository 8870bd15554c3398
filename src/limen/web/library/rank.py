"""Ordering sections that answer a question: BM25 from the store, weighed by how much of the question they cover and where."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from limen.kit.words import terms
from limen.store.ports import SectionHit
from limen.web.library.query import Question, Word

# Tuned on bench/library.py's questions over three sets of documentation, none of them named here.
_COVERAGE_FLOOR, _COVERAGE_POWER = 0.15, 2.0
_HEADING_WEIGHT, _TITLE_WEIGHT, _NEARNESS_WEIGHT = 1.0, 0.5, 0.4
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
    scored = sorted((_scored(question.words, hit) for hit in hits), key=lambda ranked: -ranked.score)
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


def _scored(asked: Sequence[Word], hit: SectionHit) -> Ranked:
    total = sum(word.weight for word in asked) or 1.0
    heading, title = set(terms(hit.heading)), set(terms(hit.document.title))
    in_text = {mark.word for mark in hit.marks}
    covered = sum(word.weight for number, word in enumerate(asked) if number in in_text or word.stem in heading | title)
    coverage = covered / total
    score = hit.score * (_COVERAGE_FLOOR + coverage**_COVERAGE_POWER)
    score *= 1 + _HEADING_WEIGHT * _agreement(asked, heading, total) + _TITLE_WEIGHT * _agreement(asked, title, total)
    score *= 1 + _NEARNESS_WEIGHT * _nearness(asked, hit)
    return Ranked(hit, score, coverage)


def _agreement(asked: Sequence[Word], named: set[str], total: float) -> float:
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
