"""A home on a full disk: it opens, it is read, and what deletes still does, out of the reserve."""

import json
import os
import shutil
import subprocess
import sys
import textwrap

import pytest
from store.sqlite.rig import TESTS, database, stored

from limen.core.fault import StoreFault
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.reserve import RESERVE_BYTES, Reserve
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio


def can_mount():
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    return subprocess.run([unshare, "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="needs `unshare -rm` with the right to mount (Linux, user namespaces)")

SCRIPT = """
    import json, os, random, subprocess, sys
    from pathlib import Path
    import anyio
    sys.path.insert(0, sys.argv[2])
    from store.sqlite.rig import database, stored
    from limen.core.fault import StoreFault
    from limen.store.library import LibraryRecord, LibrarySection
    from limen.store.sqlite.evidence import SqliteEvidence
    from limen.store.sqlite.library import SqliteLibraryStore
    from limen.store.sqlite.sessions import SqliteSessions

    folder, act, spent = Path(sys.argv[1]), sys.argv[3], sys.argv[4] == "open"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(folder)], check=True)
    path = folder / "home" / "limen.db"
    chance = random.Random(1)
    words = [f"w{number:x}" for number in range(2_000)]
    said = {}

    def some():
        return " ".join(chance.choices(words, k=45))

    async def fill(opened):
        sessions, evidence, library = SqliteSessions(opened), SqliteEvidence(opened), SqliteLibraryStore(opened)
        for key in ("gone", "kept"):
            await sessions.open(key)
            await sessions.append(key, [stored(n, some(), session=key, turn=f"t_{n:06}") for n in range(1, 1_001)])
        await evidence.keep(chance.randbytes(2_000_000).hex(), session="kept", tool="t", source="", media_type="text/plain")
        sections = tuple(LibrarySection(f"h{n}", "", n, some()) for n in range(1_500))
        await library.put("default", [LibraryRecord("/a", "A", "text/plain", some() * 500, "d", (1, 1), "/", sections)])

    def fill_disk():
        with open(folder / "junk", "wb", buffering=0) as junk:
            try:
                while True:
                    junk.write(bytes(4096))
            except OSError:
                pass

    def taken():
        return sum(file.stat().st_size for file in path.parent.iterdir() if file.suffix != ".reserve")

    async def code(call):
        try:
            await call
        except StoreFault as fault:
            return fault.code
        return "ok"

    async def forget(sessions, key):
        assert await sessions.claim(key, "me", 30)
        await sessions.delete(key)
        await sessions.release(key, "me")

    async def rescue(opened):
        sessions, evidence, library = SqliteSessions(opened), SqliteEvidence(opened), SqliteLibraryStore(opened)
        said["read"] = len(await sessions.blocks("kept"))
        said["write"] = await code(sessions.append("kept", [stored(1_001, some() * 20_000, session="kept")]))
        acts = {
            "session": lambda: forget(sessions, "gone"),
            "evidence": lambda: evidence.purge(older_than_s=-1, keep_bytes=0),
            "library": lambda: library.remove("default", 1),
        }
        before = taken()
        said["rescue"] = await code(acts[act]())
        said["given_back"] = before - taken()
        said["reserve"] = (path.parent / "limen.db.reserve").stat().st_size
        said["write after"] = await code(sessions.append("kept", [stored(1_001, some(), session="kept")]))
        said["check"] = await opened.read(lambda connection: connection.execute("PRAGMA integrity_check").fetchone()[0])
        said["left"] = len(await sessions.blocks("kept"))

    async def main():
        async with database(path) as opened:
            await fill(opened)
            if not spent:
                fill_disk()
                await rescue(opened)
        if spent:
            fill_disk()
            async with database(path) as opened:
                await rescue(opened)

    anyio.run(main)
    print(json.dumps(said))
    """


@needs_mount
@pytest.mark.parametrize("when", ["open", "running"])
@pytest.mark.parametrize("act", ["session", "evidence", "library"])
def test_a_full_home_is_rescued_by_deleting(tmp_path, act, when):
    command = ["unshare", "-rm", sys.executable, "-c", textwrap.dedent(SCRIPT), tmp_path, TESTS, act, when]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert said.pop("given_back") > 400_000
    assert said == {
        "read": 1_000,
        "write": "store.full",
        "rescue": "ok",
        "reserve": RESERVE_BYTES,
        "write after": "ok",
        "check": "ok",
        "left": 1_001,
    }


async def test_a_database_keeps_room_for_the_day_its_disk_is_full(tmp_path):
    async with database(tmp_path / "limen.db"):
        pass
    reserve = tmp_path / "limen.db.reserve"
    assert reserve.stat().st_size == RESERVE_BYTES
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    assert reserve.stat().st_mode & 0o777 == 0o600
    os.truncate(reserve, 0)
    async with database(tmp_path / "limen.db"):
        assert reserve.stat().st_size == RESERVE_BYTES


async def test_a_reserve_that_cannot_be_made_stops_nothing(tmp_path):
    (tmp_path / "limen.db.reserve").mkdir()
    async with database(tmp_path / "limen.db") as opened:
        await SqliteSessions(opened).open("s")
    (tmp_path / "other.db.reserve").symlink_to(tmp_path / "target")
    async with database(tmp_path / "other.db") as opened:
        await SqliteSessions(opened).open("s")
    assert not (tmp_path / "target").exists()


def test_a_reserve_is_spent_once(tmp_path):
    reserve = Reserve(tmp_path / "limen.db", 10_000)
    assert not reserve.spend()
    assert reserve.keep()
    assert reserve.spend()
    assert not reserve.spend()
    assert reserve.path.stat().st_size == 0
    assert reserve.keep()
    assert reserve.path.stat().st_size == 10_000


async def test_deleting_goes_through_where_the_database_may_not_grow(tmp_path):
    """A database at its largest, as a quota makes one: what is said is refused, what is deleted goes."""
    async with database(tmp_path / "limen.db") as opened:
        sessions, evidence = SqliteSessions(opened), SqliteEvidence(opened)
        for key in ("s", "t"):
            await sessions.open(key)
            await sessions.append(key, [stored(number, f"word{number} " * 50, session=key) for number in range(1, 301)])
        await evidence.keep("x y z " * 10_000, session="s", tool="t", source="", media_type="text/plain")

        def limit(connection):
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count={pages}")

        await opened.write(limit)
        with pytest.raises(StoreFault, match=r"store\.full.*sessions delete"):
            await sessions.append("s", [stored(301, "x" * 200_000)])
        await sessions.delete("s")
        assert await evidence.purge(older_than_s=-1, keep_bytes=0) == 0
        await sessions.append("t", [stored(301, "small", session="t")])
        assert len(await sessions.blocks("t")) == 301
