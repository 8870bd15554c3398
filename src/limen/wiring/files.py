"""Files as bytes, past the gates: for what holds no text, and for pictures of documents."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from limen.config.schema import Config
from limen.core.endings import HEAVY
from limen.core.fault import Refusal
from limen.kit.deferred import load
from limen.kit.remade import Remade
from limen.web.call import ExtractGate
from limen.web.download import Downloaded, Downloader, DownloadParts
from limen.web.gates.network import network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import policy_gate
from limen.web.hops import hop_vet
from limen.web.rules import permission_rules
from limen.wiring.net import policy_now
from limen.wiring.reading import ReadingMeans, request_headers

if TYPE_CHECKING:
    from limen.net.fetch import Fetch

_NOT_MODIFIED = 304


def downloader_of(settings: Callable[[], Config], means: ReadingMeans) -> Downloader:
    """Fetches files from here, never through a vendor; each hop of a redirect is judged like the first."""

    def parts(config: Config) -> DownloadParts:
        means.net.renew(config, policy_now(config))
        return _parts(config, means)

    return Downloader(Remade(settings, parts))


def _parts(config: Config, means: ReadingMeans) -> DownloadParts:
    net, rules = means.net, permission_rules(config)
    vet = hop_vet(means.secrets, means.blocked, lambda: rules)

    async def get(url: str, max_bytes: int, headers: Mapping[str, str]) -> Downloaded | Refusal:
        fetch: Any = load("limen.net.fetch:fetch")
        got: Fetch | Refusal = await fetch(
            net.reading(),
            url,
            policy=net.policy,
            max_bytes=min(max_bytes, config.reader.max_bytes),
            max_bytes_of=dict.fromkeys(HEAVY, min(max_bytes, config.reader.max_pdf_bytes)),
            max_redirects=config.reader.max_redirects,
            total_timeout_s=config.reader.total_timeout_s,
            headers={"accept": "*/*", **request_headers(config), **headers},
            vet=vet,
        )
        if isinstance(got, Refusal):
            return got
        unchanged = got.status == _NOT_MODIFIED
        return Downloaded(
            got.final_url, got.media_type, got.body, headers=got.headers, moved_to=got.moved_to, unchanged=unchanged
        )

    gates: dict[str, ExtractGate] = {
        "secrets": means.secrets,
        "network": network_gate(net.policy, net.resolver),
        "policy": policy_gate(means.blocked),
        "permission": permission_gate(rules),
    }
    return DownloadParts(gates, get, config.web.mode)
