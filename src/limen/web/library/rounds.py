"""One round over the sources of a library: look what is there, read what is new, drop what is gone."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import anyio.to_thread
import msgspec

from limen.core.fault import Refusal
from limen.core.ports import Reader
from limen.kit.clock import Clock, wall_s
from limen.store.library import LibrarySource
from limen.web.library.crawl.crawl import Crawl
from limen.web.library.export import ExportRound
from limen.web.library.git import commit_of
from limen.web.library.intake import Intake, Work
from limen.web.library.outside import Outside
from limen.web.library.places import is_url
from limen.web.library.report import AddReport, Problem, Progress, Tally
from limen.web.library.roots import Wishes, known_as, nothing_readable, sources_of
from limen.web.library.stock import Stock
from limen.web.library.walk import Walk, walk


class Rounds:
    """Compares sources with the index of one library. Without an `outside` no URL can be read."""

    def __init__(self, stock: Stock, reader: Reader, outside: Outside | None, *, jobs: int = 2, clock: Clock = wall_s) -> None:
        self._stock = stock
        self._store, self._library = stock.store, stock.library
        self._reader = reader
        self._outside = outside
        self._jobs = jobs
        self._clock = clock

    async def add(self, paths: Sequence[str], wishes: Wishes | None, progress: Progress) -> AddReport:
        """See `DocumentIndex.add`."""
        sources = sources_of(paths, wishes or Wishes(), fetches=self._outside is not None)
        if isinstance(sources, Refusal):
            return AddReport(self._library, refusal=sources)
        known = await self._store.sources(self._library)
        tally = Tally()
        await self._run([known_as(source, known) for source in sources], tally, progress, named=True)
        if tally.held:
            return tally.report(self._library)
        for source in await self._store.sources(self._library):
            if not source.documents and source.finished and source.root not in {one.root for one in known}:
                await self._store.drop_source(self._library, source.root)
        return tally.report(self._library, nothing_readable(paths, tally, self._library))

    async def refresh(self, progress: Progress) -> AddReport:
        """See `DocumentIndex.refresh`."""
        tally = Tally()
        await self._run(await self._store.sources(self._library), tally, progress, named=False)
        return tally.report(self._library)

    async def _run(self, sources: Sequence[LibrarySource], tally: Tally, progress: Progress, *, named: bool) -> None:
        """Bring the index up to date with its sources. `named`: a person named them, so what was taken out by hand comes back."""
        work: dict[str, Work] = {}
        gone: list[str] = []
        seen: set[str] = set()
        simple = [source for source in sources if source.kind in ("page", "path")]
        for source in simple:
            await self._store.put_source(self._library, source)
            if is_url(source.root):
                await self._plan_url(source.root, work, tally)
            else:
                gone += await self._plan_path(source.root, work, seen, tally, named=named)
        await Intake(self._stock, self._reader, self._outside, self._jobs).run(list(work.values()), tally, progress)
        tally.removed += await self._store.drop(self._library, gone)
        for source in simple:
            await self._note(source, tally, gone)
        for source in sources:
            if source.kind == "export":
                await ExportRound(self._stock, self._reader, tally, progress).run(source, named=named)
                await self._note(source, tally, gone)
            elif source not in simple:
                await self._crawl(source, tally, progress)

    async def _crawl(self, source: LibrarySource, tally: Tally, progress: Progress) -> None:
        if self._outside is None:
            tally.skipped.add("no_fetcher")
            return
        await Crawl(self._outside, self._reader, self._stock, source, tally, progress, self._clock).run()

    async def _plan_path(self, root: str, work: dict[str, Work], seen: set[str], tally: Tally, *, named: bool) -> list[str]:
        """Note what there is to read of a path; what is gone from it comes back."""
        # Asked before looking: what another process adds in between must not seem to be gone.
        known = await self._store.stamps(self._library, root)
        found = await anyio.to_thread.run_sync(_look, root)
        if found is None or (known and not found.entries):
            return self._without_root(root, list(known), tally, within_reach=found is None)
        tally.skipped.take(found.skipped)
        for item in await self._plan(found, seen, tally, named=named):
            work[item.origin] = item
        return _gone(found, known)

    async def _plan(self, found: Walk, seen: set[str], tally: Tally, *, named: bool) -> list[Work]:
        """What there is to read of a root; `seen` are the files that other roots brought already."""
        files = [file for file in found.files if file.path not in seen]
        marks = await self._store.marks(self._library, [file.path for file in files])
        work: list[Work] = []
        for file in files:
            mark = marks.get(file.path)
            if mark is not None and mark.removed:
                if not (named and file.path == found.root):
                    tally.skipped.add("removed_by_hand")
                    continue
                mark = None
            seen.add(file.path)
            if mark is not None and mark.stamp == file.stamp:
                tally.unchanged += 1
            else:
                work.append(Work(file.path, found.root, file, mark))
        return work

    async def _plan_url(self, root: str, work: dict[str, Work], tally: Tally) -> None:
        if self._outside is None:
            tally.skipped.add("no_fetcher")
            return
        mark = (await self._store.marks(self._library, [root])).get(root)
        work[root] = Work(root, root, None, None if mark is None or mark.removed else mark)

    def _without_root(self, root: str, known: list[str], tally: Tally, *, within_reach: bool) -> list[str]:
        """A single file that is gone from a folder that is there is gone; a whole folder may be a disk that is not mounted."""
        if within_reach and known == [root] and Path(root).parent.is_dir():
            return known
        tally.missing.append(root)
        tally.unchanged += len(known)
        return []

    async def _note(self, source: LibrarySource, tally: Tally, gone: Sequence[str]) -> None:
        """Keep how the round went over a source of files, or over one page."""
        if source.root in gone or source.root in tally.gone:
            await self._store.drop_source(self._library, source.root)
            return
        problems = [problem for problem in tally.problems if _is_of(problem, source.root)]
        missing = source.root in tally.missing
        root = tally.moved.get(source.root, source.root)
        commit = await anyio.to_thread.run_sync(commit_of, root) if source.kind == "path" else ""
        noted = msgspec.structs.replace(
            source,
            root=root,
            finished=True,
            refreshed_at=source.refreshed_at if missing else self._clock(),
            note=f"commit {commit}" if commit else "",
            failed=len(problems),
            problem=_first(problems) or ("out of reach" if missing else ""),
        )
        await self._store.put_source(self._library, noted)


def _is_of(problem: Problem, root: str) -> bool:
    return problem.origin == root or problem.origin.startswith((root.rstrip(os.sep) + os.sep, f"{root}#"))


def _first(problems: Sequence[Problem]) -> str:
    return f"{problems[0].reason} [{problems[0].code}]" if problems else ""


def _gone(found: Walk, known: Iterable[str]) -> list[str]:
    here = {file.path for file in found.files}
    unread = tuple(folder + os.sep for folder in found.unread)
    return [origin for origin in known if origin not in here and not (origin + os.sep).startswith(unread)]


def _look(root: str) -> Walk | None:
    try:
        return walk(Path(root))
    except OSError:
        return None
