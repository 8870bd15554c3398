"""Waiting on behalf of a call: no longer than its deadline, and not once it was given up."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.kit import waiting
from limen.kit.waiting import Stopped

__all__ = ["Stopped", "each_within", "given_up", "interrupted", "unfinished", "within"]

Key = TypeVar("Key")
Result = TypeVar("Result")


async def within(
    work: Callable[[], Awaitable[Result]], context: CallContext, limit_s: float | None = None, *, grace_s: float = 0.0
) -> Result | Stopped:
    """The result of `work`, or why it was stopped; what it raises is raised. `grace_s` is for work that minds the same end."""
    return await waiting.within(work, limit_s, deadline=context.deadline, cancelled=context.cancelled, grace_s=grace_s)


async def each_within(
    work: Mapping[Key, Callable[[], Awaitable[Result]]], context: CallContext, *, at_once: int
) -> dict[Key, Result | Stopped]:
    """The result of each work, at most `at_once` of them under way; what finished before the call ended is kept."""
    return await waiting.each_within(work, at_once=at_once, deadline=context.deadline, cancelled=context.cancelled)


def given_up(context: CallContext) -> Stopped | None:
    """Whether a call is over, and why, so that nothing more is begun for it."""
    if context.cancelled():
        return Stopped.INTERRUPTED
    return Stopped.TIMEOUT if waiting.passed(context.deadline) else None


def interrupted(gate: str) -> Refusal:
    """The refusal of what was not finished when its call was given up. `gate` names who was at work."""
    return Refusal(gate, "web.interrupted", "The call was interrupted before this was finished.", "ask again")


def unfinished(gate: str, why: Stopped) -> Refusal:
    """The refusal of what was not finished when its call ended. Codes: `web.interrupted`, `web.timeout`."""
    if why is Stopped.INTERRUPTED:
        return interrupted(gate)
    return Refusal(gate, "web.timeout", "The call's time ended before this was finished.", "ask again, for less at a time")
