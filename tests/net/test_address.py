"""The address table and its judge: every address of a listed range is refused, however it is spelled."""

import ipaddress
import socket

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from limen.core.fault import Refusal
from limen.net.address import AddressPolicy, classify, judge_address, parse_ip
from limen.net.ranges import TABLE, Kind, range_of
from limen.net.url import parse

SHUT = AddressPolicy()
REFUSED_V4 = [ipaddress.ip_network(cidr) for cidr, kind, _ in TABLE if kind is not Kind.PUBLIC and "." in cidr]
REFUSED_V6 = [ipaddress.ip_network(cidr) for cidr, kind, _ in TABLE if kind is not Kind.PUBLIC and ":" in cidr and cidr != "::/0"]


def within(networks):
    return st.sampled_from(networks).flatmap(lambda net: st.integers(int(net[0]), int(net[-1])))


def v4_in_v6(number):
    """Every way to carry an IPv4 address in an IPv6 one."""
    low = number
    return [
        low,
        0xFFFF << 32 | low,
        0xFFFF_0000 << 32 | low,
        0x64FF9B << 96 | low,
        0x64FF9B_0001 << 80 | low,
        0x2002 << 112 | low << 80 | 1,
        0x2001_0000 << 96 | low << 64 | 0x0808_0808 ^ 0xFFFF_FFFF,
        0x2001_0000 << 96 | 0x0808_0808 << 64 | low ^ 0xFFFF_FFFF,
        0x2606_4700 << 96 | 0x0000_5EFE << 32 | low,
        0x2606_4700 << 96 | 0x0200_5EFE << 32 | low,
    ]


def spellings_v4(number):
    a, b, c, d = number.to_bytes(4, "big")
    yield f"{a}.{b}.{c}.{d}"
    yield str(number)
    yield hex(number)
    yield f"0{number:o}"
    yield f"0x{a:X}.0{b:o}.{c}.{d}"
    yield f"{a}.{b}.{number & 0xFFFF}"
    yield f"{a}.{number & 0xFFFFFF}"
    yield f"{a:03}.{b:03}.{c:03}.{d:03}"
    yield f"{a}.{b}.{c}.{d}."
    yield f"{a}.{b}.{c}.{d}".translate({ord("0") + n: 0xFF10 + n for n in range(10)})
    yield f"{a}。{b}．{c}｡{d}"
    yield "".join(f"%{ord(char):02x}" for char in f"{a}.{b}.{c}.{d}")


def spellings_v6(number):
    address = ipaddress.IPv6Address(number)
    yield address.compressed
    yield address.exploded
    yield address.exploded.upper()
    head = ":".join(address.exploded.split(":")[:6])
    yield f"{head}:{ipaddress.IPv4Address(number & 0xFFFF_FFFF)}"


def refused(url):
    """Whether the URL is refused, or at least the literal it holds."""
    parsed = parse(url)
    if isinstance(parsed, Refusal):
        return True
    assert parsed.literal
    return judge_address(parsed.host, SHUT, host=parsed.host, literal=True) is not None


@given(within(REFUSED_V4))
@settings(deadline=None, max_examples=300)
def test_listed_ipv4_is_refused_in_every_spelling(number):
    for spelling in spellings_v4(number):
        assert refused(f"http://{spelling}/"), spelling
    for carrier in v4_in_v6(number):
        assert refused(f"http://[{ipaddress.IPv6Address(carrier)}]/"), hex(carrier)
        answer = str(ipaddress.IPv6Address(carrier))
        assert judge_address(answer, SHUT, host="site.example", literal=False) is not None


@given(within(REFUSED_V6))
@settings(deadline=None, max_examples=300)
def test_listed_ipv6_is_refused_in_every_spelling(number):
    for spelling in spellings_v6(number):
        assert refused(f"http://[{spelling}]/"), spelling
        assert judge_address(spelling, SHUT, host="site.example", literal=False) is not None


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_public_ipv4_is_exactly_what_no_entry_holds(number):
    listed = any(number in range(int(net[0]), int(net[-1]) + 1) for net in REFUSED_V4)
    assert (range_of(4, number).kind is Kind.PUBLIC) is not listed


@given(st.integers(0, 2**128 - 1))
@settings(deadline=None)
def test_only_global_unicast_and_its_ipv4_carriers_are_public(number):
    assume(number >> 125 != 1)
    carriers = (0xFFFF, 0x64FF9B << 64)
    assert classify(6, number).kind is not Kind.PUBLIC or number >> 32 in carriers


def test_the_ends_of_every_range_are_in_it_and_their_neighbours_judged_alone():
    for cidr, kind, why in TABLE:
        network = ipaddress.ip_network(cidr)
        if kind in (Kind.METADATA, Kind.SENTINEL):
            assert range_of(network.version, int(network[0])) == (kind, why)
            assert range_of(network.version, int(network[-1])) == (kind, why)


@pytest.mark.parametrize(
    "text",
    ["", "127.1", "0x7f.0.0.1", "127.0.0.01", "::1%lo", "[::1]", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\0",
     "::ffff:1.2.3", "é", "1.2.3.4.5", ":"],
)  # fmt: skip
def test_odd_spellings_are_no_addresses(text):
    assert parse_ip(text) is None


@given(st.one_of(st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address), st.integers(0, 2**128 - 1).map(ipaddress.IPv6Address)))
def test_strict_spellings_are_read_as_the_standard_library_does(address):
    assert parse_ip(str(address)) == (address.version, int(address))


@given(st.text(max_size=40))
def test_any_text_gets_an_answer(text):
    parsed = parse_ip(text)
    assert parsed is None or socket.inet_pton(socket.AF_INET6 if parsed[0] == 6 else socket.AF_INET, text)
    judge_address(text, SHUT, host="site.example", literal=False)


OPENED = [
    ("10.0.0.5", ("10.0.0.0/8",), True),
    ("10.0.0.5", ("10.0.0.5",), True),
    ("10.0.0.5", ("10.0.0.5:80",), True),
    ("10.0.0.5", ("10.0.0.5:81",), False),
    ("10.0.0.5", ("11.0.0.0/8", "nas"), False),
    ("::1", ("::1",), True),
    ("::1", ("[::1]:80",), True),
    ("::1", ("[::1]:81",), False),
    ("::ffff:10.0.0.5", ("10.0.0.0/8",), True),
    ("64:ff9b::a00:5", ("10.0.0.0/8",), False),
    ("127.0.0.1", ("localhost",), False),
    ("169.254.1.1", ("169.254.0.0/16", "169.254.1.1"), False),
    ("fe80::1", ("fe80::/10",), False),
    ("0.0.0.0", ("0.0.0.0/0",), False),
    ("224.0.0.1", ("0.0.0.0/0",), False),
    ("198.18.0.1", ("198.18.0.0/15",), False),
    ("168.63.129.16", ("0.0.0.0/0",), False),
    ("fd00:ec2::254", ("fd00::/8",), False),
]


@pytest.mark.parametrize(("ip", "entries", "opened"), OPENED)
def test_entries_open_literals(ip, entries, opened):
    policy = AddressPolicy(allow_private_hosts=entries)
    assert (judge_address(ip, policy, host=ip, literal=True, port=80) is None) is opened


@pytest.mark.parametrize(
    ("host", "ip", "entries", "opened"),
    [
        ("nas.lan", "10.0.0.5", ("nas.lan",), True),
        ("nas.lan", "10.0.0.5", ("NAS.LAN.",), True),
        ("nas.lan", "10.0.0.5", (".lan",), True),
        ("nas.lan", "10.0.0.5", ("*.lan",), True),
        ("lan", "10.0.0.5", (".lan",), False),
        ("xnas.lan", "10.0.0.5", ("nas.lan",), False),
        ("nas.lan.evil.example", "10.0.0.5", ("nas.lan", ".lan"), False),
        ("nas.lan", "10.0.0.5", ("nas.lan:80",), True),
        ("nas.lan", "10.0.0.5", ("nas.lan:8080",), False),
        ("nas.lan", "10.0.0.5", ("10.0.0.0/24",), True),
        ("nas.lan", "169.254.169.254", ("nas.lan", "0.0.0.0/0"), False),
        ("nas.lan", "fe80::1", ("nas.lan", "::/0"), False),
        ("nas.lan", "fd00::1%eth0", ("nas.lan", "::/0"), False),
        ("nas.lan", "not an address", ("nas.lan",), False),
    ],
)
def test_entries_open_answers_to_names(host, ip, entries, opened):
    policy = AddressPolicy(allow_private_hosts=entries)
    assert (judge_address(ip, policy, host=host, literal=False, port=80) is None) is opened


@pytest.mark.parametrize(
    ("ip", "ranges", "opened"),
    [
        ("198.18.0.9", ("198.18.0.0/15",), True),
        ("198.19.0.9", ("198.18.0.0/16",), False),
        ("fc00::9", ("fc00::/18",), True),
        ("240.0.0.9", ("240.0.0.0/4",), True),
        ("127.0.0.1", ("127.0.0.0/8",), False),
        ("::1", ("::/7",), False),
        ("::ffff:127.0.0.1", ("::/7",), False),
        ("169.254.169.254", ("169.254.0.0/16",), False),
        ("169.254.3.4", ("169.254.0.0/16",), False),
    ],
)
def test_fake_ip_ranges_open_answers_and_never_literals(ip, ranges, opened):
    policy = AddressPolicy(fake_ip_ranges=ranges)
    assert (judge_address(ip, policy, host="site.example", literal=False, port=80) is None) is opened
    assert judge_address(ip, policy, host=ip, literal=True, port=80) is not None


def test_a_refusal_names_the_address_the_reason_and_the_command():
    refusal = judge_address("10.0.0.5", AddressPolicy(allow_private_hosts=("wiki",)), host="nas.lan", literal=False, port=8080)
    assert refusal == Refusal(
        "network",
        "network.private_address",
        "nas.lan resolves to 10.0.0.5, which is a private network",
        "when you trust it: limen config set security.allow_private_hosts --add nas.lan:8080",
        {"host": "nas.lan", "address": "10.0.0.5"},
    )
