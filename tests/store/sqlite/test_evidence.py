"""Evidence: whole texts, one row each, by line and by phrase."""

import hashlib
import random
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.sqlite.rig import database

from limen.core.fault import StoreFault
from limen.kit.line_search import phrase_pattern, regex_pattern
from limen.store.sqlite.connection import connect
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.forgetting import forget_unheld
from limen.store.sqlite.migrate import scripts, statements

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
            for table in ("evidence_texts", "evidence_links", "evidence_blocks"):
                column = "text" if table == "evidence_blocks" else "id"
                connection.execute(f"UPDATE {table} SET {column} = ?", (f"ev_{digest[:12]}",))

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


@pytest.mark.parametrize("damage", ["substr(body, 1, 20)", "x'00ff'", "substr(body, 1, length(body) - 1) || x'00'"])
async def test_a_damaged_text_is_a_fault(tmp_path, damage):
    async with database(tmp_path / "limen.db") as opened:
        evidence = SqliteEvidence(opened)
        kept = await keep(evidence, "line\n" * 1_000)
        await opened.write(lambda connection: connection.execute(f"UPDATE evidence_blocks SET body = CAST({damage} AS BLOB)"))
        with pytest.raises(StoreFault, match=rf"store\.unreadable.*{kept.id}"):
            await evidence.find("line", evidence_id=kept.id, session=None, limit=1)
        with pytest.raises(StoreFault, match=r"store\.unreadable"):
            await evidence.show(kept.id, 1, None)


SMALL = 16
HARD = st.lists(st.text(st.sampled_from("abSsß K\u212aé_-\n\n1"), max_size=60), min_size=1, max_size=6).map("".join)
PHRASES = st.text(st.sampled_from("abSß K\u212aé_1"), min_size=1, max_size=4).filter(str.strip)


async def found(store, phrase, **within):
    within = {"evidence_id": None, "session": None, "limit": 1_000} | within
    return [(match.id, match.line, match.text) for match in await store.find(phrase, **within)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HARD, st.integers(1, 40), st.integers(0, 8), st.integers(1, 40))
async def test_lines_across_blocks_are_those_of_the_whole(evidence, text, start, more, block_bytes):
    store = SqliteEvidence(evidence._database, block_bytes=max(block_bytes, 4))
    kept = await keep(store, text)
    whole = text.split("\n")
    assert (await store.show(kept.id, 1, None)).text == text
    assert (await store.show(kept.id, start, start + more)).text == "\n".join(whole[start - 1 : start + more])
    for pattern in ("^$", "s", "a.*b$"):
        matches = await store.search(regex_pattern(pattern), evidence_id=kept.id, session=None, limit=1_000, around=1)
        assert [match.line for match in matches] == [line.number for line in regex_pattern(pattern).lines(text.encode())]
        for match in matches:
            at = match.line - 1
            assert (*match.before, match.text, *match.after) == tuple(whole[max(at - 1, 0) : at + 2])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(HARD, min_size=1, max_size=4), PHRASES)
async def test_the_index_finds_what_looking_through_finds(tmp_path_factory, texts, phrase):
    async with database(tmp_path_factory.mktemp("home") / "limen.db") as opened:
        store = SqliteEvidence(opened, block_bytes=SMALL)
        expected = set()
        for number, text in enumerate(texts):
            whole = f"{text}\n{number}"
            kept = await keep(store, whole)
            lines, hits = whole.split("\n"), phrase_pattern(phrase).lines(whole.encode())
            expected |= {(kept.id, hit.number, lines[hit.number - 1]) for hit in hits}
            if number % 2:  # what is kept later is found beside what stands in the index
                await store.index()
        assert set(await found(store, phrase)) == expected
        await store.index()
        assert set(await found(store, phrase)) == expected
        assert await store.index() == 0


@pytest.mark.parametrize("word", ["x" * 40_000 + "needle" + "y" * 40_000, "ß" * 30_000 + "needle"])
async def test_words_without_end_are_found_inside(evidence, word):
    await keep(evidence, f"first\n{word}\nlast")
    await keep(evidence, "nothing")
    await evidence.index()
    ((_, line, text),) = await found(evidence, "NEEDLE")
    assert (line, text) == (2, word)


async def test_an_index_of_many_words_is_no_hindrance(evidence):
    """A part of more words than a query could name."""
    await keep(evidence, "\n".join(f"word{number}" for number in range(30_000)))
    await evidence.index()
    assert len(await found(evidence, "ord", limit=50)) == 50
    assert [line for _, line, _ in await found(evidence, "d29999")] == [30_000]
    assert await found(evidence, "word30000") == []


async def test_random_letters_make_no_large_index_and_are_found(evidence):
    chance = random.Random(1)
    lines = [chance.randbytes(20).hex() for _ in range(50_000)]
    kept = await keep(evidence, "\n".join(lines))
    await evidence.index()
    (room,) = await evidence._database.read(
        lambda connection: connection.execute("SELECT SUM(LENGTH(block)) FROM evidence_words_data").fetchone()
    )
    assert room < kept.stored_bytes / 10
    assert await found(evidence, lines[30_000][5:30]) == [(kept.id, 30_001, lines[30_000])]


async def test_what_goes_leaves_no_word_in_the_index(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        store = SqliteEvidence(opened, block_bytes=SMALL)
        await keep(store, "\n".join(f"secretword {number}" for number in range(100)))
        await store.index()
        assert len(await found(store, "secretword")) == 100
        assert await store.purge(older_than_s=-1, keep_bytes=0) == 1
        assert await opened.read(
            lambda connection: connection.execute("SELECT COUNT(*) FROM evidence_vocabulary").fetchone()
        ) == (0,)
        assert await opened.read(lambda connection: connection.execute("SELECT COUNT(*) FROM evidence_blocks").fetchone()) == (0,)
        again = await keep(store, "secretword 1")
        await store.index()
        assert await found(store, "secretword") == [(again.id, 1, "secretword 1")]


async def test_a_text_kept_while_it_goes_is_whole(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        store = SqliteEvidence(opened, block_bytes=SMALL)
        text = "\n".join(f"line {number}" for number in range(200))
        first = await keep(store, text)
        await opened.write(lambda connection: connection.execute("DELETE FROM evidence_links"))
        assert await opened.write(forget_unheld) > 0
        assert await store.show(first.id, 1, None) is None
        again = await keep(store, text)
        assert (await store.show(again.id, 1, None)).text == text
        await opened.write_slices(forget_unheld)
        assert (await store.show(again.id, 1, None)).text == text


@pytest.mark.parametrize("packed", [0, 1])
async def test_texts_of_before_there_were_blocks_are_read(evidence, packed):
    text = "first\nThe Kettle boils\n\nlast\n"
    kept = await keep(evidence, text)
    data = zlib.compress(text.encode()) if packed else text.encode()

    def age(connection):
        connection.execute("DELETE FROM evidence_blocks")
        connection.execute("UPDATE evidence_texts SET packed = ?, text = ?", (packed, data))

    await evidence._database.write(age)
    await evidence.index()
    assert (await evidence.show(kept.id, 1, None)).text == text
    assert (await evidence.show(kept.id, 2, 4)).text == "The Kettle boils\n\nlast"
    assert (await evidence.show(kept.id, 5, 9)).text == ""
    assert await found(evidence, "kettle") == [(kept.id, 2, "The Kettle boils")]
    assert (await keep(evidence, text, session="z")).id == kept.id
    assert await evidence.purge(older_than_s=-1, keep_bytes=0) == 1


async def test_a_line_is_read_without_the_rest(evidence):
    """The other blocks are damaged, and nobody notices."""
    kept = await keep(evidence, "\n".join(f"line {number}" for number in range(1, 200_001)))

    def damage(connection):
        connection.execute("UPDATE evidence_blocks SET body = x'00' WHERE NOT (first <= 100000 AND last >= 100000)")

    await evidence._database.write(damage)
    assert (await evidence.show(kept.id, 100_000, 100_000)).text == "line 100000"
    with pytest.raises(StoreFault, match=r"store\.unreadable"):
        await evidence.show(kept.id, 1, 1)


async def test_a_home_of_before_there_were_blocks_is_read_on(tmp_path):
    path = tmp_path / "limen.db"
    path.touch(0o600)
    text = "first\nThe Kettle boils\nlast"
    old = connect(path)
    for number, script in scripts():
        if number <= 10:
            for statement in statements(script):
                old.execute(statement)
    old.execute("PRAGMA user_version=10")
    data, digest = zlib.compress(text.encode()), hashlib.sha256(text.encode()).hexdigest()
    old.execute(
        "INSERT INTO evidence_texts VALUES ('ev_000000000000', ?, ?, 3, ?, NULL, 1, ?)", (digest, len(text), len(data), data)
    )
    old.execute("INSERT INTO evidence_links VALUES ('s', 'ev_000000000000', 't', 'src', 'text/plain', 1.0)")
    old.close()
    async with database(path) as opened:
        store = SqliteEvidence(opened)
        assert (await store.show("ev_000000000000", 2, 3, session="s")).text == "The Kettle boils\nlast"
        assert await found(store, "kettle") == [("ev_000000000000", 2, "The Kettle boils")]
        new = await keep(store, "a kettle")
        await store.index()
        assert {match[0] for match in await found(store, "kettle")} == {"ev_000000000000", new.id}
        assert (await keep(store, text)).id == "ev_000000000000"
