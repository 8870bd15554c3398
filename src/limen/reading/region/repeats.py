"""What a page says again: the same text laid out for wide and for narrow windows, the slides of a carousel that begin anew."""

from collections.abc import Sequence

from limen.kit.text import letters_of
from limen.reading.region.layout import HEADINGS, Layout

# Shorter texts repeat on many a page by right: labels, names, prices.
_LONG_LETTERS = 60
# Two offers may include the same, and examples of code differ by what stands around them.
_MAY_REPEAT = frozenset({"li", "pre"})


def drop_repeats(layout: Layout, kept: list[bool]) -> None:
    """Of the blocks that are kept drop the runs that stand before on the page block by block, if one of a run is long.

    Kept are repeats beside each other, and what is said again below a heading of its own.
    """
    homes: dict[str, int] = {}
    run: list[int] = []
    is_long, before = False, ""
    for i, block in enumerate(layout.blocks):
        letters = letters_of(block.text) if kept[i] else ""
        if not letters:
            continue
        home = layout.parts[block.part].up
        if block.kind != "pre" and homes.setdefault(letters, home) != home:
            run.append(i)
            is_long |= len(letters) >= _LONG_LETTERS and block.kind not in _MAY_REPEAT
            continue
        _drop(layout, run if is_long else (), before, kept)
        run, is_long, before = [], False, block.kind
    _drop(layout, run if is_long else (), before, kept)


def _drop(layout: Layout, run: Sequence[int], before: str, kept: list[bool]) -> None:
    if before not in HEADINGS or any(layout.blocks[i].kind in HEADINGS for i in run):
        for i in run:
            kept[i] = False
