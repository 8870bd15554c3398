"""Files as bytes, past the gates: for what holds no text, and for pictures of documents."""

from typing import TYPE_CHECKING, Any

from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.kit.deferred import load
from limen.web.call import ExtractGate
from limen.web.download import Downloaded, Downloader
from limen.web.gates.network import network_gate
from limen.web.gates.permission import judge_permission, permission_gate
from limen.web.gates.policy import HostRules, judge_host, policy_gate
from limen.web.gates.secrets import SecretsGate
from limen.web.rules import permission_rules
from limen.wiring.net import Net

if TYPE_CHECKING:
    from limen.net.fetch import Fetch


def downloader_of(config: Config, net: Net, secrets_gate: SecretsGate, blocked: HostRules) -> Downloader:
    """Fetches files from here, never through a vendor; each hop of a redirect is judged like the first."""
    rules = permission_rules(config)

    async def vet(url: str) -> Refusal | None:
        return secrets_gate.judge_url(url) or judge_host(blocked, url) or judge_permission(url, rules)

    async def get(url: str, max_bytes: int) -> Downloaded | Refusal:
        fetch: Any = load("limen.net.fetch:fetch")
        got: Fetch | Refusal = await fetch(
            net.reading(),
            url,
            policy=net.policy,
            max_bytes=max_bytes,
            max_redirects=config.reader.max_redirects,
            total_timeout_s=config.reader.total_timeout_s,
            headers={"accept": "*/*"},
            vet=vet,
        )
        return got if isinstance(got, Refusal) else Downloaded(got.final_url, got.media_type, got.body)

    gates: dict[str, ExtractGate] = {
        "secrets": secrets_gate,
        "network": network_gate(net.policy, net.resolver),
        "policy": policy_gate(blocked),
        "permission": permission_gate(rules),
    }
    return Downloader(gates, get, config.web.mode)
