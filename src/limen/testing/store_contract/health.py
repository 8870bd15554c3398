"""What every health store must do: rests are shared and keep their end, one caller gets a trial, keys take turns."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

import msgspec

from limen.store.ports import HealthStore, Rest
from limen.testing.store_contract.case import HARD_TEXTS, together


class HealthCase(Protocol):
    """Stages one store for a check: empty at first, and the same store at each opening."""

    now: float
    """What the clock of every handle says, in Unix seconds. A check sets it."""

    def opened(self) -> AbstractAsyncContextManager[HealthStore]:
        """A handle of its own on the store, as another process would have it."""
        ...


HealthCheck = Callable[[HealthCase], Awaitable[None]]

_CALLERS, _KEYS, _USES = 20, ("key a", "key b", "key c"), 60
_TWO_WEEKS_S = 14 * 86_400.0


def _rest(case: HealthCase, subject: str, seconds: float = 60.0, *, failures: int = 1) -> Rest:
    return Rest(subject, "rate", f"{subject} is asked too often", case.now, case.now + seconds, True, failures)


async def a_rest_is_seen_by_all_and_survives_a_restart(case: HealthCase) -> None:
    """It keeps its end: of 60 seconds 10 remain when 50 have gone by, whoever looks."""
    async with case.opened() as one, case.opened() as other:
        assert list(await one.rests()) == []
        await one.rest(_rest(case, "route a/m"))
        assert list(await other.rests()) == list(await one.rests()) == [_rest(case, "route a/m")]
    case.now += 50
    async with case.opened() as later:
        (rest,) = await later.rests()
        assert rest.until - case.now == 10
        assert not await later.claim_trial("route a/m", case.now + 30)
        case.now += 10
        assert await later.claim_trial("route a/m", case.now + 30)


async def the_latest_failure_of_a_subject_counts(case: HealthCase) -> None:
    """And the latest failures come first, also those whose time is over."""
    async with case.opened() as store:
        await store.rest(_rest(case, "a", 1))
        case.now += 2
        await store.rest(_rest(case, "b"))
        case.now += 2
        await store.rest(_rest(case, "c"))
        assert [rest.subject for rest in await store.rests()] == ["c", "b", "a"]
        case.now += 2
        again = msgspec.structs.replace(_rest(case, "a", 5, failures=2), kind="billing", known=False)
        await store.rest(again)
        assert [rest.subject for rest in await store.rests()] == ["a", "c", "b"]
        assert (await store.rests())[0] == again


async def what_works_is_forgotten(case: HealthCase) -> None:
    async with case.opened() as one, case.opened() as other:
        assert not await one.works("a")
        await one.rest(_rest(case, "a"))
        await one.rest(_rest(case, "b"))
        assert await other.works("a")
        assert not await one.works("a")
        assert [rest.subject for rest in await one.rests()] == ["b"]
        assert await one.claim_trial("a", case.now + 30)


async def what_is_long_over_is_forgotten(case: HealthCase) -> None:
    """With the next failure, two weeks after its end."""
    async with case.opened() as store:
        await store.rest(_rest(case, "old", 10))
        await store.rest(_rest(case, "long", _TWO_WEEKS_S))
        case.now += _TWO_WEEKS_S + 9
        await store.rest(_rest(case, "a"))
        assert {rest.subject for rest in await store.rests()} == {"old", "long", "a"}
        case.now += 2
        await store.rest(_rest(case, "b"))
        assert {rest.subject for rest in await store.rests()} == {"long", "a", "b"}


async def a_trial_is_for_one(case: HealthCase) -> None:
    """While it lasts the subject rests on; when nobody came back with an answer, the next may try."""
    async with case.opened() as one, case.opened() as other:
        assert await one.claim_trial("unknown", case.now + 30)
        assert await other.claim_trial("unknown", case.now + 30)
        assert list(await one.rests()) == []
        await one.rest(_rest(case, "a", failures=3))
        assert not await one.claim_trial("a", case.now + 30)
        case.now += 60
        assert await one.claim_trial("a", case.now + 30)
        assert not await other.claim_trial("a", case.now + 30)
        (rest,) = await other.rests()
        assert (rest.until, rest.failures, rest.known) == (case.now + 30, 3, False)
        case.now += 30
        assert await other.claim_trial("a", case.now + 30)


async def of_many_who_want_a_trial_at_once_one_gets_it(case: HealthCase) -> None:
    async with case.opened() as one, case.opened() as other:
        await one.rest(_rest(case, "a"))
        case.now += 60
        got: list[bool] = []

        async def try_it(number: int) -> None:
            got.append(await (one, other)[number % 2].claim_trial("a", case.now + 30))

        await together(*(partial(try_it, number) for number in range(_CALLERS)))
        assert len(got) == _CALLERS
        assert sum(got) == 1


async def keys_take_turns(case: HealthCase) -> None:
    """The one used least, of several the first that was named; a new one starts level with it."""
    async with case.opened() as one, case.opened() as other:
        assert [await one.least_used(["a", "b"]) for _ in range(3)] == ["a", "b", "a"]
        assert [await other.least_used(["a", "b"]) for _ in range(3)] == ["b", "a", "b"]
        assert [await one.least_used(["b", "a"]) for _ in range(2)] == ["b", "a"]
        assert Counter([await one.least_used(["a", "b", "c"]) for _ in range(9)]) == {"a": 3, "b": 3, "c": 3}
        assert await one.least_used(["a"]) == "a"
        assert [await one.least_used(["a", "b"]) for _ in range(2)] == ["b", "a"]
    async with case.opened() as later:
        before = await later.uses()
        assert await later.least_used(["a", "b"]) == "b"
        assert await later.uses() == {**before, "b": before["b"] + 1}


async def keys_take_turns_among_many_callers(case: HealthCase) -> None:
    async with case.opened() as one, case.opened() as other:
        taken: Counter[str] = Counter()

        async def take(number: int) -> None:
            taken[await (one, other)[number % 2].least_used(_KEYS)] += 1

        await together(*(partial(take, number) for number in range(_USES)))
        assert taken == dict.fromkeys(_KEYS, _USES // len(_KEYS))


async def any_text_may_be_a_subject(case: HealthCase) -> None:
    """What cannot be stored to the letter is stored without harm."""
    async with case.opened() as store:
        for text in HARD_TEXTS:
            await store.rest(Rest(text, "shape", text, case.now, case.now + 1))
            assert not await store.claim_trial(text, case.now + 30)
            assert await store.works(text)
            keys = [text, f"{text}, another"]
            assert await store.least_used(keys) in keys
        assert list(await store.rests()) == []


HEALTH_CHECKS: tuple[HealthCheck, ...] = (
    a_rest_is_seen_by_all_and_survives_a_restart,
    the_latest_failure_of_a_subject_counts,
    what_works_is_forgotten,
    what_is_long_over_is_forgotten,
    a_trial_is_for_one,
    of_many_who_want_a_trial_at_once_one_gets_it,
    keys_take_turns,
    keys_take_turns_among_many_callers,
    any_text_may_be_a_subject,
)
