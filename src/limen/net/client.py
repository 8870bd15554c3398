"""The one client factory. Every HTTP client of this program comes from here."""

import ssl
from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from limen.net.fetch import Fetch, fetch
from limen.net.policy import AddressPolicy
from limen.net.resolve import Resolver, SystemResolver
from limen.net.transport import PinnedBackend, PinnedTransport, Refused

__all__ = ["AddressPolicy", "Fetch", "Refused", "fetch", "new_client"]

USER_AGENT = "Mozilla/5.0 (compatible; Limen)"
KEEPALIVE_S = 15.0


def new_client(
    policy: AddressPolicy,
    *,
    resolver: Resolver | None = None,
    connect_timeout_s: float = 10.0,
    total_timeout_s: float = 60.0,
    headers: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    connections: int = 64,
) -> httpx2.AsyncClient:
    """An HTTP client that connects only to addresses it has itself resolved and judged by `policy`.

    It takes nothing from the environment (no proxies, no netrc), follows no redirects, keeps no cookies. `connect_timeout_s`
    includes the look-up. `total_timeout_s` bounds each wait for bytes of a plain request, so that streams may go on for
    longer, and the whole of a `fetch`. Close it when done. Besides httpx2.TransportError it raises Refused, a kind of it.
    Raises ConfigFault for a `policy.proxy` that cannot be read.
    """
    transport = PinnedTransport(
        PinnedBackend(policy, resolver or SystemResolver(deadline_s=connect_timeout_s)),
        tls=tls,
        connections=connections,
        keepalive_s=KEEPALIVE_S,
    )
    return httpx2.AsyncClient(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx2.Timeout(total_timeout_s, connect=connect_timeout_s),
        headers={"user-agent": USER_AGENT, **(headers or {})},
    )
