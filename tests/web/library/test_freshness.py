"""That a file which is no longer what was indexed is said to be, wherever it is cited."""

import os
from pathlib import Path

import pytest
from web.library.inline_reader import open_index

from limen.core.web import SearchRequest

pytestmark = pytest.mark.anyio

CHANGED = "changed since it was indexed (limen library refresh): "
GONE = "no longer where it was indexed (limen library refresh): "


@pytest.fixture
def badgers(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "badgers.md"
    path.parent.mkdir()
    path.write_text("# Badgers\n\nBadgers eat earthworms, mostly, and dig their setts in the woods at night.\n")
    return path


def rewrite(path: Path) -> None:
    path.write_text("# Badgers\n\nBadgers eat what they find, worms before all else.\n")


async def titles(database: Path, path: Path, library: str = "default") -> set[str]:
    """The titles under which a search and an opening show the one document there is."""
    async with open_index(database, library=library) as index:
        hits = (await index.search(SearchRequest("what do badgers eat"))).hits
        return {*(hit.title for hit in hits), (await index.open(hits[0].ref))[0].title, (await index.open(str(path)))[0].title}


async def added(database: Path, path: Path, library: str = "default") -> None:
    async with open_index(database, library=library) as index:
        await index.add([str(path.parent)])


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda path: None, ""),
        (lambda path: path.write_text(path.read_text() + "And roots."), CHANGED),
        (lambda path: path.write_text(path.read_text().replace("earthworms", "EARTHWORMS")), CHANGED),
        (lambda path: os.utime(path, ns=(1, 1)), ""),
        (lambda path: (path.unlink(), path.mkdir()), CHANGED),
        (lambda path: path.unlink(), GONE),
        (lambda path: path.parent.rename(path.parent.with_name("moved")), GONE),
    ],
    ids=["untouched", "longer", "as long", "touched", "a folder now", "deleted", "folder moved"],
)
async def test_what_became_of_a_file_stands_before_its_title(tmp_path: Path, badgers: Path, change, note: str) -> None:
    database = tmp_path / "limen.db"
    await added(database, badgers)
    os.utime(badgers, ns=(2, 2))
    await added(database, badgers)
    change(badgers)
    assert await titles(database, badgers) == {f"{note}Badgers"}


async def test_a_named_library_names_the_command_that_refreshes_it(tmp_path: Path, badgers: Path) -> None:
    database = tmp_path / "limen.db"
    await added(database, badgers, "my work")
    rewrite(badgers)
    (title,) = await titles(database, badgers, "my work")
    assert title == "changed since it was indexed (limen library --library 'my work' refresh): Badgers"


async def test_a_refresh_takes_the_note_away(tmp_path: Path, badgers: Path) -> None:
    database = tmp_path / "limen.db"
    await added(database, badgers)
    rewrite(badgers)
    async with open_index(database) as index:
        await index.refresh()
    assert await titles(database, badgers) == {"Badgers"}
