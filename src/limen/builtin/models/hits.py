"""The hits of several searches in one order."""

from collections.abc import Sequence

from limen.builtin.models.observed import FoundHit

# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) with a small constant: lists of eight, not of a thousand.
_RANK_CONSTANT = 4
_DOCUMENT_SHARE = 0.5


def fused(hits: Sequence[FoundHit]) -> tuple[FoundHit, ...]:
    """Each place once, best first; a document that several hits lie in lends each of them a part of its weight."""
    places: dict[tuple[str, int | None], FoundHit] = {}
    score: dict[tuple[str, int | None], float] = {}
    documents: dict[str, float] = {}
    for hit in hits:
        key = (hit.opens, hit.line)
        worth = 1 / (_RANK_CONSTANT + hit.position)
        places.setdefault(key, hit)
        score[key] = score.get(key, 0.0) + worth
        documents[hit.opens] = documents.get(hit.opens, 0.0) + worth
    order = {key: score[key] + _DOCUMENT_SHARE * (documents[key[0]] - score[key]) for key in places}
    return tuple(places[key] for key in sorted(places, key=lambda key: -order[key]))
