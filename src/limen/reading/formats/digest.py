"""A JSON text too large to be shown: its structure, the first and last items of each part, and how many there are."""

import re
from collections import deque

import msgspec

_PIECE = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^"\[\]{},:]++|"', re.DOTALL)
# How many items of a part are shown, by how deep it lies.
_FIRST = (100, 20, 10, 5, 3)
_LAST = 2
_DEEPEST = 12
_MOST_OPEN = 2_000
_STRING_CHARS = 400
_LAST_CHARS = 2_000


class _Part(msgspec.Struct):
    """An object or array that is open: how many items it began, and where the last of them start in the text."""

    shown: bool
    most: int
    closing: str
    items: int = 0
    starts: deque[int] = msgspec.field(default_factory=lambda: deque(maxlen=_LAST))

    @property
    def full(self) -> bool:
        return self.items > self.most


def digest_of(text: str) -> str:
    """The structure of a JSON text in one pass and without parsing it; empty where its brackets do not hold."""
    digest = _Digest(text)
    pieces = (found for found in _PIECE.finditer(text) if not found.group().isspace())
    whole = all(digest.take(found.group(), found.start()) for found in pieces)
    return digest.text if whole else ""


class _Digest:
    """What has been shown of a text so far, and the parts of it that are open."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._pieces: list[str] = []
        self._parts: list[_Part] = []
        self._fresh = True  # the next piece begins an item

    @property
    def text(self) -> str:
        return "" if self._parts else "".join(self._pieces)

    def take(self, piece: str, start: int) -> bool:
        """Go one piece on; False where the text does not hold together."""
        if piece in "]}":
            return self._close(piece, start)
        if piece == '"' or len(self._parts) > _MOST_OPEN:
            return False
        if piece == ",":
            self._fresh = True
            return True
        part = self._parts[-1] if self._parts else None
        if part is not None and self._fresh:
            part.items += 1
            part.starts.append(start)
            if part.shown and not part.full:
                self._pieces.append(("," if part.items > 1 else "") + f"\n{'  ' * len(self._parts)}")
        self._fresh = False
        seen = part is None or (part.shown and not part.full)
        if piece in "[{":
            self._open(piece, seen=seen)
        elif seen:
            self._pieces.append(": " if piece == ":" else _cut(piece.strip()))
        return True

    def _open(self, piece: str, *, seen: bool) -> None:
        depth = len(self._parts)
        if seen:
            self._pieces.append(piece if depth < _DEEPEST else "…")
        most = _FIRST[min(depth, len(_FIRST) - 1)]
        self._parts.append(_Part(seen and depth < _DEEPEST, most, "]" if piece == "[" else "}"))
        self._fresh = True

    def _close(self, piece: str, start: int) -> bool:
        part = self._parts.pop() if self._parts else None
        if part is None or part.closing != piece:
            return False
        if part.shown:
            self._pieces.append(_end(part, self._source, start, len(self._parts)))
        self._fresh = False
        return True


def _end(part: _Part, text: str, end: int, depth: int) -> str:
    """What closes a part; where items were left out, how many, and the last ones."""
    indent = "  " * (depth + 1)
    if not part.items:
        return part.closing
    if not part.full:
        return f"\n{'  ' * depth}{part.closing}"
    last = list(part.starts)[-min(_LAST, part.items - part.most) :]
    left_out = part.items - part.most - len(last)
    shown = [_last_item(text[start:stop]) for start, stop in zip(last, [*last[1:], end], strict=True)]
    more = [f"… {left_out:,} more …"] if left_out else []
    return "".join(f",\n{indent}{line}" for line in (*more, *shown)) + f"\n{'  ' * depth}{part.closing}"


def _last_item(written: str) -> str:
    return _cut(" ".join(written.rstrip(", \n\r\t").split()), _LAST_CHARS)


def _cut(value: str, most: int = _STRING_CHARS) -> str:
    return value if len(value) <= most else f"{value[:most]}… ({len(value):,} characters)"
