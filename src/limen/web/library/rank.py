"""Ordering sections that answer a question: where its words stand in a section (heading, opening, text), how many of them
stand there, in which form and how near each other, and what else the section's document says of them."""

import math
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
_IN_HEADING, _IN_TITLE, _IN_OPENING = 3.0, 1.0, 0.5
# A form of a word other than the one that was asked for counts so much, and so does a word that stands in no other one.
_OTHER_FORM, _OTHER_FORM_ALONE = 0.5, 0.7
_SATURATION, _LENGTH_SHARE = 1.5, 0.3
_COVERAGE_FLOOR, _COVERAGE_POWER = 0.5, 0.7
_NEARNESS_WEIGHT, _HEADING_WEIGHT, _TITLE_WEIGHT = 1.0, 0.2, 0.5
_LISTING_FACTOR, _ASIDE_FACTOR = 0.5, 0.5
# What a document's other sections lend to each of its own: the best of them this share, the next ones ever less.
_DOCUMENT_SHARE, _DOCUMENT_DECAY, _MOST_OTHERS = 0.25, 0.6, 6
# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of documents by their best section and by all they hold, with a
# small constant: lists of ten, not of a thousand.
_RANK_CONSTANT, _NEARNESS_WORTH = 6, 1.0
_USUAL_CHARS = 1_200
# A shorter section is mostly heading, and says less than it seems to.
_FULL_CHARS = 400
_OPENING_CHARS = 250
_NEAR_CHARS, _NEAR_MARKS, _HALF_NEAR_CHARS = 80, 4, 20
# Texts with so many of their words in common, and about as long, say the same; of different documents more, and their headings.
_SAME_SHARE, _SAME_SHARE_ELSEWHERE = 0.8, 0.95


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
        elif said.is_new(ranked.hit):
            documents.add(document)
            chosen.append(ranked)
    more = (ranked for ranked in spare if said.is_new(ranked.hit))
    return [*chosen, *islice(more, limit - len(chosen))]


def _fused(ordered: Sequence[Ranked]) -> list[Ranked]:
    """Sections by what their documents are worth: by the best section of each, by all that each holds of the question, and, where
    that is known, by how near one of its sections is in meaning.

    Scores are given out anew in this order, so that they still compare with those of another search.
    """
    by_section = {document: at for at, document in enumerate(dict.fromkeys(ranked.hit.document.id for ranked in ordered))}
    near = sorted((ranked.hit for ranked in ordered if ranked.hit.nearness > 0), key=lambda hit: -hit.nearness)
    by_nearness = {document: at for at, document in enumerate(dict.fromkeys(hit.document.id for hit in near))}

    def worth(ranked: Ranked) -> float:
        hit = ranked.hit
        found = 1 / (_RANK_CONSTANT + by_section[hit.document.id]) + 1 / (_RANK_CONSTANT + hit.place)
        at = by_nearness.get(hit.document.id)
        return found if at is None else found + _NEARNESS_WORTH / (_RANK_CONSTANT + at)

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
        self._lengths = [len(word.text) for word in question.words]
        self._finder = Finder(question.words)

    def scored(self, hit: SectionHit) -> Ranked:
        total = self._total
        marks = self._finder.find(hit.text)
        own = hit.heading.rpartition(" › ")[2]
        heading, title = _named(own), _named(hit.document.title)
        times, as_asked = self._counted(marks, len(own) + _OPENING_CHARS, hit)
        found = covered = meant = 0.0
        for number, word in enumerate(self._asked):
            often = times[number] + _IN_HEADING * (word.stem in heading) + _IN_TITLE * (word.stem in title)
            if often:
                weight = word.weight if as_asked[number] else word.weight * _OTHER_FORM_ALONE
                found += weight * often / (often + _SATURATION)
                covered += word.weight
                meant += weight
        score = found / total * (_COVERAGE_FLOOR + (meant / total) ** _COVERAGE_POWER)
        score *= 1 + _NEARNESS_WEIGHT * _nearness(self._asked, marks, total)
        score *= 1 + _HEADING_WEIGHT * self._agreement(heading) + _TITLE_WEIGHT * self._agreement(title)
        score *= min(1.0, math.sqrt((len(hit.text) + 50) / _FULL_CHARS))
        score *= _LISTING_FACTOR if hit.listing else 1.0
        score *= _ASIDE_FACTOR if self._is_aside(hit) else 1.0
        return Ranked(hit, score, covered / total, tuple(marks))

    def _counted(self, marks: Sequence[Mark], opening: int, hit: SectionHit) -> tuple[list[float], list[bool]]:
        """How often each word stands in a text of usual length, what is in its first `opening` characters counting more; and
        whether in the form that was asked for."""
        times, extra, as_asked = ([0.0] * len(self._asked), [0.0] * len(self._asked), [False] * len(self._asked))
        norm = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(hit.text) / _USUAL_CHARS
        for start, end, word in marks:
            if end - start == self._lengths[word]:
                times[word] += 1
                as_asked[word] = True
            else:
                times[word] += _OTHER_FORM
            if start < opening:
                extra[word] = _IN_OPENING
        return [often / norm + more for often, more in zip(times, extra, strict=True)], as_asked

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
        self._hits: list[SectionHit] = []

    def is_new(self, hit: SectionHit) -> bool:
        """Whether no section before says the same; notes it if so."""
        if any(_say_the_same(hit, other) for other in self._hits):
            return False
        self._hits.append(hit)
        return True


def _say_the_same(one: SectionHit, other: SectionHit) -> bool:
    is_own = one.document.id == other.document.id
    if not is_own and one.heading != other.heading:
        return False
    share = _SAME_SHARE if is_own else _SAME_SHARE_ELSEWHERE
    shorter, longer = sorted((len(one.text), len(other.text)))
    if shorter < share * longer:
        return False
    words, others = _words(one.text), _words(other.text)
    return len(words & others) >= share * max(len(words), len(others))


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())
