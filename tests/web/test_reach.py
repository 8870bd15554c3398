"""Whether the network is there: looked up once a minute, learnt from how requests go."""

import anyio
import pytest
from web.search_rig import Provider, down, web

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest
from limen.testing.network import ListedResolver
from limen.web.reach import HOLDS_S, DomainIfReachable, IfReachable, Reach

pytestmark = pytest.mark.anyio
HOSTS = ("api.a.example", "api.b.example")
THERE = {"api.b.example": [["93.184.216.34"]]}


class Clock:
    def __init__(self):
        self.now_s = 1_000.0

    def __call__(self):
        return self.now_s


async def search(provider):
    return await provider.search(SearchRequest("heron"), CallContext())


async def test_one_host_that_has_an_address_is_enough():
    resolver = ListedResolver(THERE)
    reach = Reach(resolver, HOSTS)
    assert not await reach.lost()
    assert resolver.asked == list(HOSTS)


async def test_where_no_name_has_an_address_nobody_is_asked_for_a_minute():
    resolver, clock = ListedResolver({"api.a.example": [[], ["93.184.216.34"]]}), Clock()
    reach = Reach(resolver, HOSTS, clock=clock)
    providers = [web("a"), web("b")]
    answers = [await search(IfReachable(one, reach)) for one in providers]
    assert {answer.refusal.code for answer in answers} == {"network.unreachable"}
    assert [one.asked for one in providers] == [[], []]
    assert resolver.asked == list(HOSTS)
    clock.now_s += HOLDS_S
    assert (await search(IfReachable(providers[0], reach))).refusal is None


@pytest.mark.parametrize("error", [OSError("no network"), TimeoutError(), UnicodeError("bad name")])
async def test_a_look_up_that_fails_is_no_address(error):
    async def resolver(host, port):
        raise error

    assert await Reach(resolver, HOSTS).lost()


async def test_a_name_server_that_does_not_answer_is_not_waited_for():
    async def resolver(host, port):
        await anyio.sleep_forever()

    with anyio.fail_after(10):
        assert await Reach(resolver, HOSTS).lost()


async def test_many_at_once_look_up_once():
    resolver = ListedResolver(THERE)
    reach = Reach(resolver, HOSTS)
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(reach.lost)
    assert resolver.asked == list(HOSTS)


async def test_without_hosts_the_network_counts_as_there():
    assert not await Reach(ListedResolver({}), ()).lost()


async def test_two_in_a_row_that_cannot_be_connected_to_are_the_network():
    reach = Reach(ListedResolver(THERE), HOSTS)
    third = web("c")
    for provider in (down("a", "network.connect_failed"), down("b", "network.timeout"), third):
        await search(IfReachable(provider, reach))
    assert third.asked == []


async def test_an_answer_between_two_or_a_failure_of_another_kind_is_not():
    reach = Reach(ListedResolver(THERE), HOSTS)
    last = web("d")
    for provider in (down("a", "network.timeout"), down("b", "search.quota"), down("c", "network.timeout"), last):
        await search(IfReachable(provider, reach))
    assert len(last.asked) == 1


async def test_it_is_the_provider_otherwise():
    missing = Refusal("pip", "web.not_installed", "no")
    provider = Provider("pip", (), fits=0.7, missing=missing)
    guarded = DomainIfReachable(provider, Reach(ListedResolver({}), ()))
    assert (guarded.name, guarded.unavailable(), guarded.fits(SearchRequest("x"))) == ("pip", missing, 0.7)
