"""Sessions: what was appended comes back, what belongs together stays together."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.sqlite.rig import database, stored

from limen.core.fault import StoreFault
from limen.core.message import Image, Text, Thinking, ToolCall, ToolResult
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.sessions import SqliteSessions

pytestmark = pytest.mark.anyio
slow = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
texts = st.builds(Text, any_text)
images = st.builds(Image, st.just("image/png"), st.binary(max_size=20))
blocks = st.one_of(
    texts,
    images,
    st.builds(Thinking, any_text, st.none() | st.text(max_size=9)),
    st.builds(ToolCall, st.text(max_size=9), st.text(max_size=9), any_text),
    st.builds(ToolResult, st.text(max_size=9), st.lists(texts | images, min_size=1, max_size=3).map(tuple), st.booleans()),
)


@pytest.fixture
async def sessions(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        store = SqliteSessions(opened)
        await store.open("s")
        yield store


@slow
@given(block=blocks)
async def test_any_block_comes_back_as_it_was(tmp_path, block):
    async with database(tmp_path / f"{hash(block)}.db") as opened:
        store = SqliteSessions(opened)
        await store.open("s")
        number, _ = await store.next_numbers("s")
        await store.append("s", [stored(number, block=block)])
        assert (await store.blocks("s"))[-1].block == block
        await store.delete("s")


@slow
@given(
    sizes=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 30)), min_size=1, max_size=12),
    budget=st.integers(0, 200),
    head=st.integers(0, 3),
    limit=st.integers(1, 20),
)
async def test_recent_is_whole_messages_in_order_within_the_budget(tmp_path, sizes, budget, head, limit):
    async with database(tmp_path / f"{abs(hash(repr((sizes, budget, head, limit))))}.db") as opened:
        sessions = SqliteSessions(opened)
        await sessions.open("s")
        number, everything = 1, []
        for message, (count, tokens) in enumerate(sizes):
            for _ in range(count):
                everything.append(stored(number, message=message, tokens=tokens))
                number += 1
        await sessions.append("s", everything)
        got = await sessions.recent("s", budget_tokens=budget, head=head, limit=limit)
    begun = {block.message for block in everything[:head]}
    split = sum(block.message in begun for block in everything)
    first, tail = got[:split], got[split:]
    assert first == everything[:split]
    assert tail == (everything[len(everything) - len(tail) :] if tail else [])
    assert len(tail) <= limit
    assert sum(block.tokens for block in tail) <= max(budget - sum(block.tokens for block in first), 0)
    if tail and len(everything) - len(tail) > split:
        before = everything[len(everything) - len(tail) - 1]
        assert before.message != tail[0].message


async def test_a_damaged_block_is_a_fault_and_its_session_can_still_be_deleted(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        await sessions.open("s")
        await sessions.append("s", [stored(1, "kettle")])
        await opened.write(lambda connection: connection.execute("UPDATE blocks SET body = x'00'"))
        with pytest.raises(StoreFault, match=r"store\.unreadable"):
            await sessions.blocks("s")
        await sessions.delete("s")
        assert await sessions.list() == []
        assert await sessions.search("kettle") == []


async def test_deleting_forgets_everything_words_included(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        sessions, evidence = SqliteSessions(opened), SqliteEvidence(opened)
        for key in ("gone", "kept"):
            await sessions.open(key)
            await sessions.append(key, [stored(1, f"kettle {key}", session=key)])
            await sessions.note_source(key, "https://a", "A", ref="", read=True)
            await evidence.keep(f"text {key}", session=key, tool="t", source="", media_type="text/plain")
        await sessions.delete("gone")
        assert [found.session for found in await sessions.search("kettle")] == ["kept"]
        assert [one.session for one in await evidence.list()] == ["kept"]
        tables = ("blocks", "events", "sources")
        counts = await opened.read(
            lambda connection: [
                connection.execute(f"SELECT COUNT(*) FROM {t} WHERE session='gone'").fetchone()[0] for t in tables
            ]
        )
        assert counts == [0, 0, 0]
        await opened.write(
            lambda connection: connection.execute("INSERT INTO block_words (block_words) VALUES ('integrity-check')")
        )
