"""The library's documents and full-text index in SQLite: FTS5 over stemmed words."""

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from limen.core.fault import StoreFault
from limen.core.ports import LibraryDocument
from limen.kit.clock import Clock, wall_s
from limen.store.library import (
    AskedWord,
    DocumentMark,
    FoundSections,
    KnownPage,
    LibraryRecord,
    LibrarySection,
    LibrarySource,
    Wanted,
)
from limen.store.sqlite import library_sections as sections
from limen.store.sqlite import library_sources as sources
from limen.store.sqlite.database import Database
from limen.store.sqlite.library_forgetting import forget_some, forget_texts, let_go, texts_let_go
from limen.store.sqlite.library_search import LibrarySearch, document
from limen.store.sqlite.library_text import pack, searchable, storable, unpack
from limen.store.sqlite.library_vectors import put_vectors, without_vector
from limen.store.sqlite.library_whole import index_whole

# SQLite allows 250,000 parameters in a statement; a smaller round keeps statements cheap to prepare.
_ROUND = 500

_DOCUMENT = """
SELECT d.id, d.origin, d.title, d.media_type, t.chars, t.sections, d.added_at
FROM library_documents d JOIN library_texts t ON t.id = d.text_id
"""


class SqliteLibraryStore:
    """`LibraryStore` over a database whose migrations have run."""

    def __init__(self, database: Database, clock: Clock = wall_s) -> None:
        self._database = database
        self._clock = clock
        self._search = LibrarySearch()

    async def put(self, library: str, records: Sequence[LibraryRecord]) -> int:
        now = self._clock()
        return await self._database.write(lambda connection: _put(connection, library, records, now))

    async def stamps(self, library: str, root: str) -> dict[str, tuple[int, int]]:
        def work(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
            rows = connection.execute(
                "SELECT origin, stamp_ns, stamp_bytes FROM library_documents WHERE library = ? AND root = ?", (library, root)
            )
            return {origin: (stamp_ns, stamp_bytes) for origin, stamp_ns, stamp_bytes in rows}

        return await self._database.read(work)

    async def marks(self, library: str, origins: Sequence[str]) -> dict[str, DocumentMark]:
        return await self._database.read(lambda connection: _marks(connection, library, origins))

    async def restamp(self, library: str, stamps: Mapping[str, tuple[int, int]]) -> None:
        rows = [(*stamp, library, origin) for origin, stamp in stamps.items()]
        update = "UPDATE library_documents SET stamp_ns = ?, stamp_bytes = ? WHERE library = ? AND origin = ?"
        await self._database.write(lambda connection: connection.executemany(update, rows) and None)

    async def libraries(self) -> dict[str, int]:
        return await self._database.read(sources.libraries)

    async def sources(self, library: str) -> Sequence[LibrarySource]:
        return await self._database.read(lambda connection: sources.sources(connection, library))

    async def put_source(self, library: str, source: LibrarySource) -> None:
        await self._database.write(lambda connection: sources.put_source(connection, library, source))

    async def drop_source(self, library: str, root: str) -> None:
        await self._database.write(lambda connection: sources.drop_source(connection, library, root), frees=True)

    async def pages(self, library: str, root: str) -> Sequence[KnownPage]:
        return await self._database.read(lambda connection: sources.pages(connection, library, root))

    async def put_pages(self, library: str, root: str, pages: Sequence[KnownPage]) -> None:
        await self._database.write(lambda connection: sources.put_pages(connection, library, root, pages))

    async def rename(self, library: str, origin: str, new: str) -> bool:
        return await self._database.write(lambda connection: _rename(connection, library, origin, new))

    async def repeated(self, library: str, root: str) -> frozenset[bytes]:
        return await self._database.read(lambda connection: sources.repeated(connection, library, root))

    async def put_repeated(self, library: str, root: str, blocks: Sequence[bytes]) -> None:
        await self._database.write(lambda connection: sources.put_repeated(connection, library, root, blocks))

    async def indexed(self, library: str, origins: Sequence[str]) -> dict[str, dict[int, LibrarySection]]:
        return await self._database.read(lambda connection: sections.indexed(connection, library, origins))

    async def rewrite(self, texts: Mapping[int, str]) -> None:
        await self._database.write(lambda connection: sections.rewrite(connection, texts))

    async def drop(self, library: str, origins: Sequence[str]) -> int:
        dropped = await self._database.write(lambda connection: _drop(connection, library, origins), frees=True)
        if dropped:
            await self._forget()
        return dropped

    async def list(self, library: str, limit: int = 1_000) -> Sequence[LibraryDocument]:
        query = f"{_DOCUMENT} WHERE d.library = ? ORDER BY d.origin LIMIT ?"
        return await self._database.read(
            lambda connection: [document(row) for row in connection.execute(query, (library, limit))]
        )

    async def get(self, library: str, document_id: int) -> tuple[LibraryDocument, str] | None:
        return await self._database.read(lambda connection: _whole(connection, library, "d.id = ?", document_id))

    async def by_origin(self, library: str, origin: str) -> tuple[LibraryDocument, str] | None:
        return await self._database.read(lambda connection: _whole(connection, library, "d.origin = ?", storable(origin)))

    async def library_of(self, document_id: int) -> str | None:
        if not _fits_integer(document_id):
            return None
        query = "SELECT library FROM library_documents WHERE id = ?"
        rows = await self._database.read(lambda connection: connection.execute(query, (document_id,)).fetchall())
        return rows[0][0] if rows else None

    async def remove(self, library: str, document_id: int) -> bool:
        removed = await self._database.write(lambda connection: _remove(connection, library, document_id), frees=True)
        if removed:
            await self._forget()
        return removed

    async def _forget(self) -> None:
        """Delete in steps what no document has any more, an earlier process's rest included, and give its room back."""
        text_ids = await self._database.read(texts_let_go)
        await self._database.write_slices(lambda connection: forget_some(connection, text_ids))
        await self._database.give_back()

    async def query(self, library: str, words: Sequence[AskedWord], wanted: Wanted) -> FoundSections:
        return await self._database.read(lambda connection: self._search.search(connection, library, words, wanted))

    async def unembedded(self, library: str, embedder: str, limit: int) -> dict[int, str]:
        return await self._database.read(lambda connection: without_vector(connection, library, embedder, limit))

    async def embed(self, embedder: str, vectors: Mapping[int, Sequence[float]]) -> None:
        await self._database.write(lambda connection: put_vectors(connection, embedder, vectors))

    async def counts(self, library: str) -> tuple[int, int]:
        query = """
        SELECT (SELECT count(*) FROM library_documents WHERE library = :library),
               (SELECT coalesce(sum(sections), 0) FROM library_texts WHERE library = :library)
        """

        def work(connection: sqlite3.Connection) -> tuple[int, int]:
            documents, sections = connection.execute(query, {"library": library}).fetchone()
            return documents, sections

        return await self._database.read(work)


def _put(connection: sqlite3.Connection, library: str, records: Sequence[LibraryRecord], now: float) -> int:
    fresh: list[tuple[int, LibraryRecord]] = []
    replaced: list[int] = []
    added = 0
    for record in records:
        origin = storable(record.origin)
        known = connection.execute(
            "SELECT text_id FROM library_documents WHERE library = ? AND origin = ?", (library, origin)
        ).fetchone()
        text_id, is_new = _text(connection, library, record)
        if is_new:
            fresh.append((text_id, record))
        connection.execute(
            """
            INSERT INTO library_documents
                (library, origin, root, title, media_type, digest, stamp_ns, stamp_bytes, added_at, text_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (library, origin) DO UPDATE SET
                root = excluded.root, title = excluded.title, media_type = excluded.media_type, digest = excluded.digest,
                stamp_ns = excluded.stamp_ns, stamp_bytes = excluded.stamp_bytes, added_at = excluded.added_at,
                text_id = excluded.text_id
            """,
            (library, origin, storable(record.root), storable(record.title), record.media_type, record.digest, *record.stamp, now,
             text_id),
        )  # fmt: skip
        connection.execute("DELETE FROM library_removed WHERE library = ? AND origin = ?", (library, origin))
        if known is None:
            added += 1
        elif known[0] != text_id:
            replaced.append(known[0])
    sources.note_roots(connection, library, {storable(record.root) for record in records})
    # The index comes last and at once: a statement in between makes FTS5 write what it has gathered as a piece of its own.
    _index(connection, fresh)
    forget_texts(connection, replaced)
    return added


def _text(connection: sqlite3.Connection, library: str, record: LibraryRecord) -> tuple[int, bool]:
    """The number of the record's text, and whether it was stored now: a library has each text once."""
    title, text = storable(record.title), storable(record.text)
    key = hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()
    known = connection.execute("SELECT id FROM library_texts WHERE library = ? AND content_key = ?", (library, key)).fetchone()
    if known is not None:
        return int(known[0]), False
    text_id = connection.execute(
        "INSERT INTO library_texts (library, content_key, chars, sections, packing, body) VALUES (?, ?, ?, ?, ?, ?)",
        (library, key, len(text), len(record.sections), *pack(text)),
    ).lastrowid
    assert text_id is not None
    return text_id, True


def _index(connection: sqlite3.Connection, fresh: Iterable[tuple[int, LibraryRecord]]) -> None:
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM library_sections").fetchone()
    about: list[tuple[int, int, str, str, int, bool]] = []
    words: list[tuple[int, str, str, str, str]] = []
    whole: list[tuple[int, str]] = []
    for text_id, record in fresh:
        title = searchable(storable(record.title))
        for number, section in enumerate(record.sections, last + 1 + len(about)):
            heading, body = storable(section.heading), searchable(storable(section.text))
            about.append((number, text_id, heading, storable(section.anchor), section.line, section.listing))
            words.append((number, title, "", "", body) if section.listing else (number, title, searchable(heading), body, ""))
        own = words[len(words) - len(record.sections) :]
        whole.append((text_id, "\n".join((title, *(body or listing for _, _, _, body, listing in own)))))
    connection.executemany(
        "INSERT INTO library_sections (id, text_id, heading, anchor, line, listing) VALUES (?, ?, ?, ?, ?, ?)", about
    )
    connection.executemany("INSERT INTO library_index (rowid, title, heading, body, listing) VALUES (?, ?, ?, ?, ?)", words)
    index_whole(connection, whole)


def _rounds(origins: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Origins in rounds, each with the placeholders for it."""
    for start in range(0, len(origins), _ROUND):
        part = [storable(origin) for origin in origins[start : start + _ROUND]]
        yield ", ".join("?" * len(part)), part


def _marks(connection: sqlite3.Connection, library: str, origins: Sequence[str]) -> dict[str, DocumentMark]:
    found: dict[str, DocumentMark] = {}
    for places, part in _rounds(origins):
        removed = connection.execute(
            f"SELECT origin FROM library_removed WHERE library = ? AND origin IN ({places})",
            (library, *part),
        )
        found |= {origin: DocumentMark(removed=True) for (origin,) in removed}
        known = connection.execute(
            "SELECT origin, stamp_ns, stamp_bytes, digest, root FROM library_documents "
            f"WHERE library = ? AND origin IN ({places})",
            (library, *part),
        )
        found |= {row[0]: DocumentMark((row[1], row[2]), row[3], row[4]) for row in known}
    return found


def _drop(connection: sqlite3.Connection, library: str, origins: Sequence[str]) -> int:
    dropped: list[int] = []
    for places, part in _rounds(origins):
        rows = connection.execute(
            f"DELETE FROM library_documents WHERE library = ? AND origin IN ({places}) RETURNING text_id",
            (library, *part),
        )
        dropped.extend(text_id for (text_id,) in rows.fetchall())
    let_go(connection, dropped)
    return len(dropped)


def _remove(connection: sqlite3.Connection, library: str, document_id: int) -> bool:
    if not _fits_integer(document_id):
        return False
    row = connection.execute(
        "DELETE FROM library_documents WHERE library = ? AND id = ? RETURNING origin, root, text_id", (library, document_id)
    ).fetchone()
    if row is None:
        return False
    origin, root, text_id = row
    if origin != root or not sources.drop_single(connection, library, root):
        connection.execute("INSERT OR IGNORE INTO library_removed (library, origin) VALUES (?, ?)", (library, origin))
    let_go(connection, (text_id,))
    return True


def _rename(connection: sqlite3.Connection, library: str, origin: str, new: str) -> bool:
    renamed = connection.execute(
        "UPDATE OR IGNORE library_documents SET origin = ? WHERE library = ? AND origin = ?",
        (storable(new), library, storable(origin)),
    )
    if renamed.rowcount > 0:
        sources.rename_page(connection, library, storable(origin), storable(new))
    return renamed.rowcount > 0


def _fits_integer(number: int) -> bool:
    return 0 < number < 1 << 63


def _whole(connection: sqlite3.Connection, library: str, condition: str, value: str | int) -> tuple[LibraryDocument, str] | None:
    if isinstance(value, int) and not _fits_integer(value):
        return None
    query = _DOCUMENT.replace("d.added_at", "d.added_at, t.packing, t.body") + f" WHERE d.library = ? AND {condition}"
    row = connection.execute(query, (library, value)).fetchone()
    if row is None:
        return None
    about = document(row[:7])
    try:
        return about, unpack(row[7], row[8])
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreFault(
            "store.damaged",
            f"the stored text of {about.origin} cannot be read: {error}",
            f"limen library remove {about.id}",
        ) from error
