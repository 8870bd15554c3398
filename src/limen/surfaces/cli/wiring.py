"""The runtime behind a chat, and its exchange for one that is wired from what the settings say now."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.abc

from limen.kit.group import background_tasks

if TYPE_CHECKING:
    from limen.runtime import Runtime

OpenRuntime = Callable[[], AbstractAsyncContextManager["Runtime"]]


class _Living:
    """A runtime in a task of its own, which ends when it is retired and nobody uses it any more."""

    def __init__(self, runtime: "Runtime") -> None:
        self.runtime = runtime
        self.users = 0
        self.retired = False
        self.unused = anyio.Event()

    def retire(self) -> None:
        self.retired = True
        self.look()

    def look(self) -> None:
        if self.retired and not self.users:
            self.unused.set()


class Wiring:
    """Holds the runtime that is in use. Made by `wired`, which also ends it."""

    def __init__(self, open_runtime: OpenRuntime, group: anyio.abc.TaskGroup) -> None:
        self._open_runtime = open_runtime
        self._group = group
        self._living: _Living | None = None

    @property
    def runtime(self) -> "Runtime":
        """The runtime for what begins now."""
        return self._current().runtime

    @contextmanager
    def use(self) -> "Iterator[Runtime]":
        """The runtime for all of a block, even where it is exchanged meanwhile."""
        living = self._current()
        living.users += 1
        try:
            yield living.runtime
        finally:
            living.users -= 1
            living.look()

    async def renew(self) -> "Runtime":
        """Open a runtime and put it in the place of the one before. Raises what opening raises; then that one stays."""
        living: _Living = await self._group.start(self._live)
        before, self._living = self._living, living
        if before is not None:
            before.retire()
        return living.runtime

    def close(self) -> None:
        """Let the runtime end once nobody uses it."""
        if self._living is not None:
            self._living.retire()

    def _current(self) -> _Living:
        if self._living is None:
            raise RuntimeError("no runtime has been opened yet")
        return self._living

    async def _live(self, *, task_status: anyio.abc.TaskStatus[_Living]) -> None:
        with anyio.CancelScope() as scope:
            async with self._open_runtime() as runtime:
                scope.shield = True  # once open, it ends in order and not by cancellation
                living = _Living(runtime)
                task_status.started(living)
                await living.unused.wait()


@asynccontextmanager
async def wired(open_runtime: OpenRuntime) -> AsyncIterator[Wiring]:
    """A wiring with its first runtime, for the length of a block. Raises what opening it raises."""
    async with background_tasks() as group:
        wiring = Wiring(open_runtime, group)
        await wiring.renew()
        try:
            yield wiring
        finally:
            wiring.close()
