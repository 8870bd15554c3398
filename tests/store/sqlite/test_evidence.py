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


async def test_an_id_is_twelve_digits_of_the_texts_hash_and_the_same_text_is_one_row(evidence):
    first, second = await keep(evidence, "same"), await keep(evidence, "same")
    other = await keep(evidence, "same", session="other")
    assert first.id == second.id == other.id
    assert len(first.id) == len("ev_") + 12
    assert len(await evidence.list()) == 2


async def test_lines_are_those_of_the_original(evidence):
    kept = await keep(evidence, "\n".join(f"line {number}" for number in range(1, 101)))
    excerpt = await evidence.show(kept.id, 99, 500)
    assert (excerpt.start, excerpt.end, excerpt.total_lines, excerpt.text) == (99, 100, 100, "line 99\nline 100")
    assert (await evidence.show(kept.id, 0, 1)).text == "line 1"
    assert await evidence.show("ev_none", 1, None) is None


async def test_a_phrase_is_found_whatever_its_case_and_spacing(evidence):
    kept = await keep(evidence, "first\nThe  Kettle BOILS\nlast")
    (match,) = await evidence.find("kettle boils", evidence_id=None, session="s", limit=5)
    assert (match.id, match.line, match.text) == (kept.id, 2, "The  Kettle BOILS")
    assert await evidence.find("kettle", evidence_id=None, session="other", limit=5) == []
    assert await evidence.find("  ", evidence_id=kept.id, session=None, limit=5) == []


async def test_where_a_text_came_from_need_not_be_text(evidence):
    kept = await evidence.keep("x", session="s", tool="t", source="/tmp/\udcff", media_type="text/plain")
    assert (await evidence.get(kept.id)).source == "/tmp/?"


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


async def test_a_line_without_end_and_bytes_that_do_not_shrink_are_kept(evidence):
    for text in ("x" * 5_000_000, random.Random(1).randbytes(100_000).hex(), "", "\n", "a\r\nb\n", "\0"):
        kept = await keep(evidence, text)
        assert (await evidence.show(kept.id, 1, None)).text == text


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


async def test_the_last_lines_of_a_text_of_many_pieces(evidence):
    kept = await keep(evidence, "\n".join(f"line {number}" for number in range(1, 200_001)))
    assert (await evidence.show(kept.id, 199_999, None)).text == "line 199999\nline 200000"
    assert (await evidence.show(kept.id, 100_000, 100_000)).text == "line 100000"


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


async def test_purging_drops_the_old_then_the_oldest_until_it_fits(tmp_path):
    now = [1_000.0]
    async with database(tmp_path / "limen.db") as opened:
        evidence = SqliteEvidence(opened, clock=lambda: now[0])
        for number in range(5):
            await keep(evidence, f"{number}" * 10)
            now[0] += 100
        assert await evidence.purge(older_than_s=450, keep_bytes=10_000) == 1
        left = await evidence.list()
        sizes = await opened.read(lambda connection: [row[0] for row in connection.execute("SELECT bytes FROM evidence_texts")])
        assert await evidence.purge(older_than_s=1e9, keep_bytes=sum(sizes) // 2) == 2
        assert [one.id for one in await evidence.list()] == [one.id for one in left[:2]]
