"""Vectors in the store: how they are kept, and which are near."""

import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.store.library import LibraryRecord, LibrarySection, Near, Wanted
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.library_vectors import pack


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteLibraryStore]:
    opened = await Database.open(tmp_path / "limen.db")
    yield SqliteLibraryStore(opened, clock=lambda: 1_000.0)
    await opened.close()


def record(origin: str, text: str) -> LibraryRecord:
    return LibraryRecord(origin, "", "text/html", text, origin, (5, 5), "/d", (LibrarySection("", "", 1, text),))


async def nearest(store: SqliteLibraryStore, *vector: float, library: str = "default") -> list[tuple[str, float]]:
    hits = (await store.query(library, (), Wanted(5, near=Near("e", vector)))).hits
    return [(hit.document.origin, round(hit.nearness, 2)) for hit in hits]


@pytest.mark.anyio
async def test_sections_are_near_as_their_vectors_are(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "one"), record("/d/b", "two"), record("/d/c", "three")])
    lacking = await store.unembedded("default", "e", 10)
    assert sorted(lacking.values()) == ["one", "three", "two"]
    one, three, two = sorted(lacking, key=lacking.__getitem__)
    await store.embed("e", {one: [1.0, 0.1], two: [-1.0, -0.1], three: [0.1, 1.0], 10_000: [1.0, 1.0]})
    assert await store.unembedded("default", "e", 10) == {}
    assert await nearest(store, 1.0, 0.1) == [("/d/a", 1.0), ("/d/c", 0.2), ("/d/b", -1.0)]
    assert await nearest(store, 1.0, 0.1, 0.0) == []
    assert await nearest(store, 1.0, 0.1, library="other") == []
    await store.embed("e", {one: [0.0, 1.0]})
    assert (await nearest(store, 1.0, 0.1))[0] == ("/d/c", 0.2)


@pytest.mark.anyio
async def test_a_vector_goes_with_its_section_and_with_its_text(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a", "one"), record("/d/b", "two")])
    await store.embed("e", {number: [1.0, 1.0] for number in await store.unembedded("default", "e", 10)})
    await store.drop("default", ["/d/a"])
    assert [origin for origin, _ in await nearest(store, 1.0, 1.0)] == ["/d/b"]
    (section,) = (await store.indexed("default", ["/d/b"]))["/d/b"]
    await store.rewrite({section: "another two"})
    assert await nearest(store, 1.0, 1.0) == []
    assert list((await store.unembedded("default", "e", 10)).values()) == ["another two"]


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=50))
def test_any_vector_is_packed_a_byte_a_dimension(vector: list[float]) -> None:
    packed = pack(vector)
    assert len(packed) == len(vector)
    finite = [abs(value) for value in vector if math.isfinite(value)]
    if max(finite, default=0.0) > 1e-300:
        assert max(abs(byte - 256 if byte > 127 else byte) for byte in packed) == 127
