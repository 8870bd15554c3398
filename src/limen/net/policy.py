"""What an operator opens on the network: hosts and ranges, parsed once."""

import shlex
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NamedTuple

import msgspec

from limen.core.fault import ConfigFault

ALLOW_KEY = "security.allow_private_hosts"
FAKE_KEY = "security.fake_ip_ranges"
PROXY_KEY = "security.proxy"

# A wider range than this is a slip of the keyboard, not a proxy's pool (the widest in use is 240.0.0.0/4; fc00::/18).
_WIDEST_FAKE = {4: 4, 6: 7}


class AddressPolicy(msgspec.Struct, frozen=True):
    """Which hosts that are not public may be reached. The defaults open nothing.

    `allow_private_hosts`: a host (`wiki`, `nas.local`), a host and its subdomains' suffix (`.corp.example`), an address or
    CIDR, each with an optional `:port`. It opens private addresses, special names and, where it names the port, ports that
    are refused otherwise; never metadata, link-local or reserved addresses.
    `fake_ip_ranges`: CIDRs a fake-IP proxy answers with; they open answers to names, never literals.
    `proxy`: `http(s)://[user:password@]host:port`; the only way a proxy is ever used. Names are still resolved and judged here,
    and the proxy is given the checked address.
    Raises ConfigFault `config.bad_value` for an entry that cannot be read.
    """

    allow_private_hosts: tuple[str, ...] = ()
    fake_ip_ranges: tuple[str, ...] = ()
    proxy: str = ""

    def __post_init__(self) -> None:
        rules_of(self)


def opening(host: str, port: int | None = None) -> str:
    """The command that opens a host, on this port alone where one is given; ready for a shell, whatever the host's spelling."""
    shown = f"[{host}]" if ":" in host and port is not None else host
    return f"limen config set {ALLOW_KEY} --add {shlex.quote(shown if port is None else f'{shown}:{port}')}"


def faking(network: str) -> str:
    """The command that declares a network a fake-IP proxy's."""
    return f"limen config set {FAKE_KEY} --add {network}"


class _Block(NamedTuple):
    """An opened stretch of addresses, on one port or on all."""

    version: int
    first: int
    last: int
    port: int | None

    def holds(self, version: int, number: int, port: int | None) -> bool:
        return self.version == version and self.first <= number <= self.last and self.port in (None, port)


class Rules:
    """A policy's entries, ready to be asked."""

    def __init__(self, allowed: tuple[str, ...], fake: tuple[str, ...]) -> None:
        self._names: dict[str, set[int | None]] = {}
        self._suffixes: list[tuple[str, int | None]] = []
        self._blocks: list[_Block] = []
        for entry in allowed:
            self._add(entry)
        self._fake = [_fake_block(entry) for entry in fake]

    def _add(self, entry: str) -> None:
        target, port = _split_port(entry.strip().lower())
        network = _network(target)
        if network is not None:
            self._blocks.append(_Block(network.version, int(network[0]), int(network[-1]), port))
            return
        name = target.removeprefix("*").rstrip(".")
        if not name.strip(".") or not all(char.isalnum() or char in "._-" for char in name) or not name.isascii():
            raise _unreadable(entry)
        if name.startswith("."):
            self._suffixes.append((name, port))
        else:
            self._names.setdefault(name, set()).add(port)

    def opens_name(self, host: str, port: int | None) -> bool:
        """Whether an entry names this host, or a suffix of it, for this port."""
        ports = self._names.get(host)
        if ports is not None and (None in ports or port in ports):
            return True
        return any(host.endswith(suffix) and allowed in (None, port) for suffix, allowed in self._suffixes)

    def opens_address(self, version: int, number: int, port: int | None) -> bool:
        """Whether an entry holds this address for this port."""
        return any(block.holds(version, number, port) for block in self._blocks)

    def names_port(self, host: str, address: tuple[int, int] | None, port: int) -> bool:
        """Whether an entry opens this host and says this very port."""
        if port in self._names.get(host, ()) or any(host.endswith(suffix) and port == said for suffix, said in self._suffixes):
            return True
        return address is not None and any(block.port == port and block.holds(*address, port) for block in self._blocks)

    def fakes(self, version: int, number: int) -> bool:
        """Whether a fake-IP proxy was declared to answer with this address."""
        return any(block.holds(version, number, None) for block in self._fake)


@lru_cache(maxsize=64)
def rules_of(policy: AddressPolicy) -> Rules:
    """The parsed entries of a policy; parsed once for each policy value."""
    return Rules(policy.allow_private_hosts, policy.fake_ip_ranges)


def _split_port(entry: str) -> tuple[str, int | None]:
    """Split `host:port`, `1.2.3.4:port`, `[v6]:port` or `10.0.0.0/8:port`; an unbracketed IPv6 address has no port."""
    target, colon, port = entry, "", ""
    if entry.startswith("["):
        target, closing, rest = entry[1:].partition("]")
        colon, port = rest[:1], rest[1:]
        if not closing or colon not in ("", ":"):
            raise _unreadable(entry)
    elif entry.count(":") == 1:
        target, colon, port = entry.partition(":")
    if not colon:
        return target, None
    if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65_536):
        raise _unreadable(entry)
    return target, int(port)


def _unreadable(entry: str) -> ConfigFault:
    mend = f"write a host, .suffix, address or CIDR, optionally with :port (limen config set {ALLOW_KEY} --add nas.local:8080)"
    return ConfigFault("config.bad_value", f"cannot read {entry[:80]!r} as a host", mend, place=ALLOW_KEY)


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _fake_block(entry: str) -> _Block:
    network = _network(entry.strip())
    if network is None or network.prefixlen < _WIDEST_FAKE[network.version]:
        mend = f"write the CIDR your proxy answers with ({faking('198.18.0.0/15')})"
        raise ConfigFault("config.bad_value", f"cannot use {entry!r} as a fake-IP range", mend, place=FAKE_KEY)
    return _Block(network.version, int(network[0]), int(network[-1]), None)
