"""Who runs a turn on a session: a claim lasts until it is given back, until its time is over, or until its process has died."""

import sqlite3

from limen.kit.process_identity import ProcessIdentity


class Claimant:
    """One process as it claims sessions. Its methods are parts of write jobs."""

    def __init__(self, process: ProcessIdentity) -> None:
        self._process = process

    def claim(self, connection: sqlite3.Connection, key: str, owner: str, now: float, ttl_s: float) -> bool:
        """Take or renew a session for `owner`; False while another holds it, or when there is no such session."""
        holder = holder_of(connection, key, now)
        if holder not in (None, owner):
            return False
        process = self._process
        return (
            connection.execute(
                "UPDATE sessions SET owner = ?, owned_until = ?, owner_host = ?, owner_pid = ?, owner_started = ? "
                "WHERE key = ? AND deleted = 0",
                (owner, now + ttl_s, process.host, process.pid, process.started, key),
            ).rowcount
            == 1
        )


def release(connection: sqlite3.Connection, key: str, owner: str) -> None:
    """Give a session back; another's claim stays."""
    connection.execute("UPDATE sessions SET owner = NULL, owned_until = NULL WHERE key = ? AND owner = ?", (key, owner))


def holder_of(connection: sqlite3.Connection, key: str, now: float) -> str | None:
    """Who holds a session now."""
    row = connection.execute(
        "SELECT owner, owner_host, owner_pid, owner_started FROM sessions "
        "WHERE key = ? AND owner IS NOT NULL AND owned_until > ?",
        (key, now),
    ).fetchone()
    if row is None:
        return None
    owner, host, pid, started = row
    return None if ProcessIdentity(host or "", pid or 0, started or "").is_dead() else str(owner)
