"""A documentation site's own index, read past the same gates as a page of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from limen.builtin.web.sites import Sites
from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.kit.deferred import load
from limen.kit.remade import Remade
from limen.web.gates.permission import DOCUMENTATION_HOSTS
from limen.web.gates.policy import HostRules
from limen.web.gates.secrets import SecretsGate
from limen.web.hops import hop_vet
from limen.web.mode import outside_mode
from limen.web.rules import permission_rules
from limen.wiring.net import Net

if TYPE_CHECKING:
    from limen.net.fetch import Fetch

_TIMEOUT_S = 15.0
_MAX_REDIRECTS = 3
_ACCEPT = "application/xml, text/xml, text/plain, text/html;q=0.9, */*;q=0.5"


def sites_of(settings: Callable[[], Config], net: Net, secrets_gate: SecretsGate, blocked: HostRules) -> Sites:
    """Looking at indexes with the gates of page reading, of sites that are known as documentation or named so by the operator.

    The gates go by the `settings` as they are at each look; which sites are known is decided at the start.
    """
    vet = hop_vet(secrets_gate, blocked, Remade(settings, permission_rules))

    async def fetch_index(url: str, max_bytes: int) -> "Fetch | Refusal":
        fetched: Fetch | Refusal = await load("limen.net.fetch:fetch")(
            net.reading(),
            url,
            policy=net.policy,
            max_bytes=max_bytes,
            max_redirects=_MAX_REDIRECTS,
            headers={"accept": _ACCEPT},
            vet=vet,
            total_timeout_s=_TIMEOUT_S,
        )
        return fetched

    known = DOCUMENTATION_HOSTS | frozenset(host.lower().removeprefix("*.") for host in settings().web.documentation_hosts)
    return Sites(fetch_index, known, lambda: outside_mode(settings().web.mode))
