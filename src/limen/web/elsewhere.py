"""Whether somebody else may be asked for a page that one reader could not give."""

from limen.core.fault import Refusal

# The gates' own words hold for everybody; so does a person's interrupt, and a choice that is the caller's.
_FOR_ALL = frozenset({"secrets", "policy", "permission", "cache", "redirect"})
# What the network gate and the local reader say of a connection; whatever else they say is about the address.
_OF_THE_CONNECTION = frozenset({
    "network.timeout", "network.connect_failed", "network.reset", "network.tls", "network.protocol", "network.proxy",
    "network.encoding", "network.http_status", "network.too_large", "network.too_many_redirects", "network.unreachable",
})  # fmt: skip


def another_may_try(refusal: Refusal) -> bool:
    """Whether this is one reader's failure, which need not be another's."""
    if refusal.gate in _FOR_ALL or refusal.code == "web.interrupted":
        return False
    # A vendor speaks in its own name, also where it is the vendor that cannot be reached.
    return refusal.gate != "network" or refusal.code in _OF_THE_CONNECTION
