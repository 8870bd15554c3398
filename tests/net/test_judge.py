"""The network gate's judgement, apart from the table's rows."""

import socket

import pytest

from limen.net.client import AddressPolicy
from limen.net.judge import Approved, judge_host, rehearse, vet_url
from limen.testing.network import ListedResolver, never

SHUT = AddressPolicy()
pytestmark = pytest.mark.anyio


def failing(error):
    async def resolver(host, port):
        raise error

    return resolver


async def test_a_literal_is_never_looked_up():
    assert await judge_host("93.184.216.34", 443, SHUT, never) == Approved("93.184.216.34", 443, ("93.184.216.34",))
    assert (await judge_host("10.0.0.1", 443, SHUT, never)).code == "network.private_address"


async def test_a_special_name_is_never_looked_up():
    assert (await judge_host("wiki", 80, SHUT, never)).code == "network.special_name"
    assert (await judge_host("metadata.google.internal", 80, SHUT, never)).code == "network.metadata"


async def test_all_checked_answers_are_handed_on_once_each_in_order():
    resolver = ListedResolver({"site.example": [["1.1.1.1", "2606:4700::1", "1.1.1.1"]]})
    assert await judge_host("site.example", 443, SHUT, resolver) == Approved("site.example", 443, ("1.1.1.1", "2606:4700::1"))


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "dns_failed", "no address"),
        (socket.gaierror(socket.EAI_AGAIN, "again"), "dns_failed", "no name server"),
        (OSError("network is unreachable"), "dns_failed", "no address"),
        (UnicodeError("label too long"), "dns_failed", "no address"),
        (TimeoutError(), "timeout", "too long"),
    ],
)
async def test_failing_look_ups_are_told_from_private_addresses(error, code, word):
    _, refusal = await vet_url("https://site.example/", SHUT, failing(error))
    assert refusal.code == f"network.{code}"
    assert word in refusal.reason


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_AGAIN, "again"), socket.gaierror(socket.EAI_NONAME, "unknown")])
async def test_only_a_named_host_and_a_declared_proxy_pass_without_address(error):
    proxy = "http://proxy.example:3128"
    named = AddressPolicy(("wiki.corp.example",), proxy=proxy)
    assert (await judge_host("wiki.corp.example", 80, named, failing(error))).addresses == ()
    assert (await judge_host("other.corp.example", 80, named, failing(error))).code == "network.dns_failed"
    assert (
        await judge_host("wiki.corp.example", 80, AddressPolicy(("wiki.corp.example",)), failing(error))
    ).code == "network.dns_failed"


@pytest.mark.parametrize(
    ("url", "target", "code"),
    [
        ("https://site.example/", "http://site.example/", "network.downgrade"),
        ("https://site.example/", "http://10.0.0.1/", "network.private_address"),
        ("https://site.example/", "https://user@site.example/", "network.userinfo"),
        ("http://site.example/", "https://site.example/", None),
        ("https://site.example/a", "b", None),
    ],
)
async def test_a_rehearsal_goes_the_whole_way(url, target, code):
    verdicts, refusal = await rehearse(url, SHUT, ListedResolver({"site.example": [["93.184.216.34"]]}), target)
    assert (refusal.code if refusal else None) == code
    assert verdicts[0].code == code
