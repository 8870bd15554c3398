"""What the shelf needs beside the work: what is old goes, by age and by room, and what is new is indexed."""

import anyio
import msgspec

from limen.core.fault import StoreFault
from limen.kit.group import background_tasks
from limen.kit.log import failed_open
from limen.store.ports import EvidenceStore, SessionStore

DAY_S = 86_400.0
# Whichever process of a home comes first does it, and then none for so long.
EVERY_S = 6 * 3_600.0
# What was kept so recently is not dropped for its size: the answer that will cite it may still be in the making.
SPARE_S = 3_600.0
_LOOK_S = 600.0
# A turn that kept something has mostly gone on by then. A process that ends sooner leaves it to the next; a search does without.
_INDEX_S = 5.0


class Retention(msgspec.Struct, frozen=True):
    """The rules: texts older than `days` go, then the oldest until the others take at most `keep_bytes`, packed."""

    days: float
    keep_bytes: int

    async def apply(self, store: EvidenceStore) -> int | None:
        """Drop what is due to go; None when that was done within six hours. Raises StoreFault."""
        return await store.retain(older_than_s=self.days * DAY_S, keep_bytes=self.keep_bytes, every_s=EVERY_S, spare_s=SPARE_S)

    async def keep_up(self, store: EvidenceStore) -> None:
        """Apply the rules again and again until cancelled. A store that cannot be written now is asked again later."""
        while True:
            try:
                await self.apply(store)
            except StoreFault as fault:
                failed_open("evidence.retention_failed", fault)
            await anyio.sleep(_LOOK_S)


async def keep_indexed(store: EvidenceStore, every_s: float = _INDEX_S, again_s: float = _LOOK_S) -> None:
    """Index what is kept, a while after it was, until cancelled. A store that cannot be written now is asked again after
    `again_s`."""
    while True:
        await anyio.sleep(every_s)
        try:
            await store.index()
        except StoreFault as fault:
            failed_open("evidence.not_indexed", fault)
            await anyio.sleep(again_s)


async def look_after(sessions: SessionStore, evidence: EvidenceStore, rules: Retention) -> None:
    """What a home needs beside the work, until cancelled: the rest of what was being forgotten goes first, then retention
    and the index of words are kept up."""
    await sessions.sweep()
    async with background_tasks() as group:
        group.start_soon(keep_indexed, evidence)
        await rules.keep_up(evidence)
