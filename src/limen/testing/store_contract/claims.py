"""What every session store must do with claims: one turn at a time for each session, and none held by the dead."""

from limen.testing.store_contract.case import StoreCase, StoreCheck, together, two_handles


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


CLAIM_CHECKS: tuple[StoreCheck, ...] = (
    a_claim_holds_until_it_is_given_back,
    a_claim_ends_with_its_time,
    claims_of_sessions_are_apart,
    of_many_who_claim_at_once_one_gets_it,
)
