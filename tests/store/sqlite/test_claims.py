"""Claims in SQLite: a killed process holds nothing."""

import signal
import subprocess
import sys
import textwrap

import msgspec
import pytest
from store.sqlite.rig import database

from limen.kit.process_identity import ProcessIdentity
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio

CLAIM = """
    import sys, anyio
    from pathlib import Path
    from limen.store.sqlite.database import Database
    from limen.store.sqlite.sessions import SqliteSessions

    async def main():
        sessions = SqliteSessions(await Database.open(Path(sys.argv[1])))
        await sessions.open("s")
        print(await sessions.claim("s", "killed", 1_000_000.0), flush=True)
        sys.stdin.read()

    anyio.run(main)
    """


@pytest.fixture
def holder(tmp_path):
    """A process that holds session `s` of a database in `tmp_path`."""
    code = textwrap.dedent(CLAIM)
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path / "limen.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"True\n"
        yield process
        process.kill()


async def test_a_session_is_free_at_once_when_its_holder_was_killed(tmp_path, holder):
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        assert not await sessions.claim("s", "living", 10)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert await sessions.claim("s", "living", 10)
        assert not await sessions.claim("s", "other", 10)


@pytest.mark.parametrize(
    ("changes", "free"),
    [
        ({}, False),
        ({"started": "1"}, True),
        ({"pid": 2**22 + 1, "started": ""}, True),
        ({"host": "elsewhere", "pid": 2**22 + 1}, False),
        ({"started": ""}, False),
    ],
    ids=["lives", "its number was given to another", "no such process", "on another host", "start unknown"],
)
async def test_a_claim_ends_with_a_process_that_is_certainly_dead(tmp_path, changes, free):
    holder = msgspec.structs.replace(ProcessIdentity.current(), **changes)
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened, process=holder)
        await sessions.open("s")
        assert await sessions.claim("s", "holder", 1_000)
        assert await SqliteSessions(opened).claim("s", "next", 1_000) is free


async def test_a_claim_of_an_older_version_names_no_process_and_lasts_its_time(tmp_path):
    now = [100.0]
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened, clock=lambda: now[0])
        await sessions.open("s")
        await opened.write(lambda connection: connection.execute("UPDATE sessions SET owner = 'old', owned_until = 130.0"))
        assert not await sessions.claim("s", "next", 10)
        now[0] = 130.0
        assert await sessions.claim("s", "next", 10)
