"""The private document index: add files, folders and URLs, keep it fresh, search it, open what it found."""

from collections.abc import Sequence
from pathlib import Path

from limen.core.fault import Refusal, ToolFault
from limen.core.ports import LibraryDocument, Reader
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource
from limen.store.ports import LibraryStore, SectionHit
from limen.web.library.intake import Fetch, Intake
from limen.web.library.places import exists, find_number, holds_site, is_url, origins_of, path_of, site_of, url_of
from limen.web.library.query import parse, weighed
from limen.web.library.rank import Ranked, rank
from limen.web.library.report import AddReport, Progress, Tally, unseen
from limen.web.library.rounds import Rounds

# Sections that are weighed against each other for one question.
_CANDIDATES = 100
_MOST_HITS = 50
_MOST_DOCUMENTS = 1_000_000


class DocumentIndex:
    """`Library` over a store, a reader, and, where the web may be read, something that fetches a URL."""

    def __init__(
        self, store: LibraryStore, reader: Reader, *, library: str = "default", fetch: Fetch | None = None, jobs: int = 2
    ) -> None:
        self._store = store
        self._reader = reader
        self._library = library
        self._fetch = fetch
        self._jobs = jobs

    async def add(self, paths: Sequence[str], *, library: str | None = None, progress: Progress = unseen) -> AddReport:
        """Read files, folders and URLs into the index; what is unchanged is left alone, what has gone from a folder is dropped.

        Expected failures come as the report's refusal: `library.no_such_path`, `library.nothing_readable`, `library.no_fetcher`.
        Raises StoreFault; batches that were stored before stay.
        """
        name = library or self._library
        refusal, roots = self._roots(paths)
        if refusal is not None:
            return AddReport(name, refusal=refusal)
        tally = Tally()
        await self._rounds(name).run(roots, tally, progress, named=True)
        return tally.report(name, None if tally.held else _nothing_readable(paths, tally))

    async def refresh(self, *, library: str | None = None, progress: Progress = unseen) -> AddReport:
        """Look again at everything that was added: read what changed, drop what is gone, keep what is out of reach for now."""
        name = library or self._library
        tally = Tally()
        await self._rounds(name).run(await self._store.roots(name), tally, progress, named=False)
        return tally.report(name)

    async def remove(self, target: str, *, library: str | None = None) -> int:
        """Forget the document of that number or reference, or all that came from a path or URL; returns how many went.

        A document forgotten by number stays out when its folder is refreshed.
        """
        name = library or self._library
        number = find_number(f"lib:{target}") if target.isdigit() else find_number(target)
        if number is not None:
            return int(await self._store.remove(name, number))
        for origin in origins_of(target):
            held = list(await self._store.stamps(name, origin)) or [origin]
            if dropped := await self._store.drop(name, held):
                return dropped
        return 0

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """The sections that answer a question best. An empty library refuses; finding nothing does not."""
        asked = parse(request.query)
        question = weighed(asked, await self._store.frequencies(asked.lookup))
        found = await self._store.query(self._library, question.lookup, limit=_CANDIDATES)
        if not found and not (await self._store.counts(self._library))[0]:
            return SearchAnswer((), SearchSource(provider="library"), refusal=_empty(self._library))
        allowed = [hit for hit in found if _allowed(request, hit)]
        limit = max(1, min(request.limit, _MOST_HITS))
        ranked = rank(question, allowed, limit)
        hits = tuple(_hit(item, position) for position, item in enumerate(ranked, 1))
        return SearchAnswer(hits, SearchSource(provider="library", dropped=len(found) - len(allowed)))

    async def open(self, ref: str) -> tuple[LibraryDocument, str]:
        """The document behind `lib:<id>`, `lib:<id>:<line>`, a path, a `file:` URL or a URL; else ToolFault `library.unknown`."""
        number = find_number(ref)
        if number is not None:
            found = await self._store.get(self._library, number)
            if found is not None:
                return found
        for origin in origins_of(ref):
            found = await self._store.by_origin(self._library, origin)
            if found is not None:
                return found
        raise ToolFault("library.unknown", f"the library has no document {ref}", "limen library list shows what it has")

    async def holds(self, origin: str) -> bool:
        """Whether a path or URL is in the index."""
        marks = await self._store.marks(self._library, origins_of(origin))
        return any(not mark.removed for mark in marks.values())

    def _rounds(self, library: str) -> Rounds:
        intake = Intake(self._store, self._reader, self._fetch, library, self._jobs)
        return Rounds(self._store, intake, library, fetches=self._fetch is not None)

    def _roots(self, paths: Sequence[str]) -> tuple[Refusal | None, list[str]]:
        roots: dict[str, None] = {}
        for name in paths:
            if is_url(name):
                if self._fetch is None:
                    return _no_fetcher(name), []
                roots[name.partition("#")[0]] = None
            elif (path := exists(name)) is None:
                return _no_such_path(name), []
            else:
                roots[str(path)] = None
        return None, list(roots)

    async def list(self, *, library: str | None = None, limit: int = _MOST_DOCUMENTS) -> Sequence[LibraryDocument]:
        """The documents, by origin."""
        return await self._store.list(library or self._library, limit)


def _hit(ranked: Ranked, position: int) -> Hit:
    found, document = ranked.hit, ranked.hit.document
    return Hit(
        title=_title(found),
        url=url_of(document.origin, found.anchor),
        snippet=found.snippet,
        position=position,
        ref=document.ref,
        site="library",
        line=found.line,
        score=round(ranked.score, 4),
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
    return Refusal("library", "library.empty", f"the library {library!r} has no documents yet", "limen library add PATH")


def _no_such_path(name: str) -> Refusal:
    return Refusal(
        "library",
        "library.no_such_path",
        f"there is no file or folder {path_of(name)}",
        f"looked in {Path.cwd()}; check the path",
    )


def _no_fetcher(name: str) -> Refusal:
    return Refusal(
        "library", "library.no_fetcher", f"nothing is wired in that could fetch {name}", "save the page and add the file"
    )


def _nothing_readable(paths: Sequence[str], tally: Tally) -> Refusal:
    counts = ", ".join(f"{count} {reason}" for reason, count in sorted(tally.skipped.items()) if count)
    failed = f"{tally.failed} failed, first: {tally.problems[0].reason}" if tally.problems else ""
    left_out = "; ".join(part for part in (counts, failed) if part)
    return Refusal(
        "library",
        "library.nothing_readable",
        f"no document could be read from {', '.join(paths)}" + (f" ({left_out})" if left_out else ""),
        "add HTML, Markdown, text, reStructuredText or JSON files",
    )
