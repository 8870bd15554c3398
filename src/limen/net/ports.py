"""Ports that speak something other than HTTP, where a request could be taken for a command."""

from limen.core.fault import Refusal
from limen.net.address import parse_ip
from limen.net.policy import AddressPolicy, opening, rules_of

# The Fetch standard's "bad ports", and the stores and queues that take plain text from anyone who connects.
REFUSED_PORTS = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113,
    115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
    563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
    445, 873, 1433, 1521, 2181, 3306, 3389, 5432, 5900, 6379, 9042, 11211, 27017,
})  # fmt: skip


def judge_port(host: str, port: int, policy: AddressPolicy) -> Refusal | None:
    """Why this port may not be dialled on `host`, or None. Code: `network.port`. An entry `host:port` opens it."""
    if port not in REFUSED_PORTS or rules_of(policy).names_port(host, parse_ip(host), port):
        return None
    reason = f"port {port} does not speak HTTP"
    return Refusal("network", "network.port", reason, f"when yours does: {opening(host, port)}")
