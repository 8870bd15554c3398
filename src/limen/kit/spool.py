"""A text on its way, of which the memory holds a few pieces: longer ones lie in a file without a name."""

import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self

# So much stays in memory.
_HELD_BYTES = 8 << 20


class Spool:
    """Takes a text piece by piece, and gives the same pieces as often as they are asked for. Closing it leaves nothing behind.

    Raises OSError where the disk of temporary files is full.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115 - closed by this object's own end
        self._sizes: list[int] = []
        self.chars = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Drop what was taken."""
        self._file.close()

    def add(self, piece: str) -> None:
        """Take the next piece."""
        data = piece.encode("utf-8", "surrogatepass")
        self._file.write(data)
        self._sizes.append(len(data))
        self.chars += len(piece)

    def pieces(self) -> Iterator[str]:
        """What was taken, from the beginning. Two readers at once are not possible."""
        self._file.seek(0)
        for size in self._sizes:
            yield self._file.read(size).decode("utf-8", "surrogatepass")

    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces())
