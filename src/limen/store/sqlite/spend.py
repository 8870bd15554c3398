"""The `SpendStore` in SQLite."""

import sqlite3
from collections.abc import Sequence

import msgspec

from limen.store.codec import storable
from limen.store.ports import Spent
from limen.store.sqlite.database import Database

_COLUMNS = "day, route, requests, input_tokens, cached_tokens, output_tokens, cost_usd, unpriced"


class SqliteSpend:
    """What models were asked for, over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, spent: Spent) -> float:
        values = msgspec.structs.astuple(msgspec.structs.replace(spent, route=storable(spent.route)))

        def job(connection: sqlite3.Connection) -> float:
            connection.execute(
                f"INSERT INTO spending ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, route) DO UPDATE SET "
                "requests = requests + excluded.requests, input_tokens = input_tokens + excluded.input_tokens, "
                "cached_tokens = cached_tokens + excluded.cached_tokens, "
                "output_tokens = output_tokens + excluded.output_tokens, cost_usd = cost_usd + excluded.cost_usd, "
                "unpriced = unpriced + excluded.unpriced",
                values,
            )
            (cost_usd,) = connection.execute("SELECT SUM(cost_usd) FROM spending WHERE day = ?", (spent.day,)).fetchone()
            return float(cost_usd)

        return await self._database.write(job)

    async def spent(self, since: str) -> Sequence[Spent]:
        def job(connection: sqlite3.Connection) -> Sequence[Spent]:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM spending WHERE day >= ? ORDER BY day DESC, cost_usd DESC, route", (since,)
            )
            return [Spent(*row) for row in rows]

        return await self._database.read(job)
