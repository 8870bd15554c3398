"""The store's own ports. Every method may raise StoreFault; nothing else. Times are Unix seconds."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from limen.core.event import Event
from limen.core.evidence import Evidence, EvidenceAccount, Excerpt, Match
from limen.core.ledger import LedgerEntry
from limen.core.message import Block
from limen.core.ports import LibraryDocument
from limen.core.session import Session, Source

Place = Literal["stable", "project", "session", "tools", "user", "assistant", "tool", "summary"]


class StoredBlock(msgspec.Struct, frozen=True):
    """A block as admitted: its place in the request, the message it belongs to, and a ledger entry for each leaf.

    `message` counts from 0 within the session; blocks of one message share it. Prompt, tool-schema and summary blocks have -1.
    """

    place: Place
    message: int
    block: Block
    entries: tuple[LedgerEntry, ...]

    @property
    def first(self) -> int:
        return self.entries[0].n

    @property
    def last(self) -> int:
        return self.entries[-1].n

    @property
    def tokens(self) -> int:
        return sum(entry.tokens_out for entry in self.entries)


class StoredEvent(msgspec.Struct, frozen=True):
    """An event with its number within the session (from 1) and the moment it was stored."""

    seq: int
    turn: str
    at: float
    event: Event


class Found(msgspec.Struct, frozen=True):
    """A message that answers a search: its session, its ledger number, who said it, and the words around the hit."""

    session: str
    title: str
    n: int
    role: str
    snippet: str
    at: float


class SessionStore(Protocol):
    """Conversations, the blocks their windows admitted, the ledger over those, and the events of their turns.

    Blocks come back as they were given. Titles and a search's snippets are for lists: credentials in them are masked.
    """

    async def open(self, key: str, *, parent: str | None = None, forked_at: int | None = None) -> Session:
        """The session of that key, made when there is none."""
        ...

    async def get(self, key: str) -> Session | None: ...

    async def list(self, limit: int = 50) -> Sequence[Session]:
        """Sessions, latest change first."""
        ...

    async def rename(self, key: str, title: str) -> None: ...

    async def set_route(self, key: str, route: str) -> None: ...

    async def fork(self, key: str, into: str, *, at_turn: str | None = None) -> Session:
        """A new session `into` that begins with all of `key` up to the end of `at_turn`, or of its latest turn. All or nothing.

        It inherits prompt, messages, ledger entries (each still naming the session that admitted it), events and sources under
        their numbers, the evidence kept by then, title and route; deleting the parent takes none of it away. A turn that runs
        now is left out. `at_turn` may be the beginning of a turn's id, of six characters at least.
        Raises StoreFault `store.no_session`, `store.session_exists`, `store.no_turn`, `store.turn_running`.
        """
        ...

    async def delete(self, key: str) -> None:
        """Forget a session with its blocks, ledger, events, sources, and the evidence that no other session holds.

        From the first moment on it is not there; what it held goes in steps, between which others write. Works on a full disk.
        """
        ...

    async def sweep(self) -> int:
        """Finish what was being forgotten when its process ended; how many sessions that were."""
        ...

    async def append(self, key: str, blocks: Sequence[StoredBlock]) -> None:
        """Store admitted blocks, all or none; returns when they are durable against a crash of this process."""
        ...

    async def record(self, key: str, turn: str, events: Sequence[Event]) -> None:
        """Store events of a turn, numbering them on."""
        ...

    async def events(
        self, key: str, *, turn: str | None = None, after: int = 0, limit: int = 10_000
    ) -> Sequence[StoredEvent]: ...

    async def prompt(self, key: str) -> Sequence[StoredBlock]:
        """The frozen blocks of the prompt's tiers and tool schemas, in order of admission."""
        ...

    async def recent(
        self, key: str, *, budget_tokens: int, head: int = 0, after: int = 0, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        """The first `head` message blocks and the latest that fit the budget, in order; its cost is that of what comes back.

        At most `limit` of the latest. Only message blocks (user, assistant, tool) whose ledger number is over `after`.
        """
        ...

    async def latest_event(self, key: str, kind: str) -> Event | None:
        """The session's latest event of a kind (its tag: `folded`, `turn_started`), or None."""
        ...

    async def blocks(
        self, key: str, *, after: int = 0, until: int | None = None, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        """All blocks whose ledger number is over `after` and under `until`, in order."""
        ...

    async def ledger(self, key: str, *, turn: str | None = None) -> Sequence[LedgerEntry]: ...

    async def find_turn(self, turn: str) -> str | None:
        """The session a turn belongs to; a prefix of at least six characters that fits one turn is enough.

        A turn that forks share belongs to the one that had it first.
        """
        ...

    async def next_numbers(self, key: str) -> tuple[int, int]:
        """The next free ledger number and message number."""
        ...

    async def search(self, words: str, limit: int = 20) -> Sequence[Found]:
        """Messages that hold every word, or a word that begins with it, best first.

        What forks share is found once, in the one that had it first.
        """
        ...

    async def note_source(self, key: str, url: str, title: str, *, ref: str, read: bool) -> Source:
        """The session's number for a URL, given at its first sight; `read` once true stays true."""
        ...

    async def sources(self, key: str) -> Sequence[Source]: ...

    async def claim(self, key: str, owner: str, ttl_s: float) -> bool:
        """Take or renew the right to run a turn on this session; False while another owner has it.

        A claim ends after `ttl_s`, and at once when the process that made it has died on this host.
        """
        ...

    async def release(self, key: str, owner: str) -> None: ...


class EvidenceStore(Protocol):
    """Whole texts, addressed by `ev_` and twelve hex digits of their hash; the same text is stored once, whoever keeps it."""

    async def keep(
        self, text: str, *, session: str, tool: str, source: str, media_type: str, tokens: int | None = None
    ) -> Evidence:
        """Store a text for a session; kept again it is as young as the last time. `tokens` is what the caller counted."""
        ...

    async def get(self, evidence_id: str) -> Evidence | None:
        """A text as the session that kept it last knows it."""
        ...

    async def show(self, evidence_id: str, start: int, end: int | None, *, session: str | None = None) -> Excerpt | None:
        """Lines of a text, as far as it has them. With a `session`, None unless that session holds the text."""
        ...

    async def find(self, phrase: str, *, evidence_id: str | None, session: str | None, limit: int) -> Sequence[Match]: ...

    async def list(self, *, session: str | None = None, limit: int = 50) -> Sequence[Evidence]:
        """What a session holds, or what all hold (a text once for each), latest first."""
        ...

    async def account(self, *, session: str | None = None) -> EvidenceAccount:
        """How many texts a session, or the store, keeps and what room they take; each text counts once."""
        ...

    async def purge(self, *, older_than_s: float, keep_bytes: int) -> int:
        """Drop texts older than that, then the oldest until `keep_bytes` hold; returns how many went. Works on a full disk."""
        ...

    async def retain(self, *, older_than_s: float, keep_bytes: int, every_s: float, spare_s: float) -> int | None:
        """Purge, unless that was done within `every_s` by whichever process; then None.

        Texts kept within `spare_s` do not go for their size: an answer may be about to cite them.
        """
        ...


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

    `lead` is how the document begins.
    """

    document: LibraryDocument
    heading: str
    anchor: str
    line: int
    text: str
    listing: bool = False
    lead: str = ""


class FoundSections(msgspec.Struct, frozen=True):
    """What a library has for some words: sections with the most and rarest of them, and how common each word is."""

    hits: tuple[SectionHit, ...]
    frequencies: Frequencies


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

    async def remove(self, library: str, document_id: int) -> bool:
        """Drop a document and keep it out when its folder is refreshed, until it is put again."""
        ...

    async def query(self, library: str, words: Sequence[AskedWord], *, limit: int) -> FoundSections:
        """At most `limit` sections that hold any of `words`, likely ones first: candidates for an order made with more care.

        A section counts for the words it holds, rare ones more; among equals the better by BM25, headings and titles weighing
        more than text, comes first. Words that do not tell sections apart (`Frequencies.telling`) do not count.
        """
        ...

    async def counts(self, library: str) -> tuple[int, int]:
        """Documents and sections."""
        ...
