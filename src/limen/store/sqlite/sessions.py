"""The `SessionStore` in SQLite."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from limen.core.event import Event, TurnStarted
from limen.core.fault import StoreFault
from limen.core.ledger import LedgerEntry
from limen.core.ports import Redactor
from limen.core.session import Session, Source
from limen.kit.clock import Clock, wall_s
from limen.kit.process_identity import ProcessIdentity
from limen.store import codec
from limen.store.ports import Begun, Found, StoredBlock, StoredEvent
from limen.store.sqlite.block_words import add_words, match_expression, phrases_of, snippet
from limen.store.sqlite.claims import Claimant, release
from limen.store.sqlite.database import Database
from limen.store.sqlite.forgetting import (
    finish_forgetting,
    forget_some,
    forget_unheld,
    forgotten_sessions,
    holds_unheld,
    mark_forgotten,
    unknown_session,
)
from limen.store.sqlite.fork import PREFIX_CHARS, PREFIX_END, fork
from limen.store.sqlite.merging import merge_away
from limen.store.sqlite.recent import recent_bodies

_SESSION = "key, created_at, updated_at, title, route, parent, forked_at, turns, blocks"


class SqliteSessions:
    """Sessions over a database.

    `process` is who claims them: this process unless another is given. `redactor` masks titles and snippets, which are shown in
    lists; messages stay as they were said.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock = wall_s,
        process: ProcessIdentity | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._database = database
        self._redactor = redactor
        self._clock = clock
        self._claimant = Claimant(ProcessIdentity.current() if process is None else process)

    async def open(self, key: str, *, parent: str | None = None, forked_at: int | None = None) -> Session:
        now = self._clock()
        return await self._database.write(lambda connection: self._open(connection, key, now, parent, forked_at))

    def _open(
        self, connection: sqlite3.Connection, key: str, now: float, parent: str | None = None, forked_at: int | None = None
    ) -> Session:
        finish_forgetting(connection, key)
        connection.execute(
            "INSERT OR IGNORE INTO sessions (key, created_at, updated_at, parent, forked_at) VALUES (?, ?, ?, ?, ?)",
            (key, now, now, parent, forked_at),
        )
        return self._session(connection.execute(f"SELECT {_SESSION} FROM sessions WHERE key = ?", (key,)).fetchone())

    async def get(self, key: str) -> Session | None:
        def job(connection: sqlite3.Connection) -> Session | None:
            row = connection.execute(f"SELECT {_SESSION} FROM sessions WHERE key = ? AND deleted = 0", (key,)).fetchone()
            return self._session(row) if row else None

        return await self._database.read(job)

    async def list(self, limit: int = 50) -> Sequence[Session]:
        def job(connection: sqlite3.Connection) -> Sequence[Session]:
            rows = connection.execute(
                f"SELECT {_SESSION} FROM sessions WHERE deleted = 0 ORDER BY updated_at DESC, key DESC LIMIT ?", (limit,)
            )
            return [self._session(row) for row in rows]

        return await self._database.read(job)

    def _session(self, row: tuple[Any, ...]) -> Session:
        session = Session(*row)
        return msgspec.structs.replace(session, title=self._mask(session.title))

    def _mask(self, text: str) -> str:
        return self._redactor.redact(text).text if self._redactor is not None and text else text

    async def rename(self, key: str, title: str) -> None:
        await self._update(key, "title = ?", codec.storable(title))

    async def set_route(self, key: str, route: str) -> None:
        await self._update(key, "route = ?", codec.storable(route))

    async def _update(self, key: str, assignment: str, value: str) -> None:
        def job(connection: sqlite3.Connection) -> None:
            if not connection.execute(f"UPDATE sessions SET {assignment} WHERE key = ? AND deleted = 0", (value, key)).rowcount:
                raise unknown_session(key)

        await self._database.write(job)

    async def fork(self, key: str, into: str, *, at_turn: str | None = None) -> Session:
        now = self._clock()

        def job(connection: sqlite3.Connection) -> Session:
            fork(connection, key, into, at_turn, now)
            return self._session(connection.execute(f"SELECT {_SESSION} FROM sessions WHERE key = ?", (into,)).fetchone())

        return await self._database.write(job)

    async def delete(self, key: str) -> None:
        await self._database.write(lambda connection: mark_forgotten(connection, key), frees=True)
        await self._forget(key)
        await self._give_back()

    async def sweep(self) -> int:
        keys = await self._database.read(forgotten_sessions)
        for key in keys:
            await self._forget(key)
        left_over = await self._database.read(holds_unheld)
        if keys or left_over:
            await self._give_back()
        return len(keys)

    async def _forget(self, key: str) -> None:
        await self._database.write_slices(lambda connection: forget_some(connection, key))

    async def _give_back(self) -> None:
        await self._database.write_slices(forget_unheld)
        await self._database.give_back()
        for index in ("block_words", "evidence_words"):
            await merge_away(self._database, index)
        await self._database.give_back()

    async def append(self, key: str, blocks: Sequence[StoredBlock]) -> None:
        now = self._clock()

        def job(connection: sqlite3.Connection) -> None:
            numbers = _next_numbers(connection, key)
            if numbers is None:
                raise unknown_session(key)
            next_entry, next_message = numbers
            for block in blocks:
                given = [entry.n for entry in block.entries]
                if given != list(range(next_entry, next_entry + len(given))) or not given:
                    raise _conflict(key)
                next_entry += len(given)
                next_message = max(next_message, block.message + 1)
                _insert(connection, key, block, now)
            connection.execute(
                "UPDATE sessions SET next_entry = ?, next_message = ?, updated_at = ?, blocks = blocks + ? WHERE key = ?",
                (next_entry, next_message, now, len(blocks), key),
            )

        await self._database.write(job)

    async def record(self, key: str, turn: str, events: Sequence[Event]) -> None:
        now = self._clock()
        await self._database.write(lambda connection: _record(connection, key, turn, events, now))

    async def events(self, key: str, *, turn: str | None = None, after: int = 0, limit: int = 10_000) -> Sequence[StoredEvent]:
        where, values = ("AND turn = ?", [turn]) if turn is not None else ("", [])

        def job(connection: sqlite3.Connection) -> Sequence[StoredEvent]:
            rows = connection.execute(
                f"SELECT seq, turn, at, body FROM events WHERE session = ? AND seq > ? {where} ORDER BY seq LIMIT ?",
                (key, after, *values, limit),
            )
            return [StoredEvent(seq, of_turn, at, codec.decode_event(body)) for seq, of_turn, at, body in rows]

        return await self._database.read(job)

    async def latest_event(self, key: str, kind: str) -> Event | None:
        return await self._database.read(lambda connection: _latest_event(connection, key, kind))

    async def prompt(self, key: str) -> Sequence[StoredBlock]:
        return await self._select(key, "message < 0 AND place <> 'summary' ORDER BY first", ())

    async def blocks(
        self, key: str, *, after: int = 0, until: int | None = None, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        end = until if until is not None else 1 << 62
        return await self._select(key, "first > ? AND first < ? ORDER BY first LIMIT ?", (after, end, limit))

    async def _select(self, key: str, clause: str, values: tuple[int, ...]) -> Sequence[StoredBlock]:
        def job(connection: sqlite3.Connection) -> Sequence[StoredBlock]:
            rows = connection.execute(f"SELECT body FROM blocks WHERE session = ? AND {clause}", (key, *values))
            return [codec.decode_block(body) for (body,) in rows]

        return await self._database.read(job)

    async def recent(
        self, key: str, *, budget_tokens: int, head: int = 0, after: int = 0, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        def job(connection: sqlite3.Connection) -> Sequence[StoredBlock]:
            bodies = recent_bodies(connection, key, budget_tokens=budget_tokens, head=head, after=after, limit=limit)
            return [codec.decode_block(body) for body in bodies]

        return await self._database.read(job)

    async def ledger(self, key: str, *, turn: str | None = None) -> Sequence[LedgerEntry]:
        # The plus keeps SQLite from walking the whole session in order where the turn alone leads to a few rows.
        where, values = ("session = ?", [key]) if turn is None else ("+session = ? AND turn = ?", [key, turn])

        def job(connection: sqlite3.Connection) -> Sequence[LedgerEntry]:
            rows = connection.execute(f"SELECT body FROM blocks WHERE {where} ORDER BY first", values)
            return [entry for (body,) in rows for entry in codec.decode_block(body).entries]

        return await self._database.read(job)

    async def find_turn(self, turn: str) -> str | None:
        if len(turn) < PREFIX_CHARS:
            return None

        def job(connection: sqlite3.Connection) -> str | None:
            # Of a turn that forks share, the session that had it first.
            rows = connection.execute(
                "SELECT turn, session, MIN(id) FROM blocks WHERE turn >= ? AND turn < ? "
                "AND session IN (SELECT key FROM sessions WHERE deleted = 0) GROUP BY turn ORDER BY turn LIMIT 2",
                (turn, turn + PREFIX_END),
            ).fetchall()
            found = len(rows) == 1 or (rows and rows[0][0] == turn)
            return str(rows[0][1]) if found else None

        return await self._database.read(job)

    async def next_numbers(self, key: str) -> tuple[int, int]:
        return await self._database.read(lambda connection: _next_numbers(connection, key) or (1, 0))

    async def search(self, words: str, limit: int = 20) -> Sequence[Found]:
        phrases = phrases_of(words)
        if not phrases:
            return []
        query = match_expression(phrases)

        def job(connection: sqlite3.Connection) -> Sequence[Found]:
            rows = connection.execute(
                "SELECT blocks.session, sessions.title, blocks.first, blocks.place, blocks.at, blocks.body FROM ("
                "SELECT rowid, rank FROM block_words WHERE block_words MATCH ? ORDER BY rank LIMIT ?) AS hits "
                "JOIN blocks ON blocks.id = (SELECT MIN(b.id) FROM blocks b JOIN sessions s ON s.key = b.session "
                "WHERE (b.id = hits.rowid OR b.words = hits.rowid) AND s.deleted = 0) "
                "JOIN sessions ON sessions.key = blocks.session "
                "ORDER BY hits.rank, blocks.id DESC",
                (query, limit),
            )
            return [
                Found(session, self._mask(title), first, place, snippet(codec.decode_block(body), phrases, self._mask), at)
                for session, title, first, place, at, body in rows
            ]

        return await self._database.read(job)

    async def note_source(self, key: str, url: str, title: str, *, ref: str, read: bool) -> Source:
        url, title, ref = codec.storable(url), codec.storable(title), codec.storable(ref)

        def job(connection: sqlite3.Connection) -> Source:
            if connection.execute("SELECT 1 FROM sessions WHERE key = ? AND deleted = 0", (key,)).fetchone() is None:
                raise unknown_session(key)
            connection.execute(
                "INSERT INTO sources (session, n, url, title, ref, read) "
                "SELECT :key, COALESCE(MAX(n), 0) + 1, :url, :title, :ref, :read FROM sources WHERE session = :key "
                "ON CONFLICT (session, url) DO UPDATE SET read = read OR excluded.read, "
                "title = CASE WHEN title = '' THEN excluded.title ELSE title END, "
                "ref = CASE WHEN excluded.ref <> '' THEN excluded.ref ELSE ref END",
                {"key": key, "url": url, "title": title, "ref": ref, "read": read},
            )
            row = connection.execute("SELECT n, url, title, ref, read FROM sources WHERE session = ? AND url = ?", (key, url))
            return _source(row.fetchone())

        return await self._database.write(job)

    async def sources(self, key: str) -> Sequence[Source]:
        def job(connection: sqlite3.Connection) -> Sequence[Source]:
            rows = connection.execute("SELECT n, url, title, ref, read FROM sources WHERE session = ? ORDER BY n", (key,))
            return [_source(row) for row in rows]

        return await self._database.read(job)

    async def claim(self, key: str, owner: str, ttl_s: float) -> bool:
        now = self._clock()

        # Also on a full disk: who forgets a session holds it meanwhile.
        return await self._database.write(lambda connection: self._claimant.claim(connection, key, owner, now, ttl_s), frees=True)

    async def release(self, key: str, owner: str) -> None:
        await self._database.write(lambda connection: release(connection, key, owner), frees=True)

    async def begin(self, key: str, owner: str, ttl_s: float) -> Begun | None:
        now = self._clock()

        def job(connection: sqlite3.Connection) -> Begun | None:
            session = self._open(connection, key, now)
            if not self._claimant.claim(connection, key, owner, now, ttl_s):
                return None
            return Begun(session, _next_numbers(connection, key) or (1, 0), _latest_event(connection, key, "reply_finished"))

        return await self._database.write(job)

    async def end(self, key: str, owner: str, turn: str, events: Sequence[Event]) -> None:
        now = self._clock()

        def job(connection: sqlite3.Connection) -> None:
            _record(connection, key, turn, events, now)
            release(connection, key, owner)

        await self._database.write(job)


def _next_numbers(connection: sqlite3.Connection, key: str) -> tuple[int, int] | None:
    """The next free ledger number and message number; None where there is no such session."""
    row: tuple[int, int] | None = connection.execute(
        "SELECT next_entry, next_message FROM sessions WHERE key = ? AND deleted = 0", (key,)
    ).fetchone()
    return row


def _latest_event(connection: sqlite3.Connection, key: str, kind: str) -> Event | None:
    row = connection.execute(
        "SELECT body FROM events WHERE session = ? AND kind = ? ORDER BY seq DESC LIMIT 1", (key, kind)
    ).fetchone()
    return codec.decode_event(row[0]) if row else None


def _record(connection: sqlite3.Connection, key: str, turn: str, events: Sequence[Event], now: float) -> None:
    """Store events of a turn, numbering them on."""
    row = connection.execute("SELECT next_event FROM sessions WHERE key = ? AND deleted = 0", (key,)).fetchone()
    if row is None:
        raise unknown_session(key)
    connection.executemany(
        "INSERT INTO events (session, seq, turn, kind, at, body) VALUES (?, ?, ?, ?, ?, ?)",
        [(key, row[0] + offset, turn, _kind(event), now, codec.encode(event)) for offset, event in enumerate(events)],
    )
    turns = sum(isinstance(event, TurnStarted) for event in events)
    connection.execute(
        "UPDATE sessions SET next_event = next_event + ?, turns = turns + ?, updated_at = ? WHERE key = ?",
        (len(events), turns, now, key),
    )


def _insert(connection: sqlite3.Connection, key: str, block: StoredBlock, now: float) -> None:
    entry = block.entries[0]
    row = connection.execute(
        "INSERT INTO blocks (session, first, last, turn, place, message, tokens, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, block.first, block.last, entry.turn, block.place, block.message, block.tokens, now, codec.encode(block)),
    )
    if row.lastrowid is not None:
        add_words(connection, row.lastrowid, block)


def _kind(event: Event) -> str:
    return str(type(event).__struct_config__.tag)


def _source(row: tuple[int, str, str, str, int]) -> Source:
    number, url, title, ref, read = row
    return Source(number, url, title, ref, bool(read))


def _conflict(key: str) -> StoreFault:
    return StoreFault("store.conflict", f"Another writer has changed session {key} meanwhile.", "Try again.")
