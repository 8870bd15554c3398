"""What every spend store must do: nothing booked is lost, whoever books it, and days and routes stay apart."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

from limen.store.ports import SpendStore, Spent
from limen.testing.store_contract.case import HARD_TEXTS, together


class SpendCase(Protocol):
    """Stages one store for a check: empty at first, and the same store at each opening."""

    def opened(self) -> AbstractAsyncContextManager[SpendStore]:
        """A handle of its own on the store, as another process would have it."""
        ...


SpendCheck = Callable[[SpendCase], Awaitable[None]]

_BOOKINGS = 40


async def what_is_booked_adds_up(case: SpendCase) -> None:
    """By day and route; the answer is the whole day's, by all routes. It survives a restart."""
    async with case.opened() as one, case.opened() as other:
        assert list(await one.spent("")) == []
        assert await one.add(Spent("2026-11-30", "a/m", 1, 100, 40, 10, 0.25)) == 0.25
        assert await other.add(Spent("2026-11-30", "a/m", 2, 50, 0, 5, 0.5)) == 0.75
        assert await one.add(Spent("2026-11-30", "b/m", 1, 7, 0, 1, 1.0)) == 1.75
        assert await one.add(Spent("2026-12-01", "a/m", 1, 1, 0, 1, 0.125)) == 0.125
        assert await one.add(Spent("2026-12-01", "local/m", 1, 9, 0, 9, unpriced=1)) == 0.125
        assert await other.add(Spent("2026-12-01", "local/m", 2, 1, 0, 1, unpriced=1)) == 0.125
    async with case.opened() as later:
        assert list(await later.spent("2026-11-30")) == [
            Spent("2026-12-01", "a/m", 1, 1, 0, 1, 0.125),
            Spent("2026-12-01", "local/m", 3, 10, 0, 10, 0.0, 2),
            Spent("2026-11-30", "b/m", 1, 7, 0, 1, 1.0),
            Spent("2026-11-30", "a/m", 3, 150, 40, 15, 0.75),
        ]
        assert [row.route for row in await later.spent("2026-12-01")] == ["a/m", "local/m"]
        assert list(await later.spent("2026-12-02")) == []


async def bookings_at_once_are_all_there(case: SpendCase) -> None:
    async with case.opened() as one, case.opened() as other:
        sums: list[float] = []

        async def book(number: int) -> None:
            sums.append(await (one, other)[number % 2].add(Spent("2026-11-30", f"r/{number % 3}", 1, 10, 5, 2, 0.5)))

        await together(*(partial(book, number) for number in range(_BOOKINGS)))
        assert sorted(sums) == [0.5 * count for count in range(1, _BOOKINGS + 1)]
        rows = await one.spent("2026-11-30")
        assert sum(row.requests for row in rows) == _BOOKINGS
        assert sum(row.cost_usd for row in rows) == 0.5 * _BOOKINGS


async def any_text_may_be_a_route(case: SpendCase) -> None:
    """What cannot be stored to the letter is stored without harm."""
    async with case.opened() as store:
        for count, text in enumerate(HARD_TEXTS, 1):
            assert await store.add(Spent("2026-11-30", text, 1, cost_usd=1.0)) == count
        assert sum(row.requests for row in await store.spent("2026-11-30")) == len(HARD_TEXTS)


SPEND_CHECKS: tuple[SpendCheck, ...] = (
    what_is_booked_adds_up,
    bookings_at_once_are_all_there,
    any_text_may_be_a_route,
)
