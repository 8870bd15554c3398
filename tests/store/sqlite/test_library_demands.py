"""What a query demands of the library, and that no document keeps the others out."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from limen.kit.operators import read_query
from limen.store.library import LibraryRecord, LibrarySection, Wanted
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.web.library.query import parse

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteLibraryStore]:
    opened = await Database.open(tmp_path / "limen.db")
    yield SqliteLibraryStore(opened, clock=lambda: 1_000.0)
    await opened.close()


def record(origin: str, *texts: str, title: str = "", heading: str = "") -> LibraryRecord:
    sections = tuple(LibrarySection(heading, "", line, text) for line, text in enumerate(texts, 1))
    return LibraryRecord(origin, title, "text/html", "\n".join(texts), origin, (5, 5), "/d", sections)


async def found(store: SqliteLibraryStore, query: str, limit: int = 20) -> list[str]:
    read = read_query(query)
    hits = (await store.query("default", parse(read.words).words, Wanted(limit, demands=read.demands))).hits
    return sorted({hit.document.origin for hit in hits})


DOCUMENTS = [
    record("/d/guide/loop.md", "The event loop runs\ntasks. Use getaddrinfo.", title="Event loops", heading="Policy"),
    record("/d/guide/other.md", "A loop of events: the event that ends the loops", title="Loops"),
    record("/d/old/Loop.MD", "An event loop of the old days, with std::move and a ->> b", title="Installing by hand"),
    record("https://docs.example.org/loop", "the event loop of a site with std move", title="A site"),
    record("https://example.org:8000/x/y", "événement en boucle, 北京市的天气", title="Boucles"),
]


@pytest.mark.parametrize(
    ("query", "origins"),
    [
        ('"event loop"', ["/d/guide/loop.md", "/d/old/Loop.MD", "https://docs.example.org/loop"]),
        ('"runs tasks"', ["/d/guide/loop.md"]),
        ('"event loops"', ["/d/guide/loop.md"]),  # its title
        ('"loop event"', []),
        ('"std::move"', ["/d/old/Loop.MD"]),
        ('"->>"', ["/d/old/Loop.MD"]),
        ('"北京市"', ["https://example.org:8000/x/y"]),
        ("loop -site", ["/d/guide/loop.md", "/d/guide/other.md", "/d/old/Loop.MD"]),
        ("loop -event", []),
        ('loop -"event loop"', ["/d/guide/other.md"]),
        ("title:policy", ["/d/guide/loop.md"]),
        ("title:install", ["/d/old/Loop.MD"]),
        ("title:inst", ["/d/old/Loop.MD"]),
        ("loop title:hand", ["/d/old/Loop.MD"]),
        ("loop -title:site", ["/d/guide/loop.md", "/d/guide/other.md", "/d/old/Loop.MD"]),
        ("path:GUIDE", ["/d/guide/loop.md", "/d/guide/other.md"]),
        ("path:*.md loop", ["/d/guide/loop.md", "/d/guide/other.md", "/d/old/Loop.MD"]),
        ("path:guide/*.md -path:other", ["/d/guide/loop.md"]),
        ("path:uide/*.md", []),
        ("path:[d]/*", []),
        ("site:example.org", ["https://docs.example.org/loop", "https://example.org:8000/x/y"]),
        ("site:docs.example.org", ["https://docs.example.org/loop"]),
        ("site:ample.org", []),
        ("loop -site:example.org", ["/d/guide/loop.md", "/d/guide/other.md", "/d/old/Loop.MD"]),
        ("quasar path:guide", ["/d/guide/loop.md", "/d/guide/other.md"]),
        ("tasks path:old", []),
        ('"event loop" path:old -move', []),
    ],
)
async def test_only_what_meets_all_demands_is_found(query: str, origins: list[str], store: SqliteLibraryStore) -> None:
    await store.put("default", DOCUMENTS)
    await store.put("other", [record("/d/guide/foreign.md", "the event loop runs tasks and std::move ->>", title="Policy")])
    assert await found(store, query) == origins


async def test_a_text_at_several_paths_is_shown_at_the_one_that_is_demanded(store: SqliteLibraryStore) -> None:
    await store.put("default", [record("/d/a/same", "an event loop"), record("/d/b/same", "an event loop")])
    assert await found(store, "loop path:/b/") == ["/d/b/same"]
    assert await found(store, "loop -path:/b/") == ["/d/a/same"]


async def test_one_document_with_many_like_sections_keeps_no_other_out(store: SqliteLibraryStore) -> None:
    log = record("/d/log", *(f"pump {number} started after a fault of the valve" for number in range(1_500)))
    others = [record(f"/d/page{number}", f"the pump and its valve, page {number}") for number in range(3)]
    await store.put("default", [log, *others])
    assert await found(store, "pump valve fault") == ["/d/log", "/d/page0", "/d/page1", "/d/page2"]
    assert await found(store, "pump valve") == ["/d/log", "/d/page0", "/d/page1", "/d/page2"]
