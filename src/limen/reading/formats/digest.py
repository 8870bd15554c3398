"""A JSON text too large to be shown: its structure, the first and last items of each part, and how many there are."""

import re
from collections import deque

import msgspec

STRING = r'"(?:[^"\\]++|\\.)*+"'
_PIECE = re.compile(rf"{STRING}|[\[\]{{}},:]|[^\"\[\]{{}},:]++|\"", re.DOTALL)
# For parts that are not shown: what holds no other part goes by at once.
_UNSEEN = re.compile(rf"[^\"\[\]{{}}]++|{STRING}|[\[{{](?:[^\"\[\]{{}}]++|{STRING})*+[\]}}]|[\[\]{{}}\"]", re.DOTALL)
# How many items of a part are shown, by how deep it lies.
_FIRST = (100, 20, 10, 5, 3)
_LAST = 2
_DEEPEST = 12
_STRING_CHARS = 400
_LAST_CHARS = 2_000


class _Part(msgspec.Struct):
    """An object or array that is open: how many items it began, and where the last of them start in the text."""

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
    at = 0
    while (found := _PIECE.match(text, at)) is not None:
        at = found.end()
        if not found.group().isspace() and (at := digest.take(found.group(), found.start())) < 0:
            return ""
    return digest.text


def _end_of(text: str, at: int) -> int:
    """Where the part that begins at a place ends; -1 where it does not."""
    depth = 0
    for found in _UNSEEN.finditer(text, at):
        piece = found.group()
        if piece == '"':
            return -1
        if len(piece) == 1:
            depth += (piece in "[{") - (piece in "]}")
        if depth <= 0:
            return found.end()
    return -1


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

    def take(self, piece: str, start: int) -> int:
        """Go one piece on; where the next begins, or -1 where the text does not hold together."""
        end = start + len(piece)
        if piece in "]}":
            return end if self._close(piece, start) else -1
        if piece == '"':
            return -1
        if piece == ",":
            self._fresh = True
            return end
        part = self._parts[-1] if self._parts else None
        if part is not None and self._fresh:
            part.items += 1
            part.starts.append(start)
            if not part.full:
                self._pieces.append(("," if part.items > 1 else "") + f"\n{'  ' * len(self._parts)}")
        self._fresh = False
        seen = part is None or not part.full
        if piece in "[{":
            if seen and len(self._parts) < _DEEPEST:
                self._parts.append(_Part(_FIRST[min(len(self._parts), len(_FIRST) - 1)], "]" if piece == "[" else "}"))
                self._pieces.append(piece)
                self._fresh = True
                return end
            end = _end_of(self._source, start)
            self._pieces.append("…" if seen else "")
        elif seen:
            self._pieces.append(": " if piece == ":" else _cut(piece.strip()))
        return end

    def _close(self, piece: str, start: int) -> bool:
        part = self._parts.pop() if self._parts else None
        if part is None or part.closing != piece:
            return False
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
