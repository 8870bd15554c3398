"""What a library's documents come from, and what is known of the addresses of each source."""

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from limen.store.library import KnownPage, LibrarySource
from limen.store.sqlite.library_text import storable

_FIELDS = ("kind", "most_pages", "most_depth", "round", "finished", "refreshed_at", "note", "failed", "problem")
# Kinds of sources that are one document each: without it there is nothing left of them.
_SINGLE = ("page", "path")


def libraries(connection: sqlite3.Connection) -> dict[str, int]:
    """See `LibraryStore.libraries`."""
    query = """
    SELECT s.library, (SELECT count(*) FROM library_documents d WHERE d.library = s.library)
    FROM (SELECT DISTINCT library FROM library_sources) s ORDER BY s.library
    """
    return dict(connection.execute(query).fetchall())


def sources(connection: sqlite3.Connection, library: str) -> list[LibrarySource]:
    """See `LibraryStore.sources`."""
    query = f"""
    SELECT root, {", ".join(_FIELDS)},
           (SELECT count(*) FROM library_documents d WHERE d.library = s.library AND d.root = s.root)
    FROM library_sources s WHERE library = ? ORDER BY root
    """
    names = ("root", *_FIELDS, "documents")
    rows = (dict(zip(names, row, strict=True)) for row in connection.execute(query, (library,)))
    return [msgspec.convert(row, LibrarySource, strict=False) for row in rows]


def put_source(connection: sqlite3.Connection, library: str, source: LibrarySource) -> None:
    """See `LibraryStore.put_source`."""
    values = [getattr(source, field) for field in _FIELDS]
    connection.execute(
        f"INSERT OR REPLACE INTO library_sources (library, root, {', '.join(_FIELDS)}) VALUES (?, ?{', ?' * len(_FIELDS)})",
        (library, storable(source.root), *(storable(one) if isinstance(one, str) else one for one in values)),
    )


def note_roots(connection: sqlite3.Connection, library: str, roots: Iterable[str]) -> None:
    """See that each root of a document is a source."""
    connection.executemany(
        "INSERT OR IGNORE INTO library_sources (library, root, kind) VALUES (?, ?, 'path')", [(library, root) for root in roots]
    )


def drop_source(connection: sqlite3.Connection, library: str, root: str) -> None:
    """See `LibraryStore.drop_source`."""
    for table in ("library_sources", "library_pages", "library_repeated"):
        connection.execute(f"DELETE FROM {table} WHERE library = ? AND root = ?", (library, storable(root)))


def drop_single(connection: sqlite3.Connection, library: str, root: str) -> bool:
    """Forget a source that is one document, which was taken out; whether it is one."""
    query = f"SELECT 1 FROM library_sources WHERE library = ? AND root = ? AND kind IN ({', '.join('?' * len(_SINGLE))})"
    is_single = connection.execute(query, (library, root, *_SINGLE)).fetchone() is not None
    if is_single:
        drop_source(connection, library, root)
    return is_single


def rename_page(connection: sqlite3.Connection, library: str, root: str, new: str) -> None:
    """Call a source that is one page, and its document's root, by another address."""
    names = {"library": library, "root": root, "new": new}
    renamed = connection.execute(
        "UPDATE OR IGNORE library_sources SET root = :new WHERE library = :library AND root = :root AND kind = 'page'", names
    )
    if renamed.rowcount:
        connection.execute("UPDATE library_documents SET root = :new WHERE library = :library AND root = :root", names)
        drop_source(connection, library, root)


def pages(connection: sqlite3.Connection, library: str, root: str) -> list[KnownPage]:
    """See `LibraryStore.pages`."""
    query = """
    SELECT url, origin, depth, round, listed, etag, last_modified FROM library_pages
    WHERE library = ? AND root = ? ORDER BY depth, url
    """
    return [KnownPage(*row) for row in connection.execute(query, (library, root))]


def put_pages(connection: sqlite3.Connection, library: str, root: str, known: Sequence[KnownPage]) -> None:
    """See `LibraryStore.put_pages`."""
    connection.executemany(
        """
        INSERT OR REPLACE INTO library_pages (library, root, url, origin, depth, round, listed, etag, last_modified)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (library, root, storable(one.url), storable(one.origin), one.depth, one.round, storable(one.listed),
             storable(one.etag), storable(one.last_modified))
            for one in known
        ],
    )  # fmt: skip


def repeated(connection: sqlite3.Connection, library: str, root: str) -> frozenset[bytes]:
    """See `LibraryStore.repeated`."""
    query = "SELECT block FROM library_repeated WHERE library = ? AND root = ?"
    return frozenset(block for (block,) in connection.execute(query, (library, storable(root))))


def put_repeated(connection: sqlite3.Connection, library: str, root: str, blocks: Sequence[bytes]) -> None:
    """See `LibraryStore.put_repeated`."""
    connection.executemany(
        "INSERT OR IGNORE INTO library_repeated (library, root, block) VALUES (?, ?, ?)",
        [(library, storable(root), block) for block in blocks],
    )
