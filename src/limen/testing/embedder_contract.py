"""What every embedder must do, as checks that a plug-in's author runs over one of their own.

A check takes an `Embedder` and raises AssertionError. With pytest: parametrize a test over `EMBEDDER_CHECKS` and await each.
"""

import math
from collections.abc import Awaitable, Callable, Sequence

from limen.core.fault import Refusal
from limen.core.ports import Embedder

EmbedderCheck = Callable[[Embedder], Awaitable[None]]


async def _embedded(embedder: Embedder, *texts: str) -> Sequence[Sequence[float]]:
    vectors = await embedder.embed(texts)
    assert not isinstance(vectors, Refusal), vectors
    return vectors


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(left * right for left, right in zip(one, other, strict=True)) / lengths if lengths else 0.0


async def it_has_a_name_that_stays(embedder: Embedder) -> None:
    """Vectors are kept under it."""
    name = embedder.name
    await _embedded(embedder, "a text")
    assert name.strip()
    assert embedder.name == name


async def it_gives_a_vector_of_numbers_for_each_text(embedder: Embedder) -> None:
    """All of one length, whatever the texts are; none for none."""
    vectors = await _embedded(embedder, "a text", "", " ", "\u6771\u4eac", "->>", "long " * 5_000)
    assert len(vectors) == 6
    assert len({len(vector) for vector in vectors}) == 1
    assert all(math.isfinite(value) for vector in vectors for value in vector)
    assert list(await _embedded(embedder)) == []


async def it_gives_a_text_the_same_vector_wherever_it_stands(embedder: Embedder) -> None:
    """In the order of the texts, and near enough the same each time."""
    one, other = await _embedded(embedder, "cats sleep all day", "a transaction is rolled back")
    back = await _embedded(embedder, "a transaction is rolled back", "cats sleep all day")
    assert _cosine(one, back[1]) > 0.99
    assert _cosine(other, back[0]) > 0.99


async def it_puts_texts_that_say_the_same_near_each_other(embedder: Embedder) -> None:
    """Nearer than those that do not."""
    cats, again, other = await _embedded(embedder, "cats sleep all day", "all day the cats sleep", "a transaction is rolled back")
    assert _cosine(cats, again) > _cosine(cats, other)


EMBEDDER_CHECKS: tuple[EmbedderCheck, ...] = (
    it_has_a_name_that_stays,
    it_gives_a_vector_of_numbers_for_each_text,
    it_gives_a_text_the_same_vector_wherever_it_stands,
    it_puts_texts_that_say_the_same_near_each_other,
)
