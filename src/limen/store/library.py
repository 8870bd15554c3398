"""The store of the private document index, as its port has it. Every method may raise StoreFault; nothing else."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from limen.core.ports import LibraryDocument
from limen.kit.operators import NO_DEMANDS, Demands


class LibrarySection(msgspec.Struct, frozen=True):
    """A stretch of a document under one heading. `line` counts from 1 in the document's Markdown.

    `listing` says that it is a table of contents or an index, which names many things and explains none.
    """

    heading: str
    anchor: str
    line: int
    text: str
    listing: bool = False


class LibraryRecord(msgspec.Struct, frozen=True):
    """A document as it is put into the index. `stamp` is what a refresh compares: modification time in ns and size."""

    origin: str
    title: str
    media_type: str
    text: str
    digest: str
    stamp: tuple[int, int]
    root: str
    sections: tuple[LibrarySection, ...]


class DocumentMark(msgspec.Struct, frozen=True):
    """What the index knows of a document before it is read again. `removed`: a person took it out of its folder's index."""

    stamp: tuple[int, int] = (0, 0)
    digest: str = ""
    root: str = ""
    removed: bool = False


class LibrarySource(msgspec.Struct, frozen=True):
    """Something that documents come from: the path or address `root`, read as its `kind` says. 0 leaves a limit to the settings.

    A `round` is one look at all of it; `finished` is False while one has not ended. `refreshed_at` is when the last one did, in
    Unix seconds, 0 for never. `failed` counts what it could not read, `problem` is the first of that, `note` what there is to
    know of it. `documents` is counted by the store.
    """

    root: str
    kind: str
    most_pages: int = 0
    most_depth: int = 0
    round: int = 0
    finished: bool = True
    refreshed_at: float = 0.0
    note: str = ""
    failed: int = 0
    problem: str = ""
    documents: int = 0


class KnownPage(msgspec.Struct, frozen=True):
    """An address of a source, and the origin of the document that came of it, empty where none did.

    `round` is the last one in which it was looked at, -1 for none; `depth` counts the links that lead to it; `listed` is what a
    list of the source's pages said of when it changed, as written.
    """

    url: str
    origin: str = ""
    depth: int = 0
    round: int = -1
    listed: str = ""
    etag: str = ""
    last_modified: str = ""


# Looking through so many sections for a word costs too little to be saved.
FEW_SECTIONS = 1_000


class AskedWord(msgspec.Struct, frozen=True):
    """A word, identifier or phrase to look up, and how much it counts beside the others.

    `also` are forms of it that share no stem with it; a section that holds one of them holds the word.
    """

    text: str
    weight: float = 1.0
    also: tuple[str, ...] = ()


class Frequencies(msgspec.Struct, frozen=True):
    """In how many of all `sections`, whatever their library, each word stands, in the order asked."""

    words: tuple[int, ...]
    sections: int

    @property
    def telling(self) -> tuple[bool, ...]:
        """Which words tell sections apart: not those that more than half of very many have, unless there are no others."""
        most = max(self.sections / 2, FEW_SECTIONS)
        telling = tuple(0 < often <= most for often in self.words)
        return telling if any(telling) else tuple(map(bool, self.words))


class SectionHit(msgspec.Struct, frozen=True):
    """A section that may answer a query. `line` is its first in the document; `text` is what was put, line for line.

    `place` counts, from 0, the documents that hold the words better as a whole, as they are written. `nearness` (-1 to 1) is
    how near the section's meaning is to the question's, 0 for one that is not among the nearest.
    """

    document: LibraryDocument
    mark: DocumentMark
    heading: str
    anchor: str
    line: int
    text: str
    listing: bool = False
    place: int = 0
    nearness: float = 0.0


class Near(msgspec.Struct, frozen=True):
    """What a question means: a vector, and whose it is. Vectors of another embedder, or of another length, do not compare."""

    embedder: str
    vector: tuple[float, ...]


class Wanted(msgspec.Struct, frozen=True):
    """What a query may find: sections of `limit` documents, at most `each` of one, or more where there are fewer documents.

    Of `demands`, a phrase stands in a section, its heading or its document's title, letter for letter but for case; a title's
    words stand in the title or a heading, in any form; a path is a part of the document's origin, or a pattern of `*` and `?`
    for the end of it. Where no words are asked, or none is known, all sections that meet the demands may come.
    Behind them come sections that hold no word and are `near` in what they mean.
    """

    limit: int
    each: int = 1
    demands: Demands = NO_DEMANDS
    near: Near | None = None


class FoundSections(msgspec.Struct, frozen=True):
    """What a library has for some words: sections with the most and rarest of them, and how common each word is.

    `alike` are words, by their number, that the library lacks, with those that were looked up instead: what begins with one,
    holds one or differs from one in a letter. Their frequencies are those of what stands for them.
    """

    hits: tuple[SectionHit, ...]
    frequencies: Frequencies
    alike: Mapping[int, tuple[str, ...]] = {}


class LibraryStore(Protocol):
    """The documents and full-text index of named libraries."""

    async def put(self, library: str, records: Sequence[LibraryRecord]) -> int:
        """Add or replace documents by origin, in one transaction; returns how many origins were not there before."""
        ...

    async def stamps(self, library: str, root: str) -> dict[str, tuple[int, int]]:
        """Origin to stamp of every document under a root."""
        ...

    async def marks(self, library: str, origins: Sequence[str]) -> dict[str, DocumentMark]:
        """What is known of those origins, under whatever root; an origin that is unknown is left out."""
        ...

    async def restamp(self, library: str, stamps: Mapping[str, tuple[int, int]]) -> None:
        """Note new stamps of documents whose content did not change."""
        ...

    async def libraries(self) -> Mapping[str, int]:
        """How many documents each library has that has any, or a source."""
        ...

    async def sources(self, library: str) -> Sequence[LibrarySource]:
        """What was put, and the roots of documents that were put without a source, by root."""
        ...

    async def put_source(self, library: str, source: LibrarySource) -> None: ...

    async def drop_source(self, library: str, root: str) -> None:
        """Forget a source, the pages and repeated blocks known of it; its documents stay until they are dropped."""
        ...

    async def pages(self, library: str, root: str) -> Sequence[KnownPage]:
        """In the order of their depth."""
        ...

    async def put_pages(self, library: str, root: str, pages: Sequence[KnownPage]) -> None: ...

    async def rename(self, library: str, origin: str, new: str) -> bool:
        """Call a document by another origin, under its number, and its source where it is a page of its own; False where there
        is none, or one of that name already."""
        ...

    async def repeated(self, library: str, root: str) -> frozenset[bytes]:
        """The digests of the blocks that a source's documents repeat."""
        ...

    async def put_repeated(self, library: str, root: str, blocks: Sequence[bytes]) -> None: ...

    async def indexed(self, library: str, origins: Sequence[str]) -> Mapping[str, Mapping[int, LibrarySection]]:
        """What is indexed of each of those documents: its sections in their order, each by a number of its own."""
        ...

    async def rewrite(self, texts: Mapping[int, str]) -> None:
        """Index other texts for sections, line for line in place of the ones before; one without a word is found no more."""
        ...

    async def drop(self, library: str, origins: Sequence[str]) -> int: ...

    async def list(self, library: str, limit: int = 1_000) -> Sequence[LibraryDocument]: ...

    async def get(self, library: str, document_id: int) -> tuple[LibraryDocument, str] | None: ...

    async def by_origin(self, library: str, origin: str) -> tuple[LibraryDocument, str] | None: ...

    async def library_of(self, document_id: int) -> str | None:
        """The library that has the document of that number."""
        ...

    async def remove(self, library: str, document_id: int) -> bool:
        """Drop a document and keep it out when its folder is refreshed, until it is put again."""
        ...

    async def query(self, library: str, words: Sequence[AskedWord], wanted: Wanted) -> FoundSections:
        """Sections that hold any of `words`, likely ones first: candidates for an order made with more care.

        They are of the documents that hold the words best as a whole, by BM25, as they are written; where too few do, of those
        that hold them in other forms. Within these a section counts for the words it holds, in any form, rare ones more. Words
        that do not tell sections apart (`Frequencies.telling`) do not count.
        """
        ...

    async def unembedded(self, library: str, embedder: str, limit: int) -> Mapping[int, str]:
        """Sections that lack an embedder's vector, each with its title, heading and the beginning of its text."""
        ...

    async def embed(self, embedder: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Keep what sections mean, in place of what another embedder made of them; sections that have gone are left out."""
        ...

    async def counts(self, library: str) -> tuple[int, int]:
        """Documents and sections."""
        ...
