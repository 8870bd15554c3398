"""Sections of one document that say the same, apart from their numbers: one of them speaks for all."""

import re
from collections.abc import Sequence

from limen.store.library import SectionHit

_NUMBERS = re.compile(r"\d+")


def without_echoes(hits: Sequence[SectionHit]) -> list[SectionHit]:
    """The hits in their order, of each document none that repeats one before it."""
    first: dict[tuple[int, str], SectionHit] = {}
    for hit in hits:
        first.setdefault((hit.document.id, _NUMBERS.sub("", hit.text)), hit)
    return list(first.values())
