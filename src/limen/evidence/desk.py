"""Where a model reads on in what the shelf keeps: lines by number, lines by query, and what there is."""

from collections.abc import Sequence

from limen.core.evidence import Evidence, Excerpt, FoundInEvidence, ShelfAccount
from limen.core.fault import ToolFault
from limen.evidence.account import shelf_account
from limen.kit.line_search import phrase_pattern, regex_pattern, words_pattern
from limen.kit.text import clip
from limen.store.ports import EvidenceStore, SessionStore

_ALL = 1_000_000
_QUERY_CHARS = 80


class StoredEvidence:
    """The `EvidenceDesk` port over the stores. Whoever knows an id may read it; without one, a session sees what it holds."""

    def __init__(self, evidence: EvidenceStore, sessions: SessionStore) -> None:
        self._evidence = evidence
        self._sessions = sessions

    async def show(self, evidence_id: str, start: int, end: int) -> Excerpt:
        """Lines `start` to `end`, both inclusive, as far as there are so many."""
        excerpt = await self._evidence.show(evidence_id, start, end)
        if excerpt is None:
            raise unknown(evidence_id)
        return excerpt

    async def search(
        self, query: str, *, regex: bool, evidence_id: str | None, session: str, limit: int, around: int
    ) -> FoundInEvidence:
        """The first matching lines, of the latest texts first; a phrase that stands nowhere is looked for word by word."""
        if evidence_id is not None and await self._evidence.get(evidence_id) is None:
            raise unknown(evidence_id)
        patterns = [regex_pattern] if regex else [phrase_pattern, words_pattern]
        for make in patterns:
            try:
                pattern = make(query)
            except ValueError as error:
                mend = "Write it in RE2's syntax, or leave regex away to look for the words as they are."
                raise ToolFault("evidence.query", f"{clip(query, _QUERY_CHARS)!r} cannot be searched: {error}.", mend) from error
            within = session if evidence_id is None else None
            found = await self._evidence.search(pattern, evidence_id=evidence_id, session=within, limit=limit + 1, around=around)
            if found:
                return FoundInEvidence(tuple(found[:limit]), len(found) > limit, by_words=make is words_pattern)
        return FoundInEvidence()

    async def account(self, session: str) -> ShelfAccount:
        """What the shelf did for a session."""
        kept = await self._evidence.list(session=session, limit=_ALL)
        return shelf_account(await self._sessions.ledger(session), kept, await self._evidence.account(session=session))

    async def latest(self, session: str, limit: int) -> Sequence[Evidence]:
        """The texts that a session holds, latest first."""
        return await self._evidence.list(session=session, limit=limit)


def unknown(evidence_id: str) -> ToolFault:
    """The fault for an id that names nothing here: of another profile, dropped by retention, or never given."""
    reason = f"Nothing is kept under {clip(evidence_id, 40)}: it was dropped, or never was here."
    return ToolFault("evidence.unknown", reason, "evidence_status {} names what this session holds; or run the command again.")
