"""Ctrl-C for a turn or a call: the first one stops it and keeps what there is by then, the second leaves at once."""

import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
import anyio.abc


@asynccontextmanager
async def interruptible(interrupt: Callable[[], object]) -> AsyncIterator[None]:
    """For the length of a block: SIGINT or SIGTERM calls `interrupt`, one more ends the block with KeyboardInterrupt."""
    leaving = False

    async def watch(*, task_status: anyio.abc.TaskStatus[None]) -> None:
        nonlocal leaving
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            await anext(signals)
            interrupt()
            await anext(signals)
        leaving = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a third one ends the process amid the tidying up, without a trace of it
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        await group.start(watch)
        yield
        group.cancel_scope.cancel()
    # Not raised in `watch`: an event loop does not survive this one in a task of its own.
    if leaving:
        raise KeyboardInterrupt


@contextmanager
def stopped_at_once() -> Iterator[None]:
    """For the length of a block that never waits, so that its event loop hears of no Ctrl-C: it raises KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
