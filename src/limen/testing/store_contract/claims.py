"""What every session store must do with claims: one turn at a time for each session, and none held by the dead."""

from limen.core.event import ReplyFinished, TurnStarted
from limen.core.exchange import Usage
from limen.core.message import Text
from limen.testing.store_contract.case import ROUTE, StoreCase, StoreCheck, fault_of, stored, together, two_handles


def finished(text: str) -> ReplyFinished:
    """A reply of that text."""
    return ReplyFinished((Text(text),), "end", Usage(), ROUTE)


async def a_claim_holds_until_it_is_given_back(case: StoreCase) -> None:
    """Its owner may renew it; nobody else may take it or give it back."""
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        assert await one.sessions.claim("s", "one", 10)
        assert await one.sessions.claim("s", "one", 10)
        assert not await other.sessions.claim("s", "two", 10)
        await other.sessions.release("s", "two")
        assert not await other.sessions.claim("s", "two", 10)
        await one.sessions.release("s", "one")
        assert await other.sessions.claim("s", "two", 10)
        assert not await one.sessions.claim("s", "one", 10)


async def a_claim_ends_with_its_time(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        assert await one.sessions.claim("s", "one", 10)
        case.now += 9
        assert not await other.sessions.claim("s", "two", 10)
        assert await one.sessions.claim("s", "one", 10)
        case.now += 9
        assert not await other.sessions.claim("s", "two", 10)
        case.now += 1
        assert await other.sessions.claim("s", "two", 10)
        assert not await one.sessions.claim("s", "one", 10)


async def claims_of_sessions_are_apart(case: StoreCase) -> None:
    """And there is none on a session that does not exist."""
    async with case.opened() as stores:
        for key in ("s", "t"):
            await stores.sessions.open(key)
        assert await stores.sessions.claim("s", "one", 10)
        assert await stores.sessions.claim("t", "two", 10)
        assert not await stores.sessions.claim("none", "one", 10)
        await stores.sessions.release("none", "one")
        await stores.sessions.delete("s")
        assert not await stores.sessions.claim("s", "one", 10)


async def of_many_who_claim_at_once_one_gets_it(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        await one.sessions.open("s")
        got: list[str] = []

        async def try_it(number: int) -> None:
            owner = f"owner {number}"
            if await (one, other)[number % 2].sessions.claim("s", owner, 10):
                got.append(owner)

        await together(*[lambda number=number: try_it(number) for number in range(20)])
        assert len(got) == 1


async def a_turn_begins_with_what_the_session_has(case: StoreCase) -> None:
    """The session is made when there is none; while another has it there is nothing to begin with."""
    async with two_handles(case) as (one, other):
        begun = await one.sessions.begin("s", "one", 10)
        assert begun is not None
        assert begun == (await one.sessions.get("s"), (1, 0), None)
        assert await other.sessions.begin("s", "two", 10) is None
        assert not await other.sessions.claim("s", "two", 10)
        await one.sessions.append("s", [stored(1)])
        await one.sessions.record("s", "t_1", [finished("First."), finished("Second."), TurnStarted("s", "t_1", ROUTE)])
        case.now += 10
        begun = await other.sessions.begin("s", "two", 10)
        assert begun is not None
        assert begun == (await one.sessions.get("s"), await one.sessions.next_numbers("s"), finished("Second."))
        assert not await one.sessions.claim("s", "one", 10)


async def of_many_who_begin_at_once_one_gets_the_session(case: StoreCase) -> None:
    async with two_handles(case) as (one, other):
        got: list[int] = []

        async def try_it(number: int) -> None:
            if await (one, other)[number % 2].sessions.begin("s", f"owner {number}", 10) is not None:
                got.append(number)

        await together(*[lambda number=number: try_it(number) for number in range(20)])
        assert len(got) == 1


async def a_turn_ends_with_its_events_and_its_claim(case: StoreCase) -> None:
    """Both or neither; what another has meanwhile stays theirs."""
    async with two_handles(case) as (one, other):
        await one.sessions.begin("s", "one", 10)
        await one.sessions.end("s", "one", "t_1", [TurnStarted("s", "t_1", ROUTE), finished("Done.")])
        assert [(event.seq, event.turn) for event in await other.sessions.events("s")] == [(1, "t_1"), (2, "t_1")]
        assert await other.sessions.claim("s", "two", 10)
        await one.sessions.end("s", "one", "t_2", [TurnStarted("s", "t_2", ROUTE)])
        assert not await one.sessions.claim("s", "one", 10)
        session = await one.sessions.get("s")
        assert session is not None
        assert session.turns == 2
        assert await fault_of(one.sessions.end("none", "one", "t_1", [])) == "store.no_session"


CLAIM_CHECKS: tuple[StoreCheck, ...] = (
    a_claim_holds_until_it_is_given_back,
    a_claim_ends_with_its_time,
    claims_of_sessions_are_apart,
    of_many_who_claim_at_once_one_gets_it,
    a_turn_begins_with_what_the_session_has,
    of_many_who_begin_at_once_one_gets_the_session,
    a_turn_ends_with_its_events_and_its_claim,
)
