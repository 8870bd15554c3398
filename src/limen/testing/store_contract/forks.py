"""What every session store must do when a session is forked."""

from limen.core.event import Folded
from limen.testing.store_contract.case import (
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


async def a_fork_begins_with_all_that_was_said(case: StoreCase) -> None:
    """Prompt, messages, ledger numbers, events and sources are the parent's; both go on by themselves."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        prompt = [stored(1, "who", place="stable", message=-1), stored(2, "{}", place="tools", message=-1)]
        await sessions.append("s", prompt)
        await run_turn(sessions, "s", "t_aaaaaa", "question", "answer")
        await sessions.record("s", "t_aaaaaa", [Folded(1, 2, 3, 1, 1, 4)])
        await sessions.note_source("s", "https://a", "A", ref="lib:1", read=True)
        await sessions.rename("s", "Tea")
        await sessions.set_route("s", "test/m")
        case.now += 50
        fork = await sessions.fork("s", "f")
        assert (fork.key, fork.parent, fork.forked_at, fork.title, fork.route) == ("f", "s", 4, "Tea", "test/m")
        assert (fork.turns, fork.blocks, fork.created_at) == (1, 4, case.now)
        assert await sessions.get("f") == fork
        assert await sessions.prompt("f") == prompt
        assert await sessions.blocks("f") == await sessions.blocks("s")
        assert await sessions.ledger("f") == await sessions.ledger("s")
        assert await sessions.sources("f") == await sessions.sources("s")
        assert await sessions.latest_event("f", "folded") == Folded(1, 2, 3, 1, 1, 4)
        assert [event.event for event in await sessions.events("f")] == [event.event for event in await sessions.events("s")]
        assert await sessions.next_numbers("f") == await sessions.next_numbers("s")
        await run_turn(sessions, "f", "t_bbbbbb", "in the fork")
        await run_turn(sessions, "s", "t_cccccc", "in the parent", "twice")
        assert texts_of(await sessions.blocks("f", after=2)) == ["question", "answer", "in the fork"]
        assert texts_of(await sessions.blocks("s", after=2)) == ["question", "answer", "in the parent", "twice"]
        assert [event.seq for event in await sessions.events("f")] == [1, 2, 3, 4, 5]


async def a_fork_at_a_turn_ends_with_it(case: StoreCase) -> None:
    """Nothing that was said, folded or kept later is in it; the turn may be named by its beginning."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        early = await keep(stores, "early")
        await run_turn(sessions, "s", "t_aaaaaa", "one")
        case.now += 10
        await run_turn(sessions, "s", "t_bbbbbb", "two", "three")
        await sessions.record("s", "t_bbbbbb", [Folded(1, 1, 1, 1, 1, 4)])
        await keep(stores, "late")
        fork = await sessions.fork("s", "f", at_turn="t_aaaaaa")
        assert (fork.forked_at, fork.turns, fork.blocks) == (1, 1, 1)
        assert texts_of(await sessions.blocks("f")) == ["one"]
        assert await sessions.latest_event("f", "folded") is None
        assert [kept.id for kept in await stores.evidence.list(session="f")] == [early]
        await run_turn(sessions, "f", "t_dddddd", "another second")
        assert [event.seq for event in await sessions.events("f")] == [1, 2, 3, 4]
        assert (await sessions.fork("s", "g", at_turn="t_bbbb")).forked_at == 3


async def a_fork_of_a_fork_holds_both(case: StoreCase) -> None:
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await run_turn(sessions, "s", "t_aaaaaa", "one")
        await sessions.fork("s", "f")
        await run_turn(sessions, "f", "t_bbbbbb", "two")
        fork = await sessions.fork("f", "g")
        assert (fork.parent, fork.forked_at) == ("f", 2)
        assert texts_of(await sessions.blocks("g")) == ["one", "two"]
        assert (await sessions.fork("g", "h", at_turn="t_aaaaaa")).forked_at == 1


async def nothing_can_be_forked_wrongly(case: StoreCase) -> None:
    """No parent, a key that is taken, an unknown or ambiguous turn: each says so and leaves no session behind."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await sessions.open("taken")
        await run_turn(sessions, "s", "t_aaaaaa1", "one")
        await run_turn(sessions, "s", "t_aaaaaa2", "two")
        await run_turn(sessions, "taken", "t_cccccc", "elsewhere")
        assert await fault_of(sessions.fork("none", "f")) == "store.no_session"
        assert await fault_of(sessions.fork("s", "taken")) == "store.session_exists"
        assert await fault_of(sessions.fork("s", "s")) == "store.session_exists"
        for turn in ("t_aaaaaa", "t_zzzzzz", "t_cccccc", "t_", "", "%"):
            assert await fault_of(sessions.fork("s", "f", at_turn=turn)) == "store.no_turn", turn
        assert await sessions.get("f") is None
        assert texts_of(await sessions.blocks("taken")) == ["elsewhere"]


async def an_empty_session_can_be_forked(case: StoreCase) -> None:
    async with case.opened() as stores:
        await stores.sessions.open("s")
        fork = await stores.sessions.fork("s", "f")
        assert (fork.forked_at, fork.turns, fork.blocks) == (0, 0, 0)
        await run_turn(stores.sessions, "f", "t_aaaaaa", "first")


async def a_running_turn_is_left_out_of_a_fork(case: StoreCase) -> None:
    """Half a turn would be a conversation that nobody had. Once nobody claims the session, what it said belongs to it."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("s")
        await run_turn(sessions, "s", "t_aaaaaa", "one")
        assert await sessions.claim("s", "owner", 30)
        await run_turn(sessions, "s", "t_bbbbbb", "half", ends=False)
        fork = await sessions.fork("s", "f")
        assert texts_of(await sessions.blocks("f")) == ["one"]
        assert await sessions.next_numbers("f") == (fork.blocks + 1, 1)
        assert await fault_of(sessions.fork("s", "g", at_turn="t_bbbbbb")) == "store.turn_running"
        await sessions.release("s", "owner")
        await sessions.fork("s", "h")
        assert texts_of(await sessions.blocks("h")) == ["one", "half"]


async def what_a_fork_inherited_outlives_its_parent(case: StoreCase) -> None:
    """Messages, evidence and the words that a search finds them by; and the other way round."""
    for gone, left in (("s", "f"), ("f", "s")):
        async with case.opened() as stores:
            sessions = stores.sessions
            await sessions.open("s")
            shared = await keep(stores, f"whole of {gone}")
            await run_turn(sessions, "s", "t_aaaaaa", "the kettle boils")
            await sessions.fork("s", "f")
            own = await keep(stores, f"of {gone} alone", session=gone)
            await stores.evidence.index()
            await sessions.delete(gone)
            assert [match.id for match in await stores.evidence.find(f"of {gone}", evidence_id=None, session=None, limit=9)] == [
                shared
            ]
            assert texts_of(await sessions.blocks(left)) == ["the kettle boils"]
            assert [found.session for found in await sessions.search("kettle")] == [left]
            assert await sessions.find_turn("t_aaaaaa") == left
            assert await stores.evidence.show(shared, 1, None, session=left) is not None
            assert await stores.evidence.show(own, 1, None) is None
            await sessions.delete(left)
            assert await sessions.search("kettle") == []
            assert await stores.evidence.show(shared, 1, None) is None
            assert list(await stores.evidence.find(f"of {gone}", evidence_id=None, session=None, limit=9)) == []
            assert (await stores.evidence.account()).records == 0


async def what_forks_share_is_found_once(case: StoreCase) -> None:
    """A search gives a shared message in the session that had it first, and what only a fork said in the fork."""
    async with case.opened() as stores:
        sessions = stores.sessions
        await sessions.open("z")
        await run_turn(sessions, "z", "t_aaaaaa", "the kettle boils", "the kettle whistles")
        for key in ("a", "b"):
            await sessions.fork("z", key)
        await run_turn(sessions, "a", "t_bbbbbb", "the kettle is off")
        found = await sessions.search("kettle", limit=10)
        assert sorted((hit.session, hit.n) for hit in found) == [("a", 3), ("z", 1), ("z", 2)]
        assert await sessions.find_turn("t_aaaa") == "z"


async def of_two_forks_into_one_key_one_is_made(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        for key in ("s", "t"):
            await one.sessions.open(key)
            await run_turn(one.sessions, key, f"t_{key}aaaaa", f"said in {key}")
        outcomes: list[str] = []

        async def into_f(stores_of: int) -> None:
            sessions, key = ((one.sessions, "s"), (other.sessions, "t"))[stores_of]
            try:
                outcomes.append(str((await sessions.fork(key, "f")).parent))
            except Exception as error:  # noqa: BLE001 - compared below
                outcomes.append(getattr(error, "code", repr(error)))

        await together(lambda: into_f(0), lambda: into_f(1))
        (parent,) = set(outcomes) - {"store.session_exists"}
        assert len(outcomes) == 2
        assert texts_of(await one.sessions.blocks("f")) == [f"said in {parent}"]


FORK_CHECKS: tuple[StoreCheck, ...] = (
    a_fork_begins_with_all_that_was_said,
    a_fork_at_a_turn_ends_with_it,
    a_fork_of_a_fork_holds_both,
    nothing_can_be_forked_wrongly,
    an_empty_session_can_be_forked,
    a_running_turn_is_left_out_of_a_fork,
    what_a_fork_inherited_outlives_its_parent,
    what_forks_share_is_found_once,
    of_two_forks_into_one_key_one_is_made,
)
