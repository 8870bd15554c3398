"""Which addresses are not the public internet: the special-purpose table, as data.

Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries, the IPv6 global unicast allocation (2000::/3), and
the cloud vendors' documentation for metadata services. The table is our own because the standard library's answer
changes with its patch level and knows no metadata address.
"""

from bisect import bisect_right
from collections.abc import Sequence
from enum import IntEnum
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NamedTuple


class Kind(IntEnum):
    """What an address is, rising with how firmly it is refused."""

    PUBLIC = 0
    PRIVATE = 1
    SENTINEL = 2
    SPECIAL = 3
    LINK_LOCAL = 4
    METADATA = 5


class Range(NamedTuple):
    """A stretch of addresses: what kind it is, and in words."""

    kind: Kind
    why: str


# The most specific entry holds. What IANA calls globally reachable stands as PUBLIC inside the range that surrounds it,
# except for anycast services of the local network and identifiers that are no locators.
TABLE: tuple[tuple[str, Kind, str], ...] = (
    ("0.0.0.0/0", Kind.PUBLIC, "public"),
    ("0.0.0.0/8", Kind.SPECIAL, "this network (it reaches the machine itself)"),
    ("10.0.0.0/8", Kind.PRIVATE, "a private network"),
    ("100.64.0.0/10", Kind.PRIVATE, "a carrier's or overlay's shared network"),
    ("127.0.0.0/8", Kind.PRIVATE, "this machine (loopback)"),
    ("169.254.0.0/16", Kind.LINK_LOCAL, "link-local"),
    ("172.16.0.0/12", Kind.PRIVATE, "a private network"),
    ("192.0.0.0/24", Kind.SPECIAL, "reserved for protocol assignments"),
    ("192.0.2.0/24", Kind.SPECIAL, "reserved for documentation"),
    ("192.88.99.0/24", Kind.SPECIAL, "the retired 6to4 relay"),
    ("192.168.0.0/16", Kind.PRIVATE, "a private network"),
    ("198.18.0.0/15", Kind.SENTINEL, "in 198.18.0.0/15, the well-known sentinel range that fake-IP proxies answer with"),
    ("198.51.100.0/24", Kind.SPECIAL, "reserved for documentation"),
    ("203.0.113.0/24", Kind.SPECIAL, "reserved for documentation"),
    ("224.0.0.0/4", Kind.SPECIAL, "multicast"),
    ("240.0.0.0/4", Kind.SPECIAL, "reserved"),
    ("::/0", Kind.SPECIAL, "outside what is allocated for the public internet"),
    ("2000::/3", Kind.PUBLIC, "public"),
    ("::1/128", Kind.PRIVATE, "this machine (loopback)"),
    ("::/128", Kind.SPECIAL, "the unspecified address (it reaches the machine itself)"),
    ("::ffff:0:0/96", Kind.PUBLIC, "an IPv4 address in IPv6 spelling"),
    ("64:ff9b::/96", Kind.PUBLIC, "an IPv4 address behind NAT64"),
    ("64:ff9b:1::/48", Kind.PRIVATE, "a local NAT64 prefix"),
    ("100::/64", Kind.SPECIAL, "the discard prefix"),
    ("2001::/23", Kind.SPECIAL, "reserved for protocol assignments"),
    ("2001::/32", Kind.PUBLIC, "a Teredo tunnel"),
    ("2001:3::/32", Kind.PUBLIC, "public"),
    ("2001:4:112::/48", Kind.PUBLIC, "public"),
    ("2001:db8::/32", Kind.SPECIAL, "reserved for documentation"),
    ("3fff::/20", Kind.SPECIAL, "reserved for documentation"),
    ("5f00::/16", Kind.SPECIAL, "segment-routing identifiers"),
    ("fc00::/7", Kind.PRIVATE, "a private network"),
    ("fe80::/10", Kind.LINK_LOCAL, "link-local"),
    ("fec0::/10", Kind.PRIVATE, "a private network (site-local)"),
    ("ff00::/8", Kind.SPECIAL, "multicast"),
    # Instance metadata and its neighbours: credentials for whoever asks.
    ("100.80.80.80/32", Kind.METADATA, "UCloud's metadata service"),
    ("100.96.0.96/32", Kind.METADATA, "Volcengine's metadata service"),
    ("100.100.100.200/32", Kind.METADATA, "Alibaba Cloud's metadata service"),
    ("168.63.129.16/32", Kind.METADATA, "Azure's WireServer"),
    ("169.254.0.23/32", Kind.METADATA, "Tencent Cloud's metadata service"),
    ("169.254.10.10/32", Kind.METADATA, "Tencent Cloud's metadata service"),
    ("169.254.42.42/32", Kind.METADATA, "Scaleway's metadata service"),
    ("169.254.100.1/32", Kind.METADATA, "the AWS Lambda runtime"),
    ("169.254.169.0/24", Kind.METADATA, "the cloud's metadata service or its neighbours"),
    ("169.254.170.0/24", Kind.METADATA, "the AWS container credential service"),
    ("192.0.0.192/32", Kind.METADATA, "Oracle Cloud's metadata service"),
    ("fd00:42::42/128", Kind.METADATA, "Scaleway's metadata service"),
    ("fd00:a9fe:a9fe::/48", Kind.METADATA, "Linode's metadata service"),
    ("fd00:c1::a9fe:a9fe/128", Kind.METADATA, "Oracle Cloud's metadata service"),
    ("fd00:ec2::/32", Kind.METADATA, "the AWS metadata service or its neighbours"),
    ("fd20:ce::254/128", Kind.METADATA, "Google Cloud's metadata service"),
    ("fe80::a9fe:a9fe/128", Kind.METADATA, "OpenStack's metadata service"),
)


class _Segments:
    """Disjoint stretches that cover all addresses of one version, in order, for a binary search."""

    def __init__(self, version: int) -> None:
        networks = [(ip_network(cidr), Range(kind, why)) for cidr, kind, why in TABLE]
        ours = sorted(((net, entry) for net, entry in networks if net.version == version), key=lambda pair: pair[0].prefixlen)
        bounds = {int(net.network_address) for net, _ in ours} | {int(net.broadcast_address) + 1 for net, _ in ours}
        self._starts = sorted(bound for bound in bounds if bound < 1 << (32 if version == 4 else 128))
        self._ranges = [self._most_specific(start, ours) for start in self._starts]

    @staticmethod
    def _most_specific(start: int, ours: Sequence[tuple[IPv4Network | IPv6Network, Range]]) -> Range:
        inside = [entry for net, entry in ours if int(net.network_address) <= start <= int(net.broadcast_address)]
        return inside[-1]

    def at(self, number: int) -> Range:
        return self._ranges[bisect_right(self._starts, number) - 1]


_V4 = _Segments(4)
_V6 = _Segments(6)


def range_of(version: int, number: int) -> Range:
    """The most specific entry that holds this address, given as its version (4 or 6) and its value."""
    return (_V4 if version == 4 else _V6).at(number)
