"""Shapers: what becomes of hits on their way in. Blocked ones go, the rest is trimmed to what was asked for, then fenced."""

from datetime import UTC, date, datetime

import msgspec

from limen.core.ledger import GateVerdict
from limen.core.untrusted import Nonce
from limen.core.web import Hit, SearchAnswer, SearchRequest
from limen.kit.clock import Clock, wall_s
from limen.net.host import host_of, lies_in
from limen.web.gates.permission import PermissionRules, domain_refusal
from limen.web.gates.policy import HostRules, judge_host
from limen.web.log_lines import Say, unsaid
from limen.web.search_call import SearchShaper
from limen.web.shapers.wrap import wrap_hit


def policy_shaper(blocked: HostRules, rules: PermissionRules, say: Say = unsaid) -> SearchShaper:
    """Drops and counts the hits that the block-list or the domain lists of the settings keep out."""

    def kept_out(hit: Hit) -> bool:
        for url in filter(None, (hit.url, hit.image_url)):
            host = host_of(url)
            refusal = judge_host(blocked, url) or (domain_refusal(host, rules) if host else None)
            if refusal is not None:
                say(refusal.code, url, "left out of the hits")
                return True
        return False

    def shape(answer: SearchAnswer, _request: SearchRequest) -> SearchAnswer:
        kept = tuple(hit for hit in answer.hits if not kept_out(hit))
        dropped = len(answer.hits) - len(kept)
        treatment = answer.treatment
        if dropped:
            treatment = treatment.judged(_DROPPED)
        source = msgspec.structs.replace(answer.source, dropped=dropped)
        return msgspec.structs.replace(answer, hits=kept, source=source, treatment=treatment)

    return shape


_DROPPED = GateVerdict("policy", "changed", "policy.dropped")


def trim_shaper(clock: Clock = wall_s) -> SearchShaper:
    """As many hits, of those sites, as new, with as long snippets as were asked for, numbered anew. Where fewer are left than
    were wanted, it is said how many a provider gave that were not asked for."""

    def trim(answer: SearchAnswer, request: SearchRequest) -> SearchAnswer:
        there = [hit for hit in answer.hits if _site_fits(hit, request)]
        new = [hit for hit in there if not _too_old(hit, request, clock())]
        hits = [
            msgspec.structs.replace(hit, position=position, snippet=_cut(hit.snippet, request.max_chars))
            for position, hit in enumerate(new[: request.limit], 1)
        ]
        notices = answer.source.notices
        if len(hits) < request.limit:
            notices = (*notices, *_left_out(len(answer.hits) - len(there), "of other sites"))
            notices = (*notices, *_left_out(len(there) - len(new), f"older than {request.recency_days} days"))
        source = msgspec.structs.replace(answer.source, notices=notices)
        return msgspec.structs.replace(answer, hits=tuple(hits), source=source)

    return trim


def _left_out(count: int, what: str) -> tuple[str, ...]:
    return (f"{count} {what} left out",) if count else ()


def _too_old(hit: Hit, request: SearchRequest, now_s: float) -> bool:
    """Whether a hit is surely older than was asked for; without a date that can be read it is not."""
    if request.recency_days is None:
        return False
    try:
        published = date.fromisoformat(hit.published[:10])
    except ValueError:
        return False
    # Its day may have begun elsewhere a day before ours.
    return (datetime.fromtimestamp(now_s, UTC).date() - published).days > request.recency_days + 1


def wrap_shaper(nonce: Nonce) -> SearchShaper:
    """Fences what strangers wrote."""

    def shape(answer: SearchAnswer, _request: SearchRequest) -> SearchAnswer:
        return msgspec.structs.replace(answer, hits=tuple(wrap_hit(hit, nonce) for hit in answer.hits))

    return shape


def _cut(snippet: str, limit_chars: int | None) -> str:
    if limit_chars is None or len(snippet) <= limit_chars:
        return snippet
    return snippet[: max(limit_chars - 1, 0)].rstrip() + "…"


def _site_fits(hit: Hit, request: SearchRequest) -> bool:
    host = host_of(hit.url)

    def holds(domains: tuple[str, ...]) -> bool:
        return any(lies_in(host, domain) for domain in domains)

    return holds(request.allowed_domains) if request.allowed_domains else not holds(request.blocked_domains)
