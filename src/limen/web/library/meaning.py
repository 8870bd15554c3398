"""What the sections of a library mean, where an embedder is set up: made after each round, asked for with each question."""

import math
from collections.abc import Sequence

from limen.core.fault import Fault, Refusal
from limen.core.ports import Embedder
from limen.kit.log import failed_open
from limen.store.library import LibraryStore, Near

# So many are asked for in one request, and so many looked up at once, which takes as long for one.
_BATCH, _AT_ONCE = 32, 2_048
_QUERY_CHARS = 2_000


class Meaning:
    """Keeps the vectors of sections. Without an embedder, or with one that fails, searches go by words alone."""

    def __init__(self, store: LibraryStore, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def catch_up(self, library: str) -> None:
        """Embed a library's sections that have no vector yet. Where it cannot go on it stops, and the next round goes on."""
        if self._embedder is None:
            return
        while texts := list((await self._store.unembedded(library, self._embedder.name, _AT_ONCE)).items()):
            for start in range(0, len(texts), _BATCH):
                numbers, batch = zip(*texts[start : start + _BATCH], strict=True)
                vectors = await self._embedded(self._embedder, batch)
                if isinstance(vectors, Refusal):
                    return
                await self._store.embed(self._embedder.name, dict(zip(numbers, vectors, strict=True)))

    async def of(self, query: str) -> Near | Refusal | None:
        """What a question means; None where nobody is to say, a refusal where who should could not."""
        if self._embedder is None or not query.strip():
            return None
        vectors = await self._embedded(self._embedder, [query[:_QUERY_CHARS]])
        return vectors if isinstance(vectors, Refusal) else Near(self._embedder.name, tuple(vectors[0]))

    async def _embedded(self, embedder: Embedder, texts: Sequence[str]) -> Sequence[Sequence[float]] | Refusal:
        try:
            vectors = await embedder.embed(texts)
        except Fault as fault:
            vectors = Refusal(embedder.name, fault.code, fault.reason, fault.mend)
        if not isinstance(vectors, Refusal) and not _fit(vectors, len(texts)):
            reason = f"{embedder.name} gave no vector of numbers for each of {len(texts)} texts"
            vectors = Refusal(embedder.name, "library.bad_vectors", reason, "limen config set library.embeddings ''")
        if isinstance(vectors, Refusal):
            failed_open(vectors.code, f"{vectors.reason}; the library is searched by words alone")
        return vectors


def _fit(vectors: Sequence[Sequence[float]], count: int) -> bool:
    lengths = {len(vector) for vector in vectors}
    numbers = all(math.isfinite(value) for vector in vectors for value in vector)
    return len(vectors) == count and len(lengths) == 1 and 0 not in lengths and numbers
