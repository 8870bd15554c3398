"""Blocks of text that many documents of one source repeat, such as notices and footers: they tell no document from another."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from limen.kit.fences import parts
from limen.store.library import LibrarySection

# So many documents are compared at a time; neighbours are read one after another, so that what a part of a source repeats is
# found as well.
WINDOW = 400
_FEWEST, _SHARE = 8, 0.4
# A document that is mostly what others have is a version of them, and nothing is taken out of it.
_MOST_TAKEN = 0.5
# In lines as short as `Last updated on 2026-11-30` or `Page 3 of 9` numbers do not count; longer ones may say something by them.
_DATED_CHARS = 60
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]{2}")
_PARAGRAPH = re.compile(r"[^\S\n]*+\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+")


class _Block(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a text."""

    start: int
    end: int
    digest: bytes


def _blocks(section: LibrarySection) -> Iterator[_Block]:
    """The paragraphs of a section, without its heading and without code."""
    heading = section.heading.rpartition(" › ")[2]
    at = 0
    for piece, is_code in parts(section.text):
        for found in () if is_code else _PARAGRAPH.finditer(piece):
            said = found[0]
            while heading and said and said.partition("\n")[0].strip() == heading:
                said = said.partition("\n")[2]
            if _WORD.search(said):
                plain = " ".join(said.split()).casefold()
                plain = _DIGITS.sub("0", plain) if len(plain) <= _DATED_CHARS else plain
                end = at + found.end()
                yield _Block(end - len(said), end, blake2b(plain.encode("utf-8", "replace"), digest_size=8).digest())
        at += len(piece)


def looked_through(
    sections: Sequence[LibrarySection], repeated: frozenset[bytes]
) -> tuple[frozenset[bytes], tuple[LibrarySection, ...]]:
    """The blocks of a document, and its sections with empty lines in place of what is repeated, so that lines keep their numbers.

    A section of which nothing but its heading is left has no text. Unchanged where more than half of the document would go.
    """
    blocks = [list(_blocks(section)) for section in sections]
    found = frozenset(block.digest for some in blocks for block in some)
    if repeated.isdisjoint(found):
        return found, tuple(sections)
    plain = tuple(_without(section, some, repeated) for section, some in zip(sections, blocks, strict=True))
    whole, left = (sum(len(section.text) for section in some) for some in (sections, plain))
    return found, plain if left >= whole * _MOST_TAKEN else tuple(sections)


def _without(section: LibrarySection, blocks: Sequence[_Block], repeated: frozenset[bytes]) -> LibrarySection:
    text = section.text
    for block in reversed(blocks):
        if block.digest in repeated:
            text = text[: block.start] + "\n" * text.count("\n", block.start, block.end) + text[block.end :]
    if text == section.text:
        return section
    heading = section.heading.rpartition(" › ")[2]
    rest = text.replace(heading, "", 1) if heading else text
    return msgspec.structs.replace(section, text=text if _WORD.search(rest) else "")


class Window:
    """Counts the blocks of documents that follow one another. Documents of the same blocks count once."""

    def __init__(self) -> None:
        self.origins: list[str] = []
        self._seen: set[frozenset[bytes]] = set()
        self._counts: Counter[bytes] = Counter()

    def take(self, origin: str, found: frozenset[bytes]) -> None:
        """Count a document's blocks."""
        self.origins.append(origin)
        if found not in self._seen:
            self._seen.add(found)
            self._counts.update(found)

    @property
    def full(self) -> bool:
        return len(self.origins) >= WINDOW

    def repeated(self) -> frozenset[bytes]:
        """The blocks that enough of these documents have."""
        least = max(_FEWEST, _SHARE * len(self._seen))
        return frozenset(digest for digest, count in self._counts.items() if count >= least)
