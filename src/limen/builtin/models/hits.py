"""The hits of several searches in one order."""

from collections.abc import Sequence

from limen.builtin.models.observed import FoundHit
from limen.kit.passages import Passage
from limen.kit.ranking import Asked, Candidate, rank

# How many hits a search is asked for; one that gives as many may have any number more.
HITS = 10
# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) with a small constant: lists of ten, not of a thousand.
_RANK_CONSTANT = 6
_DOCUMENT_SHARE = 0.4
_LATER_WORTH = 0.8
# What a hit is worth whose title and snippet have nothing of the question.
_FLOOR = 0.4


def fused(searches: Sequence[Sequence[FoundHit]], asked: Asked) -> tuple[FoundHit, ...]:
    """Each place once, best first: where searches agree, in documents with several hits, and by what a hit shows of itself.

    The first search asked in the person's own words and counts more than those after it.
    """
    places: dict[tuple[str, int | None], FoundHit] = {}
    score: dict[tuple[str, int | None], float] = {}
    documents: dict[str, float] = {}
    for nth, hit in ((nth, hit) for nth, hits in enumerate(searches) for hit in hits):
        key = (hit.opens, hit.line)
        worth = (_LATER_WORTH if nth else 1.0) / (_RANK_CONSTANT + hit.position)
        places.setdefault(key, hit)
        score[key] = score.get(key, 0.0) + worth
        documents[hit.opens] = documents.get(hit.opens, 0.0) + worth
    shown = dict(zip(places, _shown(list(places.values()), asked), strict=True))
    order = {key: (score[key] + _DOCUMENT_SHARE * (documents[key[0]] - score[key])) * shown[key] for key in places}
    return tuple(places[key] for key in sorted(places, key=lambda key: -order[key]))


def _shown(hits: Sequence[FoundHit], asked: Asked) -> list[float]:
    """How much of the question each hit's title and snippet hold, from the floor to 1."""
    worth = [_FLOOR] * len(hits)
    ranked = rank(asked, [Candidate(Passage(hit.snippet, 1, 1, (hit.title,)), run=at) for at, hit in enumerate(hits)])
    for item in ranked:
        worth[item.index] = _FLOOR + (1 - _FLOOR) * item.score / ranked[0].score
    return worth
