"""What can be wrong with a database's files: each thing has its code and its mend, and the files stay as they were."""

import os
import random
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.sqlite.rig import TESTS, database, stored
from store.sqlite.test_full_disk import needs_mount

from limen.core.fault import StoreFault
from limen.store.sqlite.connection import connect
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.migrate import scripts, statements
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio


async def filled(path, messages=400):
    async with database(path) as opened:
        sessions = SqliteSessions(opened)
        await sessions.open("s")
        await sessions.append("s", [stored(number, f"message {number} " * 20) for number in range(1, messages + 1)])


async def fault(path):
    with pytest.raises(StoreFault) as caught:
        await Database.open(path, patience_s=0.1)
    return caught.value


def follow(mend, cwd):
    """Run the commands that a mend names, as a person would type them."""
    for part in mend.replace("; or begin anew:", ";").split(";"):
        command = part.rpartition("(")[2] if "(" in part else part.rpartition(": ")[2]
        words = shlex.split(command.partition(")")[0])
        if words and words[0] in ("cp", "mv", "rm"):
            subprocess.run(words, check=True, cwd=cwd)


async def test_an_emptied_database_is_not_taken_for_a_new_one(tmp_path):
    path = tmp_path / "limen.db"
    await filled(path)
    path.write_bytes(b"")
    found = await fault(path)
    assert found.code == "store.emptied"
    assert "limen.db.reserve" in found.reason
    assert path.stat().st_size == 0
    follow(found.mend, tmp_path)
    async with database(path) as opened:
        assert await SqliteSessions(opened).list() == []


async def test_an_emptied_database_is_mended_by_the_latest_copy_that_an_upgrade_made(tmp_path):
    path = tmp_path / "limen.db"
    path.touch()
    connection = connect(path)
    for statement in statements(dict(scripts())[1]):
        connection.execute(statement)
    connection.execute("INSERT INTO sessions (key, created_at, updated_at, title) VALUES ('old', 1, 1, 'kept')")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    async with database(path):
        pass
    os.truncate(path, 0)
    found = await fault(path)
    follow(found.mend.partition("; or")[0], tmp_path)
    async with database(path) as opened:
        assert [session.title for session in await SqliteSessions(opened).list()] == ["kept"]


async def test_a_log_without_its_database_is_not_thrown_away(tmp_path):
    path = tmp_path / "limen.db"
    async with database(path) as opened:
        await SqliteSessions(opened).open("s")
        log = (tmp_path / "limen.db-wal").read_bytes()
    for emptied in (False, True):
        path.unlink(missing_ok=True)
        if emptied:
            path.touch()
        (tmp_path / "limen.db-wal").write_bytes(log)
        found = await fault(path)
        assert found.code == "store.emptied"
        assert (tmp_path / "limen.db-wal").read_bytes() == log
        follow(found.mend, tmp_path)
        async with database(path):
            pass


async def test_a_home_whose_database_was_removed_begins_anew(tmp_path):
    path = tmp_path / "limen.db"
    await filled(path)
    path.unlink()
    async with database(path) as opened:
        assert await SqliteSessions(opened).list() == []


async def test_files_that_others_could_read_are_made_private(tmp_path):
    path = tmp_path / "limen.db"
    await filled(path)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE sessions SET title = 'x'")
        names = ("limen.db", "limen.db-wal", "limen.db-shm")
        (tmp_path / "limen.db.v1.bak").touch()
        for name in (*names, "limen.db.v1.bak"):
            (tmp_path / name).chmod(0o644)
        async with database(path):
            modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in (*names, "limen.db.v1.bak")}
    other.close()
    assert set(modes.values()) == {0o600}, modes


@pytest.mark.parametrize("name", ["limen.db", "limen.db-wal", "limen.db-shm", "limen.db.v1.bak"])
@pytest.mark.parametrize("what", ["link", "folder", "pipe"])
async def test_what_is_no_file_of_ours_is_refused(tmp_path, name, what):
    home = tmp_path / "home"
    home.mkdir(0o700)
    target = tmp_path / "another's"
    target.write_bytes(b"precious")
    make = {"link": lambda p: p.symlink_to(target), "folder": lambda p: p.mkdir(), "pipe": lambda p: os.mkfifo(p)}
    make[what](home / name)
    found = await fault(home / "limen.db")
    assert found.code == ("store.link" if what == "link" else "store.not_a_file")
    assert name in found.reason
    assert target.read_bytes() == b"precious"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


@pytest.mark.parametrize("keep", [0.5, 0.99])
async def test_a_file_that_was_cut_off_is_damaged_and_stays_as_it_is(tmp_path, keep):
    path = tmp_path / "limen.db"
    await filled(path)
    os.truncate(path, int(path.stat().st_size * keep))
    before = path.read_bytes()
    found = await fault(path)
    assert found.code == "store.corrupt"
    assert path.read_bytes() == before
    follow(found.mend, tmp_path)
    async with database(path) as opened:
        assert await SqliteSessions(opened).list() == []
    assert (tmp_path / "limen.db.broken").read_bytes() == before


async def test_what_was_only_in_the_log_of_a_damaged_database_goes_aside_with_it(tmp_path):
    path = tmp_path / "limen.db"
    await filled(path)
    async with database(path) as opened:
        await SqliteSessions(opened).rename("s", "in the log")
        copies = {name: (tmp_path / name).read_bytes() for name in ("limen.db", "limen.db-wal")}
    for name, content in copies.items():
        (tmp_path / name).write_bytes(content)
    path.write_bytes(b"x" * 100 + copies["limen.db"][100:])
    found = await fault(path)
    assert found.code == "store.corrupt"
    follow(found.mend, tmp_path)
    aside = b"".join(file.read_bytes() for file in tmp_path.glob("limen.db.broken*"))
    assert b"in the log" in aside
    async with database(path) as opened:
        assert await SqliteSessions(opened).list() == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), flips=st.integers(1, 40))
async def test_flipped_bytes_are_a_fault_or_change_nothing_that_is_read(tmp_path, seed, flips):
    """Whatever is damaged, an act gives what was stored, or says that it cannot: never a crash, never another's exception."""
    whole = tmp_path / "whole.db"
    if not whole.exists():
        await filled(whole, 60)
        async with database(whole) as opened:
            evidence = SqliteEvidence(opened)
            await evidence.keep("line\n" * 5_000, session="s", tool="t", source="", media_type="text/plain")
    path = tmp_path / f"{seed}-{flips}.db"
    shutil.copy(whole, path)
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(flips):
        content[chance.randrange(100, len(content))] ^= chance.randrange(1, 256)
    path.write_bytes(content)
    codes = []

    async def run(act):
        try:
            return await act
        except StoreFault as found:
            codes.append(found.code)
            return None

    opened = await run(Database.open(path))
    if opened is not None:
        sessions, evidence = SqliteSessions(opened), SqliteEvidence(opened)
        await run(sessions.list())
        await run(sessions.blocks("s"))
        await run(sessions.search("message"))
        await run(evidence.find("line", evidence_id=None, session="s", limit=3))
        await run(sessions.append("s", [stored(61)]))
        await run(sessions.delete("s"))
        await opened.close()
    damaged = {"store.corrupt", "store.unreadable", "store.failed", "store.newer", "store.upgrade_failed"}
    assert set(codes) <= damaged | {"store.no_session", "store.conflict"}


async def test_an_upgrade_that_does_not_fit_leaves_the_old_version(tmp_path):
    """A database that another program gave a table of the same name as one that an upgrade makes."""
    path = tmp_path / "limen.db"
    path.touch()
    connection = connect(path)
    for statement in statements(dict(scripts())[1]):
        connection.execute(statement)
    connection.execute("CREATE TABLE library_removed (x)")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    before = path.read_bytes()
    found = await fault(path)
    assert found.code == "store.upgrade_failed"
    assert "version 1" in found.reason
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'evidence'").fetchone() is None
    connection.close()
    assert len(path.read_bytes()) == len(before)


LOCK = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("UPDATE sessions SET title = 'theirs'")
    print("locked", flush=True)
    sys.stdin.read()
    """


@pytest.fixture
def locked(tmp_path):
    """A database that another process holds for itself."""
    path = tmp_path / "limen.db"
    code = f"""
        import sys, anyio
        from pathlib import Path
        sys.path.insert(0, {str(TESTS)!r})
        from store.sqlite.test_soundness import filled
        anyio.run(filled, Path(sys.argv[1]))
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), path], check=True)
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(LOCK), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"locked\n"
        yield path, process
        process.kill()


async def test_a_database_that_another_process_keeps_for_itself_is_busy_until_it_lets_go(locked):
    path, process = locked
    found = await fault(path)
    assert found.code == "store.busy"
    assert "lsof" in found.mend
    process.stdin.close()
    process.wait()
    async with database(path) as opened:
        assert [session.title for session in await SqliteSessions(opened).list()] == [""]


READ_ONLY = """
    import subprocess, sys, anyio
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from limen.core.fault import StoreFault
    from store.sqlite.rig import database
    from store.sqlite.test_soundness import filled

    folder = Path(sys.argv[1])
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    anyio.run(filled, folder / "limen.db")
    if sys.argv[3] == "log":
        import sqlite3
        left = sqlite3.connect(folder / "limen.db")
        left.execute("UPDATE sessions SET title = 'in the log'")
        left.commit()
        for name in ("limen.db", "limen.db-wal"):
            (folder / f"copy-{name}").write_bytes((folder / name).read_bytes())
        left.close()
        for name in ("limen.db", "limen.db-wal"):
            (folder / f"copy-{name}").rename(folder / name)
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)

    async def main():
        try:
            async with database(folder / "limen.db"):
                print("opened")
        except StoreFault as fault:
            print(fault.code)

    anyio.run(main)
    """


@needs_mount
@pytest.mark.parametrize("state", ["closed", "log"])
def test_a_database_on_a_read_only_disk_says_so(tmp_path, state):
    command = ["unshare", "-rm", sys.executable, "-c", textwrap.dedent(READ_ONLY), tmp_path, TESTS, state]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "store.read_only\n", done.stderr
