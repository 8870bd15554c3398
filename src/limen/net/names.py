"""Host names that never mean a site on the public internet, whatever a resolver answers."""

from limen.core.fault import Refusal
from limen.net.policy import AddressPolicy, opening, rules_of

# Vendors' documentation of their metadata services.
METADATA_NAMES = frozenset({
    "instance-data", "instance-data.ec2.internal", "metadata", "metadata.azure.internal", "metadata.goog",
    "metadata.google.internal", "metadata.packet.net", "metadata.platformequinix.com", "metadata.tencentyun.com",
    "rancher-metadata",
})  # fmt: skip

# IANA Special-Use Domain Names (RFC 6761, 6762, 7686, 8375, 9476), ICANN's private-use TLD (2024), and the endings that
# routers and clusters hand out. `example` is left to what it resolves to.
SPECIAL_SUFFIXES = frozenset({
    "alt", "arpa", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost", "mail", "onion",
    "private", "svc", "test",
})  # fmt: skip


def judge_name(host: str, policy: AddressPolicy, *, port: int | None = None) -> Refusal | None:
    """Why a host name (lower case, ASCII, without a trailing dot) may not even be looked up, or None.

    Codes: `network.metadata`, `network.special_name`.
    """
    if host in METADATA_NAMES or any(host.endswith(f".{name}") for name in METADATA_NAMES if "." in name):
        mend = "nothing opens it: it hands out the machine's credentials"
        return Refusal("network", "network.metadata", f"{host} is a cloud's metadata service", mend, {"host": host})
    last = host.rpartition(".")[2]
    if last != host and last not in SPECIAL_SUFFIXES:
        return None
    if rules_of(policy).opens_name(host, port):
        return None
    why = f".{last} is never public" if last in SPECIAL_SUFFIXES else "a single label is a name of the local network"
    mend = f"when you trust it: {opening(host, port)}"
    return Refusal("network", "network.special_name", f"{host} is not looked up: {why}", mend, {"host": host})
