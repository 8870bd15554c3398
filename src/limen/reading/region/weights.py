"""What was learned from labelled pages: a number for each trait of a block, and one for each trait and type of a page."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from math import exp

import msgspec

from limen.core.web import PageType

TYPES: tuple[PageType, ...] = ("article", "collection", "documentation", "forum", "listing", "product", "service")


class Weights(msgspec.Struct, frozen=True):
    """Logistic regressions over names. `types` and each row of `pages` follow `TYPES`.

    `blocks` and `start` add up to the log-odds that a block belongs to the page; `types` is added to them by the page's type.
    `pages` and `page_start` add up to the log-odds of each type.
    """

    start: float
    types: tuple[float, ...]
    blocks: dict[str, float]
    page_start: tuple[float, ...]
    pages: dict[str, tuple[float, ...]]

    def type_shares(self, names: Iterable[str]) -> tuple[float, ...]:
        """How likely each type is for a page with these traits; they add up to 1."""
        sums = list(self.page_start)
        for row in filter(None, map(self.pages.get, names)):
            for place, weight in enumerate(row):
                sums[place] += weight
        highest = max(sums)
        odds = [exp(value - highest) for value in sums]
        whole = sum(odds)
        return tuple(value / whole for value in odds)


@cache
def shipped() -> Weights:
    """The weights that lie beside this module, as `bench/region` fits them."""
    return msgspec.json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=Weights)
