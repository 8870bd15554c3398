"""The embedder that asks an endpoint, against a loopback server in its place."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.abc
import pytest

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.embeddings import EndpointEmbedder
from limen.core.fault import Refusal
from limen.net.client import AddressPolicy, new_client
from limen.testing.embedder_contract import EMBEDDER_CHECKS
from limen.testing.hash_embedder import HashEmbedder
from limen.testing.network import Answer, LoopbackServer, Received, reply, serve

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def standing_in(answer: Answer) -> AsyncIterator[tuple[EndpointEmbedder, LoopbackServer]]:
    async with serve({"/v1/embeddings": answer}) as server:
        async with new_client(AddressPolicy((f"{server.host}:{server.port}",))) as client:
            yield EndpointEmbedder(lambda: client, server.url("/v1"), "tiny", Limits(timeout_s=10.0, max_bytes=1_000_000)), server


async def by_hash(request: Received, stream: anyio.abc.ByteStream) -> None:
    """The same vectors as the double's, last text first."""
    vectors = await HashEmbedder().embed(request.json["input"])
    assert not isinstance(vectors, Refusal)
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    await stream.send(reply(json.dumps({"data": data[::-1]}), headers={"content-type": "application/json"}))


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=lambda check: check.__name__)
async def test_it_does_what_every_embedder_must(check) -> None:
    async with standing_in(by_hash) as (embedder, _):
        await check(embedder)


async def test_it_names_its_model_and_sends_no_more_of_a_text_than_fits() -> None:
    async with standing_in(by_hash) as (embedder, server):
        await embedder.embed(["x" * 100_000, ""])
    assert server.received[0].json == {"input": ["x" * 1_000, " "], "model": "tiny"}
    assert embedder.name == f"{server.url('/v1')} tiny"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply("gone", status=500), "search.failed"),
        (reply('{"data": []}'), "search.malformed"),
        (reply('{"data": [{"index": 7, "embedding": [1]}]}'), "search.malformed"),
        (reply('{"data": "none"}'), "search.malformed"),
        (reply("<html>"), "search.malformed"),
        (reply(json.dumps({"data": [{"index": 0, "embedding": [0.5] * 400_000}]})), "search.too_large"),
    ],
)
async def test_what_it_cannot_do_is_refused_with_a_reason(answer: bytes, code: str) -> None:
    async with standing_in(answer) as (embedder, _):
        refused = await embedder.embed(["a text"])
    assert isinstance(refused, Refusal)
    assert refused.code == code
