"""Ordering sections that answer a question: where its words stand in a section (heading, opening, text), how many of them
stand there and how near each other, and what else the section's document says of them."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from limen.kit.ranking import tells_little
from limen.kit.words import terms
from limen.store.ports import SectionHit, WordMark
from limen.web.library.query import Question, Word

# Chosen where neighbouring values do as well, on 145 questions over four sets of documentation. How often a word stands in
# the text is worth 1 each, the places below are worth more; _SATURATION and _LENGTH_SHARE are BM25's k1 and b.
_IN_HEADING, _IN_HEADINGS_ABOVE, _IN_TITLE, _IN_OPENING, _IN_LEAD = 3.0, 1.0, 1.0, 0.5, 2.0
_SATURATION, _LENGTH_SHARE = 1.5, 0.3
_COVERAGE_FLOOR, _COVERAGE_POWER = 0.5, 0.7
_NEARNESS_WEIGHT, _HEADING_WEIGHT, _TITLE_WEIGHT = 1.0, 0.2, 0.5
_LISTING_FACTOR, _ASIDE_FACTOR = 0.5, 0.5
# What a document's other sections lend to each of its own: the best of them this share, the next ones ever less.
_DOCUMENT_SHARE, _DOCUMENT_DECAY, _MOST_OTHERS = 0.5, 0.6, 6
_USUAL_CHARS = 1_200
# A shorter section is mostly heading, and says less than it seems to.
_FULL_CHARS = 400
_OPENING_CHARS, _LEAD_CHARS = 250, 300
_NEAR_CHARS, _NEAR_MARKS, _HALF_NEAR_CHARS = 80, 5, 20
_MOST_OF_A_DOCUMENT = 2
_SAME_SHARE = 0.8
_TOKEN = re.compile(r"\w+")
_CODE_BLOCK = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)


class Ranked(msgspec.Struct, frozen=True):
    """A section with the score it was ordered by, and the share (0 to 1) of the question's weight that it covers."""

    hit: SectionHit
    score: float
    coverage: float


def rank(question: Question, hits: Sequence[SectionHit], limit: int) -> list[Ranked]:
    """The best `limit` sections: no two that say the same, and at most two of a document while others have something to say."""
    scored = _with_their_documents([_scored(question.words, hit) for hit in hits])
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


def _with_their_documents(scored: Iterable[Ranked]) -> list[Ranked]:
    """Best first, each section's score raised by what the other sections of its document are worth."""
    ordered = sorted(scored, key=lambda ranked: -ranked.score)
    of_document: dict[int, list[float]] = defaultdict(list)
    for ranked in ordered:
        of_document[ranked.hit.document.id].append(ranked.score)
    raised = []
    for ranked in ordered:
        others = of_document[ranked.hit.document.id].copy()
        others.remove(ranked.score)
        lent = sum(score * _DOCUMENT_DECAY**place for place, score in enumerate(others[:_MOST_OTHERS]))
        raised.append(msgspec.structs.replace(ranked, score=ranked.score + _DOCUMENT_SHARE * lent))
    return sorted(raised, key=lambda ranked: -ranked.score)


def _scored(asked: Sequence[Word], hit: SectionHit) -> Ranked:
    total = sum(word.weight for word in asked) or 1.0
    above, _, own = hit.heading.rpartition(" › ")
    heading, upper, title = _named(own), _named(above), _named(hit.document.title)
    lead = _begun(hit.lead)
    in_text = Counter(mark.word for mark in hit.marks)
    in_opening = {mark.word for mark in hit.marks if mark.start < len(own) + _OPENING_CHARS}
    norm = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(hit.text) / _USUAL_CHARS
    found = covered = 0.0
    for number, word in enumerate(asked):
        times = in_text[number] / norm + _IN_OPENING * (number in in_opening)
        times += _IN_HEADING * (word.stem in heading) + _IN_HEADINGS_ABOVE * (word.stem in upper)
        times += _IN_TITLE * (word.stem in title) + _IN_LEAD * (word.stem in lead)
        if times:
            found += word.weight * times / (times + _SATURATION)
            covered += word.weight
    coverage = covered / total
    score = found / total * (_COVERAGE_FLOOR + coverage**_COVERAGE_POWER)
    score *= 1 + _NEARNESS_WEIGHT * _nearness(asked, hit.marks, total)
    score *= 1 + _HEADING_WEIGHT * _agreement(asked, heading, total) + _TITLE_WEIGHT * _agreement(asked, title, total)
    score *= min(1.0, math.sqrt((len(hit.text) + 50) / _FULL_CHARS))
    score *= _LISTING_FACTOR if hit.listing else 1.0
    score *= _ASIDE_FACTOR if _is_aside(hit, asked) else 1.0
    return Ranked(hit, score, coverage)


@lru_cache(maxsize=8_192)
def _named(heading: str) -> frozenset[str]:
    return frozenset(terms(heading))


@lru_cache(maxsize=2_048)
def _begun(lead: str) -> frozenset[str]:
    """The terms of a document's first sentences; code is no sentence."""
    return frozenset(terms(_CODE_BLOCK.sub("", lead)[:_LEAD_CHARS]))


def _is_aside(hit: SectionHit, asked: Sequence[Word]) -> bool:
    return tells_little(f"{hit.document.title}\n{hit.heading.partition(' › ')[0]}", {word.stem for word in asked})


def _agreement(asked: Sequence[Word], named: frozenset[str], total: float) -> float:
    """How far a heading names what is asked and nothing else: the middle of both shares."""
    shared = [word for word in asked if word.stem in named]
    if not shared:
        return 0.0
    of_question = sum(word.weight for word in shared) / total
    of_heading = len({word.stem for word in shared}) / len(named)
    return 2 * of_question * of_heading / (of_question + of_heading)


def _nearness(asked: Sequence[Word], marks: Sequence[WordMark], total: float) -> float:
    """0 to 1: how much of the question stands in pairs close together somewhere in the text."""
    near = sum(
        min(asked[one].weight, asked[other].weight) / (1 + distance / _HALF_NEAR_CHARS)
        for (one, other), distance in _pairs(sorted(marks, key=lambda mark: mark.start)).items()
    )
    return near / (near + total / 2)


def _pairs(marks: Sequence[WordMark]) -> Mapping[tuple[int, int], int]:
    """The least distance in characters of two different words, where it is small."""
    pairs: dict[tuple[int, int], int] = {}
    for at, mark in enumerate(marks):
        for following in marks[at + 1 : at + _NEAR_MARKS]:
            distance = following.start - mark.end
            if distance > _NEAR_CHARS:
                break
            if following.word != mark.word:
                pair = (min(mark.word, following.word), max(mark.word, following.word))
                pairs[pair] = min(pairs.get(pair, _NEAR_CHARS), max(distance, 0))
    return pairs


def _without_repetition(scored: Iterable[Ranked]) -> Iterable[Ranked]:
    seen: list[set[str]] = []
    for ranked in scored:
        said = set(_TOKEN.findall(ranked.hit.text.lower()))
        if not any(len(said & other) >= _SAME_SHARE * max(len(said), len(other)) for other in seen):
            seen.append(said)
            yield ranked
