"""Gate: a page read lately is not fetched again. It stands inside every control: a hit saves the reader's call and no check."""

from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import urlsplit

import anyio.to_thread
import msgspec

from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import Entry, ExtractAnswer, Fetched, Held
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.flights import Flights
from limen.net.host import lies_in
from limen.web.cache.pages import Kept, PageCache, PageKey
from limen.web.call import ExtractCall, ExtractProceed, Wanted

# Whether an address is open to everybody: a page from anywhere else is never kept.
IsPublic = Callable[[str], Awaitable[bool]]


class CacheRules(msgspec.Struct, frozen=True):
    """What an operator sets: how long a page counts as new, and the hosts (`x.example`, `*.x.example`) that are never kept."""

    enabled: bool = True
    ttl_s: float = 20 * 60.0
    exempt_hosts: tuple[str, ...] = ()

    def keeps(self, url: str) -> bool:
        """Whether pages of this address may be kept at all."""
        host = (urlsplit(url).hostname or "").lower()
        return self.enabled and bool(host) and not any(_under(host, rule) for rule in self.exempt_hosts)


def _under(host: str, rule: str) -> bool:
    name = rule.strip().lower().rstrip(".")
    if name.startswith("*."):
        return host.endswith(name[1:])
    return lies_in(host, name)


class CacheGate:
    """Answers what is new enough, lets the rest through, and keeps what came back. Equal wishes at one time are fetched once."""

    def __init__(self, pages: PageCache, rules: CacheRules, is_public: IsPublic, clock: Clock = wall_s) -> None:
        self._pages = pages
        self._rules = rules
        self._is_public = is_public
        self._clock = clock
        self._flights: Flights[PageKey] = Flights()

    async def __call__(self, call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        keys = {wanted.url: self._key(wanted, call) for wanted in call.wanted if self._rules.keeps(wanted.url)}
        async with self._flights.alone(sorted(keys.values(), key=lambda key: key.digest)):
            found = {} if call.extraction.fresh else await self._found(keys)
            hits = {url: kept for url, kept in found.items() if self._age_s(kept) < self._rules.ttl_s}
            answer = await self._fetched(call, found, hits, proceed)
            if answer.refusal is not None:
                return answer
            fetched = iter(answer.entries)
            entries = [
                self._hit(wanted, hits[wanted.url], call) if wanted.url in hits else next(fetched) for wanted in call.wanted
            ]
            kept = [await self._keep(keys.get(wanted.url), entry) for wanted, entry in zip(call.wanted, entries, strict=True)]
            return ExtractAnswer(tuple(kept))

    def _key(self, wanted: Wanted, call: ExtractCall) -> PageKey:
        if call.provider is None:
            raise AssertionError("the gate `resolve` stands outside the cache")
        return PageKey(wanted.url.partition("#")[0], call.extraction.format, call.provider.name)

    async def _found(self, keys: dict[str, PageKey]) -> dict[str, Kept]:
        found = await anyio.to_thread.run_sync(lambda: {url: self._pages.get(key) for url, key in keys.items()})
        return {url: kept for url, kept in found.items() if kept is not None}

    async def _fetched(
        self, call: ExtractCall, found: dict[str, Kept], hits: dict[str, Kept], proceed: ExtractProceed
    ) -> ExtractAnswer:
        missing = tuple(wanted.passed("cache", _MISS) for wanted in call.wanted if wanted.url not in hits)
        if not missing:
            return ExtractAnswer()
        held = tuple(Held(url, kept.page, kept.validators) for url, kept in found.items() if url not in hits and kept.validators)
        extraction = msgspec.structs.replace(call.extraction, held=held)
        answer = await proceed(msgspec.structs.replace(call, wanted=missing, extraction=extraction))
        if answer.refusal is None and len(answer.entries) != len(missing):
            raise AssertionError(f"{len(missing)} pages went on, {len(answer.entries)} came back")
        return answer

    def _hit(self, wanted: Wanted, kept: Kept, call: ExtractCall) -> Entry:
        key = self._key(wanted, call)
        return Fetched(
            requested=wanted.requested,
            page=kept.page,
            provider=key.provider,
            fetched_at=iso_utc(kept.fetched_at_s),
            content=kept.page.text,
            chars_total=len(kept.page.text),
            chars_shown=len(kept.page.text),
            cache_path=str(self._pages.path(key)),
            treatment=Treatment(gates=(*wanted.verdicts, _HIT), cached=True, age_s=round(self._age_s(kept), 1)),
        )

    async def _keep(self, key: PageKey | None, entry: Entry) -> Entry:
        if key is None or not isinstance(entry, Fetched) or entry.treatment.cached or entry.treatment.rescued_from:
            return entry
        final = entry.page.url
        if not self._rules.keeps(final) or not all([await self._is_public(url) for url in {key.url, final}]):
            return entry
        kept = Kept(entry.page, self._clock(), entry.validators)
        path = await anyio.to_thread.run_sync(partial(self._pages.put, key, kept))
        return msgspec.structs.replace(entry, cache_path=str(path)) if path is not None else entry

    def _age_s(self, kept: Kept) -> float:
        return max(0.0, self._clock() - kept.fetched_at_s)


_HIT = GateVerdict("cache", "hit", "cache.hit")
_MISS = GateVerdict("cache", "miss")
