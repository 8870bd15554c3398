"""Following a turn from the command line: its events to a view, Ctrl-C to the turn."""

import signal
from typing import TYPE_CHECKING

import anyio

from limen.surfaces.cli.render import TurnView

if TYPE_CHECKING:
    from limen.surfaces.cli.port import TurnHandle


async def follow(handle: "TurnHandle", view: TurnView) -> None:
    """Show a turn to its end. The first SIGINT or SIGTERM interrupts it and keeps what was said; the second leaves at once."""
    async with anyio.create_task_group() as group:
        group.start_soon(_watch_signals, handle, group.cancel_scope)
        async for event in handle:
            view.show(event)
        group.cancel_scope.cancel()


async def _watch_signals(handle: "TurnHandle", scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        interrupted = False
        async for _ in signals:
            if interrupted:
                raise KeyboardInterrupt
            interrupted = True
            handle.interrupt()
