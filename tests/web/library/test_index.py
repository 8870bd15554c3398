"""The document index: what it reads, keeps fresh, finds and opens."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from reading.formats.office.made_office import made_docx, p
from web.library.inline_reader import InlineReader, open_index

from limen.core.fault import Refusal, ToolFault
from limen.core.web import Held, Page, SearchRequest
from limen.web.download import Downloaded
from limen.web.library.outside import Outside, WebPage
from limen.web.search_walk import FITS, MAY_FIT

pytestmark = pytest.mark.anyio

CANCEL = """# Tasks

Some words that introduce what a task is, and why a program may want to have several of them at once in one thread.

## Cancelling a task

To cancel a task, call its cancel method: a CancelledError is raised inside it at the next opportunity, and it may clean up.
"""
OTHER = (
    "# Gardens\n\nRoses want sun and water, and whoever cuts them in spring has more of them in summer than in the year before.\n"
)


async def nothing(url: str, max_bytes: int, headers: Mapping[str, str]) -> Downloaded | Refusal:
    raise AssertionError(f"{url} was fetched")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tasks.md").write_text(CANCEL)
    (folder / "garden.txt").write_text(OTHER)
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "home" / "limen.db"


async def test_a_question_is_answered_from_the_section_that_answers_it(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        report = await index.add([str(docs)])
        assert (report.added, report.refusal, report.failed) == (2, None, 0)
        answer = await index.search(SearchRequest("How can I cancel my task?"))
    hit = answer.hits[0]
    assert hit.title == "Tasks › Cancelling a task"
    assert hit.url.startswith((docs / "tasks.md").as_uri())
    assert "call its cancel method" in hit.snippet
    assert (hit.position, hit.site, hit.line, hit.ref) == (1, "library", 5, answer.hits[0].ref)
    assert answer.source.provider == "library"
    assert answer.refusal is None


async def test_how_far_a_hit_fits_counts_words_that_the_library_lacks(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        fits = {}
        for query in ("cancel a task", "cancel a submarine", "cancel the submarine's quasar voyage", "submarine"):
            hits = (await index.search(SearchRequest(query))).hits
            fits[query] = max((hit.fit for hit in hits), default=0.0)
    assert fits["cancel a task"] > FITS > MAY_FIT > fits["cancel the submarine's quasar voyage"] > 0
    assert list(fits.values()) == sorted(fits.values(), reverse=True)
    assert fits["submarine"] == 0


async def test_an_empty_library_and_no_hit_are_different_answers(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        empty = await index.search(SearchRequest("roses"))
        await index.add([str(docs)])
        nothing = await index.search(SearchRequest("quasar"))
        wordless = await index.search(SearchRequest("?!"))
    assert empty.refusal is not None
    assert (empty.refusal.code, empty.refusal.mend) == ("library.empty", "limen library add PATH")
    assert (nothing.refusal, nothing.hits) == (None, ())
    assert (wordless.refusal, wordless.hits) == (None, ())


async def test_whatever_is_asked_is_no_query_language(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        for query in (
            'cancel" OR body:',
            "NEAR(task cancel)",
            "task*",
            "title:task",
            "-task",
            "(((",
            "task AND NOT cancel",
            "^task",
        ):
            assert (await index.search(SearchRequest(query))).refusal is None
        assert (await index.search(SearchRequest("task AND NOT cancel"))).hits


async def test_what_a_library_has_can_be_opened_by_every_name(docs: Path, database: Path) -> None:
    path = docs / "tasks.md"
    (docs.parent / "alias").symlink_to(docs)
    async with open_index(database) as index:
        await index.add([str(docs)])
        number = (await index.search(SearchRequest("cancel"))).hits[0].ref
        alias = str(docs.parent / "alias" / "tasks.md")
        for name in (number, f"{number}:5", str(path), path.as_uri(), path.as_uri() + "#cancelling", alias):
            document, text = await index.open(name)
            assert document.origin == str(path)
            assert "Cancelling a task" in text.split("\n")[4]
            assert document.chars == len(text)
        assert await index.holds(str(path))
        assert not await index.holds(str(docs / "none.md"))


@pytest.mark.parametrize(
    "name", ["lib:99", "lib:0", "lib:9999999999999999999", "lib:x", "", "/none", "http://x.org/", "a\0b", "file://["]
)
async def test_an_unknown_reference_is_said(name: str, docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        with pytest.raises(ToolFault) as raised:
            await index.open(name)
        assert raised.value.code == "library.unknown"
        assert not await index.holds(name)


async def test_a_document_of_a_library_that_is_not_searched_is_told_where_it_is(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)], library="my work")
        (document, *_) = await index.list(library="my work")
        with pytest.raises(ToolFault, match="my work") as raised:
            await index.open(document.ref)
    assert raised.value.mend == f"limen open --library 'my work' {document.ref}"


async def test_only_what_changed_is_read_again(docs: Path, database: Path) -> None:
    reader = InlineReader()
    async with open_index(database, reader) as index:
        await index.add([str(docs)])
        before = (await index.search(SearchRequest("roses"))).hits[0].ref
        reader.urls.clear()
        again = await index.add([str(docs)])
        assert (again.unchanged, again.added, reader.urls) == (2, 0, [])

        os.utime(docs / "garden.txt", ns=(1, 1))  # touched, not changed
        touched = await index.refresh()
        assert (touched.unchanged, touched.updated, reader.urls) == (2, 0, [])

        (docs / "garden.txt").write_text(OTHER.replace("Roses", "Tulips"))
        changed = await index.refresh()
        assert (changed.unchanged, changed.updated) == (1, 1)
        assert (await index.search(SearchRequest("roses"))).hits == ()
        assert (await index.search(SearchRequest("tulips"))).hits[0].ref == before


async def test_what_is_gone_from_a_folder_is_dropped(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        (docs / "garden.txt").unlink()
        report = await index.refresh()
        assert report.removed == 1
        assert [document.origin for document in await index.list()] == [str(docs / "tasks.md")]
        assert (await index.search(SearchRequest("roses"))).hits == ()


async def test_a_folder_that_is_out_of_reach_keeps_its_documents(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        os.rename(docs, docs.parent / "away")  # noqa: PTH104
        gone = await index.refresh()
        assert (gone.missing, gone.removed) == ((str(docs),), 0)
        os.mkdir(docs)  # noqa: PTH102 - an empty mount point
        empty = await index.refresh()
        assert (empty.missing, empty.removed, len(await index.list())) == ((str(docs),), 0, 2)


async def test_a_single_file_that_is_gone_is_dropped(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs / "garden.txt")])
        (docs / "garden.txt").unlink()
        assert (await index.refresh()).removed == 1
        assert await index.list() == []


@pytest.mark.parametrize("by_path", [False, True])
async def test_a_document_removed_by_hand_stays_out_until_it_is_named(docs: Path, database: Path, by_path: bool) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        ref = (await index.search(SearchRequest("roses"))).hits[0].ref
        assert await index.remove(str(docs / "garden.txt") if by_path else ref) == 1
        assert await index.remove(str(docs / "garden.txt")) == 0
        assert (await index.refresh()).skipped == {"removed_by_hand": 1}
        assert (await index.add([str(docs)])).added == 0
        assert not await index.holds(str(docs / "garden.txt"))
        assert (await index.add([str(docs / "garden.txt")])).added == 1
        assert (await index.search(SearchRequest("roses"))).hits


async def test_a_whole_folder_can_be_forgotten(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        assert await index.remove(str(docs)) == 2
        assert await index.remove(str(docs)) == 0
        for unknown in ("12345", "9" * 5_000, "١٢", "", "lib:", "a\0b"):
            assert await index.remove(unknown) == 0
        assert (await index.refresh()).unchanged == 0
        assert (await index.add([str(docs)])).added == 2


async def test_the_same_text_under_two_paths_is_shown_once(docs: Path, database: Path) -> None:
    (docs / "copy").mkdir()
    (docs / "copy" / "tasks.md").write_text(CANCEL)
    async with open_index(database) as index:
        assert (await index.add([str(docs)])).added == 3
        hits = (await index.search(SearchRequest("cancel a task"))).hits
        assert len({hit.title for hit in hits}) == len(hits)
        await index.remove(hits[0].ref)
        left = (await index.search(SearchRequest("cancel a task"))).hits
        assert left
        assert left[0].ref != hits[0].ref


async def test_overlapping_roots_hold_a_document_once(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs / "tasks.md")])
        report = await index.add([str(docs), str(docs / "tasks.md")])
        assert (report.added, report.unchanged) == (1, 1)
        assert (await index.refresh()).removed == 0
        assert len(await index.list()) == 2


async def test_libraries_are_apart(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs / "tasks.md")])
        await index.add([str(docs / "garden.txt")], library="garden")
        assert (await index.search(SearchRequest("roses"))).hits == ()
        assert [document.title for document in await index.list(library="garden")] != []
        other = (await index.list(library="garden"))[0]
        assert other.id != (await index.list())[0].id
        with pytest.raises(ToolFault):
            await index.open(other.ref)


async def test_sites_narrow_a_search_to_pages_of_the_web(docs: Path, database: Path) -> None:
    async def page(url: str, _held: Held | None) -> WebPage | Refusal:
        text = "# Roses\n\nA page about roses, their care, their names and their long history."
        return WebPage(Page(url=url, title="Roses", text=text))

    async with open_index(database, outside=Outside(page, nothing)) as index:
        await index.add([str(docs), "https://Example.org/roses#care"])
        allowed = await index.search(SearchRequest("roses", allowed_domains=("example.org",)))
        assert [hit.url for hit in allowed.hits] == ["https://Example.org/roses"]
        assert allowed.source.dropped == 1
        blocked = await index.search(SearchRequest("roses", blocked_domains=("example.org",)))
        assert [hit.url.startswith("file:") for hit in blocked.hits] == [True]
        assert (await index.open("https://Example.org/roses#x"))[0].origin == "https://Example.org/roses"
        assert (await index.refresh()).unchanged == 3


async def test_urls_are_refused_where_nothing_fetches_them(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        report = await index.add([str(docs), "https://example.org/"])
        assert report.refusal is not None
        assert report.refusal.code == "library.no_fetcher"
        assert await index.list() == []


async def test_a_page_that_cannot_be_fetched_is_said(database: Path) -> None:
    no = Refusal("network", "network.private_address", "10.0.0.1 is private")

    async def page(url: str, _held: Held | None) -> WebPage | Refusal:
        return no

    async with open_index(database, outside=Outside(page, nothing)) as index:
        report = await index.add(["https://example.org/"])
        assert [(problem.code, problem.origin) for problem in report.problems] == [(no.code, "https://example.org/")]
        assert report.refusal is not None
        assert no.reason in report.refusal.reason


async def test_a_missing_path_refuses_before_anything_is_read(docs: Path, database: Path) -> None:
    reader = InlineReader()
    async with open_index(database, reader) as index:
        for missing in (str(docs / "none"), "", "a\0b", str(docs / "tasks.md" / "below")):
            report = await index.add([str(docs), missing])
            assert report.refusal is not None
            assert report.refusal.code == "library.no_such_path"
        assert reader.urls == []


async def test_a_folder_without_documents_is_refused_with_what_was_there(tmp_path: Path, database: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"\xff\xd8")
    async with open_index(database) as index:
        report = await index.add([str(folder)])
    assert report.refusal is not None
    assert report.refusal.code == "library.nothing_readable"
    assert "1 of other kinds" in report.refusal.reason


async def test_relative_paths_are_those_of_the_working_folder(docs: Path, database: Path, monkeypatch) -> None:
    monkeypatch.chdir(docs)
    async with open_index(database) as index:
        assert (await index.add(["tasks.md"])).added == 1
        assert (await index.open("tasks.md"))[0].origin == str(docs / "tasks.md")


async def test_odd_names_come_back_as_urls(docs: Path, database: Path) -> None:
    odd = docs / "ein # Name mit ? und % und ü.md"
    odd.write_text("# Quitten\n\nQuitten wachsen spät im Jahr und werden gekocht gegessen, weil sie roh zu hart sind.")
    async with open_index(database) as index:
        await index.add([str(docs)])
        hit = (await index.search(SearchRequest("Quitten"))).hits[0]
        assert hit.url.partition("#")[0] == odd.as_uri()
        assert (await index.open(hit.url))[0].origin == str(odd)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How long do cats sleep?", "cats.md"), ("Has the cat slept?", "cats.md"), ("What do dogs eat?", "dogs.md"),
        ("大熊猫吃什么？", "panda.md"), ("金閣寺は何時に開きますか？", "kyoto.md"),
    ],
)  # fmt: skip
async def test_two_notes_are_a_library_too(tmp_path: Path, database: Path, question: str, name: str) -> None:
    notes = {
        "cats.md": "# Cats\n\nCats sleep 12 to 16 hours a day.", "dogs.md": "# Dogs\n\nDogs eat meat. They sleep less than cats.",
        "panda.md": "大熊猫主要吃竹子。", "kyoto.md": "# 京都\n\n金閣寺は朝九時に開きます。",
    }  # fmt: skip
    folder = tmp_path / "notes"
    folder.mkdir()
    for note in (name, "dogs.md" if name != "dogs.md" else "cats.md"):
        (folder / note).write_text(notes[note])
    async with open_index(database) as index:
        await index.add([str(folder)])
        answer = await index.search(SearchRequest(question))
    assert answer.hits[0].url == (folder / name).as_uri()


async def test_office_files_are_documents_and_pictures_are_none(docs: Path, database: Path) -> None:
    (docs / "rules.docx").write_bytes(made_docx(p("A trip abroad is approved by the office, however long it is.")))
    (docs / "plan.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(60))
    (docs / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(60))
    async with open_index(database) as index:
        report = await index.add([str(docs)])
        assert (report.added, report.skipped) == (3, {"binary": 1, "unsupported": 1})
        named = await index.add([str(docs / "photo.png")])
        assert named.refusal is not None
        assert "PNG picture" in named.refusal.reason


async def test_operators_say_what_a_hit_must_have(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        found = {}
        for query in (
            '"cancel a task"',
            '"cancel the task"',
            "task -roses",
            "title:gardens",
            "path:*.md water",
            "water path:*.md -x",
        ):
            found[query] = [hit.title for hit in (await index.search(SearchRequest(query))).hits]
    assert found == {
        '"cancel a task"': ["Tasks › Cancelling a task"],
        '"cancel the task"': [],
        "task -roses": ["Tasks › Cancelling a task"],
        "title:gardens": ["garden.txt"],
        "path:*.md water": [],
        "water path:*.md -x": [],
    }


async def test_what_a_query_demands_in_vain_and_what_is_no_operator_is_said(docs: Path, database: Path) -> None:
    async with open_index(database) as index:
        await index.add([str(docs)])
        vain = await index.search(SearchRequest('"cancel the task"'))
        wrong = await index.search(SearchRequest("filetype:md cancel"))
        plain = await index.search(SearchRequest("what does cancel -v do"))
    assert ['"cancel the task"' in notice for notice in vain.source.notices] == [True]
    assert ["filetype:" in notice for notice in wrong.source.notices] == [True]
    assert wrong.hits
    assert plain.source.notices == ()


async def test_saved_pages_that_are_none_are_left_out_of_a_folder_and_refused_by_name(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "page.html").write_text("<h1>Tides</h1><p>The tide turns twice a day along the northern shore of the bay.</p>")
    undrawn = docs / "app.html"
    undrawn.write_text('<noscript>Please enable JavaScript.</noscript><div id="root"></div><script src="app.js"></script>')
    async with open_index(tmp_path / "limen.db") as index:
        report = await index.add([str(docs)])
        assert (report.added, report.skipped) == (1, {"needs_browser": 1})
        assert "save what it shows" in report.undrawn()
        refusal = (await index.add([str(undrawn)])).refusal
        assert refusal is not None
        assert "reader.needs_browser" in refusal.reason
        assert "save what it shows" in refusal.mend
