"""The web of a process: gates, readers, search, and the library that both draw on."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from limen.builtin.web.library import LibrarySearch
from limen.builtin.web.offered import Means, Offer, VendorSettings, offered
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.late import LateExtractProvider
from limen.core.ports import ExtractProvider, Reader, SearchProvider
from limen.core.untrusted import fresh_nonce
from limen.core.web import ExtractAnswer, Extraction, Location, Page, SearchAnswer, SearchRequest
from limen.kit.deferred import load
from limen.kit.log import failed_open
from limen.kit.redact import SecretTable
from limen.store.ports import LibraryStore
from limen.web.cache.pages import PageCache
from limen.web.call import ExtractGate
from limen.web.extract import Extractor
from limen.web.gates.cache import CacheGate
from limen.web.gates.network import is_public, network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import HostRules, judge_host, policy_gate
from limen.web.gates.rescue import Ring, rescue_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.gates.secrets import SecretsGate
from limen.web.library.index import DocumentIndex
from limen.web.library.libraries import Libraries
from limen.web.rules import block_list, cache_rules, extract_rules, permission_rules, secret_rules
from limen.web.search import Searcher
from limen.wiring.net import Net

if TYPE_CHECKING:
    import httpx2

    from limen.builtin.web.local import LocalLimits, LocalReader

MANUAL = "manual"


class Web:
    """Search and page reading for people and programs: past the same gates as a model's, without the fence."""

    def __init__(self, searcher: Searcher, extractor: Extractor) -> None:
        self.searcher = searcher
        self.extractor = extractor

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        return await self.searcher.search(request, context, fenced=False)

    async def extract(self, request: Extraction, context: CallContext) -> ExtractAnswer:
        return await self.extractor.extract(request, context, fenced=False)


class WebParts:
    """Everything of the web, wired: `web` for people and programs, the library to add to, and what is searched of it."""

    def __init__(
        self, home: Home, config: Config, reader: Reader, net: Net, secret: Callable[[str], str | None], table: SecretTable,
        store: LibraryStore,
    ) -> None:  # fmt: skip
        gate = SecretsGate(table, secret_rules(config))
        blocked = block_list(config, home.root)
        offer = offered(_vendor_settings(config), Means(secret, _client_for(net), reader))
        extractor = _extractor(home, config, reader, net, gate, blocked, offer)
        self.library, self.libraries = _libraries(config, store, reader, extractor)
        providers: dict[str, SearchProvider] = {"library": LibrarySearch(self.libraries), **offer.search}
        searcher = Searcher(providers, _search_chain(config, offer), gate, blocked, fresh_nonce, permission_rules(config))
        self.web = Web(searcher, extractor)


def _client_for(net: Net) -> Callable[[str], "httpx2.AsyncClient"]:
    return lambda address: net.for_named(address) if address else net.reading()


def _vendor_settings(config: Config) -> VendorSettings:
    web = config.web
    return VendorSettings(
        urls={"firecrawl": web.firecrawl.api_url, "searxng": web.searxng.api_url},
        models={"xai": web.xai.model, "openai-hosted": web.openai_hosted.model, "anthropic-hosted": web.anthropic_hosted.model},
        tiers={name: getattr(web.provider_tier, name) for name in web.provider_tier.__struct_fields__},
        location=Location(web.location.country, web.location.region, web.location.city, web.location.timezone),
    )


def _search_chain(config: Config, offer: Offer) -> tuple[str, ...]:
    """The chosen provider; else the chain that was written down; else the first vendor with a key, and the library behind it."""
    chosen = config.web.search_backend or config.web.backend
    if chosen:
        return (chosen,)
    return config.web.search_chain or (*offer.detected[:1], "library")


def _reading_backend(config: Config, offer: Offer) -> str:
    """Who reads pages when a call does not say: the chosen one, else the first vendor with a key, else the local reader."""
    chosen = config.web.extract_backend or config.web.backend
    if chosen:
        return chosen
    detected = [name for name in offer.detected if name in offer.extract]
    return detected[0] if detected and not config.web.prefer_local else "local"


def _extractor(
    home: Home, config: Config, reader: Reader, net: Net, secrets_gate: SecretsGate, blocked: HostRules, offer: Offer
) -> Extractor:
    local = LateExtractProvider("local", _local_reader(config, reader, net, secrets_gate, blocked))
    providers: Mapping[str, ExtractProvider] = {"local": local, **offer.extract}
    rules = extract_rules(config, net.policy, _reading_backend(config, offer))
    kept = PageCache(home.page_cache, max_bytes=config.web.cache_max_mb * 1_000_000)
    ring = Ring(offer.ring, local, offer.ring_all_paid)
    gates: dict[str, ExtractGate] = {
        "secrets": secrets_gate,
        "network": network_gate(net.policy, net.resolver),
        "resolve": resolve_gate(providers, rules.backend, secret_rules(config).exempt_hosts),
        "policy": policy_gate(blocked),
        "permission": permission_gate(permission_rules(config)),
        "cache": CacheGate(kept, cache_rules(config), partial(is_public, policy=net.policy, resolver=net.resolver)),
        "rescue": rescue_gate(ring, enabled=config.web.keyless_rescue, eligible=offer.eligible),
    }
    return Extractor(gates, providers, rules, home.pages, fresh_nonce)


def _local_reader(
    config: Config, reader: Reader, net: Net, secrets_gate: SecretsGate, blocked: HostRules
) -> Callable[[], ExtractProvider]:
    async def vet(url: str) -> Refusal | None:
        return secrets_gate.judge_url(url) or judge_host(blocked, url)

    def make() -> ExtractProvider:
        reading: type[LocalReader] = load("limen.builtin.web.local:LocalReader")
        limits: type[LocalLimits] = load("limen.builtin.web.local:LocalLimits")
        allowed = limits(config.reader.max_bytes, config.reader.max_redirects, config.reader.total_timeout_s)
        return reading(net.reading, reader, net.policy, vet, allowed)

    return make


def _libraries(config: Config, store: LibraryStore, reader: Reader, extractor: Extractor) -> tuple[DocumentIndex, Libraries]:
    async def fetch(url: str) -> Page | Refusal:
        return await extractor.page(url, CallContext())

    names = config.library.search or ("default",)
    indexes = [DocumentIndex(store, reader, library=name, fetch=fetch) for name in names]
    manual = DocumentIndex(store, reader, library=MANUAL)

    async def prepare_manual() -> None:
        report = await manual.add([str(files("limen") / "manual")])
        if report.refusal is not None:
            failed_open(report.refusal.code, report.refusal.reason)

    return indexes[0], Libraries(indexes, manual, prepare_manual)
