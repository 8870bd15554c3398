"""Credentials masked in a text that comes in pieces, in the memory of a few of them."""

from collections.abc import Iterable, Iterator

from limen.kit.redact import Masked, SecretTable
from limen.kit.secret.rule import Rule
from limen.kit.secret.stretch import SHARED_CHARS, boundary
from limen.kit.spans import MASK, Found, replace_spans

# Looked through at once. What is passed on of it ends as far before its end as the longest credential is long.
_BLOCK_CHARS = 1 << 20


def masked_pieces(pieces: Iterable[str], table: SecretTable, block_chars: int = _BLOCK_CHARS) -> Iterator[Masked]:
    """The masked text in pieces of its own, each with how many credentials were in it. Where the given pieces are cut changes
    nothing: what lies across is found whole, up to the length of an armoured key."""
    stream = _Stream(table)
    for piece in pieces:
        for start in range(0, len(piece), block_chars):
            stream.add(piece[start : start + block_chars])
            if stream.chars >= block_chars + SHARED_CHARS:
                yield stream.passed()
    if stream.chars:
        yield stream.passed(last=True)


class _Stream:
    """What has come and was not passed on, behind the end of what was."""

    def __init__(self, table: SecretTable) -> None:
        self._table = table
        self._about: list[Rule] = []
        self._behind = ""
        self._waiting: list[str] = []
        self.chars = 0

    def add(self, piece: str) -> None:
        """Take the next piece."""
        self._waiting.append(piece)
        self.chars += len(piece)

    def passed(self, *, last: bool = False) -> Masked:
        """What can be passed on by now, masked: all of it, where nothing follows."""
        begin = len(self._behind)
        text = "".join((self._behind, *self._waiting))
        found = self._table.in_text(text, self._about)
        end = len(text) if last else _end(found, begin, boundary(text, len(text) - SHARED_CHARS))
        self._behind = text[boundary(text, max(end - SHARED_CHARS, 0)) : end]
        self._waiting = [text[end:]]
        self.chars = len(text) - end
        here = [Found(one.rule, max(one.start, begin) - begin, one.end - begin) for one in found if begin < one.end <= end]
        return Masked(replace_spans(text[begin:end], here, MASK), len(here))


def _end(found: list[Found], begin: int, end: int) -> int:
    """Where to stop: not in a credential but before it, unless it fills all that there is."""
    for one in found:
        if one.start < end < one.end:
            return one.start if one.start > begin else one.end
    return end
