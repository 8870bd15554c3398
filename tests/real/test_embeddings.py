"""The embedder of an endpoint against a real llama.cpp server. Its tiny model is there for the protocol, not for the sense."""

import pytest
from real.llama_server import running

from limen.builtin.web.embeddings import EndpointEmbedder
from limen.net.client import AddressPolicy, new_client
from limen.testing.embedder_contract import EMBEDDER_CHECKS, it_puts_texts_that_say_the_same_near_each_other

pytestmark = [pytest.mark.anyio, pytest.mark.real("llama.cpp")]


@pytest.fixture(scope="module")
def server_url():
    with running("--embeddings", "--pooling", "mean") as url:
        yield url


PROTOCOL = [check for check in EMBEDDER_CHECKS if check is not it_puts_texts_that_say_the_same_near_each_other]


@pytest.mark.parametrize("check", PROTOCOL, ids=lambda check: check.__name__)
async def test_it_does_what_every_embedder_must(check, server_url):
    host = server_url.removeprefix("http://").removesuffix("/v1")
    async with new_client(AddressPolicy((host,))) as client:
        await check(EndpointEmbedder(lambda: client, server_url))
