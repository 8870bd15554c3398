"""Many streams through one process at once: none lost, what each costs in memory.

    .venv/bin/python bench/streams.py [--streams 1000] [--words 20] [--traced]

A provider on loopback, in a process of its own, drips words that differ for each request; it goes on only when all streams are
open. First `Model.ask` with all its gates, then whole turns, each in a session of its own. Every reply must be complete and its
own. Memory is what the process gained from before the first request to its most, over the number of streams; `--traced` tells
in addition what of that are objects of Python, and is slow.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from loopback import Provider, provider, words_of

from limen.core.event import Event
from limen.core.exchange import ModelRequest
from limen.core.message import Message, Text, text_of
from limen.core.prompt import Prompt
from limen.runtime import Runtime, RuntimeOptions, open_runtime

Ask = Callable[[Runtime, str], Awaitable[str]]
PAGE_BYTES = resource.getpagesize()


def rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


class Most:
    """The most memory and descriptors of this process while its block runs."""

    def __init__(self) -> None:
        self.start_bytes = self.bytes = rss_bytes()
        self.start_files = self.files = open_files()

    async def watch(self) -> None:
        while True:
            self.bytes = max(self.bytes, rss_bytes())
            self.files = max(self.files, open_files())
            await anyio.sleep(0.1)


async def by_model(runtime: Runtime, text: str) -> str:
    route = await runtime.models.resolve(None)

    async def heard(event: Event) -> None:
        pass

    reply = await runtime.models.model.ask(ModelRequest(route, Prompt(), (Message("user", (Text(text),)),)), heard)
    return text_of(reply.blocks)


async def by_turn(runtime: Runtime, text: str) -> str:
    async with runtime.agent.turn(text, session=text) as turn:
        async for _ in turn:
            pass
    return turn.outcome.answer or str(turn.outcome.end)


async def one_run(served: Provider, ask: Ask, streams: int, words: int, traced: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        flags = {"model.route": f"{served.endpoint('drip')}#fake-model", "limits.time_s": "550"}
        async with open_runtime(RuntimeOptions(home=Path(home), flags=flags)) as runtime:
            served.clear(expect=1, words=words, pause_s=0)
            for number in range(3):
                await ask(runtime, f"warm{number}")
            served.clear(expect=streams, words=words, pause_s=0.5)
            await measured(runtime, served, ask, streams, words, traced)


async def measured(runtime: Runtime, served: Provider, ask: Ask, streams: int, words: int, traced: bool) -> None:
    wrong: list[str] = []
    most = Most()
    cpu_s, started = time.process_time(), time.perf_counter()
    if traced:
        tracemalloc.start()

    async def one(text: str) -> None:
        try:
            said = await ask(runtime, text)
        except Exception as error:  # noqa: BLE001 - a lost stream is what is counted
            said = repr(error)
        if said.strip() != "".join(words_of(text, words)).strip():
            wrong.append(said)

    async with anyio.create_task_group() as group:
        watcher = anyio.CancelScope()

        async def watch() -> None:
            with watcher:
                await most.watch()

        group.start_soon(watch)
        async with anyio.create_task_group() as asked:
            for number in range(streams):
                asked.start_soon(one, f"s{number}")
        watcher.cancel()
    took_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu_s
    print(f"| {ask.__name__[3:]:<6} | {streams} | {served.account()['peak']} | {len(wrong)} "
          f"| {(most.bytes - most.start_bytes) / streams / 1e3:.0f} | {most.files - most.start_files} "
          f"| {took_s:.1f} | {cpu_s:.1f} | {cpu_s / streams / words * 1e6:.0f} |", flush=True)  # fmt: skip
    if traced:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"objects of Python at the most: {peak / streams / 1e3:.0f} kB a stream")
    if wrong:
        print(f"the first that is wrong: {wrong[0][:300]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--traced", action="store_true")
    parser.add_argument("--only", choices=("model", "turn"))
    wishes = parser.parse_args()
    if wishes.only is None:  # each in a process of its own, so that neither has the other's memory at hand
        print("| through | streams | open at once | lost or wrong | kB a stream | files | s | CPU s | µs a word |")
        print("|" + "---|" * 9, flush=True)
        for only in ("model", "turn"):
            subprocess.run([sys.executable, *sys.argv, "--only", only], check=True)
        return
    ask = by_model if wishes.only == "model" else by_turn
    with provider() as served:
        anyio.run(one_run, served, ask, wishes.streams, wishes.words, wishes.traced)


if __name__ == "__main__":
    main()
