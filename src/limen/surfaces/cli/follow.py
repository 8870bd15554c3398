"""Ctrl-C for a turn: the first one stops it and keeps what was said, the second leaves at once."""

import signal
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from limen.agent.agent import TurnHandle


async def watch_signals(handle: "TurnHandle") -> None:
    """Until cancelled: SIGINT or SIGTERM interrupts the turn, one more raises KeyboardInterrupt."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        interrupted = False
        async for _ in signals:
            if interrupted:
                raise KeyboardInterrupt
            interrupted = True
            handle.interrupt()
