"""Ordering sections that answer a question: where its words stand in a section (heading, opening, text), how many of them
stand there and how near each other, and what else the section's document says of them."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import msgspec

from limen.kit.ranking import tells_little
from limen.kit.words import terms
from limen.store.library import SectionHit
from limen.web.library.marks import Finder, Mark
from limen.web.library.query import Question, Word

# Chosen where neighbouring values do as well, on 145 questions over four sets of documentation. How often a word stands in
# the text is worth 1 each, the places below are worth more; _SATURATION and _LENGTH_SHARE are BM25's k1 and b.
_IN_HEADING, _IN_HEADINGS_ABOVE, _IN_TITLE, _IN_OPENING, _IN_LEAD = 3.0, 1.0, 1.0, 0.5, 2.0
_SATURATION, _LENGTH_SHARE = 1.5, 0.3
_COVERAGE_FLOOR, _COVERAGE_POWER = 0.5, 0.7
_NEARNESS_WEIGHT, _HEADING_WEIGHT, _TITLE_WEIGHT = 1.0, 0.2, 0.5
_LISTING_FACTOR, _ASIDE_FACTOR = 0.5, 0.5
# What a document's other sections lend to each of its own: the best of them this share, the next ones ever less.
_DOCUMENT_SHARE, _DOCUMENT_DECAY, _MOST_OTHERS = 0.25, 0.6, 6
# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of documents by their best section and by all they hold, with a
# small constant: lists of ten, not of a thousand.
_RANK_CONSTANT, _STANDING_WORTH, _NEARNESS_WORTH = 6, 0.6, 1.0
_USUAL_CHARS = 1_200
# A shorter section is mostly heading, and says less than it seems to.
_FULL_CHARS = 400
_OPENING_CHARS, _LEAD_CHARS = 250, 300
_NEAR_CHARS, _NEAR_MARKS, _HALF_NEAR_CHARS = 80, 4, 20
# Texts with so many of their words in common say the same; such texts are hardly of other lengths.
_SAME_SHARE, _SAME_LENGTH = 0.8, 0.6
_CODE_BLOCK = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)


class Ranked(msgspec.Struct, frozen=True):
    """A section with the score it was ordered by, the share (0 to 1) of the question's weight that it covers, and where."""

    hit: SectionHit
    score: float
    coverage: float
    marks: tuple[Mark, ...]


def rank(question: Question, hits: Sequence[SectionHit], limit: int) -> list[Ranked]:
    """The best `limit` sections: no two that say the same, and one of a document while others have something to say."""
    scored = _fused(_with_their_documents(map(_Scorer(question).scored, hits)))
    chosen: list[Ranked] = []
    spare: list[Ranked] = []
    documents: set[int] = set()
    said = _Said()
    for ranked in scored:
        if len(chosen) == limit:
            break
        document = ranked.hit.document.id
        if document in documents:
            spare.append(ranked)
        elif said.is_new(ranked.hit.text):
            documents.add(document)
            chosen.append(ranked)
    more = (ranked for ranked in spare if said.is_new(ranked.hit.text))
    return [*chosen, *islice(more, limit - len(chosen))]


def _fused(ordered: Sequence[Ranked]) -> list[Ranked]:
    """Sections by what their documents are worth: by the best section of each, by all that each holds of the question, and, where
    that is known, by how near one of its sections is in meaning.

    Scores are given out anew in this order, so that they still compare with those of another search.
    """
    standing = {ranked.hit.document.id: ranked.hit.standing for ranked in ordered}
    by_section = {document: place for place, document in enumerate(standing)}
    by_standing = {document: place for place, document in enumerate(sorted(standing, key=lambda document: -standing[document]))}
    near = sorted((ranked.hit for ranked in ordered if ranked.hit.nearness > 0), key=lambda hit: -hit.nearness)
    by_nearness = {document: place for place, document in enumerate(dict.fromkeys(hit.document.id for hit in near))}

    def worth(ranked: Ranked) -> float:
        document = ranked.hit.document.id
        places = ((1.0, by_section), (_STANDING_WORTH, by_standing), (_NEARNESS_WORTH, by_nearness))
        return sum(share / (_RANK_CONSTANT + place[document]) for share, place in places if document in place)

    fused = sorted(ordered, key=worth, reverse=True)
    return [msgspec.structs.replace(ranked, score=was.score) for ranked, was in zip(fused, ordered, strict=True)]


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


class _Scorer:
    """Scores sections for one question."""

    def __init__(self, question: Question) -> None:
        self._asked = question.words
        self._total = sum(word.weight for word in question.words) or 1.0
        self._stems = {word.stem for word in question.words}
        self._finder = Finder(question.words)
        self._leads: dict[int, set[int]] = {}

    def scored(self, hit: SectionHit) -> Ranked:
        total = self._total
        marks = self._finder.find(hit.text)
        above, _, own = hit.heading.rpartition(" › ")
        heading, upper, title = _named(own), _named(above), _named(hit.document.title)
        lead = self._lead(hit)
        in_text, in_opening = self._counted(marks, len(own) + _OPENING_CHARS)
        norm = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(hit.text) / _USUAL_CHARS
        found = covered = 0.0
        for number, word in enumerate(self._asked):
            times = in_text[number] / norm + _IN_OPENING * in_opening[number]
            times += _IN_HEADING * (word.stem in heading) + _IN_HEADINGS_ABOVE * (word.stem in upper)
            times += _IN_TITLE * (word.stem in title) + _IN_LEAD * (number in lead)
            if times:
                found += word.weight * times / (times + _SATURATION)
                covered += word.weight
        coverage = covered / total
        score = found / total * (_COVERAGE_FLOOR + coverage**_COVERAGE_POWER)
        score *= 1 + _NEARNESS_WEIGHT * _nearness(self._asked, marks, total)
        score *= 1 + _HEADING_WEIGHT * self._agreement(heading) + _TITLE_WEIGHT * self._agreement(title)
        score *= min(1.0, math.sqrt((len(hit.text) + 50) / _FULL_CHARS))
        score *= _LISTING_FACTOR if hit.listing else 1.0
        score *= _ASIDE_FACTOR if self._is_aside(hit) else 1.0
        return Ranked(hit, score, coverage, tuple(marks))

    def _counted(self, marks: Sequence[Mark], opening: int) -> tuple[list[int], list[bool]]:
        """How often each word stands in a text, and whether in its first `opening` characters."""
        in_text, in_opening = [0] * len(self._asked), [False] * len(self._asked)
        for start, _, word in marks:
            in_text[word] += 1
            if start < opening:
                in_opening[word] = True
        return in_text, in_opening

    def _lead(self, hit: SectionHit) -> set[int]:
        """The words in a document's first sentences; code is no sentence."""
        document = hit.document.id
        if document not in self._leads:
            lead = hit.lead
            sentences = (_CODE_BLOCK.sub("", lead) if "```" in lead or "~~~" in lead else lead)[:_LEAD_CHARS]
            self._leads[document] = {mark.word for mark in self._finder.find(sentences)}
        return self._leads[document]

    def _agreement(self, named: frozenset[str]) -> float:
        """How far a heading names what is asked and nothing else: the middle of both shares."""
        shared = self._stems & named
        if not shared:
            return 0.0
        of_question = sum(word.weight for word in self._asked if word.stem in named) / self._total
        of_heading = len(shared) / len(named)
        return 2 * of_question * of_heading / (of_question + of_heading)

    def _is_aside(self, hit: SectionHit) -> bool:
        return tells_little(f"{hit.document.title}\n{hit.heading.partition(' › ')[0]}", self._stems)


@lru_cache(maxsize=8_192)
def _named(heading: str) -> frozenset[str]:
    return frozenset(terms(heading))


def _nearness(asked: Sequence[Word], marks: Sequence[Mark], total: float) -> float:
    """0 to 1: how much of the question stands in pairs close together somewhere in the text."""
    near = 0.0
    for (one, other), distance in _pairs(marks).items():
        near += min(asked[one].weight, asked[other].weight) / (1 + distance / _HALF_NEAR_CHARS)
    return near / (near + total / 2)


def _pairs(marks: Sequence[Mark]) -> Mapping[tuple[int, int], int]:
    """The least distance in characters of two different words, where it is small; `marks` come in order."""
    pairs: dict[tuple[int, int], int] = {}
    for at, (_, end, word) in enumerate(marks, 1):
        for start, _, other in marks[at : at + _NEAR_MARKS]:
            if start - end > _NEAR_CHARS:
                break
            if other != word:
                pair = (word, other) if word < other else (other, word)
                distance = max(start - end, 0)
                if distance < pairs.get(pair, _NEAR_CHARS + 1):
                    pairs[pair] = distance
    return pairs


class _Said:
    """What the sections before have said, to tell what says the same again."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def is_new(self, text: str) -> bool:
        """Whether no text before had nearly the same words; notes it if so."""
        if any(_alike_long(text, other) and _say_the_same(text, other) for other in self._texts):
            return False
        self._texts.append(text)
        return True


def _alike_long(one: str, other: str) -> bool:
    """Whether two texts can have nearly the same words at all."""
    shorter, longer = sorted((len(one), len(other)))
    return shorter >= _SAME_LENGTH * longer


def _say_the_same(one: str, other: str) -> bool:
    words, others = _words(one), _words(other)
    return len(words & others) >= _SAME_SHARE * max(len(words), len(others))


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())
