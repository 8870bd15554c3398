"""What texts mean, by an OpenAI-compatible `/v1/embeddings` endpoint: a server of one's own, or a vendor's."""

from collections.abc import Sequence

import msgspec

from limen.builtin.web.calling.link import Ask, ClientFactory, Limits, Link
from limen.builtin.web.calling.refusing import refuse
from limen.core.context import CallContext
from limen.core.fault import Refusal

# Small models take 512 tokens, and refuse what is longer; a token is seldom under two characters.
_LONGEST_CHARS = 1_000
# A model on a processor takes its time for a batch of sections.
_LIMITS = Limits(timeout_s=120.0, max_bytes=20_000_000)


class _Vector(msgspec.Struct, frozen=True):
    embedding: tuple[float, ...]
    index: int


class _Answer(msgspec.Struct, frozen=True):
    data: tuple[_Vector, ...]


class EndpointEmbedder:
    """Asks one endpoint. Its address and the model are the name: their vectors compare with no others."""

    def __init__(self, client: ClientFactory, address: str, model: str = "", limits: Limits = _LIMITS) -> None:
        self._link = Link("the embeddings endpoint", client, address, limits=limits)
        self._model = model
        self.name = f"{address.rstrip('/')} {model}".strip()

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Refusal:
        """The vectors in the order of the texts, whatever order they come in."""
        if not texts:
            return ()
        body = {"input": [text[:_LONGEST_CHARS] or " " for text in texts], **({"model": self._model} if self._model else {})}
        answer = await self._link.ask(Ask("/embeddings", body=body), _Answer, "search", CallContext())
        if isinstance(answer, Refusal):
            return answer
        vectors = {vector.index: vector.embedding for vector in answer.data}
        if set(vectors) != set(range(len(texts))):
            said = f"{self._link.name} answered with {len(vectors)} vectors for {len(texts)} texts."
            return refuse("search", "malformed", self._link.name, said)
        return [vectors[at] for at in range(len(texts))]
