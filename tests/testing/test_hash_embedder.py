"""The double does what every embedder must."""

import pytest

from limen.testing.embedder_contract import EMBEDDER_CHECKS
from limen.testing.hash_embedder import HashEmbedder


@pytest.mark.anyio
@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
async def test_it_does_what_every_embedder_must(check) -> None:
    await check(HashEmbedder())
