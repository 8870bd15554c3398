"""Adds a folder in a process of its own: `python adding_process.py DATABASE FOLDER [kill-after N]`, for what a crash leaves."""

import os
import signal
import sys
from pathlib import Path

import anyio
from web.library.inline_reader import InlineReader, open_index


async def main() -> None:
    database, folder, *rest = sys.argv[1:]
    left = int(rest[0]) if rest else -1

    def before(_url: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_index(Path(database), InlineReader(before)) as index:
        report = await index.add([folder])
        sys.stdout.write(f"{report.added} {report.updated} {report.unchanged}")


if __name__ == "__main__":
    anyio.run(main)
