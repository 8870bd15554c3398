"""The database file: private, whole after any crash, honest about what is wrong with it."""

import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap

import anyio
import anyio.lowlevel
import pytest
from store.sqlite.rig import TESTS, database, stored

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import connect
from limen.store.sqlite.database import Database
from limen.store.sqlite.migrate import scripts, statements
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio


def child(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], stdout=subprocess.PIPE, **options
    )


async def test_the_file_and_its_folder_are_private(tmp_path):
    async with database(tmp_path / "home" / "limen.db"):
        assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "home" / "limen.db").stat().st_mode) == 0o600


async def test_a_failing_job_undoes_itself_and_no_other(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x UNIQUE)"))

        def bad(connection):
            connection.execute("INSERT INTO t VALUES (2)")
            connection.execute("INSERT INTO t VALUES (1)")

        async def insert(value):
            await opened.write(lambda connection: connection.execute("INSERT INTO t VALUES (?)", (value,)))

        await insert(1)
        failures = []

        async def fail():
            try:
                await opened.write(bad)
            except StoreFault as fault:
                failures.append(fault.code)

        async with anyio.create_task_group() as group:
            group.start_soon(insert, 10)
            group.start_soon(fail)
            group.start_soon(insert, 11)
        rows = await opened.read(lambda connection: [x for (x,) in connection.execute("SELECT x FROM t ORDER BY x")])
    assert failures == ["store.failed"]
    assert rows == [1, 10, 11]


async def test_a_wrong_statement_fails_its_own_job_alone(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))
        outcomes = []

        async def run(statement):
            try:
                await opened.write(lambda connection: connection.execute(statement))
                outcomes.append("ok")
            except StoreFault as fault:
                outcomes.append(fault.code)

        async with anyio.create_task_group() as group:
            for statement in ("INSERT INTO t VALUES (1)", "INSERT INTO nowhere VALUES (1)", "INSERT INTO t VALUES (2)"):
                group.start_soon(run, statement)
        (count,) = await opened.read(lambda connection: connection.execute("SELECT COUNT(*) FROM t").fetchone())
    assert sorted(outcomes) == ["ok", "ok", "store.failed"]
    assert count == 2


async def test_a_cancelled_write_happens_wholly_or_not(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))

        def job(connection):
            connection.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(1_000)])

        for delay_s in (0, 0.0005, 0.002):
            with anyio.move_on_after(delay_s):
                await opened.write(job)
        await opened.write(lambda connection: None)
        (count,) = await opened.read(lambda connection: connection.execute("SELECT COUNT(*) FROM t").fetchone())
    assert count % 1_000 == 0


async def test_closing_finishes_what_waits_and_then_refuses(tmp_path):
    opened = await Database.open(tmp_path / "limen.db")
    await opened.write(lambda connection: connection.execute("CREATE TABLE t (x)"))
    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(opened.write, lambda connection, n=number: connection.execute("INSERT INTO t VALUES (?)", (n,)))
        await anyio.lowlevel.checkpoint()
        group.start_soon(opened.close)
    await opened.close()
    with pytest.raises(StoreFault, match=r"store\.closed"):
        await opened.write(lambda connection: None)
    connection = sqlite3.connect(tmp_path / "limen.db")
    assert connection.execute("SELECT COUNT(*) FROM t").fetchone() == (50,)
    connection.close()


async def test_a_newer_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "limen.db"
    async with database(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreFault, match=r"store\.newer.*999"):
        await Database.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be one" * 50, b"SQLite format 3\0" + b"\xff" * 4_096]
)
async def test_a_damaged_file_is_named_and_never_deleted(tmp_path, content):
    path = tmp_path / "limen.db"
    path.write_bytes(content)
    with pytest.raises(StoreFault, match=r"store\.corrupt") as caught:
        await Database.open(path)
    assert "Move it aside" in caught.value.mend
    assert path.read_bytes() == content


async def test_an_empty_file_is_a_new_database(tmp_path):
    (tmp_path / "limen.db").touch()
    async with database(tmp_path / "limen.db") as opened:
        assert await SqliteSessions(opened).list() == []


async def test_a_link_and_a_folder_in_its_place_are_refused(tmp_path):
    (tmp_path / "real.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with pytest.raises(StoreFault, match=r"store\.link"):
        await Database.open(tmp_path / "link.db")
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreFault):
        await Database.open(tmp_path / "folder.db")
    (tmp_path / "file").touch()
    with pytest.raises(StoreFault):
        await Database.open(tmp_path / "file" / "limen.db")


async def test_a_full_disk_is_named_and_nothing_is_half_written(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        await sessions.open("s")
        await sessions.append("s", [stored(1)])

        def fill(connection):
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count={pages + 4}")

        await opened.write(fill)
        with pytest.raises(StoreFault, match=r"store\.full"):
            await sessions.append("s", [stored(2), stored(3, "x" * 200_000)])
        assert [block.first for block in await sessions.blocks("s")] == [1]
        await opened.write(lambda connection: connection.execute("PRAGMA max_page_count=100000"))
        await sessions.append("s", [stored(2), stored(3, "x" * 200_000)])
        assert await sessions.next_numbers("s") == (4, 3)


async def test_kill_in_the_middle_of_writes_loses_nothing_acknowledged(tmp_path):
    process = child(
        """
        import sys, anyio
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from store.sqlite.rig import stored
        from limen.store.sqlite.database import Database
        from limen.store.sqlite.sessions import SqliteSessions

        async def main():
            sessions = SqliteSessions(await Database.open(Path(sys.argv[1])))
            await sessions.open("s")
            for number in range(1, 1_000_000, 2):
                await sessions.append("s", [stored(number, "a"), stored(number + 1, "b")])
                print(number + 1, flush=True)

        anyio.run(main)
        """,
        tmp_path / "limen.db",
        TESTS,
    )
    for _ in range(60):
        acknowledged = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest = process.communicate()[0].split()
    acknowledged = int(rest[-1]) if rest else acknowledged
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        numbers = [block.first for block in await sessions.blocks("s")]
        check = await opened.read(lambda connection: connection.execute("PRAGMA integrity_check").fetchone())
    assert check == ("ok",)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= acknowledged
    assert len(numbers) % 2 == 0


def old_database(path):
    """A database as the first version left it, with a session in it."""
    path.touch()
    connection = connect(path)
    for statement in statements(dict(scripts())[1]):
        connection.execute(statement)
    connection.execute("INSERT INTO sessions (key, created_at, updated_at, title) VALUES ('old', 1, 1, 'kept')")
    connection.execute("PRAGMA user_version=1")
    connection.close()


async def test_an_older_database_is_brought_up_with_a_copy_made_before(tmp_path):
    path = tmp_path / "limen.db"
    old_database(path)
    async with database(path) as opened:
        session = await SqliteSessions(opened).get("old")
        (version,) = await opened.read(lambda connection: connection.execute("PRAGMA user_version").fetchone())
    assert session.title == "kept"
    assert version == scripts()[-1][0]
    copy = tmp_path / "limen.db.v1.bak"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    connection = sqlite3.connect(copy)
    assert connection.execute("SELECT title FROM sessions").fetchone() == ("kept",)
    connection.close()


async def test_kill_in_the_middle_of_a_migration_leaves_the_old_version_whole(tmp_path):
    path = tmp_path / "limen.db"
    old_database(path)
    process = child(
        """
        import os, sys
        from pathlib import Path
        from limen.store.sqlite import migrate
        from limen.store.sqlite.connection import connect

        path = Path(sys.argv[1])
        connection = connect(path)
        done = []

        def trace(statement):
            done.append(statement)
            if "evidence_by_age" in statement:
                os.kill(os.getpid(), 9)

        connection.set_trace_callback(trace)
        migrate.migrate(connection, path)
        """,
        path,
    )
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'evidence'").fetchone() is None
    connection.close()
    async with database(path) as opened:
        assert (await SqliteSessions(opened).get("old")).title == "kept"


async def test_two_processes_write_at_once_and_neither_loses_anything(tmp_path):
    code = """
        import sys, anyio
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from store.sqlite.rig import stored
        from limen.store.sqlite.database import Database
        from limen.store.sqlite.sessions import SqliteSessions

        async def main():
            opened = await Database.open(Path(sys.argv[1]))
            sessions = SqliteSessions(opened)
            key = sys.argv[3]
            await sessions.open(key)
            for number in range(1, 101):
                await sessions.append(key, [stored(number, session=key)])
            await opened.close()

        anyio.run(main)
        """
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        processes = [child(code, tmp_path / "limen.db", TESTS, name) for name in ("one", "two")]
        for process in processes:
            await anyio.to_thread.run_sync(process.communicate)
        assert [len(await sessions.blocks(name)) for name in ("one", "two")] == [100, 100]


def test_a_script_is_split_at_its_statements_ends():
    text = "CREATE TABLE a (x);\n-- note; with a semicolon\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n  SELECT 1;\nEND;\n"
    assert [statement.split()[-1] for statement in statements(text)] == ["(x);", "END;"]
    with pytest.raises(AssertionError, match="ends inside a statement"):
        statements("CREATE TABLE a (x)")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_nobody_waits_for_a_writer_that_died(tmp_path):
    opened = await Database.open(tmp_path / "limen.db")

    def die(connection):
        raise SystemExit("the thread ends here")

    async def outcome(job):
        with pytest.raises(RuntimeError, match="ends here"):
            await opened.write(job)

    async with anyio.create_task_group() as group:
        for job in (die, lambda connection: None, lambda connection: None):
            group.start_soon(outcome, job)
    await outcome(lambda connection: None)
    await opened.close()
