"""What every session store must do with conversations: what was given comes back as it was, in order, or not at all."""

from limen.core.event import Folded, TurnStarted
from limen.core.fault import StoreFault
from limen.core.message import Block, Image, Text, Thinking, ToolCall, ToolResult
from limen.store.ports import StoredBlock
from limen.testing.store_contract.case import (
    HARD_TEXTS,
    ROUTE,
    StoreCase,
    StoreCheck,
    fault_of,
    keep,
    run_turn,
    stored,
    texts_of,
    together,
    two_handles,
)

_BLOCKS: tuple[Block, ...] = (
    *(Text(text) for text in HARD_TEXTS),
    Thinking("because", "signature", "vendor/model"),
    Image("image/png", bytes(range(256)), "a picture"),
    ToolCall("call_1", "find", '{"pattern": "half'),
    ToolResult("call_1", (Text("a"), Image("image/gif", b"\0"), Text("\udcff")), is_error=True, evidence_id="ev_0"),
)
# More than any page, row or packet of a database is likely to hold.
_HUGE_CHARS = 20_000_000


async def opening_twice_is_one_session(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        first = await one.sessions.open("s", parent="p", forked_at=3)
        case.now += 10
        assert await other.sessions.open("s") == first
        assert (first.parent, first.forked_at, first.created_at, first.turns, first.blocks) == ("p", 3, case.now - 10, 0, 0)
        assert await one.sessions.get("S") is None
        assert await one.sessions.get("s") == first
        assert [session.key for session in await one.sessions.list()] == ["s"]


async def any_block_comes_back_as_it_was(case: StoreCase) -> None:
    """Also to another handle, and when the store is opened anew."""
    async with case.opened() as stores:
        await stores.sessions.open("s")
        blocks: list[StoredBlock] = []
        for block in _BLOCKS:
            number, message = await stores.sessions.next_numbers("s")
            blocks.append(stored(number, block=block, message=message))
            await stores.sessions.append("s", blocks[-1:])
        assert await stores.sessions.blocks("s") == blocks
    async with case.opened() as stores:
        assert await stores.sessions.blocks("s") == blocks
        assert await stores.sessions.ledger("s") == [entry for block in blocks for entry in block.entries]


async def a_huge_block_comes_back_whole(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.sessions.open("s")
        text = "0123456789" * (_HUGE_CHARS // 10)
        await stores.sessions.append("s", [stored(1, text), stored(2, "small")])
        assert texts_of(await stores.sessions.blocks("s")) == [text, "small"]


async def numbers_follow_one_another_or_nothing_is_kept(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.append("s", [stored(1), stored(2)])
        for wrong in ([stored(2)], [stored(4)], [stored(3), stored(5)], [stored(3), stored(3)]):
            assert await fault_of(sessions.append("s", wrong)) == "store.conflict"
        assert await sessions.next_numbers("s") == (3, 2)
        assert len(await sessions.blocks("s")) == 2
        assert (await sessions.open("s")).blocks == 2
        await sessions.append("s", [])
        assert await sessions.next_numbers("s") == (3, 2)


async def of_writers_at_once_each_batch_is_whole(case: StoreCase) -> None:
    """Two handles append to one session: one of two same numbers is refused, and what is stored has no gap and no mixture."""
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")

        async def write(name: str, stores_at: int) -> None:
            sessions = (one, other)[stores_at].sessions
            done = 0
            while done < 10:
                number, _ = await sessions.next_numbers("s")
                turn = f"t_{name}{done:06}"
                try:
                    await sessions.append("s", [stored(number + at, f"{name} {done}", turn=turn) for at in range(3)])
                except StoreFault as fault:
                    assert fault.code == "store.conflict", fault  # noqa: PT017 - the only fault that may be
                else:
                    done += 1

        await together(lambda: write("a", 0), lambda: write("b", 1))
        blocks = await one.sessions.blocks("s")
        assert [block.first for block in blocks] == list(range(1, 61))
        for start in range(0, 60, 3):
            assert len({block.entries[0].turn for block in blocks[start : start + 3]}) == 1


async def an_unknown_session_is_named(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        for call in (
            sessions.append("no", [stored(1)]),
            sessions.rename("no", "x"),
            sessions.set_route("no", "x"),
            sessions.delete("no"),
            sessions.record("no", "t", []),
            sessions.note_source("no", "https://a", "A", ref="", read=False),
        ):
            assert await fault_of(call) == "store.no_session"
        assert await sessions.get("no") is None
        assert await sessions.next_numbers("no") == (1, 0)
        assert list(await sessions.blocks("no")) == []
        assert list(await sessions.ledger("no")) == []


async def only_messages_are_recent_and_only_the_prompt_is_the_prompt(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        prompt = [stored(1, "who", place="stable", message=-1), stored(2, "{}", place="tools", message=-1)]
        summary = stored(4, "folded", place="summary", message=-1)
        await sessions.append("s", [*prompt, stored(3, message=0), summary, stored(5, message=1), stored(6, message=1)])
        assert await sessions.prompt("s") == prompt
        assert [block.first for block in await sessions.recent("s", budget_tokens=100)] == [3, 5, 6]
        assert [block.first for block in await sessions.recent("s", budget_tokens=29)] == [5, 6]
        assert [block.first for block in await sessions.recent("s", budget_tokens=19)] == []
        assert [block.first for block in await sessions.recent("s", budget_tokens=100, after=3)] == [5, 6]
        assert [block.first for block in await sessions.recent("s", budget_tokens=0, head=1)] == [3]
        assert [block.first for block in await sessions.recent("s", budget_tokens=100, limit=2)] == [5, 6]
        assert [block.first for block in await sessions.blocks("s", after=1, until=5)] == [2, 3, 4]
        assert [block.first for block in await sessions.blocks("s", after=2, limit=2)] == [3, 4]


async def events_are_numbered_on(case: StoreCase) -> None:
    """In order, each once; the latest of a kind is found, and turns are counted by their starts."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.record("s", "t_1", [TurnStarted("s", "t_1", ROUTE), Folded(1, 2, 3, 1, 1, 4)])
        case.now += 1
        await sessions.record("s", "t_2", [TurnStarted("s", "t_2", ROUTE), Folded(1, 5, 6, 2, 2, 7, "\udcff \0")])
        await sessions.record("s", "t_2", [])
        assert [(event.seq, event.turn) for event in await sessions.events("s")] == [
            (1, "t_1"),
            (2, "t_1"),
            (3, "t_2"),
            (4, "t_2"),
        ]
        assert [event.seq for event in await sessions.events("s", turn="t_2", after=3)] == [4]
        assert [event.seq for event in await sessions.events("s", after=1, limit=2)] == [2, 3]
        assert [event.at for event in await sessions.events("s", after=2)] == [case.now] * 2
        assert await sessions.latest_event("s", "folded") == Folded(1, 5, 6, 2, 2, 7, "\udcff \0")
        assert await sessions.latest_event("s", "notice") is None
        session = await sessions.get("s")
        assert session is not None
        assert (session.turns, session.updated_at) == (2, case.now)


async def sessions_are_listed_by_their_latest_change(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        for key in ("a", "b", "c"):
            case.now += 1
            await sessions.open(key)
        case.now += 1
        await run_turn(sessions, "a", "t_aaaaaa", "later")
        assert [session.key for session in await sessions.list()] == ["a", "c", "b"]
        assert [session.key for session in await sessions.list(limit=2)] == ["a", "c"]
        await sessions.rename("b", "a title 世界")
        await sessions.set_route("b", "vendor/model")
        session = await sessions.get("b")
        assert session is not None
        assert (session.title, session.route) == ("a title 世界", "vendor/model")


async def sources_keep_their_numbers(case: StoreCase) -> None:
    """From one, without gaps, however many ask at once; read once stays read, and a title once known stays."""
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")

        async def note(number: int) -> None:
            sessions = (one, other)[number % 2].sessions
            await sessions.note_source("s", f"https://{number % 5}", f"title {number % 5}", ref="", read=number > 4)

        await together(*[lambda number=number: note(number) for number in range(20)])
        sources = await other.sessions.sources("s")
        assert [source.n for source in sources] == [1, 2, 3, 4, 5]
        assert all(source.read for source in sources)
        first = await one.sessions.note_source("s", sources[0].url, "", ref="lib:1", read=False)
        assert (first.n, first.title, first.ref, first.read) == (1, sources[0].title, "lib:1", True)
        again = await one.sessions.note_source("s", sources[0].url, "", ref="", read=False)
        assert again == first


async def a_turn_is_found_by_its_beginning_when_that_is_enough(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.append("s", [stored(1, turn="t_abc111"), stored(2, turn="t_abc222")])
        for turn, session in {"t_abc1": "s", "t_abc111": "s", "t_abc": None, "": None, "t_zzzzzz": None, "t_abc%": None}.items():
            assert await sessions.find_turn(turn) == session, turn
        await sessions.append("s", [stored(3, turn="t_abc111x")])
        assert await sessions.find_turn("t_abc111") == "s"
        assert await sessions.find_turn("t_abc1") is None
        assert [entry.n for entry in await sessions.ledger("s", turn="t_abc222")] == [2]
        assert [entry.n for entry in await sessions.ledger("s", turn="t_abc")] == []


async def deleting_forgets_everything(case: StoreCase) -> None:
    """Blocks, ledger, events, sources, words, the claim, and what evidence no other session holds; the other keeps its own."""
    async with two_handles(case) as (one, other):
        for key in ("gone", "kept"):
            await one.sessions.open(key)
            await run_turn(one.sessions, key, f"t_{key}aaaa", *[f"kettle {key} {number}" for number in range(450)])
            await one.sessions.note_source(key, "https://a", "A", ref="", read=True)
            await keep(one, f"of {key} alone", key)
        shared = await keep(one, "shared", "gone")
        assert await keep(one, "shared", "kept") == shared
        await one.sessions.claim("gone", "owner", 1_000)
        await one.sessions.delete("gone")
        for sessions in (one.sessions, other.sessions):
            assert await sessions.get("gone") is None
            assert not await sessions.blocks("gone")
            assert not await sessions.events("gone")
            assert not await sessions.sources("gone")
            assert not await sessions.ledger("gone")
            assert await sessions.find_turn("t_goneaaaa") is None
            assert {found.session for found in await sessions.search("kettle", limit=2_000)} == {"kept"}
            assert len(await sessions.search("kettle", limit=2_000)) == 450
        assert [evidence.session for evidence in await one.evidence.list()] == ["kept", "kept"]
        assert await one.evidence.get(shared) is not None
        assert await fault_of(one.sessions.delete("gone")) == "store.no_session"
        assert await one.sessions.sweep() == 0
        fresh = await other.sessions.open("gone")
        assert (fresh.blocks, fresh.turns, await other.sessions.next_numbers("gone")) == (0, 0, (1, 0))
        assert await other.sessions.claim("gone", "another", 10)


async def others_write_while_a_session_goes(case: StoreCase) -> None:
    """And of two who delete it at once, one is told that it is not there."""
    async with two_handles(case) as (one, other):
        for key in ("gone", "kept"):
            await one.sessions.open(key)
        await run_turn(one.sessions, "gone", "t_aaaaaa", *[f"word{number} and more" for number in range(2_000)])
        codes: list[str] = []

        async def delete(stores_at: int) -> None:
            try:
                await (one, other)[stores_at].sessions.delete("gone")
            except StoreFault as fault:
                codes.append(fault.code)

        async def write() -> None:
            for turn in range(20):
                await run_turn(other.sessions, "kept", f"t_{turn:06}", "kept")

        await together(lambda: delete(0), lambda: delete(1), write)
        assert codes == ["store.no_session"]
        assert len(await one.sessions.blocks("kept")) == 20
        assert list(await one.sessions.blocks("gone")) == []


SESSION_CHECKS: tuple[StoreCheck, ...] = (
    opening_twice_is_one_session,
    any_block_comes_back_as_it_was,
    a_huge_block_comes_back_whole,
    numbers_follow_one_another_or_nothing_is_kept,
    of_writers_at_once_each_batch_is_whole,
    an_unknown_session_is_named,
    only_messages_are_recent_and_only_the_prompt_is_the_prompt,
    events_are_numbered_on,
    sessions_are_listed_by_their_latest_change,
    sources_keep_their_numbers,
    a_turn_is_found_by_its_beginning_when_that_is_enough,
    deleting_forgets_everything,
    others_write_while_a_session_goes,
)
