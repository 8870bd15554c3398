"""Background work that lives exactly as long as a block."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio

from limen.kit.log import failed_open


@asynccontextmanager
async def beside(work: Callable[[], Awaitable[None]], code: str) -> AsyncIterator[None]:
    """Run `work` beside the block and cancel it at the end; its failure is logged under `code`, the block's raised as itself."""
    failure: list[Exception] = []

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - background work must not take the block down
            failed_open(code, error)

    async with anyio.create_task_group() as group:
        group.start_soon(guarded)
        try:
            yield
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group that would wrap it
            failure.append(error)
        finally:
            group.cancel_scope.cancel()
    if failure:
        raise failure[0]
