"""What is at hand of a page when nobody may be asked for it: a cached copy, a document of the library, a stored page."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec

from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import LibraryDocument
from limen.core.web import ExtractAnswer, Extraction, Fetched, Page
from limen.kit.atomic import read_private
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.log import failed_open
from limen.web.cache.pages import PageCache
from limen.web.call import ExtractCall, ExtractGate, ExtractProceed, Wanted, unread
from limen.web.gates.cache import CacheRules
from limen.web.mode import nothing_kept

# The document that was added under an address, with its text; None where none was.
Documents = Callable[[str], Awaitable[tuple[LibraryDocument, str] | None]]
StoredAt = Callable[[Page], Path]

_MAX_FILE_BYTES = 16 << 20


class Found(msgspec.Struct, frozen=True):
    """A page at hand: who read it, when (seconds since 1970), and what the ledger is told of where it lay."""

    page: Page
    provider: str
    since_s: float
    code: str
    snapshot_at: str = ""
    ignored: tuple[str, ...] = ()
    cache_path: str | None = None
    stored_path: str | None = None


class KeptPages:
    """Looks for a page in the cache, however old, under any of `readers`; then in the library; then among the stored pages."""

    def __init__(
        self, cache: PageCache, rules: CacheRules, readers: Sequence[str], documents: Documents, stored_at: StoredAt
    ) -> None:
        self._cache = cache
        self._rules = rules
        self._readers = tuple(readers)
        self._documents = documents
        self._stored_at = stored_at

    async def find(self, url: str, extraction: Extraction) -> Found | None:
        """The first copy, or None. A reader that the call names is the only one whose copies count."""
        cached = await anyio.to_thread.run_sync(partial(self._cached, url, extraction))
        if cached is not None or extraction.provider:
            return cached
        if extraction.format == "markdown":
            document = await self._documents(url)
            if document is not None:
                about, text = document
                page = Page(url=url, title=about.title, text=text, media_type=about.media_type)
                return Found(page, "library", about.added_at, "cache.library")
        return await anyio.to_thread.run_sync(partial(self._stored, url, extraction))

    def _cached(self, url: str, extraction: Extraction) -> Found | None:
        if not self._rules.keeps(url):
            return None
        for reader in (extraction.provider,) if extraction.provider else self._readers:
            key = self._rules.key(url, extraction.format, reader)
            kept = self._cache.get(key)
            if kept is not None:
                path = str(self._cache.path(key))
                return Found(kept.page, reader, kept.fetched_at_s, "cache.hit", kept.snapshot_at, kept.ignored, cache_path=path)
        return None

    def _stored(self, url: str, extraction: Extraction) -> Found | None:
        """A stored page says nothing of itself but its text; its title is its first heading."""
        path = self._stored_at(Page(url=url, format=extraction.format))
        try:
            text = read_private(path, limit_bytes=_MAX_FILE_BYTES).decode()
            since_s = path.stat().st_mtime
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            failed_open("cache.stored_unreadable", error)
            return None
        title = next((line.lstrip("# ") for line in text.split("\n", 50) if line.startswith("#")), "")
        page = Page(url=url, title=title, text=text, media_type="text/markdown", format=extraction.format)
        return Found(page, "stored", since_s, "cache.stored", stored_path=str(path))


def kept_gate(pages: KeptPages, mode: str, clock: Clock = wall_s) -> ExtractGate:
    """The gate that stands in the cache's place where the mode lets nothing be fetched: it answers each page itself, or says no.

    A page that is wanted fresh cannot be had so. Code: `web.mode`.
    """

    async def gate(call: ExtractCall, _proceed: ExtractProceed) -> ExtractAnswer:
        entries = []
        for wanted in call.wanted:
            found = None if call.extraction.fresh else await pages.find(wanted.url, call.extraction)
            entries.append(unread(wanted, nothing_kept(mode)) if found is None else _entry(wanted, found, clock()))
        return ExtractAnswer(tuple(entries))

    return gate


def _entry(wanted: Wanted, found: Found, now_s: float) -> Fetched:
    age_s = round(max(0.0, now_s - found.since_s), 1)
    verdict = GateVerdict("cache", "hit", found.code)
    treatment = Treatment(gates=(*wanted.verdicts, verdict), cached=True, age_s=age_s)
    return msgspec.structs.replace(
        Fetched.whole(wanted.requested, found.page, found.provider, iso_utc(found.since_s), treatment),
        cache_path=found.cache_path,
        stored_path=found.stored_path,
        ignored=found.ignored,
        snapshot_at=found.snapshot_at,
    )
