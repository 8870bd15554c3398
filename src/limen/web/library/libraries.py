"""The libraries that a search looks into, and the manual beside them."""

import re
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from limen.core.fault import ToolFault
from limen.core.ports import LibraryDocument
from limen.core.web import SearchAnswer, SearchRequest
from limen.web.library.index import DocumentIndex

# A question that names the program is one for its manual.
_ABOUT_LIMEN = re.compile(r"\blimen\b", re.IGNORECASE)
# Below this share of a question's weight, the manual only happens to hold some of its words ("pip install" of a package's
# name). Of the questions that its test asks of it without naming Limen, none is below 0.7.
_MANUAL_FITS = 0.6


class Libraries:
    """The `Library` port over several indexes.

    The manual answers questions that name Limen, and, unless `manual_stands_in` is off, those that fit it while no other
    library holds a document.
    `prepare_manual` is called before the manual is first needed.
    """

    def __init__(
        self,
        indexes: Sequence[DocumentIndex],
        manual: DocumentIndex,
        prepare_manual: Callable[[], Awaitable[None]],
        *,
        manual_stands_in: bool = True,
    ) -> None:
        self._indexes = tuple(indexes)
        self._manual = manual
        self._prepare_manual = prepare_manual
        self._manual_stands_in = manual_stands_in
        self._prepared = False

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """The best hits of all libraries by score. Refuses only when no library could answer."""
        answers = [await index.search(request) for index in self._indexes]
        held = [answer for answer in answers if answer.refusal is None]
        if (not held and self._manual_stands_in) or _ABOUT_LIMEN.search(request.query):
            await self._ready_manual()
            told = await self._manual.search(request)
            meant = _is_meant(request, told)
            held += [told if meant else msgspec.structs.replace(told, hits=())] if told.refusal is None else []
        if not held:
            return answers[0]
        hits = sorted((hit for answer in held for hit in answer.hits), key=lambda hit: -hit.score)[: request.limit]
        placed = tuple(msgspec.structs.replace(hit, position=position) for position, hit in enumerate(hits, 1))
        notices = tuple(dict.fromkeys(notice for answer in held for notice in answer.source.notices))
        source = msgspec.structs.replace(held[0].source, notices=notices)
        return msgspec.structs.replace(held[0], hits=placed, source=source)

    async def open(self, ref: str) -> tuple[LibraryDocument, str]:
        """The document behind a reference or origin, in whichever library holds it."""
        failure: ToolFault | None = None
        for index in (*self._indexes, self._manual):
            try:
                return await index.open(ref)
            except ToolFault as fault:
                failure = failure or fault
        raise failure or ToolFault("library.unknown", f"No library holds {ref}.", "limen library list")

    async def holds(self, origin: str) -> bool:
        """Whether any library holds a path or URL."""
        for index in (*self._indexes, self._manual):
            if await index.holds(origin):
                return True
        return False

    async def _ready_manual(self) -> None:
        if not self._prepared:
            await self._prepare_manual()
            self._prepared = True


def _is_meant(request: SearchRequest, told: SearchAnswer) -> bool:
    """Whether a question is one for the manual at all."""
    return bool(_ABOUT_LIMEN.search(request.query)) or max((hit.fit for hit in told.hits), default=0.0) >= _MANUAL_FITS
