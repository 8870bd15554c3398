"""A turn's own overhead: everything but the model, measured with one that answers at once.

    .venv/bin/python bench/turn.py

Prints CPU of import, construction and first turn in a fresh process beside the bare interpreter's; the median wall time of
later turns; and the same on a session that already holds 20,000 messages, as a ratio.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio

from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Text, digest
from limen.runtime import RuntimeOptions, open_runtime
from limen.store.ports import StoredBlock

TURNS = 40
MESSAGES = 20_000


def child_cpu_s(*arguments: str) -> float:
    """Median CPU seconds of a Python process over nine runs; one before them compiles its modules and does not count."""
    figures = []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if turn:
            figures.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(figures)


async def first_turn(home: Path) -> None:
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        await one_turn(runtime, "first")


async def one_turn(runtime, session: str) -> float:
    started = time.perf_counter()
    async with runtime.agent.turn("2 + 2?", session=session, tools=False) as turn:
        async for _ in turn:
            pass
    if turn.outcome.end.reason != "answered":
        raise SystemExit(str(turn.outcome.end))
    return time.perf_counter() - started


async def fill(runtime, session: str, messages: int) -> None:
    """Store a session of that many messages, as its turns would have."""
    await one_turn(runtime, session)
    entry_number, message_number = await runtime.sessions.next_numbers(session)
    batch = []
    for offset in range(messages):
        role = "assistant" if offset % 2 else "user"
        block = Text(f"message {offset} with a few words of its own")
        number = entry_number + offset
        entry = LedgerEntry(
            number,
            session,
            f"t_{offset // 2:012x}",
            role,
            digest(block),
            "user",
            "user",
            Trust.USER,
            None,
            40,
            40,
            10,
            Treatment(),
        )
        batch.append(StoredBlock(role, message_number + offset, block, (entry,)))
        if len(batch) == 500:
            await runtime.sessions.append(session, batch)
            batch = []
    if batch:
        await runtime.sessions.append(session, batch)


async def later_turns(home: Path) -> None:
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        await one_turn(runtime, "short")
        await fill(runtime, "long", MESSAGES)
        await one_turn(runtime, "long")
        short, long = [], []
        for number in range(TURNS):
            short.append(await one_turn(runtime, f"new-{number}"))
            long.append(await one_turn(runtime, "long"))
    short_ms, long_ms = statistics.median(short) * 1e3, statistics.median(long) * 1e3
    print(f"turn on a new session        {short_ms:6.2f} ms median of {TURNS}")
    print(f"turn on {MESSAGES:,} messages     {long_ms:6.2f} ms   ratio {long_ms / short_ms:.2f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["first"]:
            anyio.run(first_turn, Path(folder) / "home")
            return
        floor = child_cpu_s("-c", "pass")
        first = child_cpu_s(__file__, "first")
        print(f"interpreter                  {floor * 1e3:6.0f} ms CPU")
        print(f"import, wire, first turn     {first * 1e3:6.0f} ms CPU   ratio {first / floor:.1f}")
        anyio.run(partial(later_turns, Path(folder) / "home"))


if __name__ == "__main__":
    main()
