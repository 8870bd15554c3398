"""Waiting for a vendor: no longer than its limit and the call's deadline, and not once the call was given up."""

from collections.abc import Awaitable, Callable
from enum import Enum
from typing import TypeVar

import anyio

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.kit.group import background_tasks

Result = TypeVar("Result")
# How soon an interrupt is noticed; a person does not see the difference.
_LOOK_S = 0.05


class Stopped(Enum):
    """Why there is no result."""

    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


async def within(work: Callable[[], Awaitable[Result]], context: CallContext, limit_s: float) -> Result | Stopped:
    """The result of `work`, or why it was stopped. What `work` raises is raised."""
    if context.cancelled():
        return Stopped.INTERRUPTED
    deadline = anyio.current_time() + limit_s
    if context.deadline is not None:
        deadline = min(deadline, context.deadline)
    stopped = Stopped.TIMEOUT
    async with background_tasks() as group:
        with anyio.CancelScope(deadline=deadline) as scope:

            async def watch() -> None:
                nonlocal stopped
                while not context.cancelled():  # noqa: ASYNC110 - the context can only be asked
                    await anyio.sleep(_LOOK_S)
                stopped = Stopped.INTERRUPTED
                scope.cancel()

            group.start_soon(watch)
            return await work()
    return stopped


def interrupted(vendor: str) -> Refusal:
    """The refusal of what was not finished when the call was given up."""
    return Refusal(vendor, "web.interrupted", "The call was interrupted before this was finished.", "ask again")
