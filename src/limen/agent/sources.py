"""The numbered sources of a session, and what was read of each in this turn."""

import msgspec

from limen.core.session import Source
from limen.store.ports import SessionStore


class ReadText(msgspec.Struct, frozen=True):
    """A stretch of a source as the model saw it, starting at line `first_line` of the whole."""

    n: int
    text: str
    first_line: int


class SessionSources:
    """The `SourceTable` port over the store. Numbers live as long as the session, texts as long as this object."""

    def __init__(self, session: str, store: SessionStore) -> None:
        self._session = session
        self._store = store
        self.noted: dict[int, Source] = {}
        self.read: list[ReadText] = []

    async def note(
        self, url: str, title: str, *, ref: str = "", read: bool = False, text: str = "", first_line: int = 1
    ) -> Source:
        """The source's number; a source once read stays read."""
        source = await self._store.note_source(self._session, url, title, ref=ref, read=read)
        self.noted[source.n] = source
        if text:
            self.read.append(ReadText(source.n, text, first_line))
        return source
