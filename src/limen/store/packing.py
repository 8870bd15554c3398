"""A text made ready to be stored: cut into blocks of whole lines, each compressed, in the memory of a few pieces of it."""

import hashlib
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO, NamedTuple

# A quarter larger than at level 6, three times as fast: a tool's call waits for it.
_LEVEL = 3
# A line is read within half a millisecond out of so many bytes; blocks half as large would shrink a tenth less.
BLOCK_BYTES = 128 * 1024
_PIECE_CHARS = 1 << 20
# So much stays in memory; the rest of a long text lies in a file without a name.
_HELD_BYTES = 8 << 20


class Block(NamedTuple):
    """A stretch of a text. `first` and `last` are the numbers, from 1, of the lines that its first and last byte belong to.

    `size` is its room, compressed where `is_packed` is 1. `is_whole` is 0 where it begins or ends inside of a line, which
    happens to lines that are longer than a block.
    """

    first: int
    last: int
    size: int
    is_packed: int
    is_whole: int


class Packed(NamedTuple):
    """A text in blocks, of which it has one at least, with its SHA-256 and measures. `data` holds their bytes, in order."""

    digest: str
    chars: int
    lines: int
    size: int
    blocks: tuple[Block, ...]
    data: IO[bytes]


def cut(text: str) -> Iterator[str]:
    """A text in pieces."""
    return (text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS))


def pack(pieces: Callable[[], Iterable[str]], block_bytes: int = BLOCK_BYTES) -> Packed:
    """Pack a text in blocks of at most so many bytes; whoever gets it closes its data.

    Raises OSError where the disk of temporary files is full.
    """
    digest, chars = hashlib.sha256(), 0
    made = _Blocks(block_bytes)
    for piece in pieces():
        plain = piece.encode("utf-8", "surrogatepass")
        digest.update(plain)
        chars += len(piece)
        made.add(plain)
    made.end()
    return Packed(digest.hexdigest(), chars, made.lines, made.size, tuple(made.blocks), made.data)


def unpack(is_packed: int, body: bytes) -> bytes:
    """The bytes of a block. Raises zlib.error where they are damaged."""
    return zlib.decompress(body) if is_packed else body


class _Blocks:
    """Takes UTF-8 bytes, cut anywhere, and writes them in blocks."""

    def __init__(self, block_bytes: int) -> None:
        self._block_bytes = block_bytes
        self.blocks: list[Block] = []
        self.data = tempfile.SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115 - closed by whoever gets it
        self.lines, self.size = 1, 0
        self._waiting = b""
        self._inside = False

    def add(self, plain: bytes) -> None:
        """Take the next bytes; what is no full block waits."""
        data, at = self._waiting + plain, 0
        while len(data) - at > self._block_bytes:
            end = _end(data, at, at + self._block_bytes)
            self._write(data[at:end])
            at = end
        self._waiting = data[at:]

    def end(self) -> None:
        """Write what waits; of an empty text, an empty block."""
        if self._waiting or not self.blocks:
            self._write(self._waiting, ends=True)

    def _write(self, plain: bytes, *, ends: bool = False) -> None:
        body = zlib.compress(plain, _LEVEL)
        is_packed = len(body) < len(plain)
        if not is_packed:
            body = plain
        closed = plain.endswith(b"\n")
        first = self.lines
        self.lines += plain.count(b"\n")
        whole = not self._inside and (closed or ends)
        self.blocks.append(Block(first, self.lines - closed, len(body), int(is_packed), int(whole)))
        self.data.write(body)
        self.size += len(body)
        self._inside = not closed


def _end(data: bytes, start: int, most: int) -> int:
    """Where a block from `start` to at most `most` ends: behind its last whole line, else before a character."""
    line = data.rfind(b"\n", start, most)
    if line >= 0:
        return line + 1
    while data[most] & 0xC0 == 0x80:
        most -= 1
    return most
