"""What the index is after a crash, an interrupt, a full disk, a second process, or files that change while they are read."""

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from web.library.inline_reader import InlineReader, open_index

from limen.core.fault import StoreFault, ToolFault
from limen.core.web import SearchRequest
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.web.library.index import DocumentIndex

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
FILES = 120


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(FILES):
        body = f"Chapter {number} tells of animal{number} and of what it eats in a year that has more rain than other years."
        (folder / f"{number:03}.md").write_text(f"# Chapter {number}\n\n{body}\n")
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "home" / "limen.db"


def adding(database: Path, docs: Path, *more: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}
    script = str(Path(__file__).with_name("adding_process.py"))
    return subprocess.Popen([sys.executable, script, str(database), str(docs), *more], stdout=subprocess.PIPE, text=True, env=env)


async def check_whole(index: DocumentIndex) -> int:
    """Every document that is listed can be opened and found; returns how many."""
    listed = await index.list()
    for document in listed:
        number = int(Path(document.origin).stem)
        assert f"animal{number}" in (await index.open(document.ref))[1]
        hits = (await index.search(SearchRequest(f"animal{number}", limit=3))).hits
        assert [hit.ref for hit in hits] == [document.ref]
    return len(listed)


async def test_a_crash_leaves_whole_batches_and_the_rest_can_follow(docs: Path, database: Path) -> None:
    process = adding(database, docs, "100")
    await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == -9
    async with open_index(database) as index:
        held = await check_whole(index)
        assert 0 < held < FILES
        report = await index.add([str(docs)])
        assert (report.added, report.unchanged) == (FILES - held, held)
        assert await check_whole(index) == FILES


async def test_two_processes_add_the_same_folder(docs: Path, database: Path) -> None:
    both = [adding(database, docs), adding(database, docs)]
    said = [(await anyio.to_thread.run_sync(process.communicate))[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(int(added) for added, _, _ in said) == FILES
    assert [sum(map(int, counts)) for counts in said] == [FILES, FILES]
    async with open_index(database) as index:
        assert await check_whole(index) == FILES
        assert (await index.refresh()).unchanged == FILES


async def test_two_processes_renumber_nothing_and_lose_nothing_that_the_other_adds(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        before = {document.origin: document.id for document in await index.list()}
    await anyio.to_thread.run_sync(_add_another_word_to_each, docs)
    both = [adding(database, docs), adding(database, docs)]
    more = docs / f"{FILES}.md"
    more.write_text(f"# Chapter {FILES}\n\nThe chapter of animal{FILES}, which one of them may see and the other not.\n")
    for process in both:
        await anyio.to_thread.run_sync(process.communicate)
    async with open_index(database) as index:
        await index.add([str(docs)])
        after = {document.origin: document.id for document in await index.list()}
        assert await check_whole(index) == FILES + 1
    assert after.pop(str(more)) not in before.values()
    assert after == before


def _add_another_word_to_each(docs: Path) -> None:
    for path in docs.iterdir():
        path.write_text(path.read_text() + "\nAnother word.\n")


async def test_what_appears_behind_a_look_at_the_folder_is_not_taken_for_gone(docs: Path, database: Path) -> None:
    """A second process adds a file that came while the first one was reading."""
    late = docs / "200.md"

    def before(url: str) -> None:
        if url.endswith("000.md"):
            late.write_text("# Chapter 200\n\nThe late chapter of animal200, which came when the others were read already.\n")
            other = adding(database, docs)
            other.communicate()
            assert other.returncode == 0

    async with open_index(database, InlineReader(before), jobs=1) as index:
        await index.add([str(docs)])
        assert await check_whole(index) == FILES + 1


async def test_an_interrupt_keeps_what_was_stored(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        with anyio.CancelScope() as scope:

            def told(done: int, _total: int, _origin: str) -> None:
                if done == 60:
                    scope.cancel()

            await index.add([str(docs)], progress=told)
        assert scope.cancelled_caught
        held = await check_whole(index)
        assert 0 < held < 60
        assert (await index.add([str(docs)])).added == FILES - held


async def test_a_full_disk_is_a_fault_and_loses_nothing_that_was_stored(docs: Path, database: Path) -> None:
    store = await Database.open(database)
    try:
        index = DocumentIndex(SqliteLibraryStore(store), InlineReader())
        await index.add([str(docs / "000.md")])
        (pages,) = await store.write(lambda connection: connection.execute("PRAGMA page_count").fetchone())
        await store.write(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())
        with pytest.raises(StoreFault) as raised:
            await index.add([str(docs)])
        assert raised.value.code == "store.full"
        await store.write(lambda connection: connection.execute("PRAGMA max_page_count = 1000000").fetchone())
        assert await check_whole(index) == 1
        assert (await index.add([str(docs)])).added == FILES - 1
    finally:
        await store.close()


async def test_files_that_vanish_or_change_kind_while_others_are_read(docs: Path, database: Path) -> None:
    def before(url: str) -> None:
        if url.endswith("000.md"):
            (docs / "060.md").unlink()
            (docs / "061.md").unlink()
            (docs / "061.md").mkdir()
            (docs / "062.md").write_bytes(b"\x00\x01\x02" * 20)
            (docs / "063.md").write_text("")
            (docs / "064.md").unlink()
            os.mkfifo(docs / "064.md")

    async with open_index(database, InlineReader(before), jobs=1) as index:
        report = await index.add([str(docs)])
        assert report.added == FILES - 5
        assert report.skipped == {"vanished": 1, "not_a_file": 2, "binary": 1, "empty": 1}
        assert await check_whole(index) == FILES - 5


async def test_what_turned_unreadable_in_kind_is_dropped_and_what_failed_is_kept(docs: Path, database: Path) -> None:
    def before(url: str) -> None:
        if url.endswith("001.md"):
            raise ToolFault("reading.timeout", "took longer than 20 s")

    async with open_index(database) as index:
        await index.add([str(docs)])
    (docs / "000.md").write_bytes(b"\x00\x01\x02" * 20)
    (docs / "001.md").write_text("# Chapter 1\n\nanother text of animal1")
    async with open_index(database, InlineReader(before)) as index:
        report = await index.refresh()
        assert (report.removed, report.failed, report.unchanged) == (1, 1, FILES - 2)
        assert [problem.code for problem in report.problems] == ["reading.timeout"]
        assert await check_whole(index) == FILES - 1


async def test_one_bad_document_does_not_stop_the_others(docs: Path, database: Path) -> None:
    (docs / "000.md").write_bytes(b"\xff\xfe\x00\xd8" * 50)  # lone surrogates in UTF-16
    (docs / "001.md").write_bytes(b"caf\xe9 animal1 " * 20)
    (docs / "002.md").write_text("# Chapter 2\n\nanimal2 \u200b\u0001 controls and [unclosed](((((")
    (docs / "odd.json").write_text('{"a": "\\ud800 lone", "b": [1, 2, {"c": "animalx"}]}')
    async with open_index(database) as index:
        report = await index.add([str(docs)])
        assert report.failed + report.added + sum(report.skipped.values()) == FILES + 1
        for word in ("animal1", "animal2", "animalx"):
            assert (await index.search(SearchRequest(word))).hits
