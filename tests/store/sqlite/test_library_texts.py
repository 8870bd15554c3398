"""What the store keeps in memory of its texts is always what the database has."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.store.library import AskedWord, LibraryRecord, LibrarySection
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore

pytestmark = pytest.mark.anyio

NAMES = st.sampled_from(["a", "b", "c"])
# A document to put, with how many sections, or to drop (none).
STEPS = st.lists(st.tuples(NAMES, st.integers(0, 3)), min_size=1, max_size=12)


def record(name: str, count: int, step: int) -> LibraryRecord:
    texts = [f"pump {name} {step} {number}" for number in range(count)]
    sections = tuple(LibrarySection("", "", line, text) for line, text in enumerate(texts, 1))
    return LibraryRecord(f"/d/{name}", "", "text/plain", "\n".join(texts), f"{step}", (step, 1), "/d", sections)


async def found(store: SqliteLibraryStore) -> list[tuple[str, str, float]]:
    hits = (await store.query("default", [AskedWord("pump")], limit=20)).hits
    return sorted((hit.document.origin, hit.text, round(hit.standing, 6)) for hit in hits)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_a_store_that_saw_each_change_finds_what_a_new_one_finds(steps: list[tuple[str, int]], tmp_path: Path) -> None:
    path = tmp_path / "limen.db"
    path.unlink(missing_ok=True)
    database = await Database.open(path)
    try:
        store = SqliteLibraryStore(database)
        for at, (name, count) in enumerate(steps):
            if count:
                await store.put("default", [record(name, count, at)])
            else:
                await store.drop("default", [f"/d/{name}"])
            assert await found(store) == await found(SqliteLibraryStore(database))
    finally:
        await database.close()
