"""The shelf at size: reading a line, finding a word, and a pattern over 100 MB of logs, each beside the least it could take.

    .venv/bin/python bench/evidence_store.py [--data FOLDER] [--mb 100]

Medians of wall time. FOLDER holds logs, plain or `.gz`; without it they are made up. Texts are of 10 MB and more. Logs that are
used again get the number of the round before each line. Rates are of processor time, since other work may run beside. Floors,
in the same run: SQLite reading one block's row, RE2 over the same bytes in memory, and ripgrep over them in a file where it is
installed.
"""

import argparse
import gzip
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import anyio
import re2

from limen.kit.line_search import phrase_pattern, regex_pattern
from limen.store.sqlite.connection import connect
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence

MB = 1_000_000
TEXT_BYTES = 10 * MB
ROUNDS = 50
SLOW_ROUNDS = 5
NEEDLE = "kettle-needle"
PATTERN = r"kettle-n\w+dle [0-9]+$"
WORDS = ("GET", "POST", "started", "timeout", "connection", "worker", "queue", "INFO", "WARN", "ERROR", "cache", "retry")


def lines(data: Path | None) -> Iterator[str]:
    """Lines of logs, again and again."""
    for turn in count():
        if data is None:
            chance = random.Random(turn)
            for number in range(100_000):
                yield f"2026-12-01T10:{number % 60:02} {' '.join(chance.choices(WORDS, k=9))} id={chance.getrandbits(32):x}"
            continue
        for file in sorted(file for file in data.rglob("*") if file.name.endswith((".log", ".gz", ".txt"))):
            plain = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            yield from (f"{turn} {line}" for line in plain.decode("utf-8", "replace").split("\n"))


def texts(data: Path | None, size: int) -> Iterator[str]:
    """Texts of about ten megabytes; the needle stands in the middle of the first, which is the last to be looked through."""
    given = lines(data)
    for at in range(0, size, TEXT_BYTES):
        text: list[str] = []
        length = 0
        while length < TEXT_BYTES:
            text.append(next(given))
            length += len(text[-1]) + 1
        if not at:
            text[len(text) // 2] = f"here is the {NEEDLE} 7"
        yield "\n".join(text)


async def timed(act: Callable[[], Awaitable[object]], rounds: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median in milliseconds."""
    taken = []
    for _ in range(rounds):
        started = clock()
        await act()
        taken.append((clock() - started) * 1_000)
    return statistics.median(taken)


def timed_plain(act: Callable[[], object], rounds: int) -> float:
    async def awaited() -> None:
        act()

    return anyio.run(timed, awaited, rounds)


def row(name: str, ours: float, floor: float | None = None, what: str = "") -> None:
    beside = "" if floor is None else f"{floor:.2f} ms ({what})"
    print(f"| {name} | {ours:.2f} ms | {beside} |", flush=True)


async def stored(path: Path, data: Path | None, size: int) -> tuple[bytes, dict[str, float]]:
    """Keep the texts; all of them in one, and what our acts on them take."""
    took: dict[str, float] = {}
    database = await Database.open(path)
    store = SqliteEvidence(database)
    whole: list[str] = []
    ids = []
    took["keep"] = 0.0
    for text in texts(data, size):
        started = time.perf_counter()
        kept = await store.keep(text, session="s", tool="terminal", source="bench", media_type="text/plain")
        took["keep"] += (time.perf_counter() - started) * 1_000
        ids.append((kept.id, kept.lines))
        whole.append(text)
    plain = "\n".join(whole).encode("utf-8", "surrogatepass")
    del whole
    find = partial(store.search, evidence_id=None, session=None, limit=10)
    took["word before"] = await timed(lambda: find(phrase_pattern(NEEDLE)), SLOW_ROUNDS)
    started = time.perf_counter()
    await store.index()
    took["index"] = (time.perf_counter() - started) * 1_000
    cold = SqliteEvidence(database)
    started = time.perf_counter()
    await cold.search(phrase_pattern(NEEDLE), evidence_id=None, session=None, limit=10)
    took["word first"] = (time.perf_counter() - started) * 1_000
    assert len(await find(phrase_pattern(NEEDLE))) == 1
    took["word"] = await timed(lambda: find(phrase_pattern(NEEDLE)), ROUNDS)
    took["nothing"] = await timed(lambda: find(phrase_pattern("zebrafish unheard")), ROUNDS)
    took["common"] = await timed(lambda: find(phrase_pattern("error")), ROUNDS)
    took["part"] = await timed(lambda: find(phrase_pattern("le-need")), ROUNDS)
    assert len(await find(regex_pattern(PATTERN))) == 1
    for name, pattern in (("regex", PATTERN), ("(?i) regex", "(?i)" + PATTERN)):
        took[name] = await timed(lambda pattern=pattern: find(regex_pattern(pattern)), SLOW_ROUNDS)
        took[f"{name} cpu"] = await timed(lambda pattern=pattern: find(regex_pattern(pattern)), SLOW_ROUNDS, time.process_time)
    last, count = ids[-1]
    took["inspect"] = await timed(lambda: store.show(last, count - 100, count - 60), ROUNDS * 4)
    took["bytes"] = float((await store.account()).store_bytes)
    await database.close()
    return plain, took


def floors(path: Path, plain: bytes, scratch: Path) -> dict[str, float]:
    took: dict[str, float] = {}
    connection = connect(path)
    (block,) = connection.execute("SELECT MAX(id) FROM evidence_blocks").fetchone()
    took["block"] = timed_plain(
        lambda: connection.execute("SELECT body FROM evidence_blocks WHERE id = ?", (block,)).fetchone(), ROUNDS * 4
    )
    took["words bytes"] = float(connection.execute("SELECT SUM(LENGTH(block)) FROM evidence_words_data").fetchone()[0])
    connection.close()
    for name, pattern in (("regex", PATTERN), ("(?i) regex", "(?i)" + PATTERN), ("word", f"(?i){re.escape(NEEDLE)}")):
        # Another word, so that all is looked through.
        compiled = re2.compile(f"(?m){pattern.replace('kettle', 'kettlf')}".encode())
        took[name] = timed_plain(lambda compiled=compiled: compiled.search(plain), SLOW_ROUNDS)
    if (ripgrep := shutil.which("rg")) is not None:
        file = scratch / "all.txt"
        file.write_bytes(plain)
        for name, options in (("rg regex", (PATTERN,)), ("rg word", ("-i", NEEDLE))):
            command = [ripgrep, "-n", *options, str(file)]
            took[name] = timed_plain(
                lambda command=command: subprocess.run(command, capture_output=True, check=True), SLOW_ROUNDS
            )
    return took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--mb", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "limen.db"
        plain, ours = anyio.run(stored, path, options.data, options.mb * MB)
        least = floors(path, plain, Path(folder))
    size = len(plain)
    print(f"{size / MB:.0f} MB, packed {ours['bytes'] / MB:.1f} MB, index of words {least['words bytes'] / MB:.1f} MB\n")
    print("| act | ours | the least |\n|---|---|---|")
    row("40 lines near the end of 10 MB", ours["inspect"], least["block"], "SQLite reading a block's row")
    row("a word that stands once", ours["word"], least["word"], "RE2 over the bytes in memory")
    row("the same, first search of a process", ours["word first"])
    row(
        "the same, before it is indexed",
        ours["word before"],
        least.get("rg word"),
        "ripgrep over a file" if "rg word" in least else "",
    )
    row("a part of a word that stands once", ours["part"])
    row("words that stand nowhere", ours["nothing"])
    row("a word that stands everywhere, first 10", ours["common"])
    row(
        f"a pattern, {size / MB / ours['regex cpu'] * 1_000:.0f} MB/s",
        ours["regex"],
        least["regex"],
        "RE2 over the bytes in memory",
    )
    row(
        f"the same of any case, {size / MB / ours['(?i) regex cpu'] * 1_000:.0f} MB/s",
        ours["(?i) regex"],
        least["(?i) regex"],
        "RE2",
    )
    row(f"keep all, {size / MB / ours['keep'] * 1_000:.0f} MB/s", ours["keep"])
    row(f"index all beside the work, with pauses, {size / MB / ours['index'] * 1_000:.0f} MB/s", ours["index"])


if __name__ == "__main__":
    main()
