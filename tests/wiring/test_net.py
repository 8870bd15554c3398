"""A model server answers many sessions at once; what is more than this process has files for waits and is not lost."""

import resource

import anyio
import pytest

from limen.config.schema import Config
from limen.net.policy import AddressPolicy
from limen.testing.network import serve
from limen.wiring.net import Net

pytestmark = pytest.mark.anyio


class Held:
    """A server that answers nobody before `expected` have asked, and counts who is being answered."""

    def __init__(self, expected):
        self.expected = expected
        self.asking = self.most = 0
        self.all_here = anyio.Event()

    async def answer(self, request, stream):
        self.asking += 1
        self.most = max(self.most, self.asking)
        if self.asking >= self.expected:
            self.all_here.set()
        await self.all_here.wait()
        self.asking -= 1
        await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")


async def said_to(count, held):
    net = Net(Config(), AddressPolicy())
    said = []
    async with serve({"*": held.answer}) as server:

        async def ask():
            said.append((await net.for_named(server.url("/v1")).get(server.url("/v1"))).text)

        async with anyio.create_task_group() as group:
            for _ in range(count):
                group.start_soon(ask)
        await net.close()
    return said


async def test_more_than_a_hundred_requests_are_open_at_once():
    held = Held(150)
    with anyio.fail_after(60):
        assert await said_to(150, held) == ["ok"] * 150
    assert held.most == 150


async def test_where_files_are_few_requests_wait():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
    try:
        held = Held(80)
        with anyio.fail_after(60):
            assert await said_to(240, held) == ["ok"] * 240
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert 80 <= held.most <= 100
