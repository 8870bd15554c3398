"""An embedder that needs no model: texts that share words, or synonyms it was told of, are near each other."""

import hashlib
from collections.abc import Mapping, Sequence

from limen.core.fault import Refusal
from limen.kit.words import terms


class HashEmbedder:
    """Every stem is a direction of its own, drawn from its hash. `alike` gives words the direction of another; `refusal` is what
    it says instead, `asked` all it was given."""

    name = "hash"

    def __init__(self, dimensions: int = 64, alike: Mapping[str, str] | None = None) -> None:
        self._dimensions = dimensions
        self._alike = dict(alike or {})
        self.refusal: Refusal | None = None
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Refusal:
        """The sum of the directions of each text's words."""
        self.asked += texts
        return self.refusal or [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self._dimensions
        for term in terms(text):
            drawn = hashlib.shake_256(self._alike.get(term, term).encode()).digest(self._dimensions)
            vector = [value + byte - 127.5 for value, byte in zip(vector, drawn, strict=True)]
        return vector
