"""Streams of events: one owner who reads every one of them, and observers who can never hold it up."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Generic, TypeVar

import anyio
import anyio.lowlevel

from limen.kit.group import background_tasks

T = TypeVar("T")
R = TypeVar("R")

# So many items may wait: what is said in one go is handed over in one go, and nobody runs far ahead of an owner who steers.
_MOST_WAITING = 8


class Stream(Generic[T, R]):
    """What the owner holds: iterate to receive; `result` is set once the producer has returned."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._ended = False
        self._moved: anyio.Event | None = None
        self.result: R | None = None

    def __aiter__(self) -> "Stream[T, R]":
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._ended:
                raise StopAsyncIteration
            await self._change()
        item = self._items.popleft()
        self._tell()
        return item

    async def put(self, item: T) -> None:
        """Leave an item, once there is room; it is dropped when the stream has ended."""
        while len(self._items) >= _MOST_WAITING and not self._ended:
            await self._change()
        if self._ended:
            await anyio.lowlevel.checkpoint()
        else:
            self._items.append(item)
            self._tell()

    def end(self) -> None:
        """Let nothing more in."""
        self._ended = True
        self._tell()

    async def _change(self) -> None:
        self._moved = self._moved or anyio.Event()
        await self._moved.wait()

    def _tell(self) -> None:
        if self._moved is not None:
            self._moved.set()
            self._moved = None


@asynccontextmanager
async def open_stream(produce: Callable[[Callable[[T], Awaitable[None]]], Awaitable[R]]) -> AsyncIterator[Stream[T, R]]:
    """Run `produce(emit)` beside the block of a context manager and hand out what it emits, of which a few items may wait.

    Leaving the block early cancels the producer and waits for it; what it emits from then on is dropped. A producer's
    exception is raised from the block as itself, not as a group; the block's own goes first.
    """
    stream: Stream[T, R] = Stream()
    failure: list[Exception] = []

    async def run() -> None:
        try:
            stream.result = await produce(stream.put)
        except Exception as error:  # noqa: BLE001 - carried to the owner below, as itself
            failure.append(error)
        finally:
            stream.end()

    async with background_tasks() as group:
        group.start_soon(run)
        try:
            yield stream
        finally:
            stream.end()
    if failure:
        raise failure[0]


class Observer(Generic[T]):
    """A bounded inbox. `async for` it; when it overflowed, the next item is what `lagged(missed)` makes of the gap."""

    def __init__(self, capacity: int, lagged: Callable[[int], T]) -> None:
        self._items: deque[T] = deque()
        self._capacity = capacity
        self._lagged = lagged
        self._missed = 0
        self._closed = False
        self._wake = anyio.Event()

    def put(self, item: T) -> None:
        """Offer an item; dropped and counted when the inbox is full."""
        if len(self._items) >= self._capacity:
            self._missed += 1
        else:
            self._items.append(item)
        self._wake.set()

    def close(self) -> None:
        """End the iteration once the inbox is empty."""
        self._closed = True
        self._wake.set()

    def __aiter__(self) -> AsyncIterator[T]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[T]:
        while True:
            while self._items:
                yield self._items.popleft()
            if self._missed:
                missed, self._missed = self._missed, 0
                yield self._lagged(missed)
                continue
            if self._closed:
                return
            self._wake = anyio.Event()
            await self._wake.wait()


class Broadcast(Generic[T]):
    """Offers each item to all observers, without ever waiting for one."""

    def __init__(self, lagged: Callable[[int], T], capacity: int = 1_024) -> None:
        self._lagged = lagged
        self._capacity = capacity
        self._observers: list[Observer[T]] = []

    def put(self, item: T) -> None:
        for observer in self._observers:
            observer.put(item)

    @contextmanager
    def observe(self) -> Iterator[Observer[T]]:
        """An observer that receives from now on, until the block is left."""
        observer = Observer(self._capacity, self._lagged)
        self._observers.append(observer)
        try:
            yield observer
        finally:
            self._observers.remove(observer)
            observer.close()
