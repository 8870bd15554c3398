"""A value that is made of another, and made anew once that one has changed."""

from collections.abc import Callable
from typing import Generic, TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")


class Remade(Generic[Source, Made]):
    """Called, it gives what `make` makes of the source as it is now. A source that is the same object has not changed."""

    def __init__(self, source: Callable[[], Source], make: Callable[[Source], Made]) -> None:
        self._source = source
        self._make = make
        self._last: tuple[Source, Made] | None = None

    def __call__(self) -> Made:
        source = self._source()
        if self._last is None or self._last[0] is not source:
            self._last = source, self._make(source)
        return self._last[1]
