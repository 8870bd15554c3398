"""Which runners an output may be of, found by one look at its ends for all of them."""

from collections.abc import Sequence
from functools import cached_property

import re2

from limen.evidence.extractor import Told
from limen.evidence.extractors.log_prefix import prefix_end
from limen.evidence.extractors.run_rules import Grammar

CERTAIN = 0.99
"""How sure a line makes that only one runner writes, whatever else it looks like."""


class RunSigns:
    """The signs of several runners."""

    def __init__(self, grammars: Sequence[Grammar]) -> None:
        self._signs = [
            (grammar.name, pattern, sure)
            for grammar in grammars
            for pattern, sure in ((grammar.signs, grammar.sureness), (grammar.certain, CERTAIN))
            if pattern
        ]
        self._last: tuple[Told, dict[str, float]] | None = None

    @cached_property
    def _set(self) -> "re2.Set":
        made = re2.Set.MatchSet()
        for _, pattern, _ in self._signs:
            made.Add(pattern)
        made.Compile()
        return made

    def of(self, told: Told) -> dict[str, float]:
        """How surely an output is of each runner whose signs it has. Asked by each extractor in turn, looked for once."""
        last = self._last
        if last is not None and last[0] is told:
            return last[1]
        found: dict[str, float] = {}
        for text in (*told.head, *told.tail):
            for index in self._set.Match(text[prefix_end(text) :].encode("utf-8", "replace")) or ():
                name, _, sure = self._signs[index]
                found[name] = max(found.get(name, 0.0), sure)
        self._last = (told, found)
        return found
