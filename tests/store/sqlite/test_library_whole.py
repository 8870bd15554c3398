"""The index of whole texts says what the sections say, whatever comes, changes and goes."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from limen.store.library import AskedWord, LibraryRecord, LibrarySection, Wanted
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.migrate import scripts, statements

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "limen.db")
    yield opened
    await opened.close()


def record(origin: str, *texts: str, title: str = "") -> LibraryRecord:
    sections = tuple(LibrarySection("", "", line, text) for line, text in enumerate(texts, 1))
    return LibraryRecord(origin, title, "text/html", "\n".join(texts), origin, (5, 5), "/d", sections)


async def holding(database: Database, word: str) -> int:
    query = "SELECT count(*) FROM library_whole WHERE library_whole MATCH ?"
    return await database.read(lambda connection: int(connection.execute(query, (word,)).fetchone()[0]))


async def test_it_holds_what_the_sections_hold_and_no_more(database: Database) -> None:
    store = SqliteLibraryStore(database)
    await store.put("default", [record("/d/a", "cats", "and dogs", title="Pets"), record("/d/b", "cats 猫")])
    assert [await holding(database, word) for word in ("cats", "pets", "dogs", "cat")] == [2, 1, 1, 0]
    first, second = (await store.indexed("default", ["/d/a"]))["/d/a"]
    await store.rewrite({second: "and birds"})
    assert [await holding(database, word) for word in ("cats", "dogs", "birds")] == [2, 0, 1]
    await store.rewrite({first: "", second: ""})
    assert [await holding(database, word) for word in ("cats", "birds")] == [1, 0]
    await store.put("default", [record("/d/b", "fish")])
    assert [await holding(database, word) for word in ("cats", "fish")] == [0, 1]
    await store.drop("default", ["/d/a", "/d/b"])
    assert [await holding(database, word) for word in ("pets", "fish")] == [0, 0]
    query = "SELECT count(*) FROM library_whole_docsize"
    assert await database.read(lambda connection: connection.execute(query).fetchone()) == (0,)


async def test_a_home_of_before_gets_it(tmp_path: Path) -> None:
    opened = await Database.open(tmp_path / "limen.db")
    await SqliteLibraryStore(opened).put("default", [record("/d/a", "cats"), record("/d/b", "dogs", title="Animals")])
    await opened.close()
    with closing(sqlite3.connect(tmp_path / "limen.db")) as connection, connection:
        connection.execute("DROP TABLE library_whole")
        for statement in statements(dict(scripts())[9]):
            connection.execute(statement)
    again = await Database.open(tmp_path / "limen.db")
    assert [await holding(again, word) for word in ("cats", "animals")] == [1, 1]
    hits = (await SqliteLibraryStore(again).query("default", [AskedWord("dogs")], Wanted(1))).hits
    assert [hit.document.origin for hit in hits] == ["/d/b"]
    await again.close()
