"""Whether two addresses are one place to a reader who accepted the first, and what is said of those that are not."""

from shlex import quote

from limen.core.fault import Refusal
from limen.net.url import DEFAULT_PORTS, SafeUrl


def same_host(asked: SafeUrl, onward: SafeUrl) -> bool:
    """The same host with or without `www.`, on the same port or on that of https in place of http's."""
    upgraded = asked.port == DEFAULT_PORTS["http"] and (onward.scheme, onward.port) == ("https", DEFAULT_PORTS["https"])
    return asked.host.removeprefix("www.") == onward.host.removeprefix("www.") and (asked.port == onward.port or upgraded)


def cross_host(asked: SafeUrl, onward: SafeUrl) -> Refusal | None:
    """The choice that is handed back where a page leads to another host, None where it does not.

    `redirects_to` in the detail is the new address, `from` the one that was asked for. Code: `web.cross_host_redirect`.
    """
    if same_host(asked, onward):
        return None
    detail = {"from": str(asked), "redirects_to": str(onward)}
    reason = f"{asked} leads to another host: {onward}"
    mend = f"to follow, ask for that address: limen extract {quote(str(onward))}"  # a page wrote it, a shell will read it
    return Refusal("redirect", "web.cross_host_redirect", reason, mend, detail)
