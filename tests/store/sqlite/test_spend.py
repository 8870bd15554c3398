"""Spending in SQLite: the contract, and a database that cannot be used."""

from contextlib import asynccontextmanager

import pytest
from store.sqlite.rig import database, no_more_pages

from limen.core.fault import StoreFault
from limen.store.ports import Spent
from limen.store.sqlite.spend import SqliteSpend
from limen.testing.store_contract import SPEND_CHECKS

pytestmark = pytest.mark.anyio

SPENT = Spent("2026-11-30", "a/m", 1, 100, 40, 10, 0.25)


class SqliteSpendCase:
    """A database in a folder of its own."""

    def __init__(self, path):
        self._path = path

    @asynccontextmanager
    async def opened(self):
        async with database(self._path) as opened:
            yield SqliteSpend(opened)


@pytest.mark.parametrize("check", SPEND_CHECKS, ids=lambda check: check.__name__)
async def test_the_sqlite_spending_keeps_the_contract(check, tmp_path):
    await check(SqliteSpendCase(tmp_path / "limen.db"))


async def test_a_database_that_cannot_be_written_is_named_and_still_read(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        spend = SqliteSpend(opened)
        assert await spend.add(SPENT) == 0.25
        await opened.write(lambda connection: connection.execute("PRAGMA query_only=ON"))
        with pytest.raises(StoreFault, match=r"store\.read_only"):
            await spend.add(SPENT)
        assert list(await spend.spent("")) == [SPENT]


async def test_a_booking_on_a_full_disk_is_refused_as_a_whole(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        spend = SqliteSpend(opened)
        await spend.add(SPENT)
        await opened.write(no_more_pages)
        with pytest.raises(StoreFault, match=r"store\.full"):
            await spend.add(Spent("2026-11-30", "x" * 200_000, 1, cost_usd=1.0))
        assert list(await spend.spent("")) == [SPENT]


async def test_a_table_that_is_gone_is_named(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("DROP TABLE spending"))
        with pytest.raises(StoreFault, match=r"store\.failed"):
            await SqliteSpend(opened).spent("")
