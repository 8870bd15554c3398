"""What speaks for or against a block, as names: each is a feature that the weights may know."""

import re
from bisect import bisect_left
from collections import Counter
from functools import cached_property

from limen.reading.region.layout import HEADINGS, Block, Layout, link_share
from limen.reading.region.surroundings import Surroundings
from limen.reading.region.weights import WORD

_PRICE = re.compile(r"[$€£¥]\s?\d|\d\s?(?:€|usd|eur)\b")
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d+ (?:min|hour|day|week|month|year)s? ago\b")
_SENTENCE = re.compile(r"[.!?…][\"'”’)]?(?:\s|$)|[。！？]")
_BARS = re.compile(r"[|·•]")
# Words are read of short blocks only: long ones are told by their shape, and hold any word.
_SHORT_CHARS = 200
_WORDS_READ = 30
_LONG_CHARS = 120
_DESCRIBED_CHARS = 40
_DESCRIBED_SHARE = 0.3
_GRAMS_READ = 400
# What lies over a page is not what it is called.
_OVERLAYS = frozenset({"dialog", "alertdialog", "cookie", "cookies", "consent", "gdpr", "modal", "popup", "newsletter"})
# A heading this short stands in many a title by chance.
_NAME_CHARS = 8


class Traits:
    """The traits of each block of a page, in order: `rows[i]` are those of block i but for what `around` knows of its part."""

    def __init__(self, layout: Layout, around: Surroundings, title: str, described: str) -> None:
        self._blocks = layout.blocks
        self._around = around
        self._texts = [block.text.lower() for block in layout.blocks]
        self._repeats = Counter(self._texts)
        self._title = " ".join(title.lower().split())
        self._described = frozenset(_grams(described.lower()))
        self.title_at = self._find_title()
        self.prose = [i for i, block in enumerate(layout.blocks) if _is_prose(block) and not around.kinds[block.part]]

    def _find_title(self) -> int:
        """The block that is the page's title: an h1 that the stated title has, else a heading that it has, else the first h1."""
        blocks, title = self._blocks, self._title
        kinds = self._around.kinds
        firsts = [
            i for i, block in enumerate(blocks) if block.kind == "h1" and block.chars and kinds[block.part] not in _OVERLAYS
        ]
        agreed = (i for i in firsts if title and (self._texts[i] in title or title in self._texts[i]))
        headings = (i for i, block in enumerate(blocks) if block.kind in HEADINGS and block.chars > _NAME_CHARS)
        stated = (i for i in headings if self._texts[i] in title)
        return next(agreed, next(stated, firsts[0] if firsts else -1))

    @cached_property
    def rows(self) -> list[list[str]]:
        blocks = self._blocks
        shapes = ["none", *map(_shape, blocks), "none"]
        section: list[str] = []
        section_at = -1
        rows = []
        for i, block in enumerate(blocks):
            words = WORD.findall(self._texts[i][:300])[:_WORDS_READ] if block.chars else []
            row = [f"kind:{block.kind}", f"shape:{shapes[i + 1]}", f"before:{shapes[i]}", f"after:{shapes[i + 2]}"]
            if block.chars < _SHORT_CHARS:
                row += [f"says:{word}" for word in dict.fromkeys(words)]
            if block.chars:
                self._said(block, self._texts[i], row)
            self._placed(i, row)
            if block.kind in HEADINGS:
                section_at = i
                section = [f"below:{block.kind}", *(f"head:{word}" for word in dict.fromkeys(words))]
            elif section_at >= 0:
                row.append(f"since:{scale(i - section_at)}")
            row += section
            rows.append(row)
        return rows

    def _said(self, block: Block, text: str, row: list[str]) -> None:
        """What the text of a block shows."""
        if self._repeats[text] > 1:
            row.append("twice" if self._repeats[text] == 2 else "often")
        if text[-1] in ".!?…:":
            row.append("ends:colon" if text[-1] == ":" else "ends:stop")
        if block.chars >= _DESCRIBED_CHARS:
            row.append(f"sentences:{min(len(_SENTENCE.findall(text)), 3)}")
            grams = _grams(text) if self._described else []
            if sum(gram in self._described for gram in grams) > len(grams) * _DESCRIBED_SHARE:
                row.append("described")
        if any(map(str.isdigit, text[:200])):
            row.append("digits")
            if _PRICE.search(text):
                row.append("price")
            if block.chars < _LONG_CHARS and _DATE.search(text):
                row.append("date")
        if _BARS.search(text):
            row.append("bars")
        row += [sign for sign in "©@" if sign in text]
        if len(text) > 3 and (text == self._title or (len(text) > 12 and text in self._title)):
            row.append("title")

    def _placed(self, i: int, row: list[str]) -> None:
        """Where a block stands: by the title, by the prose, by the marked part."""
        gap = i - self.title_at
        if self.title_at < 0:
            row.append("no title")
        elif gap < 0:
            row.append("place:before")
            if gap >= -3:
                row.append("place:just before")
        else:
            row.append("place:at" if not gap else "place:near" if gap <= 4 else "place:after")
        prose = self.prose
        behind = bisect_left(prose, i)
        ahead = len(prose) - behind
        row.append(f"prose:{_few(behind)}-{_few(ahead)}")
        if prose and not ahead:
            row.append(f"tail:{scale(i - prose[-1])}")
        elif prose and not behind and prose[0] != i:
            row.append(f"lead:{scale(prose[0] - i)}")
        first, last = self._around.region
        if last:
            row.append("region:before" if i < first else "region:in" if i < last else "region:after")


def scale(count: int) -> int:
    """A count in powers of two, 0 to 8."""
    return min(count.bit_length(), 8)


def _is_prose(block: Block) -> bool:
    return block.chars >= _LONG_CHARS and block.link_chars < block.chars * 0.3


def _grams(text: str) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[i : i + 3]) for i in range(min(len(words), _GRAMS_READ) - 2)]


def _few(count: int) -> int:
    return min(count, 2) if count < 4 else 4


def _shape(block: Block) -> str:
    if block.kind in HEADINGS or block.kind in {"table", "pre", "img"}:
        return block.kind
    share = link_share(block)
    links = "n" if share == 0 else "s" if share < 0.5 else "m" if share < 0.95 else "a"
    return f"{links}{min((block.chars // 8).bit_length(), 7)}"
