"""The numbered sources of a session, what was read of each in this turn, and what became of the pages a person named."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from limen.core.fault import Refusal
from limen.core.session import Source
from limen.net.url import normalise
from limen.store.ports import SessionStore


class ReadText(msgspec.Struct, frozen=True):
    """A stretch of a source as the model saw it, starting at line `first_line` of the whole."""

    n: int
    text: str
    first_line: int


class NamedPage(msgspec.Struct, frozen=True):
    """What became of a page that was named for a turn. `untried`: nobody asked for it; `refusal` says why one is unread."""

    url: str
    state: Literal["read", "unread", "untried"]
    refusal: Refusal | None = None


class SessionSources:
    """The `SourceTable` port over the store. Numbers live as long as the session, texts as long as this object."""

    def __init__(self, session: str, store: SessionStore) -> None:
        self._session = session
        self._store = store
        self.noted: dict[int, Source] = {}
        self.read: list[ReadText] = []
        self._tried: dict[str, Refusal | None] = {}

    async def note(
        self, url: str, title: str, *, ref: str = "", read: bool = False, text: str = "", first_line: int = 1
    ) -> Source:
        """The source's number; a source once read stays read."""
        source = await self._store.note_source(self._session, url, title, ref=ref, read=read)
        self.noted[source.n] = source
        if text:
            self.read.append(ReadText(source.n, text, first_line))
        return source

    async def tried(self, url: str, refusal: Refusal | None) -> None:
        """Note how the latest attempt at an address ended, in whatever spelling; a page once read stays read."""
        key = _spelt(url)
        if refusal is None or self._tried.get(key, refusal) is not None:
            self._tried[key] = refusal

    def named(self, urls: Sequence[str]) -> tuple[NamedPage, ...]:
        """What became of each of these addresses, in their order."""
        return tuple(self._named(url) for url in urls)

    def _named(self, url: str) -> NamedPage:
        key = _spelt(url)
        if key not in self._tried:
            return NamedPage(url, "untried")
        refusal = self._tried[key]
        return NamedPage(url, "read" if refusal is None else "unread", refusal)


def _spelt(url: str) -> str:
    normal = normalise(url)
    return url if isinstance(normal, Refusal) else normal
