"""What the disk and the operating system refuse: read-only homes, limits on files, upgrades that meet each other."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import anyio
import pytest
from store.sqlite.rig import TESTS, database, stored

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import connect
from limen.store.sqlite.database import Database
from limen.store.sqlite.faults import as_store_fault
from limen.store.sqlite.migrate import migrate, scripts, statements
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio
NOBODY = 65534


def in_child(act):
    """Run `act(say)` in a forked process, and return what it said; a fork keeps modules that another user could not read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act(lambda words: os.write(writing, f"{words}\n".encode()))
        except BaseException as error:  # noqa: BLE001 - the child's only way to say it
            os.write(writing, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        lines = said.read().splitlines()
    os.waitpid(child, 0)
    return lines


@pytest.fixture
def open_to_all():
    """A folder that any user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("name", ["limen.db", "new.db", "new/limen.db"])
def test_a_read_only_home_is_named(open_to_all, name):
    async def make():
        async with database(open_to_all / "limen.db") as opened:
            await SqliteSessions(opened).open("s")

    async def use():
        async with database(open_to_all / name) as opened:
            await SqliteSessions(opened).open("t")

    def as_a_stranger(say):
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            anyio.run(use)
        except StoreFault as fault:
            say(fault.code)

    anyio.run(make)
    (open_to_all / "limen.db").chmod(0o444)
    open_to_all.chmod(0o555)
    assert in_child(as_a_stranger) == ["store.read_only"]
    open_to_all.chmod(0o755)


def test_a_file_size_limit_fails_the_write_and_nothing_else(tmp_path):
    async def use(say):
        async with database(tmp_path / "limen.db") as opened:
            sessions = SqliteSessions(opened)
            await sessions.open("s")
            await sessions.append("s", [stored(1)])
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
            try:
                await sessions.append("s", [stored(2), stored(3, "x" * 1_000_000)])
            except StoreFault as fault:
                say(fault.code)
            await sessions.append("s", [stored(2, "small")])
            say(len(await sessions.blocks("s")))

    assert in_child(lambda say: anyio.run(use, say)) == ["store.failed", "2"]


@pytest.mark.parametrize(
    ("statement", "code"),
    [("INSERT INTO t VALUES (1)", "store.read_only"), ("SELECT zeroblob(2000000000)", "store.failed")],
)
def test_errors_are_told_apart_by_their_number(tmp_path, statement, code):
    path = tmp_path / "limen.db"
    sqlite3.connect(path).execute("CREATE TABLE t (x)").connection.close()
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with pytest.raises(sqlite3.Error) as caught:
        connection.execute(statement).fetchall()
    connection.close()
    assert as_store_fault(caught.value, path).code == code


async def test_a_database_locked_by_another_is_busy(tmp_path):
    path = tmp_path / "limen.db"
    async with database(path) as opened:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        impatient = connect(path)
        impatient.execute("PRAGMA busy_timeout=1")
        with pytest.raises(sqlite3.OperationalError) as caught:
            impatient.execute("BEGIN IMMEDIATE")
        assert as_store_fault(caught.value, path).code == "store.busy"
        # Readers do not wait for a writer.
        assert await SqliteSessions(opened).list() == []
        impatient.close()
        other.close()


async def test_a_closed_database_says_so_to_readers_too(tmp_path):
    opened = await Database.open(tmp_path / "limen.db")
    await opened.close()
    with pytest.raises(StoreFault, match=r"store\.closed"):
        await opened.read(lambda connection: None)


async def test_a_job_that_the_disk_refuses_leaves_its_neighbours_whole(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))

        def vast(connection):
            connection.execute("INSERT INTO t VALUES (2)")
            connection.execute("PRAGMA max_page_count=1")  # as small as the file now is
            connection.execute("INSERT INTO t VALUES (zeroblob(10000000))")

        outcomes = []

        async def run(job):
            try:
                await opened.write(job)
                outcomes.append("ok")
            except StoreFault as fault:
                outcomes.append(fault.code)

        async with anyio.create_task_group() as group:
            for job in (lambda c: c.execute("INSERT INTO t VALUES (1)"), vast, lambda c: c.execute("INSERT INTO t VALUES (3)")):
                group.start_soon(run, job)
        rows = await opened.read(lambda connection: [x for (x,) in connection.execute("SELECT x FROM t ORDER BY x")])
    assert sorted(outcomes) == ["ok", "ok", "store.full"]
    assert rows == [1, 3]


async def test_a_read_sees_one_moment(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))

        def twice(connection):
            before = connection.execute("SELECT COUNT(*) FROM t").fetchone()
            other = sqlite3.connect(tmp_path / "limen.db", isolation_level=None)
            other.execute("INSERT INTO t VALUES (1)")
            other.close()
            return before, connection.execute("SELECT COUNT(*) FROM t").fetchone()

        before, after = await opened.read(twice)
        assert before == after == (0,)


async def test_room_is_given_back_to_the_disk(tmp_path):
    path = tmp_path / "limen.db"
    async with database(path) as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))
        await opened.write(lambda connection: connection.execute("INSERT INTO t VALUES (zeroblob(3000000))"))
        await opened.write(lambda connection: connection.execute("DELETE FROM t"))
        await opened.give_back()
        assert path.stat().st_size < 1_000_000
        assert (tmp_path / "limen.db-wal").stat().st_size == 0


def version_one(path):
    path.touch()
    connection = connect(path)
    for statement in statements(dict(scripts())[1]):
        connection.execute(statement)
    connection.execute("INSERT INTO sessions (key, created_at, updated_at) VALUES ('old', 1, 1)")
    connection.execute("PRAGMA user_version=1")
    connection.close()


def test_processes_that_upgrade_at_once_leave_the_old_version_in_the_copy(tmp_path):
    path = tmp_path / "limen.db"
    version_one(path)
    code = """
        import sys
        from pathlib import Path
        from limen.store.sqlite.connection import connect
        from limen.store.sqlite.migrate import migrate
        connection = connect(Path(sys.argv[1]))
        sys.stdin.readline()
        migrate(connection, Path(sys.argv[1]))
        connection.close()
        """
    processes = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(path)], stdin=subprocess.PIPE) for _ in range(4)
    ]
    for process in processes:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 4
    copy = sqlite3.connect(tmp_path / "limen.db.v1.bak")
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("SELECT key FROM sessions").fetchall() == [("old",)]
    copy.close()
    assert sorted(file.name for file in tmp_path.glob("*.bak*")) == ["limen.db.v1.bak"]


def test_what_a_killed_upgrade_left_is_made_anew(tmp_path):
    path = tmp_path / "limen.db"
    version_one(path)
    (tmp_path / "limen.db.v1.bak.part").write_bytes(b"half a copy")
    connection = connect(path)
    migrate(connection, path)
    connection.close()
    assert stat.S_IMODE((tmp_path / "limen.db.v1.bak").stat().st_mode) == 0o600
    assert not (tmp_path / "limen.db.v1.bak.part").exists()


def test_an_upgrade_without_room_leaves_the_old_version(tmp_path):
    path = tmp_path / "limen.db"
    version_one(path)
    connection = connect(path)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        migrate(connection, path)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()


def test_processes_that_make_one_home_at_once_all_succeed(tmp_path):
    code = """
        import sys, anyio
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from store.sqlite.rig import database
        async def main():
            async with database(Path(sys.argv[1])):
                pass
        sys.stdin.readline()
        anyio.run(main)
        """
    arguments = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "home" / "limen.db"), str(TESTS)]
    processes = [subprocess.Popen(arguments, stdin=subprocess.PIPE) for _ in range(4)]
    for process in processes:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 4
