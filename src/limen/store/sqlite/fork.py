"""A session that begins where another stands: rows are copied inside the database, and the copies share their words' index."""

import sqlite3
from shlex import quote
from typing import NamedTuple

from limen.core.fault import StoreFault
from limen.store.sqlite.claims import holder_of
from limen.store.sqlite.forgetting import finish_forgetting, unknown_session

# A turn id's prefix shorter than this would fit too many turns.
PREFIX_CHARS = 6
# No turn's id goes on behind this character.
PREFIX_END = "\U0010ffff"


class _Cut(NamedTuple):
    """How far a fork inherits: the last ledger number, the last event, and the moment of the last block."""

    entry: int
    event: int
    at: float


def fork(connection: sqlite3.Connection, key: str, into: str, at_turn: str | None, now: float) -> None:
    """Make session `into` of all that `key` holds up to a turn's end. Part of a write job. Raises StoreFault as the port says."""
    if connection.execute("SELECT 1 FROM sessions WHERE key = ? AND deleted = 0", (key,)).fetchone() is None:
        raise unknown_session(key)
    finish_forgetting(connection, into)
    if connection.execute("SELECT 1 FROM sessions WHERE key = ?", (into,)).fetchone():
        raise StoreFault("store.session_exists", f"There is a session {into} already.", "Give the fork another key.")
    running = _running_turn(connection, key) if holder_of(connection, key, now) is not None else None
    if at_turn is not None:
        cut = _end_of(connection, key, _turn(connection, key, at_turn, running))
    else:
        cut = _before(connection, key, running) if running else _whole(connection, key)
    _copy(connection, key, into, cut, now)


def _running_turn(connection: sqlite3.Connection, key: str) -> str | None:
    """The latest turn, if nothing says that it ended."""
    latest = connection.execute("SELECT turn FROM blocks WHERE session = ? ORDER BY first DESC LIMIT 1", (key,)).fetchone()
    if latest is None:
        return None
    ended = "SELECT 1 FROM events WHERE session = ? AND turn = ? AND kind = 'turn_ended' LIMIT 1"
    return None if connection.execute(ended, (key, *latest)).fetchone() else str(latest[0])


def _turn(connection: sqlite3.Connection, key: str, wanted: str, running: str | None) -> str:
    end = wanted + PREFIX_END if len(wanted) >= PREFIX_CHARS else wanted
    rows = connection.execute(
        "SELECT DISTINCT turn FROM blocks WHERE turn >= ? AND turn <= ? AND +session = ? ORDER BY turn LIMIT 2",
        (wanted, end, key),
    ).fetchall()
    if not rows or (len(rows) > 1 and rows[0][0] != wanted):
        reason = f"Session {key} has no turn {wanted}." if not rows else f"{wanted} begins several turns of session {key}."
        raise StoreFault("store.no_turn", reason, f"limen ledger {quote(key)} shows its turns.")
    turn = str(rows[0][0])
    if turn == running:
        raise StoreFault("store.turn_running", f"Turn {turn} of session {key} has not ended.", "Fork it when it has.")
    return turn


def _end_of(connection: sqlite3.Connection, key: str, turn: str) -> _Cut:
    entry, at = connection.execute(
        "SELECT MAX(last), MAX(at) FROM blocks WHERE turn = ? AND +session = ?", (turn, key)
    ).fetchone()
    (event,) = connection.execute("SELECT MAX(seq) FROM events WHERE session = ? AND turn = ?", (key, turn)).fetchone()
    if event is None:  # it ended without a word: what was said before it
        (event,) = connection.execute("SELECT MAX(seq) FROM events WHERE session = ? AND at <= ?", (key, at)).fetchone()
    return _Cut(entry, event or 0, at)


def _before(connection: sqlite3.Connection, key: str, turn: str) -> _Cut:
    (first,) = connection.execute("SELECT MIN(first) FROM blocks WHERE turn = ? AND +session = ?", (turn, key)).fetchone()
    entry, at = connection.execute(
        "SELECT MAX(last), MAX(at) FROM blocks WHERE session = ? AND first < ?", (key, first)
    ).fetchone()
    (event,) = connection.execute("SELECT MIN(seq) - 1 FROM events WHERE session = ? AND turn = ?", (key, turn)).fetchone()
    if event is None:
        (event,) = connection.execute("SELECT MAX(seq) FROM events WHERE session = ?", (key,)).fetchone()
    return _Cut(entry or 0, event or 0, at or 0.0)


def _whole(connection: sqlite3.Connection, key: str) -> _Cut:
    entry, event = connection.execute("SELECT next_entry - 1, next_event - 1 FROM sessions WHERE key = ?", (key,)).fetchone()
    return _Cut(entry, event, float("inf"))


def _copy(connection: sqlite3.Connection, key: str, into: str, cut: _Cut, now: float) -> None:
    values = {"key": key, "into": into, "entry": cut.entry, "event": cut.event, "at": cut.at, "now": now}
    for statement in _STATEMENTS:
        connection.execute(statement, values)


_STATEMENTS = (
    """
    INSERT INTO sessions (key, title, route, parent, forked_at, created_at, updated_at, next_entry, next_event)
    SELECT :into, title, route, :key, :entry, :now, :now, :entry + 1, :event + 1 FROM sessions WHERE key = :key
    """,
    """
    INSERT INTO blocks (session, first, last, turn, place, message, tokens, at, words, body)
    SELECT :into, first, last, turn, place, message, tokens, at, COALESCE(words, id), body
    FROM blocks WHERE session = :key AND first <= :entry ORDER BY first
    """,
    """
    INSERT INTO events (session, seq, turn, kind, at, body)
    SELECT :into, seq, turn, kind, at, body FROM events WHERE session = :key AND seq <= :event
    """,
    """
    INSERT INTO sources (session, n, url, title, ref, read)
    SELECT :into, n, url, title, ref, read FROM sources WHERE session = :key
    """,
    """
    INSERT INTO refs (session, n, kind, m, turn, url, opens, title, line, text_id, at, links)
    SELECT :into, n, kind, m, turn, url, opens, title, line, text_id, at, links FROM refs
    WHERE session = :key AND at <= :at ORDER BY id
    """,
    """
    INSERT INTO evidence_links (session, id, tool, source, media_type, created_at)
    SELECT :into, id, tool, source, media_type, created_at FROM evidence_links WHERE session = :key AND created_at <= :at
    """,
    """
    UPDATE sessions SET
        blocks = (SELECT COUNT(*) FROM blocks WHERE session = :into),
        next_message = (SELECT COALESCE(MAX(message), -1) + 1 FROM blocks WHERE session = :into),
        turns = (SELECT COUNT(*) FROM events WHERE session = :into AND kind = 'turn_started')
    WHERE key = :into
    """,
)
