"""Background work that lives exactly as long as a block."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from limen.kit.group import background_tasks
from limen.kit.log import failed_open


@asynccontextmanager
async def beside(work: Callable[[], Awaitable[None]], code: str) -> AsyncIterator[None]:
    """Run `work` beside the block and cancel it at the end; its failure is logged under `code`, the block's raised as itself."""

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - background work must not take the block down
            failed_open(code, error)

    async with background_tasks() as group:
        group.start_soon(guarded)
        yield
