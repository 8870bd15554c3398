"""Sessions: what was appended comes back, what belongs together stays together."""

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store.sqlite.rig import database, stored

from limen.core.event import Folded, TurnStarted
from limen.core.fault import StoreFault
from limen.core.message import Image, Text, Thinking, ToolCall, ToolResult
from limen.core.route import Route
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


async def test_opening_twice_is_one_session(sessions):
    first = await sessions.open("s", parent="p")
    assert first == await sessions.open("s")
    assert [session.key for session in await sessions.list()] == ["s"]


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


async def test_numbers_must_follow_one_another_and_nothing_is_kept_of_a_wrong_batch(sessions):
    await sessions.append("s", [stored(1), stored(2)])
    for wrong in ([stored(2)], [stored(4)], [stored(3), stored(5)]):
        with pytest.raises(StoreFault, match=r"store\.conflict"):
            await sessions.append("s", wrong)
    assert await sessions.next_numbers("s") == (3, 2)
    assert len(await sessions.blocks("s")) == 2


async def test_an_unknown_session_is_named(sessions):
    for call in (
        sessions.append("no", [stored(1)]),
        sessions.rename("no", "x"),
        sessions.delete("no"),
        sessions.record("no", "t", []),
        sessions.note_source("no", "https://a", "A", ref="", read=False),
    ):
        with pytest.raises(StoreFault, match=r"store\.no_session"):
            await call
    assert await sessions.get("no") is None
    assert await sessions.next_numbers("no") == (1, 0)


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


async def test_only_messages_are_recent_and_only_the_prompt_is_the_prompt(sessions):
    prompt = [stored(1, "who", place="stable", message=-1), stored(2, "{}", place="tools", message=-1)]
    summary = stored(4, "folded", place="summary", message=-1)
    await sessions.append("s", [*prompt, stored(3, message=0), summary, stored(5, message=1)])
    assert await sessions.prompt("s") == prompt
    assert [block.first for block in await sessions.recent("s", budget_tokens=100)] == [3, 5]
    assert [block.first for block in await sessions.recent("s", budget_tokens=100, after=3)] == [5]
    assert [block.first for block in await sessions.blocks("s", after=1, until=5)] == [2, 3, 4]


async def test_events_are_numbered_on_and_the_latest_of_a_kind_is_found(sessions):
    route = Route("test", "embedded", "m")
    await sessions.record("s", "t_1", [TurnStarted("s", "t_1", route), Folded(1, 2, 3, 1, 1, 4)])
    await sessions.record("s", "t_2", [TurnStarted("s", "t_2", route), Folded(1, 5, 6, 2, 2, 7)])
    assert [event.seq for event in await sessions.events("s")] == [1, 2, 3, 4]
    assert [event.seq for event in await sessions.events("s", turn="t_2", after=3)] == [4]
    assert (await sessions.latest_event("s", "folded")).last == 5
    assert await sessions.latest_event("s", "notice") is None
    assert (await sessions.get("s")).turns == 2


@pytest.mark.parametrize("words", ['"', "a OR (", "NEAR(x", "*", "-x", "col:umn", "\0", "%_", "", "   ", "日本", "é"])
async def test_whatever_a_person_types_is_words(sessions, words):
    await sessions.append("s", [stored(1, "plain words here")])
    await sessions.search(words)


async def test_search_finds_what_was_said_with_the_words_around_it(sessions):
    await sessions.append("s", [stored(1, "x " * 200 + "the Kettle boils" + " y" * 200), stored(2, "nothing")])
    await sessions.rename("s", "Tea")
    (found,) = await sessions.search("kettle BOILS")
    assert (found.session, found.title, found.n, found.role) == ("s", "Tea", 1, "user")
    assert "the Kettle boils" in found.snippet
    assert len(found.snippet) < 400


async def test_search_finds_beginnings_words_of_any_script_and_each_word_asked(sessions):
    texts = ["canceling tasks", "cancel a meeting", "今天天气很好我们去公园", "Äpfel und Birnen"]
    await sessions.append("s", [stored(number, text) for number, text in enumerate(texts, 1)])
    for words, numbers in {"cancel": [1, 2], "cancel task": [1], "天气": [3], "apfel": [4], "ca": [], "a": [2]}.items():
        assert sorted(found.n for found in await sessions.search(words)) == numbers, words
    assert len(await sessions.search("cancel", limit=1)) == 1
    assert await sessions.search("word " * 100_000) == []


async def test_undecodable_words_are_kept_as_they_are_in_blocks_and_marked_in_titles(sessions):
    await sessions.append("s", [stored(1, "kettle \udcff"), stored(2, "\ud83d\ude00 pair")])
    await sessions.rename("s", "a\udcff")
    await sessions.note_source("s", "https://a/\udcff", "t\udcff", ref="\udcff", read=True)
    assert [block.block.text for block in await sessions.blocks("s")] == ["kettle \udcff", "\ud83d\ude00 pair"]
    assert [found.title for found in await sessions.search("kettle\udcff")] == ["a?"]
    assert [source.url for source in await sessions.sources("s")] == ["https://a/?"]
    with pytest.raises(StoreFault, match=r"store\.text"):
        await sessions.get("\udcff")
    with pytest.raises(StoreFault, match=r"store\.text"):
        await sessions.open("\udcff")


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


async def test_sources_are_numbered_from_one_without_gaps_however_many_ask_at_once(sessions):
    async def note(number):
        await sessions.note_source("s", f"https://{number % 5}", f"title {number % 5}", ref="", read=number > 4)

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(note, number)
    sources = await sessions.sources("s")
    assert [source.n for source in sources] == [1, 2, 3, 4, 5]
    assert all(source.read for source in sources)


async def test_a_source_once_read_stays_read_and_keeps_its_title(sessions):
    await sessions.note_source("s", "u", "Title", ref="lib:1", read=True)
    source = await sessions.note_source("s", "u", "", ref="", read=False)
    assert (source.n, source.title, source.ref, source.read) == (1, "Title", "lib:1", True)


async def test_a_turn_is_found_by_its_beginning_when_that_is_enough(sessions):
    await sessions.append("s", [stored(1, turn="t_abc111"), stored(2, turn="t_abc222")])
    assert await sessions.find_turn("t_abc1") == "s"
    assert await sessions.find_turn("t_abc111") == "s"
    assert await sessions.find_turn("t_abc") is None
    assert await sessions.find_turn("t_") is None
    assert await sessions.find_turn("t_zzzzzz") is None
    assert await sessions.find_turn("t_abc%") is None
    await sessions.append("s", [stored(3, turn="t_abc111x")])
    assert await sessions.find_turn("t_abc111") == "s"


async def test_a_turn_that_forks_share_belongs_to_the_session_that_had_it_first(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        for key in ("origin", "a_fork"):
            await sessions.open(key)
            await sessions.append(key, [stored(1, turn="t_abc111", session=key)])
        assert await sessions.find_turn("t_abc1") == "origin"


async def test_the_ledger_of_a_turn_is_found_by_the_turn_and_holds_its_session_alone(tmp_path):
    async with database(tmp_path / "limen.db") as opened:
        sessions = SqliteSessions(opened)
        for key in ("s", "fork"):
            await sessions.open(key)
            await sessions.append(key, [stored(1, turn="t_abc111", session=key), stored(2, turn="t_abc222", session=key)])
        assert [(entry.session, entry.n) for entry in await sessions.ledger("s", turn="t_abc222")] == [("s", 2)]
        assert [entry.n for entry in await sessions.ledger("fork")] == [1, 2]
