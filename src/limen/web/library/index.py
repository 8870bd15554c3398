"""The private document index: add files, folders and URLs, keep it fresh, search it, open what it found."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Embedder, LibraryDocument, Reader
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource
from limen.kit.deferred import load
from limen.kit.operators import read_query, unmet
from limen.store.library import LibrarySource, LibraryStore, SectionHit, Wanted
from limen.web.library.freshness import Freshness, noted
from limen.web.library.meaning import Meaning
from limen.web.library.outside import Outside
from limen.web.library.places import find_number, holds_site, origins_of, site_of, url_of
from limen.web.library.query import parse, share_known, weighed
from limen.web.library.rank import Ranked, rank
from limen.web.library.report import AddReport, Progress, unseen
from limen.web.library.snippet import snippet
from limen.web.library.stock import Stock

if TYPE_CHECKING:
    from limen.web.library.roots import Wishes
    from limen.web.library.rounds import Rounds

# What is weighed; more costs time, and finds little that is better.
_WANTED = Wanted(30, each=2)
_MOST_HITS = 50
_ALL_DOCUMENTS = 1_000_000
_NAME_CHARS = 64
MANUAL = "manual"


class DocumentIndex:
    """`Library` over a store, a reader, and, where the web may be read, what reads it."""

    def __init__(
        self,
        store: LibraryStore,
        reader: Reader,
        *,
        library: str = "default",
        outside: Outside | None = None,
        jobs: int = 2,
        embedder: Embedder | None = None,
    ) -> None:
        self._store = store
        self._reader = reader
        self._library = library
        self._outside = outside
        self._jobs = jobs
        self._freshness = Freshness(store, library)
        self._meaning = Meaning(store, embedder)

    @property
    def name(self) -> str:
        """The library that is meant where none is named."""
        return self._library

    async def add(
        self, paths: Sequence[str], *, library: str | None = None, wishes: "Wishes | None" = None, progress: Progress = unseen
    ) -> AddReport:
        """Read files, folders, exports and URLs into the index; what is unchanged is left alone, what has gone is dropped.

        A URL is a page, or a list of pages where it is a sitemap, a feed or an llms.txt; `wishes` may have it read as a site.
        Adding again goes on where it was interrupted.

        Expected failures come as the report's refusal: `library.bad_name`, `library.no_such_path`, `library.unreadable`,
        `library.name_not_unicode`, `library.nothing_readable`, `library.no_fetcher`, `library.git_remote`.
        Raises StoreFault; batches that were stored before stay.
        """
        name = library or self._library
        if library is not None and (unfit := bad_name(library)) is not None:
            return AddReport(name, refusal=unfit)
        report = await self._rounds(name).add(paths, wishes, progress)
        await self._meaning.catch_up(name)
        return report

    async def refresh(self, *, library: str | None = None, progress: Progress = unseen) -> AddReport:
        """Look again at everything that was added: read what changed, drop what is gone, keep what is out of reach for now."""
        name = library or self._library
        report = await self._rounds(name).refresh(progress)
        await self._meaning.catch_up(name)
        return report

    async def sources(self, *, library: str | None = None) -> Sequence[LibrarySource]:
        """What the documents come from, how many each has, and how its last round went."""
        return await self._store.sources(library or self._library)

    async def libraries(self) -> Mapping[str, int]:
        """The libraries there are, and how many documents each has; the manual is none of a person's own."""
        return {name: count for name, count in (await self._store.libraries()).items() if name != MANUAL}

    async def remove(self, target: str, *, library: str | None = None) -> int:
        """Forget the document of that number or reference, or all that came from a path or URL; returns how many went.

        A single document stays out when the folder or site that it came from is refreshed.
        """
        name = library or self._library
        number = find_number(f"lib:{target}") if target.isdigit() else find_number(target)
        if number is not None:
            return int(await self._store.remove(name, number))
        for source in await self._store.sources(name):
            if source.root in origins_of(target):
                dropped = await self._store.drop(name, list(await self._store.stamps(name, source.root)))
                await self._store.drop_source(name, source.root)
                return dropped
        for origin in origins_of(target):
            if (found := await self._store.by_origin(name, origin)) is not None:
                return int(await self._store.remove(name, found[0].id))
        return 0

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """The sections that answer a question best. An empty library refuses; finding nothing does not."""
        query = read_query(request.query)
        demands = query.demands
        asked = parse(query.words)
        near = await self._meaning.of(query.words)
        meant = None if isinstance(near, Refusal) else near
        wanted = msgspec.structs.replace(_WANTED, demands=demands, near=meant)
        found = await self._store.query(self._library, asked.words, wanted)
        if not found.hits and not (await self._store.counts(self._library))[0]:
            return SearchAnswer((), SearchSource(provider="library"), refusal=_empty(self._library))
        allowed = [hit for hit in found.hits if _allowed(request, hit)]
        limit = max(1, min(request.limit, _MOST_HITS))
        question = weighed(asked, found.frequencies, found.alike)
        ranked = rank(question, allowed, limit)
        known = share_known(asked, question, found.frequencies)
        notes = await self._freshness.notes_on({item.hit.document.origin: item.hit.mark for item in ranked})
        hits = tuple(_hit(item, position, notes, known) for position, item in enumerate(ranked, 1))
        notices = query.notices if hits or not demands else (*query.notices, unmet(query.operators))
        if isinstance(near, Refusal):
            notices = (*notices, f"{near.reason}; the library was searched by words alone")
        return SearchAnswer(hits, SearchSource(provider="library", dropped=len(found.hits) - len(allowed), notices=notices))

    async def open(self, ref: str) -> tuple[LibraryDocument, str]:
        """The document behind `lib:<id>`, `lib:<id>:<line>`, a path, a `file:` URL or a URL; else ToolFault `library.unknown`.

        Its title says when the file behind it is no longer what was indexed; so do the titles of a search's hits.
        """
        found = await self._find(ref)
        if found is None:
            raise await self._unknown(ref)
        document, text = found
        notes = await self._freshness.notes([document.origin])
        return msgspec.structs.replace(document, title=noted(document.title, notes.get(document.origin, ""))), text

    async def _unknown(self, ref: str) -> ToolFault:
        number = find_number(ref)
        other = await self._store.library_of(number) if number is not None else None
        if other in (None, self._library, MANUAL):
            return ToolFault("library.unknown", f"the library has no document {ref}", "limen library list shows what it has")
        reason = f"{ref} is in the library {other!r}, which is not searched"
        return ToolFault("library.unknown", reason, f"limen open --library {quote(other)} {ref}")

    async def _find(self, ref: str) -> tuple[LibraryDocument, str] | None:
        number = find_number(ref)
        if number is not None:
            found = await self._store.get(self._library, number)
            if found is not None:
                return found
        for origin in origins_of(ref):
            found = await self._store.by_origin(self._library, origin)
            if found is not None:
                return found
        return None

    async def holds(self, origin: str) -> bool:
        """Whether a path or URL is in the index."""
        marks = await self._store.marks(self._library, origins_of(origin))
        return any(not mark.removed for mark in marks.values())

    def _rounds(self, library: str) -> "Rounds":
        make: type[Rounds] = load("limen.web.library.rounds:Rounds")
        return make(Stock(self._store, library), self._reader, self._outside, jobs=self._jobs)

    async def list(self, *, library: str | None = None, limit: int = _ALL_DOCUMENTS) -> Sequence[LibraryDocument]:
        """The documents, by origin."""
        return await self._store.list(library or self._library, limit)


def _hit(ranked: Ranked, position: int, notes: Mapping[str, str], known: float) -> Hit:
    found, document = ranked.hit, ranked.hit.document
    offset, shown = snippet(found.text, ranked.marks)
    return Hit(
        title=noted(_title(found), notes.get(document.origin, "")),
        url=url_of(document.origin, found.anchor),
        snippet=shown,
        position=position,
        ref=document.ref,
        site="library",
        line=found.line + offset,
        score=round(ranked.score, 4),
        fit=round(ranked.coverage * known, 4),
    )


def _title(hit: SectionHit) -> str:
    """`Page title › heading`, without a first heading that only repeats the title."""
    title = hit.document.title
    first, _, rest = hit.heading.partition(" › ")
    heading = rest if first and title.casefold().startswith(first.casefold()) else hit.heading
    return f"{title} › {heading}" if heading else title


def _allowed(request: SearchRequest, hit: SectionHit) -> bool:
    site = site_of(hit.document.origin)
    if request.allowed_domains and not any(holds_site(domain, site) for domain in request.allowed_domains):
        return False
    return not any(holds_site(domain, site) for domain in request.blocked_domains)


def _empty(library: str) -> Refusal:
    named = "" if library == "default" else f" --library {quote(library)}"
    return Refusal("library", "library.empty", f"the library {library!r} has no documents yet", f"limen library add{named} PATH")


def bad_name(library: str) -> Refusal | None:
    """Why a library cannot be called that. Settings list names apart by commas, and the manual is Limen's own."""
    plain = library.strip() == library and library.isprintable() and "," not in library
    if plain and library != MANUAL and 0 < len(library) <= _NAME_CHARS:
        return None
    reason = f"{library[:_NAME_CHARS]!r} cannot be the name of a library"
    mend = f"choose 1 to {_NAME_CHARS} printable characters without a comma, other than {MANUAL!r}"
    return Refusal("library", "library.bad_name", reason, mend)
