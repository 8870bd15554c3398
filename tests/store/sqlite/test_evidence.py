"""Evidence: whole texts, one row each, by line and by phrase."""

import hashlib
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.sqlite.rig import database

from limen.core.fault import StoreFault
from limen.store.sqlite.evidence import SqliteEvidence

pytestmark = pytest.mark.anyio


@pytest.fixture
async def evidence(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        yield SqliteEvidence(opened)


async def keep(store, text, session="s"):
    return await store.keep(text, session=session, tool="t", source="src", media_type="text/plain")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
async def test_any_text_comes_back_whole(evidence, text):
    kept = await keep(evidence, text)
    assert (await evidence.show(kept.id, 1, None)).text == text
    assert kept.chars == len(text)
    assert kept.lines == text.count("\n") + 1


async def test_texts_whose_hashes_begin_alike_get_longer_ids(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        evidence = SqliteEvidence(opened)
        first = await keep(evidence, "one")
        digest = hashlib.sha256(b"two").hexdigest()

        def rename(connection):
            connection.execute("PRAGMA defer_foreign_keys=ON")
            for table in ("evidence_texts", "evidence_links"):
                connection.execute(f"UPDATE {table} SET id = ?", (f"ev_{digest[:12]}",))

        await opened.write(rename)
        second = await keep(evidence, "two")
        assert second.id == f"ev_{digest[:13]}"
        assert (await keep(evidence, "two", session="other")).id == second.id
        assert (await evidence.show(second.id, 1, None)).text == "two"
        assert first.digest != second.digest


async def test_purging_gives_the_room_back(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        evidence = SqliteEvidence(opened)
        await keep(evidence, random.Random(2).randbytes(2_000_000).hex())
        assert await evidence.purge(older_than_s=1e9, keep_bytes=0) == 1
    assert (tmp_path / "limen.db").stat().st_size < 500_000


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=5), min_size=1, max_size=30), st.integers(-2, 40), st.none() | st.integers(-2, 40))
async def test_any_lines_are_those_of_the_whole(evidence, lines, start, end):
    text = "\n".join(lines) * 20
    kept = await keep(evidence, text)
    whole = text.split("\n")
    excerpt = await evidence.show(kept.id, start, end)
    assert excerpt.total_lines == len(whole)
    assert excerpt.text == "\n".join(whole[max(start, 1) - 1 : max(excerpt.end, 0)])


@pytest.mark.parametrize("damage", ["substr(text, 1, 20)", "x'00ff'", "substr(text, 1, length(text) - 1) || x'00'"])
async def test_a_damaged_text_is_a_fault(tmp_path, damage):
    async with database(tmp_path / "limen.db") as opened:
        evidence = SqliteEvidence(opened)
        kept = await keep(evidence, "line\n" * 1_000)
        await opened.write(lambda connection: connection.execute(f"UPDATE evidence_texts SET text = CAST({damage} AS BLOB)"))
        with pytest.raises(StoreFault, match=rf"store\.unreadable.*{kept.id}"):
            await evidence.find("line", evidence_id=kept.id, session=None, limit=1)
        with pytest.raises(StoreFault, match=r"store\.unreadable"):
            await evidence.show(kept.id, 1, None)
