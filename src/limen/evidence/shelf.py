"""The shelf: whole texts behind what the window shows a part of."""

from collections.abc import Sequence

import anyio.to_thread

from limen.core.evidence import Evidence, Excerpt, Match
from limen.core.fault import ToolFault
from limen.core.ports import Redactor
from limen.kit.spool import Spool
from limen.kit.tokens import CountTokens
from limen.store.ports import EvidenceStore

# Of so many texts that were kept last, one is looked for by its source.
_LOOKED_AT = 500


class EvidenceShelf:
    """The `Shelf` port over an evidence store. Texts are masked before they are stored; a failing mask stores nothing.

    `count` counts their tokens, which `Evidence.tokens` then says; without it nobody has counted.
    """

    def __init__(self, store: EvidenceStore, redactor: Redactor, count: CountTokens | None = None) -> None:
        self._store = store
        self._redactor = redactor
        self._count = count

    async def masked(self, text: str) -> str:
        """A text with its credentials masked, as it would be kept."""
        return (await anyio.to_thread.run_sync(self._redactor.redact, text)).text

    async def keep(self, text: str, *, session: str, tool: str, source: str = "", media_type: str = "text/plain") -> Evidence:
        """Store a text; the same text in the same session is stored once."""
        masked, tokens = await anyio.to_thread.run_sync(self._prepared, text)
        return await self._store.keep(masked, session=session, tool=tool, source=source, media_type=media_type, tokens=tokens)

    async def keep_spooled(self, spool: Spool, *, session: str, tool: str, source: str = "") -> Evidence:
        """Store a text that is masked already and may be too long for the memory. Its tokens are not counted."""
        return await self._store.keep_pieces(spool.pieces, session=session, tool=tool, source=source, media_type="text/plain")

    def _prepared(self, text: str) -> tuple[str, int | None]:
        masked = self._redactor.redact(text).text
        return masked, None if self._count is None else self._count(masked)

    async def show(self, evidence_id: str, start: int = 1, end: int | None = None, *, session: str | None = None) -> Excerpt:
        """Lines `start` to `end` of a stored text, both inclusive, counted from 1; of a session's own where one is named."""
        excerpt = await self._store.show(evidence_id, start, end, session=session)
        if excerpt is None:
            raise unknown(evidence_id)
        return excerpt

    async def latest(self, session: str, source: str) -> Evidence | None:
        """What a session kept last of that source: of a command, its last long run."""
        return next((one for one in await self._store.list(session=session, limit=_LOOKED_AT) if one.source == source), None)

    async def find(
        self, phrase: str, *, evidence_id: str | None = None, session: str | None = None, limit: int = 20
    ) -> Sequence[Match]:
        """Lines that hold a phrase, in one text or in all of a session."""
        if evidence_id is not None and await self._store.get(evidence_id) is None:
            raise unknown(evidence_id)
        return await self._store.find(phrase, evidence_id=evidence_id, session=session, limit=limit)


def unknown(evidence_id: str) -> ToolFault:
    """The fault for an id that names no stored text."""
    return ToolFault("evidence.unknown", f"There is no evidence {evidence_id}.", "limen evidence status lists what is kept.")
