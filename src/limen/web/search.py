"""`web_search`: finds candidates. A query is judged for credentials like an address, hits by the block-list."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from urllib.parse import urlsplit

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import SearchProvider
from limen.core.untrusted import Nonce
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource
from limen.kit.log import logger
from limen.net.host import lies_in
from limen.web.gates.permission import PermissionRules, domain_refusal
from limen.web.gates.policy import HostRules, judge_host
from limen.web.gates.secrets import SecretsGate
from limen.web.shapers.wrap import wrap_hit

MAX_HITS = 100
MAX_QUERY_CHARS = 2_000


class Searcher:
    """Asks the chosen provider, or the chain in order until one answers; says who answered and who could not."""

    def __init__(
        self,
        providers: Mapping[str, SearchProvider],
        chain: Sequence[str],
        secrets: SecretsGate,
        blocked: HostRules,
        nonce: Nonce,
        rules: PermissionRules,
    ) -> None:
        self._providers = providers
        self.chain = tuple(chain)
        self._secrets = secrets
        self._blocked = blocked
        self._nonce = nonce
        self._rules = rules

    async def search(self, request: SearchRequest, context: CallContext, *, fenced: bool = True) -> SearchAnswer:
        """Hits in the provider's order. "No results" and "could not search" are different answers."""
        refusal = _unfit(request) or self._secrets.judge_text(request.query, "query")
        if refusal is not None:
            return _refused(refusal)
        asked = msgspec.structs.replace(request, limit=max(1, min(request.limit, MAX_HITS)))
        answer = await self._ask(asked, context)
        if answer.refusal is not None:
            return answer
        answer = self._shaped(answer, asked)
        if not fenced:
            return answer
        hits = tuple(wrap_hit(hit, self._nonce) for hit in answer.hits)
        return msgspec.structs.replace(answer, hits=hits)

    async def _ask(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        names = (request.provider,) if request.provider else self.chain
        failed: list[Refusal] = []
        for name in names:
            answer = await self._ask_one(name, request, context)
            if answer.refusal is None:
                engines = tuple(f"{refusal.gate}: {refusal.code}" for refusal in failed)
                source = msgspec.structs.replace(answer.source, engines_failed=(*engines, *answer.source.engines_failed))
                gates = (GateVerdict("secrets", "allow"), GateVerdict("resolve", "allow", f"resolve.{name}"))
                return msgspec.structs.replace(answer, source=source, treatment=Treatment(gates=gates))
            failed.append(answer.refusal)
        return _refused(self._none_answered(failed))

    def unavailable(self) -> Refusal | None:
        """Why a search could not be made now, from configuration and installed packages alone."""
        refusals = [chosen for name in self.chain if isinstance(chosen := self._choose(name), Refusal)]
        return self._none_answered(refusals) if len(refusals) == len(self.chain) else None

    def _choose(self, name: str) -> SearchProvider | Refusal:
        provider = self._providers.get(name)
        if provider is None:
            near = get_close_matches(name, self._providers, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            mend = (
                f"limen config set web.search_backend NAME, where NAME is one of: {', '.join(sorted(self._providers)) or 'none'}"
            )
            return Refusal("resolve", "web.unknown_provider", f"No search provider is named {name!r}.{hint}", mend)
        return provider.unavailable() or provider

    async def _ask_one(self, name: str, request: SearchRequest, context: CallContext) -> SearchAnswer:
        provider = self._choose(name)
        if isinstance(provider, Refusal):
            return _refused(provider, name)
        try:
            return await provider.search(request, context)
        except Fault as fault:
            return _refused(Refusal(name, fault.code, fault.reason, fault.mend), name)
        except Exception as error:  # noqa: BLE001 - a provider is a plug-in: the next in the chain is asked
            logger.exception("search provider %s failed", name)
            return _refused(Refusal(name, "web.provider_failed", f"{name} failed: {type(error).__name__}: {error}"), name)

    def _none_answered(self, failed: list[Refusal]) -> Refusal:
        if len(failed) == 1:
            return failed[0]
        said = "; ".join(f"{refusal.gate}: {refusal.reason}" for refusal in failed) or "there is none"
        mend = "Add documents with `limen library add PATH`, or a provider with `limen config set web.search_backend NAME`."
        return Refusal("resolve", "search.unavailable", f"No search provider could answer: {said}", mend)

    def _may_be_shown(self, url: str) -> bool:
        host = urlsplit(url).hostname
        return judge_host(self._blocked, url) is None and (not host or domain_refusal(host, self._rules) is None)

    def _shaped(self, answer: SearchAnswer, request: SearchRequest) -> SearchAnswer:
        kept = [hit for hit in answer.hits if self._may_be_shown(hit.url)]
        blocked = len(answer.hits) - len(kept)
        wanted = [hit for hit in kept if _site_fits(hit, request)][: request.limit]
        hits = tuple(msgspec.structs.replace(hit, position=position) for position, hit in enumerate(wanted, 1))
        return msgspec.structs.replace(answer, hits=hits, source=msgspec.structs.replace(answer.source, dropped=blocked))


def _unfit(request: SearchRequest) -> Refusal | None:
    if not request.query.strip():
        return Refusal("search", "search.empty_query", "The query is empty.", "Say what to look for.")
    if len(request.query) > MAX_QUERY_CHARS:
        reason = f"The query has {len(request.query):,} characters; {MAX_QUERY_CHARS:,} are allowed."
        return Refusal("search", "search.query_too_long", reason, "Search for its main words.")
    if request.allowed_domains and request.blocked_domains:
        reason = "Allowed and blocked domains exclude each other."
        return Refusal("search", "search.two_domain_lists", reason, "Give one of the two.")
    return None


def _site_fits(hit: Hit, request: SearchRequest) -> bool:
    host = (urlsplit(hit.url).hostname or "").lower()

    def holds(domains: tuple[str, ...]) -> bool:
        return any(lies_in(host, domain.lower().strip(".")) for domain in domains)

    return holds(request.allowed_domains) if request.allowed_domains else not holds(request.blocked_domains)


def _refused(refusal: Refusal, provider: str = "") -> SearchAnswer:
    named = refusal if refusal.gate else msgspec.structs.replace(refusal, gate=provider)
    return SearchAnswer((), SearchSource(provider), named)
