"""`web_search`: finds candidates. Every query passes the gates on its way out, every hit is shaped on its way in."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ledger import Treatment
from limen.core.web import Hit, SearchAnswer, SearchRequest
from limen.kit.clock import monotonic_s
from limen.kit.log import failed_open, logger
from limen.kit.pipeline import pipeline
from limen.net.host import host_of
from limen.web.debug import DebugLog, search_record
from limen.web.gates.resolve_search import ResolveSearch
from limen.web.mode import Mode, no_search
from limen.web.search_call import GIVEN_UP, LIBRARY, SearchCall, SearchGate, SearchShaper, refused
from limen.web.search_failures import signed
from limen.web.trace import Trace, taking, timed

# Outermost first.
SEARCH_GATES = ("secrets", "resolve", "memo", "rescue")
SEARCH_SHAPERS = ("policy", "trim", "wrap")
_OUR_GATES = (*SEARCH_GATES, "search")

MAX_HITS = 100
MAX_QUERY_CHARS = 2_000
MAX_SNIPPET_CHARS = 10_000
# A hundred years: there is nothing older on the web.
MAX_DAYS = 36_500
# Where the settings may keep hits out, so many more than twice the wanted are asked for.
_SPARE_HITS = 5
# A country with or without a language, or as browsers write it, the language first.
_REGION = re.compile(r"[A-Za-z]{2}(?:-[a-z]{2,3})?|[a-z]{2,3}-[A-Z]{2}")
_NAME = re.compile(r"[\w.-]+")
_SHOWN_CHARS = 80
_WEB = ("http://", "https://")


class SearchParts(NamedTuple):
    """What search is made of: its gates and shapers by name (`resolve` apart, since it is also asked who searches).

    `narrowed` says that the settings may keep hits out.
    """

    gates: Mapping[str, SearchGate]
    shapers: Mapping[str, SearchShaper]
    resolve: ResolveSearch
    mode: Mode = "live"
    narrowed: bool = False


class Searcher:
    """The pipeline. `parts` are asked for at each call, so that changed settings hold from the next one on.

    `fenced` False is for people and programs, who get a hit's text as it is. `debug` keeps a record of calls.
    """

    def __init__(self, parts: Callable[[], SearchParts], debug: DebugLog | None = None) -> None:
        self._parts = parts
        self._debug = debug

    def told(self) -> str:
        """Who searches when a call does not say, in words."""
        return self._parts().resolve.told()

    def unavailable(self) -> Refusal | None:
        """Why a search could not be made now, from configuration and installed packages alone."""
        return self._parts().resolve.unavailable()

    async def search(self, request: SearchRequest, context: CallContext, *, fenced: bool = True) -> SearchAnswer:
        """Hits in the provider's order. "No results" and "could not search" are different answers."""
        began_s = monotonic_s()
        trace = self._debug.trace() if self._debug is not None else None
        answer = await self._answer(request, context, trace, fenced=fenced)
        if self._debug is not None and trace is not None:
            record = search_record(request, answer, trace, SEARCH_GATES, monotonic_s() - began_s)
            await self._debug.note("web_search", context, record)
        return answer

    async def _answer(self, request: SearchRequest, context: CallContext, trace: Trace | None, *, fenced: bool) -> SearchAnswer:
        parts = self._parts()
        refusal = _unfit(request) or no_search(parts.mode, asks_outside=False)
        if refusal is not None:
            return refused(refusal)
        asked, notices = _fitted(request)
        every: dict[str, SearchGate] = {**parts.gates, "resolve": parts.resolve}
        gates = [timed(name, every[name]) for name in SEARCH_GATES if name in every]
        # The settings' lists are not told to vendors, a call's own are.
        spare = min(asked.limit + _SPARE_HITS, MAX_HITS - asked.limit) if parts.narrowed else 0
        wider = msgspec.structs.replace(asked, limit=asked.limit + spare)
        answer = await pipeline(gates, partial(_ask, parts.mode))(SearchCall(wider, context, spare=spare, trace=trace))
        if answer.refusal is not None:
            ours = answer.refusal.gate in _OUR_GATES or answer.refusal.code in GIVEN_UP
            return answer if ours else msgspec.structs.replace(answer, refusal=signed(answer.refusal))
        for name in SEARCH_SHAPERS:
            if name in parts.shapers and (fenced or name != "wrap"):
                answer = parts.shapers[name](answer, asked)
        # Who cannot give so many may well give as many as were wanted.
        ignored = tuple(name for name in answer.source.ignored if name != "limit" or not spare or len(answer.hits) < asked.limit)
        source = msgspec.structs.replace(answer.source, ignored=ignored, notices=(*notices, *answer.source.notices))
        return msgspec.structs.replace(answer, source=source)


async def _ask(mode: Mode, call: SearchCall) -> SearchAnswer:
    provider = call.asked
    refusal = no_search(mode, asks_outside=provider.name != LIBRARY)
    if refusal is not None:
        return refused(refusal, call, provider.name)
    try:
        searching = partial(provider.search, call.request, call.context)
        answer = _own(await taking(call.trace, provider.name, searching), provider.name)
    except Fault as fault:
        return refused(Refusal(provider.name, fault.code, fault.reason, fault.mend), call, provider.name)
    except Exception as error:  # noqa: BLE001 - a provider is a plug-in: whoever comes next is asked
        logger.exception("search provider %s failed", provider.name)
        reason = f"{provider.name} failed: {type(error).__name__}: {error}"
        return refused(Refusal(provider.name, "web.provider_failed", reason), call, provider.name)
    if answer.refusal is not None:
        return refused(answer.refusal, call, provider.name)
    return msgspec.structs.replace(answer, treatment=Treatment(gates=call.verdicts))


def _unfit(request: SearchRequest) -> Refusal | None:
    if not request.query.strip():
        return Refusal("search", "search.empty_query", "The query is empty.", "Say what to look for.")
    if len(request.query) > MAX_QUERY_CHARS:
        reason = f"The query has {len(request.query):,} characters; {MAX_QUERY_CHARS:,} are allowed."
        return Refusal("search", "search.query_too_long", reason, "Search for its main words.")
    if request.allowed_domains and request.blocked_domains:
        reason = "Allowed and blocked domains exclude each other."
        return Refusal("search", "search.two_domain_lists", reason, "Give one of the two.")
    if request.allowed_domains and not _domains(request.allowed_domains):
        reason = f"No domain is named in {', '.join(map(repr, request.allowed_domains))[:_SHOWN_CHARS]}."
        return Refusal("search", "search.bad_domain", reason, "Name sites as example.org, or leave them out.")
    return None


def _fitted(request: SearchRequest) -> tuple[SearchRequest, tuple[str, ...]]:
    """The request as providers get it: as many hits as there may be, domains as bare names; and what was changed so."""
    notices: list[str] = []

    def within(name: str, value: int, most: int) -> int:
        fitting = max(1, min(value, most))
        if fitting != value:
            notices.append(f"{name} {value} is not between 1 and {most:,}; {fitting:,} is used")
        return fitting

    allowed, blocked = _domains(request.allowed_domains), _domains(request.blocked_domains)
    if len(allowed) < len(request.allowed_domains) or len(blocked) < len(request.blocked_domains):
        notices.append("what names no domain is left out")
    region = request.region.strip().replace("_", "-")
    if region and not _REGION.fullmatch(region):
        notices.append(f"region {region[:_SHOWN_CHARS]!r} is left out: it takes a country (de), or one with a language (de-de)")
        region = ""
    days, chars = request.recency_days, request.max_chars
    fitted = msgspec.structs.replace(
        request,
        limit=within("limit", request.limit, MAX_HITS),
        region=region,
        allowed_domains=allowed,
        blocked_domains=blocked,
        recency_days=within("recency_days", days, MAX_DAYS) if days is not None else None,
        max_chars=within("max_chars", chars, MAX_SNIPPET_CHARS) if chars is not None else None,
    )
    return fitted, tuple(notices)


def _domains(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(_domain, given)))


def _domain(given: str) -> str:
    """The bare name in `https://www.example.org/page`, `*.example.org` or `site:example.org`; empty where there is none."""
    name = given.strip().lower().removeprefix("site:")
    name = name[name.find("://") + 3 :] if "://" in name else name
    bare = name.partition("/")[0].rpartition("@")[2].partition(":")[0].removeprefix("*.").strip(".")
    return bare if _NAME.fullmatch(bare) else ""


def _own(answer: SearchAnswer, provider: str) -> SearchAnswer:
    """A provider's answer under its own name. Nobody else's hits pass for the library's, and each leads to the web or nowhere."""
    source = msgspec.structs.replace(answer.source, provider=provider)
    if provider == LIBRARY:
        return msgspec.structs.replace(answer, source=source)
    sound = [hit for hit in answer.hits if _leads_on(hit.url) and _leads_on(hit.image_url)]
    if len(sound) < len(answer.hits):
        failed_open("search.bad_entry", f"{provider}: {len(answer.hits) - len(sound)} hits had no address that can be opened")
    return msgspec.structs.replace(answer, hits=tuple(map(_strangers, sound)), source=source)


def _strangers(hit: Hit) -> Hit:
    site = "" if hit.site == LIBRARY else hit.site
    ref = hit.ref if hit.ref.startswith(_WEB) else hit.url  # any other would open a document or file of the person's own
    return msgspec.structs.replace(hit, site=site, ref=ref, fit=0.0)


def _leads_on(url: str) -> bool:
    return not url or (url.lower().startswith(_WEB) and host_of(url) != "")
