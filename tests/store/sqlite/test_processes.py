"""Many processes on one home, killed and cut off at any moment: what was acknowledged is there, and nothing is half there."""

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from contextlib import contextmanager

import anyio
import pytest
from store.sqlite.rig import TESTS, database

from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio

# A batch is a turn's messages with its events and a kept text; each is told once the store says that it is there.
PER_BATCH = 3
WRITER = """
    import random, sys
    import anyio
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from store.sqlite.rig import stored
    from limen.core.event import TurnEnded
    from limen.core.exchange import Usage
    from limen.store.sqlite.database import Database
    from limen.store.sqlite.evidence import SqliteEvidence
    from limen.store.sqlite.sessions import SqliteSessions

    async def main(path, key, batches):
        database = await Database.open(path, patience_s=60)
        sessions, evidence = SqliteSessions(database), SqliteEvidence(database)
        await sessions.open(key)
        if sys.argv[5] == "log only":
            await database.write(lambda connection: connection.execute("PRAGMA wal_autocheckpoint=0"))
        number, _ = await sessions.next_numbers(key)
        for batch in range(batches):
            turn = f"t_{number:012}"
            text = random.Random(number).randbytes(random.randrange(10, 3_000)).hex()
            blocks = [stored(number + at, f"{text} {at} of 3", session=key, turn=turn) for at in range(3)]
            await sessions.append(key, blocks)
            await sessions.record(key, turn, [TurnEnded("answered", 1, Usage(), 0.1)] * 2)
            await evidence.keep(text, session=key, tool="t", source=turn, media_type="text/plain")
            number += 3
            print(number - 1, flush=True)
        await database.close()

    anyio.run(main, Path(sys.argv[1]), sys.argv[3], int(sys.argv[4]))
    """


@contextmanager
def writers(path, keys, batches, files="both"):
    """A process for each key, killed at the end if it still runs. With `files` "log only" the log is never folded in."""
    code = textwrap.dedent(WRITER)
    processes = [
        subprocess.Popen([sys.executable, "-c", code, path, TESTS, key, str(batches), files], stdout=subprocess.PIPE)
        for key in keys
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.stdout.close()
            process.wait()


def stop(process):
    """Stop a process in whatever it does, and wait until it stands."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)


async def whole_batches(path, key):
    """The last ledger number of a session, of which every batch must be whole."""
    async with database(path) as opened:
        sessions, evidence = SqliteSessions(opened), SqliteEvidence(opened)
        assert await opened.read(lambda connection: connection.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
        assert await opened.read(lambda connection: connection.execute("PRAGMA foreign_key_check").fetchall()) == []
        await opened.write(lambda c: c.execute("INSERT INTO block_words (block_words) VALUES ('integrity-check')"))
        if await sessions.get(key) is None:
            return 0
        blocks = await sessions.blocks(key)
        numbers = [block.first for block in blocks]
        assert numbers == list(range(1, len(numbers) + 1))
        assert await sessions.next_numbers(key) == (len(numbers) + 1, len(numbers))
        assert set(Counter(block.entries[0].turn for block in blocks).values()) <= {PER_BATCH}
        for events in Counter(event.turn for event in await sessions.events(key)).values():
            assert events == 2
        turns = {block.entries[0].turn for block in blocks}
        for kept in await evidence.list(session=key, limit=1_000):
            assert kept.source in turns
            assert len((await evidence.show(kept.id, 1, None)).text) == kept.chars
        return len(numbers)


async def test_ten_processes_write_at_once_and_all_of_it_is_there(tmp_path):
    path = tmp_path / "limen.db"
    keys = [f"s{number}" for number in range(10)]
    with writers(path, keys, 20) as processes:
        for process in processes:
            assert await anyio.to_thread.run_sync(process.wait) == 0
    for key in keys:
        assert await whole_batches(path, key) == 20 * PER_BATCH


async def test_killing_any_of_them_at_any_moment_loses_nothing_acknowledged(tmp_path):
    path = tmp_path / "limen.db"
    chance = random.Random(4)
    acknowledged = dict.fromkeys(("a", "b", "c"), 0)
    for _ in range(3):
        with writers(path, acknowledged, 10_000) as processes:
            for process in processes:
                process.stdout.readline()
            await anyio.sleep(chance.uniform(0.0, 0.2))
            for process in processes:
                process.send_signal(signal.SIGKILL)
            for key, process in zip(acknowledged, processes, strict=True):
                told = process.stdout.read().split()
                acknowledged[key] = int(told[-1]) if told else acknowledged[key]
        for key, told in acknowledged.items():
            assert await whole_batches(path, key) >= told


async def images(path, files, count, chance):
    """The files of a running process as they are at moments in the midst of its work."""
    taken = []
    with writers(path, ["s"], 10_000, files) as (process,):
        for number in range(count):
            process.stdout.readline()
            await anyio.sleep(chance.uniform(0.0, 0.05))
            stop(process)
            image = path.parent / f"image{number}" / path.name
            image.parent.mkdir(0o700)
            for name in (path.name, f"{path.name}-wal"):
                shutil.copy(path.with_name(name), image.with_name(name))
            taken.append(image)
            process.send_signal(signal.SIGCONT)
    return taken


async def test_whatever_moment_a_process_ends_at_its_batches_are_whole(tmp_path):
    found = [await whole_batches(image, "s") for image in await images(tmp_path / "limen.db", "both", 8, random.Random(5))]
    assert all(last % PER_BATCH == 0 for last in found)
    assert found[-1] > 0


async def test_a_power_cut_leaves_whole_batches_alone(tmp_path):
    """What had not reached the disk was in the log since it was last folded in: here the log's tail, or a page of it, is lost."""
    chance = random.Random(6)
    found = []
    for number, image in enumerate(await images(tmp_path / "limen.db", "log only", 8, chance)):
        log = image.with_name("limen.db-wal")
        content = bytearray(log.read_bytes())
        start = chance.randrange(len(content))
        if number % 2:
            del content[start:]
        else:
            content[start : start + 4_096] = bytes(len(content[start : start + 4_096]))
        log.write_bytes(content)
        found.append(await whole_batches(image, "s"))
    assert all(last % PER_BATCH == 0 for last in found)
    assert max(found) > 0


DELETER = """
    import sys
    import anyio
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from store.sqlite.rig import stored
    from limen.store.sqlite.database import Database
    from limen.store.sqlite.evidence import SqliteEvidence
    from limen.store.sqlite.sessions import SqliteSessions

    async def main(path):
        database = await Database.open(path)
        sessions, evidence = SqliteSessions(database), SqliteEvidence(database)
        await sessions.open("s")
        await sessions.append("s", [stored(number, f"kettle {number}") for number in range(1, 3_001)])
        await sessions.fork("s", "f", at_turn="t_000001")
        await evidence.keep("of s alone", session="s", tool="t", source="", media_type="text/plain")
        print("deleting", flush=True)
        await sessions.delete("s")
        print("deleted", flush=True)

    anyio.run(main, Path(sys.argv[1]))
    """


def deleter(path):
    """A process that makes a session and a fork of it, says so, and deletes the session."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(DELETER), path, TESTS], stdout=subprocess.PIPE)


@pytest.mark.parametrize("delay_s", [0.0, 0.005, 0.02, 0.05, 0.1, 0.2])
async def test_a_deletion_that_was_killed_has_happened_or_not_and_is_finished(tmp_path, delay_s):
    path = tmp_path / "limen.db"
    with deleter(path) as process:
        process.stdout.readline()
        await anyio.sleep(delay_s)
        process.kill()
        acknowledged = process.stdout.read() == b"deleted\n"
    async with database(path) as opened:
        sessions, evidence = SqliteSessions(opened), SqliteEvidence(opened)
        there = await sessions.get("s") is not None
        assert not (there and acknowledged)
        if there:
            assert len(await sessions.blocks("s")) == 3_000
        else:
            assert [session.key for session in await sessions.list()] == ["f"]
            assert {found.session for found in await sessions.search("kettle", 5_000)} == {"f"}
            await sessions.sweep()
            assert await sessions.blocks("s") == []
            assert (await evidence.account()).records == 0
            assert await sessions.sweep() == 0
        assert len(await sessions.blocks("f")) == 3_000
        assert len(await sessions.search("kettle", 5_000)) == 3_000
        await opened.write(lambda c: c.execute("INSERT INTO block_words (block_words) VALUES ('integrity-check')"))
