"""Streams of several providers, cut into pieces at every kind of place, mean what stands beside them."""

import json
import random
from pathlib import Path

import msgspec
import pytest

from limen.core.exchange import ModelReply, TextDelta, ThinkingDelta
from limen.core.fault import ModelFault
from limen.core.message import Text, Thinking
from limen.testing.model_server import Stream, model_server

pytestmark = pytest.mark.anyio

STREAMS = Path(__file__).parents[2] / "wire" / "streams"
NAMES = sorted(path.stem for path in STREAMS.glob("*.sse"))


def in_one(data):
    return (data,)


def by_byte(data):
    return tuple(data[at : at + 1] for at in range(len(data)))


def by_chance(data):
    chance = random.Random(7)
    pieces, at = [], 0
    while at < len(data):
        size = chance.randint(1, 90)
        pieces.append(data[at : at + size])
        at += size
    return tuple(pieces)


def with_crlf(data):
    return by_chance(data.replace(b"\n", b"\r\n"))


def with_cr(data):
    return by_chance(data.replace(b"\n", b"\r"))


def with_mark(data):
    return in_one(b"\xef\xbb\xbf" + data)


def test_every_recording_says_what_it_means():
    assert len(NAMES) >= 10
    assert {path.stem for path in STREAMS.glob("*.json")} == set(NAMES)


@pytest.mark.parametrize("cut", [in_one, by_byte, by_chance, with_crlf, with_cr, with_mark])
@pytest.mark.parametrize("name", NAMES)
async def test_recording(name, cut, wire_of, request_to):
    meant = json.loads((STREAMS / f"{name}.json").read_text())
    shown, thought, reply, fault = "", "", None, None
    async with model_server(Stream(cut((STREAMS / f"{name}.sse").read_bytes()))) as server, wire_of() as wire:
        try:
            async for item in wire.send(request_to(server.url)):
                match item:
                    case TextDelta(text):
                        shown += text
                    case ThinkingDelta(text):
                        thought += text
                    case ModelReply():
                        reply = item
        except ModelFault as error:
            fault = error
    if "fault" in meant:
        assert fault is not None
        assert (fault.kind, shown) == (meant["fault"], meant["shown"])
        assert reply is None
        return
    assert fault is None
    assert list(msgspec.to_builtins(reply.blocks)) == meant["blocks"]
    told = any(word in (STREAMS / f"{name}.sse").read_text() for word in ("cached_tokens", "cache_hit_tokens"))
    counted = {"cache_write_tokens": 0, "tells_cache": told, **meant["usage"]}
    assert (reply.stop, msgspec.to_builtins(reply.usage)) == (meant["stop"], counted)
    assert shown == "".join(block.text for block in reply.blocks if isinstance(block, Text))
    assert thought == "".join(block.text for block in reply.blocks if isinstance(block, Thinking))
