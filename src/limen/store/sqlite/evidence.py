"""The `EvidenceStore` in SQLite."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import anyio.to_thread

from limen.core.evidence import Evidence, EvidenceAccount, Excerpt, Match
from limen.core.fault import StoreFault
from limen.kit.clock import Clock, wall_s
from limen.kit.line_search import Line, LinePattern, phrase_pattern
from limen.store.codec import storable
from limen.store.packing import BLOCK_BYTES, Packed, cut, pack
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence_blocks import IN_BLOCKS, Stretch, damage, insert_blocks, lines_of, stretches
from limen.store.sqlite.evidence_words import IndexedWords, index_some, is_behind
from limen.store.sqlite.forgetting import count_unheld, forget_unheld
from limen.store.sqlite.merging import merge_away
from limen.store.sqlite.upkeep import done, is_due, take_up

_EVIDENCE = (
    "SELECT l.id, l.session, l.tool, l.source, l.media_type, t.digest, t.chars, t.lines, l.created_at, NULL, t.bytes, t.tokens "
    "FROM evidence_links l JOIN evidence_texts t ON t.id = l.id"
)
# The links of the oldest texts beyond a number of bytes, but for those kept since a moment.
_LET_GO_OVER = """
DELETE FROM evidence_links WHERE id IN (
    SELECT id FROM (
        SELECT t.id, l.at, SUM(t.bytes) OVER (ORDER BY l.at DESC, t.id) AS total FROM evidence_texts t
        JOIN (SELECT id, MAX(created_at) AS at FROM evidence_links GROUP BY id) l ON l.id = t.id
    ) WHERE total > ? AND at <= ?
)
"""
_RETENTION = "evidence.retention"
_ID_DIGITS = 12


class SqliteEvidence:
    """Whole texts over a database, in compressed blocks."""

    def __init__(self, database: Database, clock: Clock = wall_s, block_bytes: int = BLOCK_BYTES) -> None:
        self._database = database
        self._clock = clock
        self._block_bytes = block_bytes
        self._words = IndexedWords()

    async def keep(
        self, text: str, *, session: str, tool: str, source: str, media_type: str, tokens: int | None = None
    ) -> Evidence:
        pieces = partial(cut, text)
        return await self._keep(pieces, (session, storable(tool), storable(source), storable(media_type)), tokens)

    async def keep_pieces(
        self, pieces: Callable[[], Iterable[str]], *, session: str, tool: str, source: str, media_type: str
    ) -> Evidence:
        return await self._keep(pieces, (session, storable(tool), storable(source), storable(media_type)), None)

    async def _keep(self, pieces: Callable[[], Iterable[str]], whence: tuple[str, str, str, str], tokens: int | None) -> Evidence:
        session, tool, source, media_type = whence

        def job(packed: Packed, connection: sqlite3.Connection) -> Evidence:
            evidence_id = _known_id(connection, packed.digest)
            if evidence_id is None:
                evidence_id = _free_id(connection, packed.digest)
                _insert(connection, evidence_id, packed, tokens)
            elif tokens is not None:
                connection.execute("UPDATE evidence_texts SET tokens = ? WHERE id = ?", (tokens, evidence_id))
            connection.execute(
                "INSERT INTO evidence_links (session, id, tool, source, media_type, created_at) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (session, id) DO UPDATE SET created_at = excluded.created_at",
                (session, evidence_id, tool, source, media_type, self._clock()),
            )
            row = connection.execute(f"{_EVIDENCE} WHERE l.session = ? AND l.id = ?", (session, evidence_id)).fetchone()
            return _evidence(row)

        try:
            packed = await anyio.to_thread.run_sync(pack, pieces, self._block_bytes)
        except OSError as error:
            reason = f"A long text cannot be packed in {tempfile.gettempdir()}: {error.strerror}."
            raise StoreFault("store.failed", reason, "Make room there, or set TMPDIR to a folder that has some.") from error
        with packed.data:
            return await self._database.write(partial(job, packed))

    async def get(self, evidence_id: str) -> Evidence | None:
        def job(connection: sqlite3.Connection) -> Evidence | None:
            row = connection.execute(f"{_EVIDENCE} WHERE l.id = ? ORDER BY l.created_at DESC LIMIT 1", (evidence_id,)).fetchone()
            return _evidence(row) if row else None

        return await self._database.read(job)

    async def show(self, evidence_id: str, start: int, end: int | None, *, session: str | None = None) -> Excerpt | None:
        def job(connection: sqlite3.Connection) -> Excerpt | None:
            row = connection.execute(
                "SELECT lines FROM evidence_texts WHERE id = :id AND EXISTS "
                "(SELECT 1 FROM evidence_links WHERE id = :id AND (:session IS NULL OR session = :session))",
                {"id": evidence_id, "session": session},
            ).fetchone()
            if row is None:
                return None
            total = int(row[0])
            first = max(start, 1)
            last = total if end is None else min(end, total)
            text = _lines(connection, evidence_id, first, last) if first <= last else ""
            return Excerpt(evidence_id, first, last, total, text)

        return await self._database.read(job)

    async def find(self, phrase: str, *, evidence_id: str | None, session: str | None, limit: int) -> Sequence[Match]:
        try:
            pattern = phrase_pattern(phrase)
        except ValueError:
            return []
        return await self.search(pattern, evidence_id=evidence_id, session=session, limit=limit)

    async def search(
        self, pattern: LinePattern, *, evidence_id: str | None, session: str | None, limit: int, around: int = 0
    ) -> Sequence[Match]:
        clauses, values = ["1"], list[str]()
        for column, value in (("id", evidence_id), ("session", session)):
            if value is not None:
                clauses.append(f"{column} = ?")
                values.append(value)

        def job(connection: sqlite3.Connection) -> Sequence[Match]:
            found: list[Match] = []
            rows = connection.execute(
                f"SELECT id FROM evidence_links WHERE {' AND '.join(clauses)} GROUP BY id ORDER BY MAX(created_at) DESC, id",
                values,
            ).fetchall()
            wanted = self._words.wanted(connection, pattern.parts)
            for (one,) in rows:
                for stretch in stretches(connection, one, wanted):
                    for line in pattern.lines(stretch.data):
                        found.append(_match(connection, one, pattern, stretch, line, around))
                        if len(found) >= limit:
                            return found
            return found

        return await self._database.read(job)

    async def index(self) -> int:
        """Index what was kept since, so that words are found without looking through everything; how many blocks."""
        if not await self._database.read(is_behind):
            return 0
        return await self._database.write_slices(index_some, frees=False)

    async def list(self, *, session: str | None = None, limit: int = 50) -> Sequence[Evidence]:
        where = "WHERE l.session = :session" if session is not None else "WHERE :session IS NULL"

        def job(connection: sqlite3.Connection) -> Sequence[Evidence]:
            wanted = {"session": session, "limit": limit}
            rows = connection.execute(f"{_EVIDENCE} {where} ORDER BY l.created_at DESC, l.id LIMIT :limit", wanted)
            return [_evidence(row) for row in rows]

        return await self._database.read(job)

    async def account(self, *, session: str | None = None) -> EvidenceAccount:
        def job(connection: sqlite3.Connection) -> EvidenceAccount:
            wanted = {"session": session}
            row = connection.execute(
                "SELECT COUNT(*), COALESCE(SUM(chars), 0), COALESCE(SUM(tokens), 0), COALESCE(SUM(bytes), 0) "
                "FROM evidence_texts WHERE :session IS NULL OR id IN (SELECT id FROM evidence_links WHERE session = :session)",
                wanted,
            ).fetchone()
            oldest = connection.execute(
                "SELECT MIN(created_at) FROM evidence_links WHERE :session IS NULL OR session = :session", wanted
            ).fetchone()
            return EvidenceAccount(*row, *oldest)

        return await self._database.read(job)

    async def purge(self, *, older_than_s: float, keep_bytes: int) -> int:
        return await self._drop(older_than_s, keep_bytes, 0.0)

    async def retain(self, *, older_than_s: float, keep_bytes: int, every_s: float, spare_s: float) -> int | None:
        now = self._clock()
        if not await self._database.read(lambda connection: is_due(connection, _RETENTION, now, every_s)):
            return None
        if not await self._database.write(lambda connection: take_up(connection, _RETENTION, now, every_s), frees=True):
            return None
        gone = await self._drop(older_than_s, keep_bytes, spare_s)
        await self._database.write(lambda connection: done(connection, _RETENTION, now), frees=True)
        return gone

    async def _drop(self, older_than_s: float, keep_bytes: int, spare_s: float) -> int:
        now = self._clock()
        oldest, spared = now - older_than_s, now - spare_s

        # Counted as they are let go: who removes them may be another, who tidies up at the same time.
        def let_go(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM evidence_links WHERE created_at < ?", (oldest,))
            connection.execute(_LET_GO_OVER, (keep_bytes, spared))
            return count_unheld(connection)

        gone = await self._database.write(let_go, frees=True)
        await self._database.write_slices(forget_unheld)
        if gone:
            await merge_away(self._database, "evidence_words")
            await self._database.give_back()
        return gone


def _evidence(row: tuple[Any, ...]) -> Evidence:
    return Evidence(*row)


def _insert(connection: sqlite3.Connection, evidence_id: str, packed: Packed, tokens: int | None) -> None:
    connection.execute(
        "INSERT INTO evidence_texts (id, digest, chars, lines, bytes, tokens, packed, text) VALUES (?, ?, ?, ?, ?, ?, ?, x'')",
        (evidence_id, packed.digest, packed.chars, packed.lines, packed.size, tokens, IN_BLOCKS),
    )
    insert_blocks(connection, evidence_id, packed)


def _known_id(connection: sqlite3.Connection, digest: str) -> str | None:
    row = connection.execute("SELECT id FROM evidence_texts WHERE digest = ? LIMIT 1", (digest,)).fetchone()
    return str(row[0]) if row else None


def _free_id(connection: sqlite3.Connection, digest: str) -> str:
    """`ev_` and as many digits of the hash as no other text has: twelve but for a collision."""
    for digits in range(_ID_DIGITS, len(digest) + 1):
        candidate = f"ev_{digest[:digits]}"
        if connection.execute("SELECT 1 FROM evidence_texts WHERE id = ?", (candidate,)).fetchone() is None:
            return candidate
    raise AssertionError("two texts of one SHA-256")


def _lines(connection: sqlite3.Connection, evidence_id: str, first: int, last: int) -> str:
    data = lines_of(connection, evidence_id, first, last)
    with damage(evidence_id):
        return data.decode("utf-8", "surrogatepass")


def _match(
    connection: sqlite3.Connection, evidence_id: str, pattern: LinePattern, stretch: Stretch, line: Line, around: int
) -> Match:
    with damage(evidence_id):
        text = stretch.data[line.start : line.end].decode("utf-8", "surrogatepass")
    number = stretch.first + line.number - 1
    first, last = max(number - around, 1), number + around
    near = _lines(connection, evidence_id, first, last).split("\n") if around else [text]
    at = number - first
    return Match(evidence_id, number, text, tuple(near[:at]), tuple(near[at + 1 :]), pattern.column(text))
