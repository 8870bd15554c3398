"""Fake-IP proxies, told by canaries: only where every name is answered so does a stand-in address pass."""

import socket

import anyio
import pytest

from limen.net.canary import HOLDS_S, PUBLIC_NAMES, CanaryResolver
from limen.net.judge import Approved, judge_host
from limen.net.policy import AddressPolicy

pytestmark = pytest.mark.anyio
SHUT = AddressPolicy()
UNKNOWN = socket.gaierror(socket.EAI_NONAME, "unknown")


class Names:
    """A resolver whose answers can change; `else` answers every other name."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    async def __call__(self, host, port):
        self.asked.append(host)
        answer = self.answers.get(host, self.answers["others"])
        if isinstance(answer, Exception):
            raise answer
        return answer


def canary(names, clock=lambda: 0.0):
    return CanaryResolver(names, new_name=lambda: "nobody-has-this.com", clock=clock)


async def judged(names, host="shop.example"):
    return await judge_host(host, 443, SHUT, canary(names))


async def test_where_every_name_is_faked_a_stand_in_passes():
    assert await judged(Names(others=["198.18.0.84"])) == Approved("shop.example", 443, ("198.18.0.84",))


@pytest.mark.parametrize(
    "rest",
    [
        {"others": UNKNOWN},
        {"others": TimeoutError()},
        {"others": []},
        {"others": ["198.18.0.9"], "nobody-has-this.com": UNKNOWN},
        {"others": ["198.18.0.9"], PUBLIC_NAMES[0]: ["93.184.216.34"]},
        {"others": ["198.18.0.9"], PUBLIC_NAMES[1]: ["198.18.0.9", "93.184.216.34"]},
        {"others": ["198.18.0.9"], PUBLIC_NAMES[1]: TimeoutError()},
        {"others": ["198.20.0.9"]},
        {"others": ["not an address"]},
    ],
)
async def test_a_single_poisoned_name_stays_refused(rest):
    refusal = await judged(Names(**{"shop.example": ["198.18.0.84"], **rest}))
    assert refusal.code == "network.proxy_sentinel"
    assert "198.18.0.84" in refusal.reason
    assert refusal.mend.endswith("limen config set security.fake_ip_ranges --add 198.18.0.0/15")


async def test_whatever_else_is_among_the_answers_is_judged_too():
    names = Names(others=["198.18.0.9"], **{"evil.example": ["198.18.0.84", "10.0.0.5"]})
    assert (await judged(names, "evil.example")).code == "network.private_address"


async def test_literals_and_special_names_are_never_opened():
    names = Names(others=["198.18.0.84"])
    assert (await judged(names, "198.18.0.84")).code == "network.proxy_sentinel"
    assert (await judged(names, "router.lan")).code == "network.special_name"
    assert names.asked == []


async def test_a_plain_resolver_detects_nothing():
    assert (await judge_host("shop.example", 443, SHUT, Names(others=["198.18.0.84"]))).code == "network.proxy_sentinel"


async def test_a_finding_holds_for_a_while_and_is_then_made_anew():
    now = 0.0
    names = Names(others=["198.18.0.84"])
    resolver = canary(names, clock=lambda: now)
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(resolver.fakes)
    assert sorted(names.asked) == sorted([*PUBLIC_NAMES, "nobody-has-this.com"])
    now = HOLDS_S - 1
    names.answers["others"] = ["93.184.216.34"]
    assert await resolver.fakes()
    now = HOLDS_S
    assert not await resolver.fakes()


async def test_the_unregistered_name_is_another_one_each_time():
    names = Names(others=["198.18.0.84"])
    await CanaryResolver(names).fakes()
    await CanaryResolver(names).fakes()
    assert len(set(names.asked)) == len(PUBLIC_NAMES) + 2
