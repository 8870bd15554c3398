"""Waiting no longer than a limit and a deadline, and not once the work was given up; of several works, what finished is kept."""

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import TypeVar

import anyio

from limen.kit.group import background_tasks

Key = TypeVar("Key")
Result = TypeVar("Result")
Cancelled = Callable[[], bool]

# How soon an interrupt is noticed; a person does not see the difference.
_LOOK_S = 0.05


class Stopped(Enum):
    """Why there is no result."""

    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


def _never() -> bool:
    return False


def passed(deadline: float | None) -> bool:
    """Whether a deadline on the event loop's clock is over."""
    return deadline is not None and anyio.current_time() >= deadline


async def within(
    work: Callable[[], Awaitable[Result]], limit_s: float | None = None, *, deadline: float | None = None,
    cancelled: Cancelled = _never, grace_s: float = 0.0,
) -> Result | Stopped:  # fmt: skip
    """The result of `work`, or why it was stopped. `deadline` is on the event loop's clock. What `work` raises is raised.

    Work that minds the same end itself, and hands over what it has by then, has `grace_s` longer to do so.
    """
    if cancelled():
        return Stopped.INTERRUPTED
    ends = [end for end in (deadline, anyio.current_time() + limit_s if limit_s is not None else None) if end is not None]
    stopped = Stopped.TIMEOUT
    async with background_tasks() as group:
        with anyio.CancelScope(deadline=min(ends, default=float("inf")) + grace_s) as scope:

            async def watch() -> None:
                nonlocal stopped
                while not cancelled():  # noqa: ASYNC110 - it can only be asked
                    await anyio.sleep(_LOOK_S)
                stopped = Stopped.INTERRUPTED
                await anyio.sleep(grace_s)
                scope.cancel()

            group.start_soon(watch)
            return await work()
    return stopped


async def each_within(
    work: Mapping[Key, Callable[[], Awaitable[Result]]], *, at_once: int, deadline: float | None = None,
    cancelled: Cancelled = _never,
) -> dict[Key, Result | Stopped]:  # fmt: skip
    """The result of each work, at most `at_once` under way; those that did not finish say why. What one raises ends all."""
    if len(work) == 1:
        (only,) = work.items()
        return {only[0]: await within(only[1], deadline=deadline, cancelled=cancelled)}
    done: dict[Key, Result | Stopped] = {}
    failures: list[Exception] = []
    places = anyio.CapacityLimiter(at_once)

    async def every() -> None:
        async with anyio.create_task_group() as group:

            async def one(key: Key, begin: Callable[[], Awaitable[Result]]) -> None:
                try:
                    async with places:
                        if not cancelled():
                            done[key] = await begin()
                except Exception as error:  # noqa: BLE001 - raised again below, outside the group that would wrap it
                    failures.append(error)
                    group.cancel_scope.cancel()

            for key, begin in work.items():
                group.start_soon(one, key, begin)

    ended = await within(every, deadline=deadline, cancelled=cancelled)
    if failures:
        raise failures[0]
    return {key: done.get(key, ended or Stopped.INTERRUPTED) for key in work}
