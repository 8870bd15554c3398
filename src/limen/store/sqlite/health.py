"""The `HealthStore` in SQLite."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from limen.kit.clock import Clock, wall_s
from limen.store.codec import storable
from limen.store.ports import Rest
from limen.store.sqlite.database import Database

# How long a rest that is over is remembered, in seconds: two weeks, as the port says.
_REMEMBERED_S = 14 * 86_400.0
_COLUMNS = "subject, kind, reason, since, until, known, failures"


class SqliteHealth:
    """Rests and uses of keys over a database. Judged inside the write, so that of several processes one gets a trial."""

    def __init__(self, database: Database, clock: Clock = wall_s) -> None:
        self._database = database
        self._clock = clock

    async def rests(self) -> Sequence[Rest]:
        def job(connection: sqlite3.Connection) -> Sequence[Rest]:
            return [_rest(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM rests ORDER BY since DESC, subject")]

        return await self._database.read(job)

    async def rest(self, rest: Rest) -> None:
        values = (
            storable(rest.subject), rest.kind, storable(rest.reason), rest.since, rest.until, int(rest.known), rest.failures,
        )  # fmt: skip
        forgotten = self._clock() - _REMEMBERED_S

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM rests WHERE until < ?", (forgotten,))
            connection.execute(f"INSERT OR REPLACE INTO rests ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)

        await self._database.write(job)

    async def claim_trial(self, subject: str, until: float) -> bool:
        name, now = storable(subject), self._clock()
        ends = await self._database.read(lambda connection: _until(connection, name))
        if ends is None or ends > now:  # nothing to claim, so nothing to write
            return ends is None

        def job(connection: sqlite3.Connection) -> bool:
            # What the provider named is over; the end of a trial is ours.
            claim = "UPDATE rests SET until = ?, known = 0 WHERE subject = ? AND until <= ?"
            return connection.execute(claim, (until, name, now)).rowcount == 1 or _until(connection, name) is None

        return await self._database.write(job)

    async def works(self, subject: str) -> bool:
        name = storable(subject)
        if await self._database.read(lambda connection: _until(connection, name)) is None:
            return False
        forget = "DELETE FROM rests WHERE subject = ?"
        return await self._database.write(lambda connection: connection.execute(forget, (name,)).rowcount == 1, frees=True)

    async def least_used(self, subjects: Sequence[str]) -> str:
        names = [storable(subject) for subject in subjects]
        position = await self._database.write(lambda connection: _take_least_used(connection, names))
        return subjects[position]

    async def uses(self) -> Mapping[str, int]:
        def job(connection: sqlite3.Connection) -> Mapping[str, int]:
            return dict(connection.execute("SELECT subject, uses FROM key_uses").fetchall())

        return await self._database.read(job)


def _rest(row: tuple[Any, ...]) -> Rest:
    subject, kind, reason, since, until, known, failures = row
    return Rest(subject, kind, reason, since, until, bool(known), failures)


def _until(connection: sqlite3.Connection, subject: str) -> float | None:
    row = connection.execute("SELECT until FROM rests WHERE subject = ?", (subject,)).fetchone()
    return None if row is None else float(row[0])


def _take_least_used(connection: sqlite3.Connection, names: Sequence[str]) -> int:
    """Where the least used of them stands, now used once more. A new one starts level with it, and does not bear all at first."""
    marks = ", ".join("?" * len(names))
    uses: dict[str, int] = dict(
        connection.execute(f"SELECT subject, uses FROM key_uses WHERE subject IN ({marks})", names).fetchall()
    )
    fewest = min(uses.values(), default=0)
    position = min(range(len(names)), key=lambda at: uses.get(names[at], fewest))
    taken = {name: uses.get(name, fewest) for name in names} | {names[position]: fewest + 1}
    connection.executemany(
        "INSERT OR REPLACE INTO key_uses (subject, uses) VALUES (?, ?)",
        [(name, count) for name, count in taken.items() if uses.get(name) != count],
    )
    return position
