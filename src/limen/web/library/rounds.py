"""One round over the roots of a library: look what is there, read what is new, drop what is gone."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import anyio.to_thread

from limen.store.ports import LibraryStore
from limen.web.library.intake import Intake, Work
from limen.web.library.places import is_url
from limen.web.library.report import Progress, Tally
from limen.web.library.walk import Walk, walk


class Rounds:
    """Compares roots with the index. `fetches` says whether URLs can be read."""

    def __init__(self, store: LibraryStore, intake: Intake, library: str, *, fetches: bool) -> None:
        self._store = store
        self._intake = intake
        self._library = library
        self._fetches = fetches

    async def run(self, roots: Sequence[str], tally: Tally, progress: Progress, *, named: bool) -> None:
        """Bring the index up to date with `roots`. `named`: a person named them, so what was taken out by hand comes back."""
        work: dict[str, Work] = {}
        gone: list[str] = []
        seen: set[str] = set()
        for root in roots:
            if is_url(root):
                await self._plan_url(root, work, tally)
                continue
            # Asked before looking: what another process adds in between must not seem to be gone.
            known = await self._store.stamps(self._library, root)
            found = await anyio.to_thread.run_sync(_look, root)
            if found is None or (known and not found.entries):
                gone += self._without_root(root, list(known), tally, within_reach=found is None)
                continue
            tally.skipped.take(found.skipped)
            for item in await self._plan(found, seen, tally, named=named):
                work[item.origin] = item
            gone += _gone(found, known)
        await self._intake.run(list(work.values()), tally, progress)
        tally.removed += await self._store.drop(self._library, gone)

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
        if not self._fetches:
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


def _gone(found: Walk, known: Iterable[str]) -> list[str]:
    here = {file.path for file in found.files}
    unread = tuple(folder + os.sep for folder in found.unread)
    return [origin for origin in known if origin not in here and not (origin + os.sep).startswith(unread)]


def _look(root: str) -> Walk | None:
    try:
        return walk(Path(root))
    except OSError:
        return None
