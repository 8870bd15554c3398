"""A reader in this process, and an index over a database in a folder: what the library's tests stand on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from limen.core.web import Page, PageFormat
from limen.reading import read
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.web.library.index import DocumentIndex


class InlineReader:
    """Reads at once. `before` is called with each URL first; `urls` are those that were read."""

    def __init__(self, before: Callable[[str], None] = lambda _url: None) -> None:
        self.urls: list[str] = []
        self._before = before

    async def read(
        self, data: bytes, *, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown"
    ) -> Page:
        self._before(url)
        self.urls.append(url)
        return read(data, url, content_type, page_format)


@asynccontextmanager
async def open_index(path: Path, reader: InlineReader | None = None, **options) -> AsyncIterator[DocumentIndex]:
    """A document index over the database at `path`."""
    database = await Database.open(path)
    try:
        yield DocumentIndex(SqliteLibraryStore(database), reader or InlineReader(), **options)
    finally:
        await database.close()
