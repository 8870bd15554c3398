"""A task group whose block fails as itself: what goes wrong in the block is not wrapped in a group of exceptions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.abc


@asynccontextmanager
async def background_tasks() -> AsyncIterator[anyio.abc.TaskGroup]:
    """Tasks that live as long as the block: at its end they are cancelled. The block's own exception is raised as it is."""
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        try:
            yield group
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group that would wrap it
            failure = error
        finally:
            group.cancel_scope.cancel()
    if failure is not None:
        raise failure
