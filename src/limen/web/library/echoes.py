"""Sections of one document that say the same, apart from their numbers: one of them speaks for all."""

import re
from collections import Counter
from collections.abc import Sequence

from limen.store.library import SectionHit

_NUMBERS = re.compile(r"\d+")
# Most sections differ before this.
_OPENING_CHARS = 120


def without_echoes(hits: Sequence[SectionHit]) -> list[SectionHit]:
    """The hits in their order, of each document none that repeats one before it."""
    openings = [(hit.document.id, _NUMBERS.sub("", hit.text[:_OPENING_CHARS])) for hit in hits]
    shared = Counter(openings)
    first: dict[tuple[int, str, str], SectionHit] = {}
    for hit, opening in zip(hits, openings, strict=True):
        rest = _NUMBERS.sub("", hit.text[_OPENING_CHARS:]) if shared[opening] > 1 else ""
        first.setdefault((*opening, rest), hit)
    return list(first.values())
