"""Page reading: its gates, its readers, and who stands in for whom."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from limen.builtin.web.offered import Offer
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.fault import Fault
from limen.core.late import LateExtractProvider
from limen.core.ports import ExtractProvider, Library, LibraryDocument, Reader
from limen.core.untrusted import fresh_nonce
from limen.kit.deferred import load
from limen.kit.flights import Flights
from limen.kit.log import failed_open
from limen.kit.remade import Remade
from limen.web.cache.pages import PageCache, PageKey
from limen.web.call import ExtractGate
from limen.web.debug import DebugLog
from limen.web.extract import Extractor, ReadingParts
from limen.web.gates.cache import CacheGate
from limen.web.gates.network import is_public, network_gate, plain_network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import HostRules, policy_gate
from limen.web.gates.rescue import rescue_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.gates.secrets import SecretsGate
from limen.web.hops import hop_vet
from limen.web.kept import Documents, KeptPages, kept_gate
from limen.web.log_lines import log_lines
from limen.web.masking import Masking
from limen.web.ring import Ring
from limen.web.rules import cache_rules, extract_chain, extract_rules, permission_rules, secret_rules
from limen.web.shapers.shelve import Shelve
from limen.wiring.net import Net, policy_now
from limen.wiring.rendering import renderer_of

if TYPE_CHECKING:
    from limen.builtin.web.drawn import Drawing
    from limen.builtin.web.local import LocalLimits, LocalReader


async def _no_documents(_url: str) -> None:
    """The library of who has none."""


class ReadingMeans(NamedTuple):
    """What page reading works with, whatever the settings say. `flights` are the fetches under way in this process."""

    home: Home
    reader: Reader
    net: Net
    secrets: SecretsGate
    blocked: HostRules
    offer: Offer
    documents: Documents = _no_documents
    flights: Flights[PageKey] | None = None


def extractor_of(settings: Callable[[], Config], means: ReadingMeans, masked: Masking, record: DebugLog) -> Extractor:
    """The extractor that goes by the settings as they are at each call. `record` keeps what calls did."""
    home = means.home

    def parts(config: Config) -> ReadingParts:
        means.net.renew(config, policy_now(config))
        return reading_parts(config, means)

    cache = Remade(settings, lambda config: page_cache(home, config))
    parts_now, make_room = Remade(settings, parts), lambda: cache().make_room()
    return Extractor(parts_now, home.pages, fresh_nonce, log_lines(masked), record, make_room, home.command())


def page_cache(home: Home, config: Config) -> PageCache:
    """The pages read lately, bounded together with those that are stored."""
    return PageCache(home.page_cache, max_bytes=config.web.cache_max_mb * 1_000_000, stored=home.pages)


def reading_parts(config: Config, means: ReadingMeans) -> ReadingParts:
    """Gates and readers as the settings have them, for whoever asks them all."""
    net, offer = means.net, means.offer
    local = LateExtractProvider("local", _local_reader(config, means))
    providers: Mapping[str, ExtractProvider] = {"local": local, **offer.extract}
    searchers = frozenset(offer.search) - frozenset(providers)
    rules = extract_rules(config, _reading_backend(config, offer), searchers)
    gates: dict[str, ExtractGate] = {
        "secrets": means.secrets,
        "policy": policy_gate(means.blocked),
        "permission": permission_gate(permission_rules(config)),
    }
    if config.web.mode != "live":
        return ReadingParts(gates | _asking_nobody(config, means, tuple(providers)), providers, rules)
    ring = Ring(offer.ring, local, offer.ring_all_paid)
    public = partial(is_public, policy=net.policy, resolver=net.resolver)
    exempt = secret_rules(config).exempt_hosts
    gates |= {
        "network": network_gate(net.policy, net.resolver),
        "resolve": resolve_gate(providers, rules.backend, exempt, searchers, rules.chain),
        "cache": CacheGate(page_cache(means.home, config), cache_rules(config), public, flights=means.flights),
        "rescue": rescue_gate(ring, enabled=config.web.keyless_rescue, eligible=offer.eligible),
    }
    return ReadingParts(gates, providers, rules)


def _asking_nobody(config: Config, means: ReadingMeans, readers: tuple[str, ...]) -> dict[str, ExtractGate]:
    """The gates of a mode in which no name is looked up and no page is fetched: what is at hand, or nothing."""
    stored_at = Shelve(means.home.pages).path
    kept = KeptPages(page_cache(means.home, config), cache_rules(config), readers, means.documents, stored_at)
    return {"network": plain_network_gate(means.net.policy), "cache": kept_gate(kept, config.web.mode)}


def library_documents(library: Callable[[], Library]) -> Documents:
    """The documents of a library that is there by the time one is looked for."""

    async def find(url: str) -> tuple[LibraryDocument, str] | None:
        try:
            return await library().open(url)
        except Fault as fault:
            if fault.code != "library.unknown":
                failed_open(fault.code, fault.reason)
            return None

    return find


def _reading_backend(config: Config, offer: Offer) -> str:
    """Who reads pages when a call does not say: the chosen one, else the first of the chain, else the first vendor with a key,
    else the local reader."""
    chosen = config.web.extract_backend.strip() or config.web.backend.strip() or next(iter(extract_chain(config)), "")
    if chosen:
        return chosen
    detected = [name for name in offer.detected if name in offer.extract]
    return detected[0] if detected and not config.web.prefer_local else "local"


def request_headers(config: Config) -> dict[str, str]:
    """What a request for a page says of who reads and in which languages, as far as an operator set it."""
    said = {"user-agent": config.reader.user_agent, "accept-language": config.reader.accept_language}
    return {name: value.strip() for name, value in said.items() if value.strip()}


def _local_reader(config: Config, means: ReadingMeans) -> Callable[[], ExtractProvider]:
    net = means.net
    permissions = permission_rules(config)
    vet = hop_vet(means.secrets, means.blocked, lambda: permissions)

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
            headers=request_headers(config),
        )
        drawing: type[Drawing] = load("limen.builtin.web.drawn:Drawing")
        renderer = renderer_of(means.home, config, net, means.secrets, means.blocked)
        return reading(
            net.reading, means.reader, net.policy, vet, allowed, drawing(means.reader, renderer, config.browser.render)
        )

    return make
