"""A stop that comes a little late: work that minds it hands over what it has, work that does not is cut off after all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel

from limen.kit.group import background_tasks


class Stopping:
    """Called, it says whether the block around it is to end."""

    def __init__(self) -> None:
        self.begun = False

    def __call__(self) -> bool:
        return self.begun


@asynccontextmanager
async def late_stop(grace_s: float) -> AsyncIterator[Stopping]:
    """Within the block a cancellation from outside is first told, by what the block is given, and comes `grace_s` later.

    A block that ends earlier is not held up. One that was cut off ends here, and the cancellation goes on behind it.
    """
    stopping = Stopping()
    async with background_tasks() as group:
        with anyio.CancelScope(shield=True) as scope:

            async def watch() -> None:
                try:
                    await anyio.sleep_forever()
                finally:
                    stopping.begun = True
                    scope.deadline = anyio.current_time() + grace_s

            group.start_soon(watch)
            yield stopping
    await anyio.lowlevel.checkpoint()
