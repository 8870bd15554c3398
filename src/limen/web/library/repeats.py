"""Blocks of text that many documents of one source repeat, such as notices and footers: they tell no document from another."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from limen.kit.fences import Fences
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


class _Block(msgspec.Struct, frozen=True):
    """Lines `first` to `last` of a text, counted from 0, `last` exclusive."""

    first: int
    last: int
    digest: bytes


def _blocks(section: LibrarySection) -> Iterator[_Block]:
    """The paragraphs of a section, without its heading and without code."""
    lines = section.text.split("\n")
    heading = section.heading.rpartition(" › ")[2]
    fences = Fences()
    first = None
    for at, line in enumerate((*lines, "")):
        ends = fences.holds(line) or not line.strip() or (first is None and heading != "" and line.strip() == heading)
        if not ends and first is None:
            first = at
        elif ends and first is not None:
            said = "\n".join(lines[first:at])
            if _WORD.search(said):
                plain = " ".join(said.split()).casefold()
                plain = _DIGITS.sub("0", plain) if len(plain) <= _DATED_CHARS else plain
                yield _Block(first, at, blake2b(plain.encode("utf-8", "replace"), digest_size=8).digest())
            first = None


def digests(sections: Sequence[LibrarySection]) -> frozenset[bytes]:
    """The blocks of a document, each once."""
    return frozenset(block.digest for section in sections for block in _blocks(section))


def without(sections: Sequence[LibrarySection], repeated: frozenset[bytes]) -> tuple[LibrarySection, ...]:
    """The sections with empty lines in place of what is repeated, so that lines keep their numbers; a section of which nothing
    but its heading is left has no text. Unchanged where more than half of the document would go."""
    if not repeated:
        return tuple(sections)
    plain = tuple(_without(section, repeated) for section in sections)
    whole, left = (sum(len(section.text) for section in some) for some in (sections, plain))
    return plain if left >= whole * _MOST_TAKEN else tuple(sections)


def _without(section: LibrarySection, repeated: frozenset[bytes]) -> LibrarySection:
    blocks = list(_blocks(section))
    taken = [block for block in blocks if block.digest in repeated]
    if not taken:
        return section
    lines = section.text.split("\n")
    for block in taken:
        lines[block.first : block.last] = [""] * (block.last - block.first)
    text = "\n".join(lines)
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
