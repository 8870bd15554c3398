"""Page reading: its gates, its readers, and who stands in for whom."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from limen.builtin.web.offered import Offer
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.core.late import LateExtractProvider
from limen.core.ports import ExtractProvider, Reader
from limen.core.untrusted import fresh_nonce
from limen.kit.deferred import load
from limen.web.cache.pages import PageCache
from limen.web.call import ExtractGate
from limen.web.extract import Extractor, ExtractRules
from limen.web.gates.cache import CacheGate
from limen.web.gates.network import is_public, network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import HostRules, judge_host, policy_gate
from limen.web.gates.rescue import rescue_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.gates.secrets import SecretsGate
from limen.web.ring import Ring
from limen.web.rules import cache_rules, extract_rules, permission_rules, secret_rules
from limen.wiring.net import Net

if TYPE_CHECKING:
    from limen.builtin.web.local import LocalLimits, LocalReader


def _reading_backend(config: Config, offer: Offer) -> str:
    """Who reads pages when a call does not say: the chosen one, else the first vendor with a key, else the local reader."""
    chosen = config.web.extract_backend.strip() or config.web.backend.strip()
    if chosen:
        return chosen
    detected = [name for name in offer.detected if name in offer.extract]
    return detected[0] if detected and not config.web.prefer_local else "local"


class ReadingParts(NamedTuple):
    """What page reading is made of: its gates and its readers by name, and what an operator set."""

    gates: dict[str, ExtractGate]
    providers: Mapping[str, ExtractProvider]
    rules: ExtractRules


def extractor_of(home: Home, parts: ReadingParts) -> Extractor:
    """The extractor of these parts."""
    return Extractor(parts.gates, parts.providers, parts.rules, home.pages, fresh_nonce)


def reading_parts(
    home: Home, config: Config, reader: Reader, net: Net, secrets_gate: SecretsGate, blocked: HostRules, offer: Offer
) -> ReadingParts:
    """Gates and readers, made once for whoever asks them all."""
    local = LateExtractProvider("local", _local_reader(config, reader, net, secrets_gate, blocked))
    providers: Mapping[str, ExtractProvider] = {"local": local, **offer.extract}
    searchers = frozenset(offer.search) - frozenset(providers)
    rules = extract_rules(config, net.policy, _reading_backend(config, offer), searchers)
    kept = PageCache(home.page_cache, max_bytes=config.web.cache_max_mb * 1_000_000)
    ring = Ring(offer.ring, local, offer.ring_all_paid)
    gates: dict[str, ExtractGate] = {
        "secrets": secrets_gate,
        "network": network_gate(net.policy, net.resolver),
        "resolve": resolve_gate(providers, rules.backend, secret_rules(config).exempt_hosts, searchers),
        "policy": policy_gate(blocked),
        "permission": permission_gate(permission_rules(config)),
        "cache": CacheGate(kept, cache_rules(config), partial(is_public, policy=net.policy, resolver=net.resolver)),
        "rescue": rescue_gate(ring, enabled=config.web.keyless_rescue, eligible=offer.eligible),
    }
    return ReadingParts(gates, providers, rules)


def _headers(config: Config) -> dict[str, str]:
    said = {"user-agent": config.reader.user_agent, "accept-language": config.reader.accept_language}
    return {name: value.strip() for name, value in said.items() if value.strip()}


def _local_reader(
    config: Config, reader: Reader, net: Net, secrets_gate: SecretsGate, blocked: HostRules
) -> Callable[[], ExtractProvider]:
    async def vet(url: str) -> Refusal | None:
        return secrets_gate.judge_url(url) or judge_host(blocked, url)

    def make() -> ExtractProvider:
        reading: type[LocalReader] = load("limen.builtin.web.local:LocalReader")
        limits: type[LocalLimits] = load("limen.builtin.web.local:LocalLimits")
        settings = config.reader
        allowed = limits(
            max_bytes=settings.max_bytes,
            max_pdf_bytes=settings.max_pdf_bytes,
            max_redirects=settings.max_redirects,
            total_timeout_s=settings.total_timeout_s,
            connections=settings.connections,
            connections_per_host=settings.connections_per_host,
            same_host=config.web.redirects == "same-host",
            headers=_headers(config),
        )
        return reading(net.reading, reader, net.policy, vet, allowed)

    return make
