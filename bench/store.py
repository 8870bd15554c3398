"""The session store at size: what a session of 20,000 messages costs beside an empty one, and search over 200,000.

    .venv/bin/python bench/store.py [MESSAGES_IN_ALL]

Medians of wall time, each beside the same act on an empty session as a ratio; insertion and search beside a bare floor of
SQLite from the same run. Commits are as in use: durable against a crash of the process.
"""

import random
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Text, digest
from limen.store.ports import StoredBlock
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.sessions import SqliteSessions

SESSION_MESSAGES = 20_000
BATCH = 1_000
ROUNDS = 200
BUDGET_TOKENS = 4_000
SYLLABLES = ("ka", "lo", "mi", "tre", "so", "pan", "du", "ver", "ni", "qua")


def vocabulary() -> list[str]:
    """5,000 made-up words."""
    chance = random.Random(1)
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(5_000)]


def block(session: str, number: int, text: str) -> StoredBlock:
    leaf = Text(text)
    place = "user" if number % 2 else "assistant"
    entry = LedgerEntry(
        number,
        session,
        f"t_{number:06}",
        place,
        digest(leaf),
        "user",
        "user",
        Trust.USER,
        None,
        len(text),
        len(text),
        60,
        Treatment(),
    )
    return StoredBlock(place, number - 1, leaf, (entry,))


async def fill(sessions: SqliteSessions, session: str, texts: list[str]) -> float:
    """Append the texts in batches; seconds it took."""
    await sessions.open(session)
    started = time.perf_counter()
    for first in range(0, len(texts), BATCH):
        batch = [block(session, number, text) for number, text in enumerate(texts[first : first + BATCH], first + 1)]
        await sessions.append(session, batch)
    return time.perf_counter() - started


async def median_ms(act, rounds: int = ROUNDS) -> float:
    figures = []
    for _ in range(rounds):
        started = time.perf_counter()
        await act()
        figures.append(time.perf_counter() - started)
    return 1_000 * statistics.median(figures)


async def append_ms(sessions: SqliteSessions, session: str, text: str) -> float:
    async def act() -> None:
        number, _ = await sessions.next_numbers(session)
        await sessions.append(session, [block(session, number, text)])

    return await median_ms(act)


def line(name: str, ms: float, floor_ms: float, floor: str) -> None:
    print(f"{name:<44}{ms:>9.3f} ms  {ms / floor_ms:>7.2f} x {floor}")


async def measure_sessions(sessions: SqliteSessions, texts: list[str]) -> None:
    await fill(sessions, "long", texts[:SESSION_MESSAGES])
    await fill(sessions, "short", texts[: BUDGET_TOKENS // 60])
    print(f"one session: {SESSION_MESSAGES} messages, against one of as many as a window of {BUDGET_TOKENS} tokens holds")
    acts = {
        "next_numbers": sessions.next_numbers,
        "recent": lambda key: sessions.recent(key, budget_tokens=BUDGET_TOKENS, head=1),
        "prompt": sessions.prompt,
        "latest_event": lambda key: sessions.latest_event(key, "folded"),
        "note_source": lambda key: sessions.note_source(key, "https://example.org/", "E", ref="", read=True),
        "claim": lambda key: sessions.claim(key, "bench", 60.0),
        "ledger of one turn": lambda key: sessions.ledger(key, turn="t_000050"),
    }
    for name, act in acts.items():
        short = await median_ms(lambda: act("short"))  # noqa: B023 - awaited at once
        line(name, await median_ms(lambda: act("long")), short, "short")  # noqa: B023
    short = await append_ms(sessions, "short", texts[0])
    line("append of one message", await append_ms(sessions, "long", texts[0]), short, "short")


def bare_insert_s(path: Path, texts: list[str]) -> float:
    """The floor: the texts alone into a table and a full-text index of plain SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')")
    started = time.perf_counter()
    for first in range(0, len(texts), BATCH):
        rows = list(enumerate(texts[first : first + BATCH], first + 1))
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
        connection.execute("COMMIT")
    took = time.perf_counter() - started
    connection.close()
    return took


def bare_search_ms(path: Path, query: str) -> float:
    connection = sqlite3.connect(path)
    figures = []
    for _ in range(20):
        started = time.perf_counter()
        connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", (query,)).fetchall()
        figures.append(time.perf_counter() - started)
    connection.close()
    return 1_000 * statistics.median(figures)


async def measure_search(sessions: SqliteSessions, folder: Path, texts: list[str], words: list[str]) -> None:
    took = 0.0
    for number in range(0, len(texts), SESSION_MESSAGES):
        took += await fill(sessions, f"s{number}", texts[number : number + SESSION_MESSAGES])
    floor = bare_insert_s(folder / "floor.db", texts)
    print(f"\n{len(texts)} messages in sessions of {SESSION_MESSAGES}")
    line("insert, each message", 1_000 * took / len(texts), 1_000 * floor / len(texts), "bare SQLite with FTS5")
    common = words[7]
    for name, query, bare in (
        ("search, one common word", common, f'"{common}"*'),
        ("search, two words", f"{common} {words[99]}", f'"{common}"* "{words[99]}"*'),
        ("search, a rare word", "threshold", '"threshold"*'),
    ):
        line(name, await median_ms(lambda: sessions.search(query), 20), bare_search_ms(folder / "floor.db", bare), "bare")  # noqa: B023


async def measure_evidence(evidence: SqliteEvidence, words: list[str]) -> None:
    chance = random.Random(3)
    text = "\n".join(" ".join(chance.choices(words, k=12)) for _ in range(60_000))
    print(f"\nevidence: one text of {len(text) / 1e6:.1f} MB")
    started = time.perf_counter()
    kept = await evidence.keep(text, session="s", tool="bench", source="", media_type="text/plain")
    print(f"{'keep':<44}{1_000 * (time.perf_counter() - started):>9.1f} ms")
    for name, act in (
        ("show ten lines", lambda: evidence.show(kept.id, 30_000, 30_009)),
        ("find a phrase that is not there", lambda: evidence.find("not there", evidence_id=kept.id, session=None, limit=20)),
    ):
        print(f"{name:<44}{await median_ms(act, 5):>9.1f} ms")


async def measure_deletion(database: Database, texts: list[str]) -> None:
    """How long one who writes over a handle of their own waits at worst, while a session of 20,000 messages is forgotten."""
    sessions = SqliteSessions(database)
    other = await Database.open(database.path)
    writer = SqliteSessions(other)
    await writer.open("beside")
    waits: list[float] = []
    going = True

    async def write() -> None:
        number = 1
        while going:
            started = time.perf_counter()
            await writer.append("beside", [block("beside", number, texts[0])])
            waits.append(1_000 * (time.perf_counter() - started))
            number += 1
            await anyio.sleep(0.002)

    size = database.path.stat().st_size
    cpu = time.process_time()
    async with anyio.create_task_group() as group:
        group.start_soon(write)
        await anyio.sleep(0.2)
        waits.clear()
        started = time.perf_counter()
        await sessions.delete("long")
        took_ms = 1_000 * (time.perf_counter() - started)
        going = False
    cpu_ms = 1_000 * (time.process_time() - cpu)
    await other.close()
    print(f"\nforget a session of {SESSION_MESSAGES} messages, while another handle writes one message after the other")
    print(f"{'took':<44}{took_ms:>9.1f} ms  {cpu_ms:>9.1f} ms of CPU, the writer's included")
    print(f"{'longest wait of the writer':<44}{max(waits):>9.1f} ms  (median {statistics.median(waits):.2f} ms of {len(waits)})")
    print(f"{'the file':<44}{size / 1e6:>9.1f} MB {database.path.stat().st_size / 1e6:>9.1f} MB afterwards")


async def main(messages: int) -> None:
    chance = random.Random(2)
    words = vocabulary()
    weights = [1 / (rank + 1) for rank in range(len(words))]
    texts = [" ".join(chance.choices(words, weights, k=45)) for _ in range(messages)]
    texts[messages // 2] += " threshold"
    with tempfile.TemporaryDirectory() as name:
        database = await Database.open(Path(name) / "limen.db")
        sessions = SqliteSessions(database)
        await measure_sessions(sessions, texts)
        await measure_search(sessions, Path(name), texts, words)
        await measure_evidence(SqliteEvidence(database), words)
        await measure_deletion(database, texts)
        await database.close()


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
