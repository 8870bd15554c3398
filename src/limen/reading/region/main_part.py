"""The main part of a page: laid out, weighed block by block, and cut down to what is kept."""

from collections import Counter
from functools import cached_property
from itertools import accumulate

from turbohtml import Element

from limen.core.web import PageType
from limen.reading.region.choice import choose
from limen.reading.region.facts import FOR_SALE
from limen.reading.region.layout import Layout
from limen.reading.region.page_type import page_traits
from limen.reading.region.surroundings import Surroundings
from limen.reading.region.traits import Traits
from limen.reading.region.weights import TYPES, Weights

_MANUAL_SHARE = 0.3
_SURE = 0.9
# These say nothing without a text in them.
_EMPTY = frozenset({"ul", "ol", "li", "menu", "dl", "nav", "aside", "form"})
_MANUAL_GENERATORS = frozenset(
    {
        "gen:asciidoc", "gen:asciidoctor", "gen:docbook", "gen:docusaurus", "gen:doxygen", "gen:javadoc", "gen:jsdoc",
        "gen:mkdocs", "gen:rustdoc", "gen:sphinx", "gen:manual", "gen:texinfo", "gen:makeinfo", "gen:vitepress", "gen:yard",
    }
)  # fmt: skip
# What has more pieces than this is a list of something, and not worth the time of weighing each.
_MOST_BLOCKS = 30_000


class Sight:
    """A body laid out, with what speaks for its blocks (`around`, `traits`) and for its type (`page`), each found when asked for.

    `stated` is what the page says of itself.
    """

    def __init__(self, layout: Layout, traits: Traits, around: Surroundings, stated: frozenset[str]) -> None:
        self.layout = layout
        self.around = around
        self.traits = traits
        self.stated = stated

    @cached_property
    def page(self) -> frozenset[str]:
        return page_traits(self.layout, self.around, self.traits, self.stated)

    @property
    def is_made_manual(self) -> bool:
        """Whether a generator of documentation made the page."""
        return not _MANUAL_GENERATORS.isdisjoint(self.stated)

    @property
    def title(self) -> Element | None:
        """The heading that is the page's title."""
        at = self.traits.title_at
        node = self.layout.blocks[at].nodes[0] if at >= 0 else None
        return node if isinstance(node, Element) else None


def look_at(body: Element, title: str, described: str, stated: frozenset[str]) -> Sight:
    """Lay out and describe what stands below `body`.

    `title` and `described` are the page's words about itself, `stated` what `facts.stated_words` found.
    """
    layout = Layout(body)
    around = Surroundings(layout)
    traits = Traits(layout, around, title, described)
    return Sight(layout, traits, around, stated)


def type_of(sight: Sight, weights: Weights) -> PageType:
    """The likeliest type of a page; what a generator of documentation made is documentation."""
    if sight.is_made_manual:
        return "documentation"
    shares = shares_of(sight, weights)
    return TYPES[max(range(len(shares)), key=shares.__getitem__)]


def shares_of(sight: Sight, weights: Weights) -> tuple[float, ...]:
    """How likely a page is of each type; what offers one product for sale is a product, whatever else it is like."""
    shares = weights.type_shares(sight.page)
    if FOR_SALE not in sight.stated:
        return shares
    return tuple(share * (1 - _SURE) + _SURE * (kind == "product") for kind, share in zip(TYPES, shares, strict=True))


def cut_to_main_part(sight: Sight, weights: Weights) -> dict[str, int]:
    """Drop what is no part of the page's own text from below its body, in place; answers how many pieces, by kind."""
    odds, shares = [], (0.0,) * len(TYPES)
    if not (sight.is_made_manual or "file" in sight.stated or len(sight.layout.blocks) > _MOST_BLOCKS):
        shares = shares_of(sight, weights)
        odds = block_odds(sight, shares, weights)
    is_manual = shares[TYPES.index("documentation")] > _MANUAL_SHARE  # of documentation nothing may be lost
    article = shares[TYPES.index("article")]
    kept = choose(sight.layout, sight.around, sight.traits, odds, article, is_manual=is_manual)
    return _drop(sight.layout, kept, sight.around.kinds)


def block_odds(sight: Sight, shares: tuple[float, ...], weights: Weights) -> list[float]:
    """The log-odds that each block belongs to the page's own text."""
    around = sight.around
    known = weights.block_weights(shares)
    start = weights.start + sum(share * weight for share, weight in zip(shares, weights.types, strict=True))
    inherited = {1 << place: known[name] for place, name in enumerate(around.names) if name in known}
    telling = sum(inherited)
    far: list[float] = []
    for part, mask in zip(sight.layout.parts, around.far, strict=True):
        new, value = (mask & ~around.far[part.up] & telling, far[part.up]) if far else (mask & telling, start)
        while new:
            bit = new & -new
            value += inherited[bit]
            new ^= bit
        far.append(value)
    near: dict[int, float] = {}
    odds = []
    for block, row in zip(sight.layout.blocks, sight.traits.rows, strict=True):
        index = block.part
        if index not in near:
            near[index] = far[index] + sum(filter(None, map(known.get, around.near(index))))
        odds.append(near[index] + sum(filter(None, map(known.get, row))))
    return odds


def _drop(layout: Layout, kept: list[bool], kinds: list[str]) -> dict[str, int]:
    """Take out the parts nothing is kept of, and single blocks from the others; answers how many pieces, by kind."""
    sums = list(accumulate(kept, initial=0))
    dropped: Counter[str] = Counter()
    end = 0
    for index, part in enumerate(layout.parts):
        if index < max(end, 1) or sums[part.last] > sums[part.first]:
            continue
        end = part.end
        if part.last > part.first:
            dropped[kinds[index] or "aside"] += 1
        if part.last > part.first or part.tag in _EMPTY:
            part.element.extract()
    for block, keep in zip(layout.blocks, kept, strict=True):
        part = layout.parts[block.part]
        if not keep and sums[part.last] > sums[part.first]:
            dropped[kinds[block.part] or "aside"] += 1
            for node in block.nodes:
                node.extract()
    return dict(dropped)
