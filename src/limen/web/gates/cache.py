"""Gate: a page read lately is not fetched again. It stands inside every control: a hit saves the reader's call and no check."""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

import anyio.to_thread
import msgspec

from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import Entry, ExtractAnswer, Fetched, Held, Page
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.flights import Flights
from limen.net.host import host_of, lies_in, spelled
from limen.web.cache.pages import Kept, PageCache, PageKey
from limen.web.call import ExtractCall, ExtractProceed, Wanted
from limen.web.elsewhere import another_may_try
from limen.web.gates.secrets import is_exempt

# Whether an address is open to everybody: a page from anywhere else is never kept.
IsPublic = Callable[[str], Awaitable[bool]]

# A text of which more than this share could not be decoded is not worth showing twice.
_GARBLED_SHARE = 0.05
_FROM_PAGE = re.compile(r"#page=\d+$")
# What a server says of a page that is gone for good: an old copy does not stand in for it.
_GONE = frozenset({404, 410})


class CacheRules(msgspec.Struct, frozen=True):
    """What an operator sets: how long a page counts as new, and the hosts (`x.example`, `*.x.example`) that are never kept.

    For `stale_s` longer a page stands in where it cannot be read anew. `variants` has, by reader, what else alters its pages.
    """

    enabled: bool = True
    ttl_s: float = 20 * 60.0
    exempt_hosts: tuple[str, ...] = ()
    stale_s: float = 0.0
    variants: Mapping[str, str] = {}

    def keeps(self, url: str) -> bool:
        """Whether pages of this address may be kept at all."""
        host = host_of(url)
        return self.enabled and bool(host) and not any(_under(host, rule) for rule in self.exempt_hosts)

    def key(self, url: str, page_format: str, reader: str) -> PageKey:
        """What a page is kept under; a fragment is no part of it, but where it says from which page on a PDF is read."""
        place = url if _FROM_PAGE.search(url) else url.partition("#")[0]
        return PageKey(place, page_format, reader, self.variants.get(reader, ""))


def _under(host: str, rule: str) -> bool:
    name = rule.strip().rstrip(".")
    below = spelled(name.removeprefix("*."))
    return lies_in(host, below) and (host != below or not name.startswith("*."))


class CacheGate:
    """Answers what is new enough, lets the rest through, and keeps what came back. Equal wishes at one time are fetched once.
    An address that may carry a credential is kept as little as its page, which is for who has the credential.

    `flights` may be shared by gates of one process, so that a change of the settings does not part those who wait.
    """

    def __init__(
        self,
        pages: PageCache,
        rules: CacheRules,
        is_public: IsPublic,
        clock: Clock = wall_s,
        flights: Flights[PageKey] | None = None,
    ) -> None:
        self._pages = pages
        self._rules = rules
        self._is_public = is_public
        self._clock = clock
        self._flights: Flights[PageKey] = flights if flights is not None else Flights()

    async def __call__(self, call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        reader, page_format = call.reader.name, call.extraction.format
        keys = {
            wanted.url: self._rules.key(wanted.url, page_format, reader)
            for wanted in call.wanted
            if self._rules.keeps(wanted.url) and not is_exempt(wanted.verdicts)
        }
        async with self._flights.alone(sorted(keys.values(), key=lambda key: key.digest)):
            found = {} if call.extraction.fresh else await self._found(keys)
            hits = {url for url, kept in found.items() if self._age_s(kept) < self._rules.ttl_s}
            answer = await self._fetched(call, found, hits, proceed)
            if answer.refusal is not None:
                return answer
            fetched = iter(answer.entries)
            entries = [
                self._hit(wanted, keys[wanted.url], found[wanted.url], _HIT)
                if wanted.url in hits
                else self._or_stale(wanted, next(fetched), keys.get(wanted.url), found.get(wanted.url))
                for wanted in call.wanted
            ]
            theirs = [one.page for one in call.extraction.held]  # which are what the caller has of a page, and no more
            new = [
                None if any(_is(entry, page) for page in theirs) else keys.get(wanted.url)
                for wanted, entry in zip(call.wanted, entries, strict=True)
            ]
            return ExtractAnswer(await self._keep(new, entries))

    async def _found(self, keys: Mapping[str, PageKey]) -> dict[str, Kept]:
        if not keys:
            return {}
        found = await anyio.to_thread.run_sync(lambda: {url: self._pages.get(key) for url, key in keys.items()})
        return {url: kept for url, kept in found.items() if kept is not None}

    async def _fetched(
        self, call: ExtractCall, found: Mapping[str, Kept], hits: Collection[str], proceed: ExtractProceed
    ) -> ExtractAnswer:
        missing = tuple(wanted.passed("cache", _MISS) for wanted in call.wanted if wanted.url not in hits)
        if not missing:
            return ExtractAnswer()
        ours = tuple(Held(url, kept.page, kept.validators) for url, kept in found.items() if url not in hits and kept.validators)
        held = (*call.extraction.held, *ours)
        extraction = msgspec.structs.replace(call.extraction, held=held)
        answer = await proceed(msgspec.structs.replace(call, wanted=missing, extraction=extraction))
        if answer.refusal is None and len(answer.entries) != len(missing):
            raise AssertionError(f"{len(missing)} pages went on, {len(answer.entries)} came back")
        return answer

    def _hit(self, wanted: Wanted, key: PageKey, kept: Kept, verdict: GateVerdict, notices: tuple[str, ...] = ()) -> Fetched:
        treatment = Treatment(gates=(*wanted.verdicts, verdict), cached=True, age_s=round(self._age_s(kept), 1))
        return msgspec.structs.replace(
            Fetched.whole(wanted.requested, kept.page, key.provider, iso_utc(kept.fetched_at_s), treatment),
            cache_path=str(self._pages.path(key)),
            ignored=kept.ignored,
            snapshot_at=kept.snapshot_at,
            notices=notices,
        )

    def _or_stale(self, wanted: Wanted, entry: Entry, key: PageKey | None, kept: Kept | None) -> Entry:
        """The entry; where it was not read, the old copy if the settings let it stand in; and what a server said is unchanged."""
        if key is None or kept is None:
            return entry
        if isinstance(entry, Fetched):
            return _unchanged(entry) if entry.page is kept.page else entry
        too_old = self._age_s(kept) >= self._rules.ttl_s + self._rules.stale_s
        if too_old or not another_may_try(entry.refusal) or entry.refusal.detail.get("status") in _GONE:
            return entry
        minutes = self._age_s(kept) / 60
        notice = f"The page could not be read anew ({entry.refusal.code}); this copy is {minutes:,.0f} minutes old."
        return self._hit(wanted, key, kept, _STALE, (notice,))

    async def _keep(self, keys: Sequence[PageKey | None], entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """The entries, those that may be kept with where they are."""
        new = {
            key: Kept(entry.page, self._clock(), entry.validators, entry.snapshot_at, entry.ignored)
            for key, entry in zip(keys, entries, strict=True)
            if key is not None and isinstance(entry, Fetched) and await self._may_be_kept(key, entry)
        }
        if not new:
            return tuple(entries)
        paths = await anyio.to_thread.run_sync(self._pages.put_all, new)
        return tuple(
            msgspec.structs.replace(entry, cache_path=str(paths[key])) if key in paths and isinstance(entry, Fetched) else entry
            for key, entry in zip(keys, entries, strict=True)
        )

    async def _may_be_kept(self, key: PageKey, entry: Fetched) -> bool:
        renewed = _UNCHANGED in entry.treatment.gates
        if (entry.treatment.cached and not renewed) or entry.treatment.rescued_from or _is_garbled(entry.page.text):
            return False
        final = entry.page.url
        return self._rules.keeps(final) and all([await self._is_public(url) for url in {key.url, final}])

    def _age_s(self, kept: Kept) -> float:
        return max(0.0, self._clock() - kept.fetched_at_s)


def _unchanged(entry: Fetched) -> Fetched:
    """A page whose server said that it is as it was: its text came from here, and is as new as that word."""
    gates = tuple(verdict for verdict in entry.treatment.gates if verdict != _MISS)
    treatment = msgspec.structs.replace(entry.treatment, gates=(*gates, _UNCHANGED), cached=True)
    return msgspec.structs.replace(entry, treatment=treatment)


def _is(entry: Entry, page: Page) -> bool:
    return isinstance(entry, Fetched) and entry.page is page


def _is_garbled(text: str) -> bool:
    return text.count("\ufffd") > _GARBLED_SHARE * len(text)


_HIT = GateVerdict("cache", "hit", "cache.hit")
_STALE = GateVerdict("cache", "hit", "cache.stale")
_UNCHANGED = GateVerdict("cache", "hit", "cache.unchanged")
_MISS = GateVerdict("cache", "miss")
