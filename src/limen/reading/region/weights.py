"""What was learned from labelled pages: a number for each trait of a block, and one for each trait and type of a page."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from math import exp

import msgspec

from limen.core.web import PageType

TYPES: tuple[PageType, ...] = ("article", "collection", "documentation", "forum", "listing", "product", "service")
# A word in the name of a trait.
WORD = re.compile(r"[a-z]{2,20}")


class Weights(msgspec.Struct, frozen=True):
    """Logistic regressions over names. `types` and each row of `pages` follow `TYPES`.

    `blocks` and `start` add up to the log-odds that a block belongs to the page; `types` is added to them by how likely each type
    is for the page, `articles` as far as it is an article.
    `pages` and `page_start` add up to the log-odds of each type.
    """

    start: float
    types: tuple[float, ...]
    blocks: dict[str, float]
    articles: dict[str, float]
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

    def block_weights(self, shares: Sequence[float]) -> dict[str, float]:
        """What each name adds to the log-odds of a block on a page with these shares of types."""
        article = shares[TYPES.index("article")]
        found = dict(self.blocks)
        for name, weight in self.articles.items():
            found[name] = found.get(name, 0.0) + article * weight
        return found


@cache
def shipped() -> Weights:
    """The weights that lie beside this module, as `bench/region` fits them."""
    return msgspec.json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=Weights)
