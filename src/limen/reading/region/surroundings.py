"""What the parts of a page say about the blocks in them: tags, roles, names, the rules' verdict, links and sizes."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property, lru_cache

from limen.reading.region.frame import Frame, alive, link_lists, marked_part, plain_names
from limen.reading.region.layout import Layout, Part, link_share
from limen.reading.region.weights import WORD

_STATED = ("role", "itemprop", "data-limen-post")
# A part that holds more of the page than this is the page: its names say nothing about a block.
_WHOLE_SHARE = 0.6
_WHOLE = ("in:main", "in:article", "in:form", "role:main")
# The piece of the page that a block lies in is the largest part around it that holds less than this.
_PIECE_SHARE = 0.3
# So many parts of one kind side by side are cards.
_CARDS = 4
_CARD_CHARS = 20
_NO_CARDS = frozenset({"p", "tr", "td"})


class Surroundings:
    """Of each part of a layout: `far[i]` has a bit for each of `names` that it or a part above it has.

    `kinds[i]` is the rules' reason to drop it, "" for none; `region` bounds the blocks of the marked main part, (0, 0) without
    one.
    """

    def __init__(self, layout: Layout) -> None:
        self._parts = layout.parts
        self._blocks = layout.blocks
        self._total = max(layout.parts[0].chars, 1)
        self._bits: dict[str, int] = {}
        self._masks: dict[str, int] = {}
        self.kinds = Frame(layout).kinds
        marked = marked_part(layout, alive(layout, self.kinds))
        self.region = (layout.parts[marked].first, layout.parts[marked].last) if marked else (0, 0)
        self._lists = frozenset(link_lists(layout, self.kinds))
        self._marked = marked

    @property
    def names(self) -> Iterable[str]:
        """All names that parts of this page have, by their bits."""
        return self._bits if self.far else ()

    def mask_of(self, names: Iterable[str]) -> int:
        """The bits of those of some names that parts of this page have."""
        return sum(1 << self._bits[name] for name in names if self.far and name in self._bits)

    def _bit(self, name: str) -> int:
        return 1 << self._bits.setdefault(name, len(self._bits))

    @cached_property
    def far(self) -> list[int]:
        parts, bit, marked, lists = self._parts, self._bit, self._marked, self._lists
        own = [self._own(part) for part in parts]
        siblings = Counter((part.up, mask) for part, mask in zip(parts, own, strict=True))
        whole = sum(map(bit, _WHOLE))
        far: list[int] = []
        for index, part in enumerate(parts):
            mask = own[index]
            alike = siblings[part.up, mask]
            if part.chars > self._total * _WHOLE_SHARE:
                mask &= whole
            if index in lists:
                mask |= bit("links among links")
            if self.kinds[index] and not self.kinds[part.up]:
                mask |= bit("rule") | bit(f"rule:{self.kinds[index]}")
            if index and index == marked:
                mask |= bit("in region")
            if alike >= _CARDS and part.tag == "li" and part.last - part.first > 1:
                mask |= bit("item card")
            elif alike >= _CARDS and part.tag != "li" and part.tag not in _NO_CARDS and part.chars > _CARD_CHARS:
                mask |= bit("card")
            far.append(mask | far[part.up] if index else mask)
        return far

    def _own(self, part: Part) -> int:
        masks, attributes = self._masks, part.attributes
        mask = masks.get(part.tag) or self._named(part.tag, (f"in:{part.tag}",))
        if attributes:
            classes, identity = attributes.get("class"), attributes.get("id")
            for words in (classes, identity):
                if words:
                    words = f"#{words}"
                    mask |= masks[words] if words in masks else self._named(words, [f"c:{word}" for word in name_words(words)])
            if len(attributes) > (classes is not None) + (identity is not None):
                for name in _stated_names(attributes):
                    mask |= self._bit(name)
        return mask

    def _named(self, key: str, names: Iterable[str]) -> int:
        mask = self._masks[key] = sum(map(self._bit, names))
        return mask

    def ruled_in(self) -> list[bool]:
        """Of each block whether the rules alone would keep it: what frames nothing and lies in the marked part, and titles."""
        first, last = self.region if self.region[1] else (0, len(self._blocks))
        kept = [not self.kinds[block.part] and (first <= i < last or block.kind == "h1") for i, block in enumerate(self._blocks)]
        for index in () if self.region[1] else self._lists:
            part = self._parts[index]
            kept[part.first : part.last] = [False] * (part.last - part.first)
        return kept

    def near(self, index: int) -> list[str]:
        """Links and sizes of the two parts around a part, and of the piece of the page that it lies in."""
        parts = self._parts
        found = []
        for name in ("parent", "grand"):
            index = max(parts[index].up, 0)
            found.append(f"{name}:{_size(parts[index])}")
        while index > 0 and parts[parts[index].up].chars < self._total * _PIECE_SHARE:
            index = parts[index].up
        piece = parts[index]
        found.append(f"piece:{_size(piece)}")
        blocks = piece.last - piece.first
        if blocks:
            found.append(f"grain:{min((piece.chars // blocks).bit_length(), 8)}")
        return found


def _stated_names(attributes: dict[str, str]) -> list[str]:
    found = [f"{name}:{attributes[name].lower()[:30]}" for name in _STATED if attributes.get(name)]
    if "hidden" in attributes or "display:none" in attributes.get("style", "").replace(" ", ""):
        found.append("hidden")
    if attributes.get("aria-hidden") == "true":
        found.append("aria-hidden")
    if attributes.get("itemtype"):
        found.append(f"item:{attributes['itemtype'].rpartition('/')[2].lower()[:30]}")
    return found


@lru_cache(maxsize=8_192)
def name_words(names: str) -> tuple[str, ...]:
    """The words of class names and ids, each once."""
    return tuple(dict.fromkeys(WORD.findall(plain_names(names[:400]))))


def _size(part: Part) -> str:
    share = link_share(part)
    links = "n" if share == 0 else "f" if share < 0.2 else "s" if share < 0.5 else "m" if share < 0.8 else "a"
    return f"{links}{min(part.chars // 20, 4_000).bit_length() // 2}"
