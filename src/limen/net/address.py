"""Judging an address: may it be reached, and if not, what would open it."""

import socket

from limen.core.fault import Refusal
from limen.net.embedded import embedded_v4, mapped_v4, possible_nat64_v4
from limen.net.policy import AddressPolicy, faking, opening, rules_of
from limen.net.ranges import Kind, Range, range_of

__all__ = ["AddressPolicy", "judge_address", "parse_ip"]

GATE = "network"
# The benchmark networks of RFC 2544, which public hosts never have and fake-IP proxies answer with.
SENTINELS = "198.18.0.0/15"


def parse_ip(text: str) -> tuple[int, int] | None:
    """An address in its strict spelling as (version, value); None for anything else, also for zone ids and odd IPv4 forms."""
    try:
        if ":" in text:
            return 6, int.from_bytes(socket.inet_pton(socket.AF_INET6, text), "big")
        packed = socket.inet_pton(socket.AF_INET, text)
    except (OSError, ValueError):
        return None
    # Some systems' inet_pton takes leading zeros, which others read as octal.
    return (4, int.from_bytes(packed, "big")) if socket.inet_ntop(socket.AF_INET, packed) == text else None


def judge_address(ip: str, policy: AddressPolicy, *, host: str, literal: bool, port: int | None = None) -> Refusal | None:
    """Why `ip` may not be dialled for `host`, or None when it may.

    `literal` says that the URL itself spelled the address; otherwise it is an answer to the name `host`.
    Codes: `network.private_address`, `network.metadata`, `network.proxy_sentinel`, `network.link_local`,
    `network.special_address`.
    """
    address, scoped, _zone = ip.partition("%")
    parsed = parse_ip(address)
    if parsed is None:
        return _refuse("special_address", ip, host, literal, "no address that can be checked", "")
    version, number = parsed
    kind, why = classify(version, number)
    if scoped and kind < Kind.LINK_LOCAL:
        kind, why = Kind.LINK_LOCAL, "bound to one network interface"
    if kind is Kind.METADATA:
        return _refuse("metadata", ip, host, literal, why, "nothing opens it: it hands out the machine's credentials")
    if not literal and kind is not Kind.LINK_LOCAL and rules_of(policy).fakes(version, number) and not _loopback(version, number):
        return None
    if kind is Kind.PUBLIC:
        return None
    if kind is Kind.PRIVATE:
        return _judge_private((version, number), policy, host, literal, port, Range(kind, why), ip)
    if kind is Kind.SENTINEL:
        mend = "nothing opens it as a literal; use the name" if literal else f"when you run such a proxy: {faking(SENTINELS)}"
        return _refuse("proxy_sentinel", ip, host, literal, why, mend)
    return _refuse("link_local" if kind is Kind.LINK_LOCAL else "special_address", ip, host, literal, why, "nothing opens it")


def classify(version: int, number: int) -> Range:
    """The kind of an address: the most firmly refused of what it is and what it embeds."""
    worst = range_of(version, number)
    if version == 4:
        return worst
    for v4 in embedded_v4(number):
        inner = range_of(4, v4)
        if inner.kind > worst.kind:
            worst = Range(inner.kind, f"a spelling of {_dotted(v4)}, {inner.why}")
    for v4 in possible_nat64_v4(number):
        inner = range_of(4, v4)
        if inner.kind is Kind.METADATA:
            worst = Range(inner.kind, f"a spelling of {_dotted(v4)}, {inner.why}")
    return worst


def _judge_private(
    address: tuple[int, int], policy: AddressPolicy, host: str, literal: bool, port: int | None, found: Range, ip: str
) -> Refusal | None:
    rules = rules_of(policy)
    version, number = address
    v4 = mapped_v4(number) if version == 6 else None
    opened = rules.opens_address(version, number, port) or (v4 is not None and rules.opens_address(4, v4, port))
    if opened or (not literal and rules.opens_name(host, port)):
        return None
    mend = f"when you trust it: {opening(ip if literal else host, port)}"
    return _refuse("private_address", ip, host, literal, found.why, mend)


def _refuse(code: str, ip: str, host: str, literal: bool, why: str, mend: str) -> Refusal:
    reason = f"{ip} is {why}" if literal else f"{host} resolves to {ip}, which is {why}"
    return Refusal(GATE, f"network.{code}", reason, mend, {"host": host, "address": ip})


def _loopback(version: int, number: int) -> bool:
    if version == 6:
        v4 = mapped_v4(number)
        return number == 1 or (v4 is not None and v4 >> 24 == 127)
    return number >> 24 == 127


def _dotted(number: int) -> str:
    return socket.inet_ntop(socket.AF_INET, number.to_bytes(4, "big"))
