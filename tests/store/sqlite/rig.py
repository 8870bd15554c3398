"""Blocks, entries and databases for the store's tests."""

from contextlib import asynccontextmanager
from pathlib import Path

from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Text, digest, leaves
from limen.store.ports import StoredBlock
from limen.store.sqlite.database import Database

TESTS = Path(__file__).parents[2]


@asynccontextmanager
async def database(path):
    opened = await Database.open(path)
    try:
        yield opened
    finally:
        await opened.close()


def no_more_pages(connection):
    """A write job after which the database is at its largest, as a quota makes one."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")


def stored(number, text="text", *, place="user", message=None, tokens=10, turn="t_000001", session="s", block=None):
    """A block whose ledger numbers begin at `number`."""
    block = Text(text) if block is None else block
    entries = tuple(
        LedgerEntry(
            number + offset, session, turn, place, digest(leaf), "user", "user", Trust.USER, None, 1, 1, tokens, Treatment()
        )
        for offset, leaf in enumerate(leaves(block))
    )
    return StoredBlock(place, number - 1 if message is None else message, block, entries)
