"""Search: its gates and shapers, and who is asked in which order."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from limen.builtin.web.offered import Offer
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.ports import SearchProvider
from limen.core.untrusted import fresh_nonce
from limen.kit.flights import Flights
from limen.kit.redact import SecretTable
from limen.kit.remade import Remade
from limen.web.cache.answers import AnswerCache
from limen.web.cache.pages import PageCache
from limen.web.debug import DebugLog
from limen.web.gates.memo import MemoGate
from limen.web.gates.policy import HostRules
from limen.web.gates.rescue_search import search_rescue_gate
from limen.web.gates.resolve_search import Chosen, ResolveSearch
from limen.web.gates.secrets import SecretsGate, query_gate
from limen.web.log_lines import log_lines
from limen.web.masking import Masking
from limen.web.reach import DomainIfReachable, IfReachable, Reach
from limen.web.ring import Ring
from limen.web.rules import memo_rules, permission_rules
from limen.web.search import Searcher, SearchParts
from limen.web.search_beside import Beside
from limen.web.search_call import LIBRARY, SearchGate
from limen.web.search_walk import Walk
from limen.web.shapers.hits import policy_shaper, trim_shaper, wrap_shaper
from limen.wiring.net import Net
from limen.wiring.vendors import location_of

# An answer is some kilobytes.
_KEPT_BYTES = 10_000_000


class Guards(NamedTuple):
    """What judges searches and pages alike, by which credentials are known, and what takes them out of a text."""

    secrets: SecretsGate
    blocked: HostRules
    table: SecretTable
    masked: Masking


class Shelves(NamedTuple):
    """The library as it is searched, and as it is searched beside others, where the manual stands in for nothing."""

    library: SearchProvider
    own: SearchProvider


class SearchMeans(NamedTuple):
    """What search works with, whatever the settings say."""

    shelves: Shelves
    offer: Offer
    guards: Guards
    answers: AnswerCache
    flights: Flights[str]
    reach: Reach


def searcher_of(
    home: Home,
    settings: Callable[[], Config],
    shelves: Shelves,
    offer: Offer,
    guards: Guards,
    net: Net,
    record: DebugLog,
) -> Searcher:
    """The searcher that goes by the settings as they are at each call. `record` keeps what calls did."""
    answers = AnswerCache(PageCache(home.search_cache, max_bytes=_KEPT_BYTES))
    means = SearchMeans(shelves, offer, guards, answers, Flights(), Reach(net.resolver, offer.ring_hosts))
    return Searcher(Remade(settings, lambda config: search_parts(config, means)), record)


def search_parts(config: Config, means: SearchMeans) -> SearchParts:
    """Gates and shapers as the settings have them."""
    offer, guards = means.offer, means.guards
    say = log_lines(guards.masked)
    domains = {one.name: one for one in offer.domains}
    providers: Mapping[str, SearchProvider] = {**offer.search, **domains, LIBRARY: means.shelves.library}
    readers = frozenset(("local", *offer.extract)) - frozenset(providers)
    free = [IfReachable(one, means.reach) for one in offer.search_ring]
    ring: Ring[SearchProvider] = Ring(free, None, offer.ring_all_paid)
    gates: dict[str, SearchGate] = {
        "secrets": query_gate(guards.secrets),
        "memo": MemoGate(means.answers, memo_rules(config, location_of(config)), say, flights=means.flights),
        "rescue": search_rescue_gate(ring, enabled=config.web.keyless_rescue, eligible=offer.eligible, say=say),
    }
    shapers = {
        "policy": policy_shaper(guards.blocked, permission_rules(config), say),
        "trim": trim_shaper(),
        "wrap": wrap_shaper(fresh_nonce),
    }
    resolve = ResolveSearch(
        providers, chosen_search(config, offer), _walk(config, means, ring), Beside(means.shelves.own), readers
    )
    return SearchParts(gates, shapers, resolve, config.web.mode, narrowed=_narrowed(config))


def _narrowed(config: Config) -> bool:
    """Whether the settings may keep hits out."""
    block = config.security.website_blocklist
    return bool(
        (block.enabled and (block.domains or block.shared_files)) or config.web.allowed_domains or config.web.blocked_domains
    )


def chosen_search(config: Config, offer: Offer) -> Chosen:
    """The chosen provider; else the chain that was written down; else the first vendor with a key."""
    backend = config.web.search_backend.strip() or config.web.backend.strip()
    if backend:
        return Chosen(backend)
    chain = tuple(filter(None, (name.strip() for name in config.web.search_chain)))
    return Chosen(chain=chain, found=offer.detected[0] if offer.detected and not chain else "")


def _walk(config: Config, means: SearchMeans, ring: Ring[SearchProvider]) -> Walk:
    if not config.web.keyless_fallback:
        return Walk(means.shelves.library)
    scraper = means.offer.scraper
    last = IfReachable(scraper, means.reach) if scraper is not None else None
    domains = [DomainIfReachable(one, means.reach) for one in means.offer.domains]
    return Walk(means.shelves.library, domains, msgspec.structs.replace(ring, last=last))
