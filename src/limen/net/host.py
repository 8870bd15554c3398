"""The host of a URL: one canonical spelling, or a refusal. Stricter than any browser: what can be read two ways is refused."""

import re
import socket
import unicodedata
from typing import NamedTuple
from urllib.parse import urlsplit

import idna

from limen.core.fault import Refusal
from limen.net.address import parse_ip


class Host(NamedTuple):
    """A host in canonical form: an address without brackets, or a lower-case ASCII name without a trailing dot."""

    text: str
    literal: bool


# The URL standard's "ends in a number" test: such a host is an IPv4 address or nothing, and must never go to DNS.
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_PLAIN = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_MALFORMED = "network.malformed"


def parse_host(text: str) -> Host | Refusal:
    """Read the host part of an authority (IPv6 in brackets).

    Codes: `network.malformed`, `network.percent_host`, `network.numeric_host`, `network.unicode_digits`, `network.zone_id`.
    """
    if text.startswith("["):
        return _bracketed(text)
    if "%" in text:
        return _refuse("network.percent_host", "the host is percent-encoded", "write the host's plain name")
    mapped = text if text.isascii() else _mapped(text)
    if isinstance(mapped, Refusal):
        return mapped
    name = mapped.lower()
    dotted = name.endswith(".")
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        if dotted or parse_ip(name) is None:
            return _refuse("network.numeric_host", f"{text} is an unusual spelling of an address", "write four decimal numbers")
        return Host(name, literal=True)
    if len(name) > 253 or not all(_is_label(label) for label in labels) or (len(labels) > 1 and not labels[-1][0].isalpha()):
        return _refuse(_MALFORMED, f"{_shown(text)} is no host name", "check the host's spelling")
    return Host(name, literal=False)


def spelled(name: str) -> str:
    """A host in the one spelling that addresses come to, whichever a rule has; as it is, in lower case, where it is no host."""
    name = name.strip().lower().removesuffix(".")
    if _PLAIN.fullmatch(name):
        return name
    host = parse_host(f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name)
    return name if isinstance(host, Refusal) else host.text


def host_of(url: str) -> str:
    """The host of an address in that spelling; empty where it has none, or is no address at all."""
    try:
        return spelled(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def is_spelled(name: str) -> bool:
    """Whether this is a host in that spelling."""
    return _PLAIN.fullmatch(name) is not None or (":" in name and parse_host(f"[{name}]") == (name, True))


def lies_in(host: str, domain: str) -> bool:
    """Whether a host is a domain or lies below it; both in lower case and without a last dot."""
    return host == domain or host.endswith(f".{domain}")


def _is_label(label: str) -> bool:
    if not label.startswith("xn--"):
        return _LABEL.fullmatch(label) is not None
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
        return len(label) <= 63 and not decoded.isascii() and decoded.encode("punycode").decode("ascii") == label[4:]
    except UnicodeError:
        return False


def _bracketed(text: str) -> Host | Refusal:
    inner = text[1:-1] if text.endswith("]") else ""
    if "%" in inner:
        return _refuse("network.zone_id", "the address is bound to a network interface", "nothing opens it")
    parsed = parse_ip(inner) if ":" in inner else None
    if parsed is None:
        return _refuse(_MALFORMED, f"{_shown(text)} is no IPv6 address", "check the address's spelling")
    return Host(socket.inet_ntop(socket.AF_INET6, parsed[1].to_bytes(16, "big")), literal=True)


def _mapped(text: str) -> str | Refusal:
    """A non-ASCII name as its ASCII form (UTS 46 mapping, IDNA 2008 validity)."""
    for label in re.split("[.。．｡]", text):
        if label and not label.isascii() and all(char.isdigit() or unicodedata.category(char) == "No" for char in label):
            return _refuse("network.unicode_digits", "the host is spelled with non-ASCII digits", "write it with plain digits")
    try:
        ascii_name = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        mend = "check the spelling, or write the name's ASCII form (xn--...)"
        return _refuse(_MALFORMED, f"{_shown(text)} is no internationalised host name", mend)
    last = ascii_name.removesuffix(".").rpartition(".")[2]
    if _NUMERIC_LABEL.fullmatch(last):
        return _refuse("network.unicode_digits", "the host is an address spelled with non-ASCII characters", "write plain digits")
    return ascii_name


def _shown(text: str) -> str:
    return ascii(text[:80])


def _refuse(code: str, reason: str, mend: str) -> Refusal:
    return Refusal("network", code, reason, mend)
