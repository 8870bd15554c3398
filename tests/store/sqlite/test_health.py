"""Health in SQLite: the contract, races of processes, and a database that cannot be used."""

import subprocess
import sys
import textwrap
from contextlib import asynccontextmanager

import anyio
import pytest
from store.sqlite.rig import database, no_more_pages

from limen.core.fault import StoreFault
from limen.store.ports import Rest
from limen.store.sqlite.health import SqliteHealth
from limen.testing.store_contract import HEALTH_CHECKS

pytestmark = pytest.mark.anyio

NOW = 1_000_000.0
REST = Rest("route a/m", "rate", "asked too often", NOW, NOW + 60, True)


class SqliteHealthCase:
    """A database in a folder of its own."""

    def __init__(self, path):
        self._path = path
        self.now = NOW

    @asynccontextmanager
    async def opened(self):
        async with database(self._path) as opened:
            yield SqliteHealth(opened, lambda: self.now)


@pytest.mark.parametrize("check", HEALTH_CHECKS, ids=lambda check: check.__name__)
async def test_the_sqlite_health_keeps_the_contract(check, tmp_path):
    await check(SqliteHealthCase(tmp_path / "limen.db"))


CLAIM = """
    import sys, anyio
    from pathlib import Path
    from limen.store.sqlite.database import Database
    from limen.store.sqlite.health import SqliteHealth

    async def main():
        health = SqliteHealth(await Database.open(Path(sys.argv[1])), lambda: 1_000_060.0)
        print("ready", flush=True)
        sys.stdin.readline()
        print(sum([await health.claim_trial(f"route {n}", 1_000_090.0) for n in range(50)]), flush=True)

    anyio.run(main)
    """


def race(path):
    """How many trials each of three processes gets that begin at once."""
    command = [sys.executable, "-c", textwrap.dedent(CLAIM), path]
    racers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return [int(racer.communicate(timeout=60)[0]) for racer in racers]


async def test_of_several_processes_one_gets_each_trial(tmp_path):
    path = tmp_path / "limen.db"
    async with database(path) as opened:
        for number in range(50):
            await SqliteHealth(opened, lambda: NOW).rest(Rest(f"route {number}", "rate", "", NOW, NOW + 60))
    got = await anyio.to_thread.run_sync(race, path)
    assert sum(got) == 50


CALLS = {
    "rest": lambda health: health.rest(REST),
    "claim_trial": lambda health: health.claim_trial("route old", NOW + 90),
    "works": lambda health: health.works("route old"),
    "least_used": lambda health: health.least_used(["a", "b"]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
async def test_a_database_that_cannot_be_written_is_named_and_still_read(tmp_path, call):
    async with database(tmp_path / "limen.db") as opened:
        health = SqliteHealth(opened, lambda: NOW)
        await health.rest(Rest("route old", "rate", "", NOW - 60, NOW - 1))
        await opened.write(lambda connection: connection.execute("PRAGMA query_only=ON"))
        with pytest.raises(StoreFault, match=r"store\.read_only"):
            await call(health)
        assert [rest.subject for rest in await health.rests()] == ["route old"]
        assert await health.claim_trial("unknown", NOW + 30)
        assert not await health.works("unknown")


async def test_what_failed_is_forgotten_on_a_full_disk(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        health = SqliteHealth(opened, lambda: NOW)
        await health.rest(REST)
        await opened.write(no_more_pages)
        with pytest.raises(StoreFault, match=r"store\.full"):
            await health.rest(Rest("x" * 200_000, "rate", "", NOW, NOW + 60))
        with pytest.raises(StoreFault, match=r"store\.full"):
            await health.least_used(["x" * 200_000, "y"])
        assert list(await health.rests()) == [REST]
        assert await health.works(REST.subject)
        assert list(await health.rests()) == []


async def test_a_table_that_is_gone_is_named(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("DROP TABLE rests"))
        with pytest.raises(StoreFault, match=r"store\.failed"):
            await SqliteHealth(opened).rests()
