"""Whether a redirect may be followed: what the gates say of where it leads, beside the transport, which judges the connection."""

from collections.abc import Awaitable, Callable

from limen.core.fault import Refusal
from limen.web.gates.permission import PermissionRules, judge_permission
from limen.web.gates.policy import HostRules, judge_host
from limen.web.gates.secrets import SecretsGate

# Why an address may not be asked, or None.
Vet = Callable[[str], Awaitable[Refusal | None]]


def hop_vet(secrets: SecretsGate, blocked: HostRules, rules: Callable[[], PermissionRules]) -> Vet:
    """Judges each hop like the first address; `rules` gives the permissions as they are at each."""

    async def vet(url: str) -> Refusal | None:
        return secrets.judge_url(url) or judge_host(blocked, url) or judge_permission(url, rules())

    return vet
