"""Gate: who searches. A named choice is honoured as it is; a chain is walked in order; a vendor that was found of itself is asked
with the library beside it; without any of them, the walk is walked.

Whoever is asked is asked through the gates inside, so that each has its own memo and its own rescue.
"""

from collections.abc import Container, Mapping, Sequence

import msgspec

from limen.core.fault import Refusal
from limen.core.ports import SearchProvider
from limen.core.waiting import given_up, unfinished
from limen.core.web import SearchAnswer, SearchSource
from limen.web.choice import choose
from limen.web.search_beside import Beside
from limen.web.search_call import GIVEN_UP, LIBRARY, SearchCall, SearchProceed, refused
from limen.web.search_failures import could_not, none_answered, nothing_found, with_failed
from limen.web.search_walk import Walk


class Chosen(msgspec.Struct, frozen=True):
    """What an operator set: one provider; else a chain that is asked in order until one answers; else nothing, where there may
    be a vendor that can be used without more, since it has its key."""

    backend: str = ""
    chain: tuple[str, ...] = ()
    found: str = ""


class ResolveSearch:
    """The gate. `readers` are the names of those that read pages and do not search."""

    def __init__(
        self,
        providers: Mapping[str, SearchProvider],
        chosen: Chosen,
        walk: Walk,
        beside: Beside,
        readers: Container[str] = (),
    ) -> None:
        self._providers = providers
        self._chosen = chosen
        self._walk = walk
        self._beside = beside
        self._readers = readers

    def unavailable(self) -> Refusal | None:
        """Why a search could not be made now, from configuration and installed packages alone."""
        names = (self._chosen.backend,) if self._chosen.backend else self._chosen.chain
        failed = {name: found for name in names if isinstance(found := self._named(name), Refusal)}
        return none_answered(failed) if names and len(failed) == len(names) else None

    def told(self) -> str:
        """Who searches, in words."""
        chosen = self._chosen
        found = f"{chosen.found}, and with your library" if chosen.found else ""
        return chosen.backend or ", then ".join(chosen.chain) or found or self._walk.told()

    async def __call__(self, call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        wish = call.request.provider.strip()
        if wish or self._chosen.backend:
            found = self._named(wish or self._chosen.backend, by_call=bool(wish))
            return refused(found, call) if isinstance(found, Refusal) else await proceed(call.to(found, may_be_rescued=True))
        if self._chosen.chain:
            return await self._in_turn(self._chosen.chain, call, proceed)
        if self._chosen.found:
            vendor = self._named(self._chosen.found)
            return refused(vendor, call) if isinstance(vendor, Refusal) else await self._beside(vendor, call, proceed)
        return await self._walk(call, proceed)

    async def _in_turn(self, names: Sequence[str], call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        """The first answer. An empty library answers only where nobody else was asked: that it holds nothing says no more."""
        failed: dict[str, Refusal] = {}
        answer = SearchAnswer((), SearchSource(""))
        last = next((name for name in reversed(names) if name != LIBRARY), "")
        for name in names:
            if (stopped := given_up(call.context)) is not None:
                return refused(unfinished("resolve", stopped), call)
            provider = self._named(name)
            if isinstance(provider, Refusal):
                failed[name] = provider
                continue
            answer = await proceed(call.to(provider, may_be_rescued=name == last))
            if answer.refusal is not None and answer.refusal.code in GIVEN_UP:
                return answer
            if answer.refusal is None and (answer.hits or name != LIBRARY):
                return with_failed(answer, failed)
            failed[name] = answer.refusal or nothing_found(name)
        failures = could_not(failed)
        # Who alone was asked outside speaks for itself: that the library held nothing either is no reason.
        return refused(none_answered(failures if len(failures) == 1 else failed), call) if failures else answer

    def _named(self, name: str, *, by_call: bool = False) -> SearchProvider | Refusal:
        return choose(name, self._providers, "search", others=self._readers, by_call=by_call)
