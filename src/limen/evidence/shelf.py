"""The shelf: whole texts behind what the window shows a part of."""

from collections.abc import Sequence

from limen.core.evidence import Evidence, Excerpt, Match
from limen.core.fault import ToolFault
from limen.core.ports import Redactor
from limen.store.ports import EvidenceStore


class EvidenceShelf:
    """The `Shelf` port over an evidence store. Texts are masked before they are stored; a failing mask stores nothing."""

    def __init__(self, store: EvidenceStore, redactor: Redactor) -> None:
        self._store = store
        self._redactor = redactor

    async def keep(self, text: str, *, session: str, tool: str, source: str = "", media_type: str = "text/plain") -> Evidence:
        """Store a text; the same text in the same session is stored once."""
        masked = self._redactor.redact(text).text
        return await self._store.keep(masked, session=session, tool=tool, source=source, media_type=media_type)

    async def show(self, evidence_id: str, start: int = 1, end: int | None = None) -> Excerpt:
        """Lines `start` to `end` of a stored text, both inclusive, counted from 1."""
        excerpt = await self._store.show(evidence_id, start, end)
        if excerpt is None:
            raise unknown(evidence_id)
        return excerpt

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
