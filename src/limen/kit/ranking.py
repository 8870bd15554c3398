"""Which passages answer a question: BM25 with headings, coverage of the question's words and their nearness; near-duplicates."""

import itertools
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from limen.kit.function_words import ideographs
from limen.kit.passages import Passage
from limen.kit.words import stem, terms, words

# BM25's usual constants (Robertson and Zaragoza 2009); passages differ in length less than documents do, hence the smaller b.
_K1 = 1.2
_B = 0.3
# Tuned on the development half of bench/answers. A title is the same for all passages of its document, and tells little apart.
_HEADING_WEIGHT = 1.5
_TITLE_WEIGHT = 0.4
_CONTEXT_WEIGHT = 0.1
_COVERAGE_POWER = 1.0
# What is ranked was found by the question's own words, so that those it is about look common there: their rarity must not decide.
_LEAST_RARITY = 4.0
_NEARNESS_WEIGHT = 0.3
_NEAR_WORDS = 8
_SHINGLE = 4
# Positions looked at for nearness in one passage; a passage is short, so only hostile ones have more.
_MOST_POSITIONS = 400

# Pages that mention everything and explain little.
_ASIDE = re.compile(
    r"\b(?:what.?s new|release notes?|releases?|change ?log|changes|index|contents|glossary|history)\b", re.IGNORECASE
)
_LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?:\s{1,4}\"[^\"\n]{0,500}\")?\)")


class Scored(msgspec.Struct, frozen=True):
    """A passage with its score and the share of the question's weight (0 to 1) that its own words and headings cover.

    `index` is the passage's place in what was ranked; scores compare only within one ranking. `held` are the question's terms
    that stand in it or above it.
    """

    passage: Passage
    score: float
    coverage: float
    index: int
    held: frozenset[str] = frozenset()


def visible(markdown: str) -> str:
    """Markdown without its link targets: what a reader sees of it, near enough to compare words."""
    return _LINK_TARGET.sub("]", markdown)


def tells_little(title: str, asked: Collection[str]) -> bool:
    """Whether a title is that of a list of changes, an index or a glossary, and the question's stems do not ask for one."""
    named = _aside(title)
    return named is not None and named.isdisjoint(asked)


@lru_cache(maxsize=8_192)
def _aside(title: str) -> frozenset[str] | None:
    """The terms of what makes a title that of an aside; None for any other."""
    aside = _ASIDE.search(title)
    return None if aside is None else frozenset(terms(aside[0]))


class _Counted(msgspec.Struct, frozen=True):
    """A passage as its terms: how much each stands in its text and headings, and where the question's stand."""

    own: dict[str, float]
    headings: dict[str, float]
    title: dict[str, float]
    length: int
    positions: tuple[tuple[int, str], ...]

    @property
    def held(self) -> frozenset[str]:
        return frozenset((*self.own, *self.headings, *self.title))


class Asked(msgspec.Struct, frozen=True):
    """What a ranking looks for: stemmed terms with their weights, and the terms that stand for them, with how well (0 to 1).

    An ideograph alone may be a term.
    """

    weights: dict[str, float]
    alike: dict[str, dict[str, float]] = {}

    @property
    def meanings(self) -> dict[str, dict[str, float]]:
        """For every term that counts, the terms of the question it stands for."""
        found: dict[str, dict[str, float]] = {term: {term: 1.0} for term in self.weights}
        for term, others in self.alike.items():
            for other, worth in others.items():
                found.setdefault(other, {}).setdefault(term, worth)
        return found


class Candidate(msgspec.Struct, frozen=True):
    """A passage to rank, the title of its document, and what its score is multiplied by. Neighbours in `run` lend it context."""

    passage: Passage
    title: str = ""
    prior: float = 1.0
    run: int = 0


def rank(asked: Asked, candidates: Sequence[Candidate]) -> list[Scored]:
    """Passages that share a term with the question, best first; equal ones in the order given."""
    if not asked.weights or not candidates:
        return []
    meanings = asked.meanings
    counted = [_count(candidate, meanings) for candidate in candidates]
    weights = {term: (_LEAST_RARITY + _rarity(term, counted)) * weight for term, weight in asked.weights.items()}
    mean = sum(item.length for item in counted) / len(counted) or 1.0
    scored = []
    for at, candidate in enumerate(candidates):
        near = [
            counted[other] for other in (at - 1, at + 1) if 0 <= other < len(counted) and candidates[other].run == candidate.run
        ]
        score, coverage = _score(counted[at], near, weights, mean)
        scored.append(Scored(candidate.passage, score * candidate.prior, coverage, at, counted[at].held))
    return sorted((item for item in scored if item.score > 0), key=lambda item: (-item.score, item.index))


def question_terms(query: str) -> list[str]:
    """The terms of a question; when it consists of stop words alone, those."""
    return terms(query) or [stem(word) for word in words(query)]


def _count(candidate: Candidate, meanings: Mapping[str, Mapping[str, float]]) -> _Counted:
    passage = candidate.passage
    text = visible(passage.text)
    own = [stem(word) for word in words(text)]
    positions = [(at, term) for at, word in enumerate(own) for term in meanings.get(word, ())]
    return _Counted(
        own=_tally([*own, *ideographs(text)], meanings),
        headings=_tally((term for heading in passage.headings for term in question_terms(visible(heading))), meanings),
        title=_tally((*terms(candidate.title), *ideographs(candidate.title)), meanings),
        length=len(own),
        positions=tuple(positions[:_MOST_POSITIONS]),
    )


def _tally(found: Iterable[str], meanings: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """How often each term of the question stands there, other words for it at their worth."""
    tally: dict[str, float] = {}
    for word in found:
        for term, worth in meanings.get(word, {}).items():
            tally[term] = tally.get(term, 0.0) + worth
    return tally


def _rarity(term: str, counted: Sequence[_Counted]) -> float:
    holding = sum(1 for item in counted if term in item.own or term in item.headings)
    return math.log(1 + (len(counted) - holding + 0.5) / (holding + 0.5))


def _score(item: _Counted, near: Sequence[_Counted], weights: Mapping[str, float], mean: float) -> tuple[float, float]:
    norm = _K1 * (1 - _B + _B * item.length / mean)
    bm25 = covered = 0.0
    for term, worth in weights.items():
        times = item.own.get(term, 0.0)
        aside = _HEADING_WEIGHT * min(item.headings.get(term, 0.0), 2) + _TITLE_WEIGHT * min(item.title.get(term, 0.0), 1)
        aside += _CONTEXT_WEIGHT * sum(min(other.own.get(term, 0.0), 1.0) for other in near)
        if not times and not aside:
            continue
        bm25 += worth * ((times + aside) * (_K1 + 1)) / (times + aside + norm)
        covered += worth * (min(times, 1.0) if times > aside else min(aside, 0.8))
    coverage = covered / (sum(weights.values()) or 1.0)
    if not item.own:
        return 0.0, coverage
    return bm25 * (0.2 + coverage**_COVERAGE_POWER) * (1 + _NEARNESS_WEIGHT * _nearness(item.positions)), coverage


def _nearness(positions: Sequence[tuple[int, str]]) -> float:
    """0 to 1: how close different terms of the question stand to each other."""
    near = 0.0
    pairs: set[frozenset[str]] = set()
    for (left, one), (right, other) in itertools.pairwise(positions):
        if one != other and 0 < right - left <= _NEAR_WORDS:
            pair = frozenset((one, other))
            if pair not in pairs:
                pairs.add(pair)
                near += 1.0 / (right - left)
    return near / (near + 1.0)


def shingles(text: str) -> frozenset[int]:
    """Hashes of the runs of four words of `text`; of all its words when it has fewer."""
    found = words(visible(text))
    return frozenset(hash(tuple(found[at : at + _SHINGLE])) for at in range(max(len(found) - _SHINGLE + 1, 1)))


def near_duplicate(one: frozenset[int], other: frozenset[int], threshold: float = 0.6) -> bool:
    """Whether the smaller of two shingle sets lies in the other for more than `threshold` of it."""
    smaller, larger = sorted((one, other), key=len)
    return bool(smaller) and len(smaller & larger) > threshold * len(smaller)


def without_duplicates(scored: Iterable[Scored], limit: int) -> list[Scored]:
    """The first `limit` passages of a ranking that say something none before them says."""
    kept: list[Scored] = []
    seen: list[frozenset[int]] = []
    for item in scored:
        mark = shingles(item.passage.text)
        if not any(near_duplicate(mark, other) for other in seen):
            kept.append(item)
            seen.append(mark)
            if len(kept) == limit:
                break
    return kept
