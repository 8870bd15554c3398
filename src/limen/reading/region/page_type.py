"""What kind of page a page is, told by what it says of itself and by what stands on it."""

from collections.abc import Iterable

from limen.reading.region.layout import Layout
from limen.reading.region.surroundings import Surroundings
from limen.reading.region.traits import Traits, scale


def page_traits(layout: Layout, around: Surroundings, traits: Traits, stated: frozenset[str]) -> frozenset[str]:
    """The traits of a page: what it states, all names and words on it, and how much there is of what, in powers of two."""
    found = stated.union(around.names, *traits.rows)
    blocks = layout.blocks
    chars = max(sum(block.chars for block in blocks), 1)
    links = sum(block.link_chars for block in blocks)
    prose = [blocks[i].chars for i in traits.prose]
    counts = {
        f"chars:{(chars // 250).bit_length()}",
        f"dense:{10 * links // chars}",
        f"prose:{scale(len(prose))}",
        f"prose share:{10 * sum(prose) // chars}",
        f"longest:{max(prose, default=0).bit_length()}",
    }
    kinds = [block.kind for block in blocks]
    counts |= {f"{kind}s:{scale(kinds.count(kind))}" for kind in ("h1", "h2", "h3", "p", "li", "pre", "table", "img", "dt", "td")}
    return found | counts | _counted(traits.rows)


def _counted(rows: Iterable[list[str]]) -> set[str]:
    counts = dict.fromkeys(("price", "date", "often", "ends:stop"), 0)
    for row in rows:
        for name in counts.keys() & set(row):
            counts[name] += 1
    return {f"{name}s:{scale(count)}" for name, count in counts.items()}
