"""Which blocks of a page are kept: those that make the best whole by their odds, mended to lists, sections and one place."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, islice
from math import exp

from turbohtml import Element

from limen.reading.region.layout import HEADINGS, Block, Layout, Part
from limen.reading.region.repeats import drop_repeats
from limen.reading.region.surroundings import Surroundings
from limen.reading.region.traits import Traits

# The odds are softened: what was learned from some hundred sites is surer than it can be on others.
_SOFTNESS = 0.7
# The odds of an article are set by those of its text, the place with most of what is likely: on one page all words speak for
# what stands there, on the next hardly one does. What stands elsewhere is a bit less likely than it seems.
_LIKELY_ARTICLE = 0.5
_TEXT_ODDS, _ELSEWHERE = 2.7, 0.6
# What is surely an article holds no comments, captions and lines that lead elsewhere either.
_SURE_ARTICLE = 0.8
_BESIDE_TEXT = (
    "data-limen-post:comment", "c:comment", "c:comments", "in:figcaption", "in:footer", "in:aside",
)  # fmt: skip
_NAMES = "data-limen-line"
# A table of data that stands where the text does belongs to it.
_DATA_ROWS, _DATA_DIGITS, _DATA_LINKS = 3, 0.05, 0.3
_LEADING = frozenset({"p", "div", "section", "article", "center", "figure", "blockquote", "h5", "h6"})
_LEADING_LINKS = 0.8
_TEXT_SHARE = 0.2
_LISTS = frozenset({"ul", "ol", "dl"})
_LIST_SHARE = 0.5
# A heading goes with its section where so much of that was there and nothing of it is kept.
_SECTION_WORDS = 15
_PLACE_SHARE = 0.8
_SIBLINGS_SHARE = 0.7
_AMONG_TEXT = frozenset({"table", "pre", "blockquote", "h2", "h3", "h4"})
# What these hold is part of a text, not the place of one.
_NO_PLACES = frozenset({"ul", "ol", "dl", "blockquote", "p"})
# Few different pieces leave little to tell them by: all but what is hopeless of what the rules leave is kept.
_FEW_BLOCKS = 50
_HOPELESS = -4.0
# Before the text and behind it a few words that are unlikely to belong there are buttons, ratings and what to do next.
_UNLIKELY, _FEW_WORDS = -0.8, 15
_SOLID = frozenset({"pre", "table", "li", "dt", "dd", "td"})
_SOLID_PLACES = frozenset({"in:li", "in:dt", "in:dd", "in:td"})
_POST = "data-limen-post:"


def choose(
    layout: Layout, around: Surroundings, traits: Traits, odds: Sequence[float], article: float, *, is_manual: bool = False
) -> list[bool]:
    """Whether each block is kept.

    `odds` are the blocks' log-odds, `article` how likely the page is one, 0 to 1. Without odds what the rules leave is kept, on a
    page of few different pieces nearly all of it, and of a manual all but what stands around its text.
    """
    by_odds = bool(odds) and not is_manual and len({block.text for block in layout.blocks}) > _FEW_BLOCKS
    kept = _weighed(layout, around, odds, article) if by_odds else around.ruled_in()
    if by_odds and article >= _SURE_ARTICLE:
        _drop_beside_text(layout, around, kept)
    if odds and not by_odds and not is_manual:
        kept = [keep and value > _HOPELESS for keep, value in zip(kept, odds, strict=True)]
    if odds:
        _drop_edges(layout, around, traits, odds, kept)
    if odds and not is_manual and article < _SURE_ARTICLE:  # a refrain belongs to its song
        drop_repeats(layout, kept)
    if traits.title_at >= 0:
        kept[traits.title_at] = True
    _keep_names_with_posts(layout, kept)
    if by_odds:
        _keep_images_between(layout.blocks, kept)
    return kept if any(kept) else [True] * len(kept)


def _weighed(layout: Layout, around: Surroundings, odds: Sequence[float], article: float) -> list[bool]:
    sizes = [words_of(block) for block in layout.blocks]
    homes = [_home(layout.parts, block.part) for block in layout.blocks]
    near = _with_siblings(layout, homes, odds, sizes)
    if article >= _LIKELY_ARTICLE:
        near = _set_by_text(layout, homes, near, sizes, article)
    kept = best_whole([value * _SOFTNESS for value in near], sizes)
    _keep_lists_whole(layout, sizes, kept)
    _drop_bare_headings(layout.blocks, sizes, kept)
    first, last = _keep_one_place(layout, sizes, kept)
    for i, block in enumerate(layout.blocks[first:last], first):
        if block.kind == "table" and odds[i] > _HOPELESS and not around.kinds[block.part] and _is_data(block):
            kept[i] = True
    return kept


def _is_data(table: Block) -> bool:
    """Whether a table holds figures, or rows below a head, rather than links."""
    element = table.nodes[0]
    if not isinstance(element, Element) or table.link_chars > table.chars * _DATA_LINKS:
        return False
    rows = list(islice(element.iter_elements(("tr",)), _DATA_ROWS))
    has_figures = sum(map(str.isdigit, table.text)) > table.chars * _DATA_DIGITS
    return len(rows) == _DATA_ROWS and (has_figures or rows[0].find("th") is not None)


def _with_siblings(layout: Layout, homes: list[int], odds: Sequence[float], sizes: list[int]) -> list[float]:
    """Paragraphs side by side belong together, so that none is lost from the midst of a text; nor is what stands among them."""
    sums: dict[int, float] = defaultdict(float)
    masses: dict[int, float] = defaultdict(float)
    for block, home, value, size in zip(layout.blocks, homes, odds, sizes, strict=True):
        if block.kind == "p":
            sums[home] += value * size**0.5
            masses[home] += size**0.5
    found = list(odds)
    for i, (block, home) in enumerate(zip(layout.blocks, homes, strict=True)):
        if masses[home] and (block.kind == "p" or block.kind in _AMONG_TEXT):
            pull = sums[home] / masses[home] - found[i]
            found[i] += _SIBLINGS_SHARE * (pull if block.kind == "p" else max(pull, 0.0))
    return found


def _set_by_text(layout: Layout, homes: list[int], odds: Sequence[float], sizes: list[int], article: float) -> list[float]:
    """The odds moved by how far those of the article's text are from what they usually are."""
    masses: dict[int, float] = defaultdict(float)
    sums: dict[int, float] = defaultdict(float)
    for block, home, value, size in zip(layout.blocks, homes, odds, sizes, strict=True):
        if size and block.link_chars * 2 < block.chars and block.kind not in HEADINGS:
            mass = size * _share(value)
            masses[home] += mass
            sums[home] += mass * value
    if not masses:
        return list(odds)
    text = max(masses, key=masses.__getitem__)
    first, last = layout.parts[text].first, layout.parts[text].last
    shift = _TEXT_ODDS - sums[text] / masses[text]
    return [value + article * (shift if first <= i < last else shift - _ELSEWHERE) for i, value in enumerate(odds)]


def _home(parts: Sequence[Part], index: int) -> int:
    """The part in which a block has siblings."""
    index = max(parts[index].up, 0)
    while index and parts[index].last - parts[index].first == 1:
        index = parts[index].up
    return index


def words_of(block: Block) -> int:
    """About how many words a block has; scripts without blanks count by their characters."""
    return max(block.text.count(" ") + 1, block.chars // 12) if block.chars else 0


def best_whole(odds: Sequence[float], sizes: Sequence[int]) -> list[bool]:
    """The blocks, likeliest first, up to where the expected F1 of their words is highest."""
    shares = [_share(value) for value in odds]
    expected = sum(share * size for share, size in zip(shares, sizes, strict=True))
    order = sorted((i for i, size in enumerate(sizes) if size), key=shares.__getitem__, reverse=True)
    right = taken = best = 0.0
    count = 0
    for place, i in enumerate(order):
        right += shares[i] * sizes[i]
        taken += sizes[i]
        if right / (taken + expected) > best:
            best, count = right / (taken + expected), place + 1
    kept = [False] * len(sizes)
    for i in order[:count]:
        kept[i] = True
    return kept


def _share(odds: float) -> float:
    return 1 / (1 + exp(-min(max(odds, -30.0), 30.0)))


def _keep_lists_whole(layout: Layout, sizes: list[int], kept: list[bool]) -> None:
    """Keep or drop each outermost list as the larger part of its words is."""
    sums = list(accumulate((size if keep else 0 for size, keep in zip(sizes, kept, strict=True)), initial=0))
    totals = list(accumulate(sizes, initial=0))
    done = 0
    for part in layout.parts:
        if part.tag not in _LISTS or part.first < done or part.last - part.first < 2:
            continue
        total = totals[part.last] - totals[part.first]
        done = part.last
        keep = sums[part.last] - sums[part.first] >= max(total, 1) * _LIST_SHARE
        kept[part.first : part.last] = [keep] * (part.last - part.first)


def _drop_bare_headings(blocks: Sequence[Block], sizes: list[int], kept: list[bool]) -> None:
    lost = [0] * 7
    filled = [False] * 7
    for i in range(len(blocks) - 1, -1, -1):
        if blocks[i].kind in HEADINGS:
            level = int(blocks[i].kind[1])
            if not filled[level] and lost[level] >= _SECTION_WORDS:
                kept[i] = False
            lost[level:] = [0] * (7 - level)
            filled[level:] = [False] * (7 - level)
            if kept[i]:
                filled[:level] = [True] * level
        elif kept[i]:
            filled = [True] * 7
        else:
            lost = [words + sizes[i] for words in lost]


def _keep_one_place(layout: Layout, sizes: list[int], kept: list[bool]) -> tuple[int, int]:
    """Keep what lies in the smallest part that holds most of what was kept, and titles; answers the bounds of its blocks."""
    sums = list(accumulate((size if keep else 0 for size, keep in zip(sizes, kept, strict=True)), initial=0))
    place, least = 0, max(sums[-1], 1) * _PLACE_SHARE
    for index, part in enumerate(layout.parts):
        if part.up == place and part.tag not in _NO_PLACES and sums[part.last] - sums[part.first] >= least:
            place = index
    first, last = layout.parts[place].first, layout.parts[place].last
    for i, block in enumerate(layout.blocks):
        if kept[i] and not first <= i < last and block.kind != "h1":
            kept[i] = False
    return first, last


def _drop_beside_text(layout: Layout, around: Surroundings, kept: list[bool]) -> None:
    """Drop what stands beside the text of an article, unless that is nearly all there is: a thread that looks like one."""
    beside = around.mask_of(_BESIDE_TEXT)
    dropped: list[int] = []
    sizes = [0, 0]
    for i, block in enumerate(layout.blocks):
        if kept[i]:
            leads = block.kind in _LEADING and block.chars and block.link_chars >= block.chars * _LEADING_LINKS
            is_beside = bool(leads or around.far[block.part] & beside)
            sizes[is_beside] += words_of(block)
            dropped += [i] * is_beside
    if sizes[False] >= sum(sizes) * _TEXT_SHARE:
        for i in dropped:
            kept[i] = False


def _drop_edges(layout: Layout, around: Surroundings, traits: Traits, odds: Sequence[float], kept: list[bool]) -> None:
    blocks, solid = layout.blocks, set(traits.prose)
    places = around.mask_of(name for name in around.names if name in _SOLID_PLACES or name.startswith(_POST))
    solid |= {i for i, block in enumerate(blocks) if block.kind in _SOLID or around.far[block.part] & places}
    text = [i for i in sorted(solid) if kept[i]]
    if not text:
        return
    first = min(text[0], traits.title_at) if traits.title_at >= 0 else text[0]
    for i in reversed((*range(first), *range(text[-1] + 1, len(kept)))):
        heads = blocks[i].kind in HEADINGS and any(kept[i + 1 : i + 2])  # a heading goes with what stands right below it
        if not heads and blocks[i].chars and odds[i] < _UNLIKELY and words_of(blocks[i]) <= _FEW_WORDS:
            kept[i] = False


def _keep_images_between(blocks: Sequence[Block], kept: list[bool]) -> None:
    """An image alone is kept between blocks that are."""
    texts = [i for i, block in enumerate(blocks) if block.chars]
    for before, after in zip([-1, *texts], [*texts, -1], strict=True):
        if before >= 0 and after >= 0 and kept[before] and kept[after]:
            kept[before:after] = [True] * (after - before)


def _keep_names_with_posts(layout: Layout, kept: list[bool]) -> None:
    """The line on who wrote a post is kept with what was written."""
    for i, block in enumerate(layout.blocks[:-1]):
        if _NAMES in layout.parts[block.part].attributes:
            kept[i] = kept[i + 1]
