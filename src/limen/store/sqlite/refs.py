"""The `RefTable` in SQLite."""

import sqlite3
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec

from limen.core.fault import StoreFault
from limen.core.refs import COMMAND_LINE, Ref, RefName, ref_name
from limen.core.web import Link
from limen.kit.clock import Clock, wall_s
from limen.store.codec import storable
from limen.store.sqlite.database import Database
from limen.store.sqlite.forgetting import unknown_session

# Of commands outside of conversations, which nobody deletes, so many keep their handles.
KEPT_COMMANDS = 500
_COLUMNS = "n, kind, m, url, opens, title, line, text_id, links"
_LINKS = msgspec.msgpack.Decoder(tuple[tuple[int, str, str], ...])


class SqliteRefs:
    """Handles over a database. Names are given inside the write, so that two processes never give the same one."""

    def __init__(self, database: Database, clock: Clock = wall_s) -> None:
        self._database = database
        self._clock = clock

    async def note(self, session: str, turn: str, refs: Sequence[Ref]) -> Sequence[Ref]:
        now = self._clock()
        packed = [_pack(ref.links) for ref in refs]

        def job(connection: sqlite3.Connection) -> Sequence[Ref]:
            if session != COMMAND_LINE and not _exists(connection, session):
                raise unknown_session(session)
            place = _Place(session, turn, _turn_number(connection, session, turn), now)
            noted = [_note(connection, place, ref, links) for ref, links in zip(refs, packed, strict=True)]
            if session == COMMAND_LINE:
                connection.execute("DELETE FROM refs WHERE session = ? AND n <= ?", (session, place.number - KEPT_COMMANDS))
            return noted

        return await self._database.write(job) if refs else ()

    async def look_up(self, session: str, name: str) -> Ref | None:
        wanted = ref_name(name)
        return None if wanted is None else await self._one(session, "n = ? AND kind = ? AND m = ?", wanted)

    async def view_of(self, session: str, turn: str | None, url: str) -> Ref | None:
        clause = "turn = COALESCE(?, turn) AND kind = 'view' AND (opens = ? OR url = ?) ORDER BY n DESC, m DESC LIMIT 1"
        return await self._one(session, clause, (turn and storable(turn), storable(url), storable(url)))

    async def _one(self, session: str, clause: str, values: Sequence[Any]) -> Ref | None:
        def job(connection: sqlite3.Connection) -> Ref | None:
            if session != COMMAND_LINE and not _exists(connection, session):
                return None
            row = connection.execute(f"SELECT {_COLUMNS} FROM refs WHERE session = ? AND {clause}", (session, *values)).fetchone()
            return None if row is None else _ref(row)

        return await self._database.read(job)

    async def names(self, session: str, limit: int = 200) -> Sequence[str]:
        def job(connection: sqlite3.Connection) -> Sequence[str]:
            rows = connection.execute(
                "SELECT n, kind, m FROM refs WHERE session = ? ORDER BY n DESC, id DESC LIMIT ?", (session, limit)
            )
            return [str(RefName(*row)) for row in rows]

        return await self._database.read(job)

    async def holder(self, name: str) -> str | None:
        wanted = ref_name(name)
        if wanted is None:
            return None

        def job(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(
                "SELECT session FROM refs WHERE n = ? AND kind = ? AND m = ? AND (session = ? OR session IN "
                "(SELECT key FROM sessions WHERE deleted = 0)) ORDER BY at DESC, id DESC LIMIT 1",
                (*wanted, COMMAND_LINE),
            ).fetchone()
            return None if row is None else str(row[0])

        return await self._database.read(job)


class _Place(msgspec.Struct, frozen=True):
    """Where handles are noted: a session's turn, its number, and when."""

    session: str
    turn: str
    number: int
    at: float


def _exists(connection: sqlite3.Connection, session: str) -> bool:
    return connection.execute("SELECT 1 FROM sessions WHERE key = ? AND deleted = 0", (session,)).fetchone() is not None


def _turn_number(connection: sqlite3.Connection, session: str, turn: str) -> int:
    """The number that this turn has, or else gets: how many turns the session had before, and over that of every other handle."""
    values = {"session": session, "turn": turn}
    known = connection.execute("SELECT n FROM refs WHERE session = :session AND turn = :turn LIMIT 1", values).fetchone()
    if known is not None:
        return int(known[0])
    (number,) = connection.execute(
        "SELECT MAX((SELECT COUNT(*) FROM events WHERE session = :session AND kind = 'turn_started' AND turn <> :turn), "
        "(SELECT COALESCE(MAX(n) + 1, 0) FROM refs WHERE session = :session))",
        values,
    ).fetchone()
    return int(number)


def _note(connection: sqlite3.Connection, place: _Place, ref: Ref, links: bytes) -> Ref:
    values = {
        "session": place.session, "n": place.number, "kind": ref.kind, "turn": place.turn, "at": place.at, "links": links,
        "url": storable(ref.url), "opens": storable(ref.opens), "title": storable(ref.title), "line": ref.line,
        "text_id": ref.text_id,
    }  # fmt: skip
    row = connection.execute(
        "SELECT m FROM refs WHERE session = :session AND turn = :turn AND kind = :kind AND n = :n "
        "AND url = :url AND opens = :opens AND text_id = :text_id "
        # A hit is a passage; a view is a page, wherever it is looked at.
        "AND (:kind <> 'search' OR line IS :line)",
        values,
    ).fetchone()
    if row is None:
        row = connection.execute(
            "INSERT INTO refs (session, n, kind, m, turn, url, opens, title, line, text_id, at, links) "
            "SELECT :session, :n, :kind, COALESCE(MAX(m) + 1, 0), :turn, :url, :opens, :title, :line, :text_id, :at, :links "
            "FROM refs WHERE session = :session AND n = :n AND kind = :kind RETURNING m",
            values,
        ).fetchone()
    return msgspec.structs.replace(ref, name=str(RefName(place.number, ref.kind, row[0])))


def _ref(row: tuple[Any, ...]) -> Ref:
    turn, kind, number, url, opens, title, line, text_id, links = row
    return Ref(kind, url, opens, title, str(RefName(turn, kind, number)), line, text_id, _unpack(links))


def _pack(links: Sequence[Link]) -> bytes:
    rows = [(link.n, storable(link.text), storable(link.url)) for link in links]
    return zlib.compress(msgspec.msgpack.encode(rows), 1) if rows else b""


def _unpack(data: bytes) -> tuple[Link, ...]:
    if not data:
        return ()
    try:
        return tuple(Link(*row) for row in _LINKS.decode(zlib.decompress(data)))
    except (zlib.error, msgspec.DecodeError) as error:
        mend = "Open the page by its address instead."
        raise StoreFault("store.unreadable", f"The links of a stored view cannot be read: {error}.", mend) from error
