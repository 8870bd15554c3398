"""The walk of a search that nobody was chosen for: the library, then searches of one field that fit, then free providers."""

from collections.abc import Sequence
from urllib.parse import urldefrag

import msgspec

from limen.core.fault import Refusal
from limen.core.ports import DomainSearch, SearchProvider
from limen.core.waiting import given_up, unfinished
from limen.core.web import Hit, SearchAnswer, SearchRequest
from limen.web.ring import Ring
from limen.web.search_call import GIVEN_UP, SearchCall, SearchProceed, refused
from limen.web.search_failures import could_not, none_answered, nothing_found, with_failed

# From this share of a question's weight on, what the library holds answers it, and nobody else is asked. Of 51 questions that
# bench/answers asks of a library with the answer, 29 reach it; of 22 without an answer none does.
FITS = 0.7
# From this one on it may answer, and stands before what others found.
MAY_FIT = 0.4
# Of the fields, so many that fit best are asked: each costs a journey.
_MOST_DOMAINS = 2

_KEPT = "who comes after your library gets the words that it does not answer, unless web.keyless_fallback is false"

Failed = dict[str, Refusal]


class Walk:
    """Who is asked in which order, and how their answers become one."""

    def __init__(
        self, library: SearchProvider, domains: Sequence[DomainSearch] = (), free: Ring[SearchProvider] | None = None
    ) -> None:
        self._library = library
        self._domains = tuple(domains)
        self._free: Ring[SearchProvider] = free or Ring()

    def told(self) -> str:
        """Who is asked, in words."""
        fields = [one.name for one in self._domains if one.unavailable() is None]
        free = [one.name for one in self._free.walk("")]
        steps = [self._library.name]
        steps += [f"what fits of {', '.join(fields)}"] if fields else []
        steps += [f"without a key {', '.join(free)}"] if free else []
        told = ", then ".join(steps)
        return f"{told}: {_KEPT}" if len(steps) > 1 else told

    async def __call__(self, call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        """The library's answer where it fits; else the first of the others with hits, and the library's beside them."""
        own = await proceed(call.to(self._library))
        if _answers(own, call.request):
            return own
        failed: Failed = {}
        if not own.hits:
            failed[self._library.name] = own.refusal or nothing_found(self._library.name)
        found = await self._elsewhere(call, failed, proceed)
        if found is not None and found.refusal is not None:
            return found
        if found is not None:
            return with_failed(joined(own, found, call), failed)
        if own.refusal is None and (own.hits or not could_not(failed)):
            return with_failed(own, failed)
        return refused(none_answered(failed), call)

    async def _elsewhere(self, call: SearchCall, failed: Failed, proceed: SearchProceed) -> SearchAnswer | None:
        """The first answer with hits, or that of a free provider who found nothing; a refusal only where the call is over."""
        for provider in [*self._fitting(call.request), *self._free.walk(call.context.session)]:
            if (stopped := given_up(call.context)) is not None:
                return refused(unfinished("resolve", stopped), call)
            answer = await proceed(call.to(provider))
            if answer.refusal is None and (answer.hits or provider not in self._domains):
                return answer
            if answer.refusal is not None and answer.refusal.code in GIVEN_UP:
                return answer
            failed[provider.name] = answer.refusal or nothing_found(provider.name)
        return None

    def _fitting(self, request: SearchRequest) -> list[DomainSearch]:
        fits = [(one.fits(request), one) for one in self._domains if one.unavailable() is None]
        best = sorted((pair for pair in fits if pair[0] > 0), key=lambda pair: -pair[0])
        return [one for _, one in best[:_MOST_DOMAINS]]


def _answers(own: SearchAnswer, request: SearchRequest) -> bool:
    """Whether what the library holds is an answer by itself."""
    return _may_answer(request) and _fit(own) >= FITS


def _may_answer(request: SearchRequest) -> bool:
    """Whether documents of one's own are meant at all: no news and no pages of today were asked for."""
    return request.type == "web" and not request.live and request.recency_days is None


def _fit(answer: SearchAnswer) -> float:
    return max((hit.fit for hit in answer.hits), default=0.0)


def joined(own: SearchAnswer, found: SearchAnswer, call: SearchCall) -> SearchAnswer:
    """One answer of two: where the library may answer it has the first half of the places, else what is left over."""
    limit, spare = call.limit, call.spare
    share = limit // 2 if _may_answer(call.request) and _fit(own) >= MAY_FIT else 0
    share = max(share, 1) if _answers(own, call.request) else share
    first = own.hits[:share]
    theirs = _apart(found.hits, first)[: max(limit + spare - len(first), 0)]
    hits = (*first, *theirs, *_apart(own.hits[share:], theirs))[: limit + spare]
    lead, other = (own, found) if own.hits and not found.hits else (found, own)
    shown = {hit.site == own.source.provider for hit in hits[:limit]}
    source = msgspec.structs.replace(
        lead.source,
        also=(other.source.provider,) if other.hits and len(shown) == 2 else (),
        engines_failed=(*lead.source.engines_failed, *other.source.engines_failed),
    )
    return msgspec.structs.replace(lead, hits=hits, source=source)


def _apart(hits: Sequence[Hit], from_these: Sequence[Hit]) -> tuple[Hit, ...]:
    """Those hits that lead to other pages: a page that was added to the library is found outside as well."""
    pages = {urldefrag(hit.url).url for hit in from_these}
    return tuple(hit for hit in hits if urldefrag(hit.url).url not in pages)
