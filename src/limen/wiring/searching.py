"""Search: its gates and shapers, and who is asked in which order."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from limen.builtin.web.offered import Offer
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.ports import SearchProvider
from limen.core.untrusted import fresh_nonce
from limen.kit.redact import SecretTable
from limen.web.cache.answers import AnswerCache
from limen.web.cache.pages import PageCache
from limen.web.gates.memo import MemoGate
from limen.web.gates.policy import HostRules
from limen.web.gates.rescue_search import search_rescue_gate
from limen.web.gates.resolve_search import Chosen, ResolveSearch
from limen.web.gates.secrets import SecretsGate, query_gate
from limen.web.log_lines import log_lines
from limen.web.reach import DomainIfReachable, IfReachable, Reach
from limen.web.ring import Ring
from limen.web.rules import memo_rules, permission_rules
from limen.web.search import Searcher
from limen.web.search_call import LIBRARY, SearchGate
from limen.web.search_walk import Walk
from limen.web.shapers.hits import policy_shaper, trim, wrap_shaper
from limen.wiring.net import Net
from limen.wiring.vendors import location_of

# An answer is some kilobytes.
_KEPT_BYTES = 10_000_000


class Guards(NamedTuple):
    """What judges searches and pages alike."""

    secrets: SecretsGate
    blocked: HostRules
    table: SecretTable


def searcher_of(home: Home, config: Config, library: SearchProvider, offer: Offer, guards: Guards, net: Net) -> Searcher:
    """Search as the settings have it."""
    providers: Mapping[str, SearchProvider] = {**offer.search, **{one.name: one for one in offer.domains}, LIBRARY: library}
    readers = frozenset(("local", *offer.extract)) - frozenset(providers)
    say = log_lines(guards.table)
    reach = Reach(net.resolver, offer.ring_hosts)
    ring: Ring[SearchProvider] = Ring([IfReachable(one, reach) for one in offer.search_ring], None, offer.ring_all_paid)
    kept = AnswerCache(PageCache(home.search_cache, max_bytes=_KEPT_BYTES))
    gates: dict[str, SearchGate] = {
        "secrets": query_gate(guards.secrets),
        "memo": MemoGate(kept, memo_rules(config, location_of(config)), say),
        "rescue": search_rescue_gate(ring, enabled=config.web.keyless_rescue, eligible=offer.eligible, say=say),
    }
    shapers = {
        "policy": policy_shaper(guards.blocked, permission_rules(config), say),
        "trim": trim,
        "wrap": wrap_shaper(fresh_nonce),
    }
    resolve = ResolveSearch(providers, chosen_search(config, offer), _walk(config, library, offer, ring, reach), readers)
    return Searcher(gates, shapers, resolve, config.web.mode)


def chosen_search(config: Config, offer: Offer) -> Chosen:
    """The chosen provider; else the chain that was written down; else the first vendor with a key, and the library behind it."""
    backend = config.web.search_backend.strip() or config.web.backend.strip()
    if backend:
        return Chosen(backend)
    chain = tuple(filter(None, (name.strip() for name in config.web.search_chain)))
    return Chosen(chain=chain or ((offer.detected[0], LIBRARY) if offer.detected else ()))


def _walk(config: Config, library: SearchProvider, offer: Offer, ring: Ring[SearchProvider], reach: Reach) -> Walk:
    if not config.web.keyless_fallback:
        return Walk(library)
    last = IfReachable(offer.scraper, reach) if offer.scraper is not None else None
    return Walk(library, [DomainIfReachable(one, reach) for one in offer.domains], msgspec.structs.replace(ring, last=last))
