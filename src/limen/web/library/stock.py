"""Putting what was read into a library, without the blocks that its source repeats."""

from collections.abc import Mapping, Sequence
from functools import partial

import anyio.to_thread
import msgspec

from limen.store.library import LibraryRecord, LibrarySection, LibraryStore
from limen.web.library.repeats import Window, looked_through

_ROUND = 40
# Looking through so much text takes a few milliseconds.
_INLINE_CHARS = 100_000


class Stock:
    """One library while documents come into it. Close a source with `settle`, which looks at the last of its documents."""

    def __init__(self, store: LibraryStore, library: str) -> None:
        self.store = store
        self.library = library
        self._windows: dict[str, Window] = {}
        self._repeated: dict[str, frozenset[bytes]] = {}

    async def keep(
        self, records: Sequence[LibraryRecord], stamps: Mapping[str, tuple[int, int]] | None = None, stale: Sequence[str] = ()
    ) -> int:
        """Store what was read, new stamps of what is the same, and drop what is stale; how many documents are new."""
        kept = [await self._plain(record) for record in records]
        added = await self.store.put(self.library, kept) if kept else 0
        if stamps:
            await self.store.restamp(self.library, stamps)
        if stale:
            await self.store.drop(self.library, stale)
        for root in {record.root for record in records}:
            if self._windows[root].full:
                await self.settle(root)
        return added

    async def settle(self, root: str) -> None:
        """Take out of the index what the latest documents of a source turned out to repeat."""
        window = self._windows.pop(root, None)
        if window is None:
            return
        known = await self._known(root)
        new = window.repeated() - known
        if new:
            self._repeated[root] = known | new
            await self.store.put_repeated(self.library, root, sorted(new))
            for start in range(0, len(window.origins), _ROUND):
                documents = await self.store.indexed(self.library, window.origins[start : start + _ROUND])
                await self.store.rewrite(await anyio.to_thread.run_sync(_rewritten, documents, self._repeated[root]))

    async def _plain(self, record: LibraryRecord) -> LibraryRecord:
        work = partial(looked_through, record.sections, await self._known(record.root))
        found, sections = work() if len(record.text) <= _INLINE_CHARS else await anyio.to_thread.run_sync(work)
        self._windows.setdefault(record.root, Window()).take(record.origin, found)
        kept = tuple(section for section in sections if section.text)
        return msgspec.structs.replace(record, sections=kept) if kept else record

    async def _known(self, root: str) -> frozenset[bytes]:
        if root not in self._repeated:
            self._repeated[root] = await self.store.repeated(self.library, root)
        return self._repeated[root]


def _rewritten(documents: Mapping[str, Mapping[int, LibrarySection]], repeated: frozenset[bytes]) -> dict[int, str]:
    """The texts that are other ones without what is repeated."""
    changed: dict[int, str] = {}
    for sections in documents.values():
        _, plain = looked_through(list(sections.values()), repeated)
        both = zip(sections.items(), plain, strict=True)
        changed |= {number: new.text for (number, old), new in both if new.text != old.text}
    return changed
