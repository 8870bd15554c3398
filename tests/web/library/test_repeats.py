"""What many documents of a source repeat is not indexed, and everything else is."""

from pathlib import Path

import pytest
from web.library.inline_reader import open_index

from limen.core.web import SearchRequest
from limen.store.library import LibrarySection
from limen.web.library.repeats import WINDOW, Window, looked_through

pytestmark = pytest.mark.anyio
NOTICE = "We use cookies to remember you. Accept them all, or go away from here."
LICENCE = "Permission is granted to all persons to use the wombat freely and for any purpose of theirs."


def note(number: int, *more: str) -> str:
    lives = f"It eats plant{number * 3} and lives in house{number * 7} by river{number * 11}."
    own = f"Chapter {number} is about animal{number}. {lives}"
    return "\n\n".join([f"# Chapter {number}", own, *more, f"## Life of animal{number}", own.replace("eats", "likes")])


async def found(index, question: str) -> list[str]:
    return [
        Path(hit.url.removeprefix("file://").partition("#")[0]).name for hit in (await index.search(SearchRequest(question))).hits
    ]


@pytest.mark.parametrize("count", [12, WINDOW + 20])
async def test_a_notice_on_every_page_is_found_on_none(tmp_path: Path, count: int) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:04}.md").write_text(note(number, NOTICE))
    async with open_index(tmp_path / "limen.db") as index:
        assert (await index.add([str(folder)])).added == count
        assert await found(index, "accept cookies") == []
        assert (await found(index, "animal7 plant21"))[0] == "0007.md"
        _, text = await index.open(str(folder / "0003.md"))
        assert NOTICE in text
        hit = (await index.search(SearchRequest("Life of animal3"))).hits[0]
        assert hit.line is not None
        assert "animal3" in text.split("\n")[hit.line - 1]
        # What is added or changed later is without it from the start.
        (folder / "0003.md").write_text(note(3, NOTICE, "A new word: capybara."))
        (folder / "9999.md").write_text(note(9999, NOTICE))
        assert (await index.refresh()).updated == 1
        assert await found(index, "accept cookies") == []
        assert await found(index, "capybara") == ["0003.md"]


async def test_few_documents_repeat_nothing_and_sources_are_apart(tmp_path: Path) -> None:
    for folder, count in (("few", 5), ("many", 20)):
        (tmp_path / folder).mkdir()
        for number in range(count):
            (tmp_path / folder / f"{folder}{number}.md").write_text(note(count * 100 + number, NOTICE))
    async with open_index(tmp_path / "limen.db") as index:
        await index.add([str(tmp_path / "many")])
        await index.add([str(tmp_path / "few")])
        assert {name[:3] for name in await found(index, "accept cookies")} == {"few"}


async def test_versions_of_one_document_stay_findable(tmp_path: Path) -> None:
    """Nearly all of each is what the others have, and copies say nothing of the rest."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"version{number}.md").write_text(
            f"# Licence\n\n{LICENCE}\n\n{LICENCE.replace('wombat', 'emu')}\n\nOf {number}.\n"
        )
        (folder / f"copy{number}.md").write_text("# Copy\n\nThe same words about ostriches stand in each of these copies.\n")
    async with open_index(tmp_path / "limen.db") as index:
        await index.add([str(folder)])
        assert await found(index, "permission to use the wombat")
        assert await found(index, "ostriches")


def section(text: str, heading: str = "") -> LibrarySection:
    return LibrarySection(heading, "", 1, text)


def repeated(*texts: str, times: int = 10) -> frozenset[bytes]:
    window = Window()
    for number in range(times):
        own = f"word{chr(97 + number)} stands here"
        window.take(str(number), looked_through([section("\n\n".join([*texts, own]))], frozenset())[0])
    return window.repeated()


def test_lines_keep_their_numbers_and_code_stays() -> None:
    known = repeated("On this page", "Last updated on 2026-01-02")
    text = "On this page\n\nThe text itself is much longer than what goes, and stays.\n\n"
    text += "Last updated on 2027-11-30\nby me\n\n```\nOn this page\n```"
    _, (plain,) = looked_through([section(text)], known)
    assert plain.text == text.replace("On this page\n", "\n", 1)
    _, (dated,) = looked_through([section("Last updated on 1999-09-09\n\nThe text itself is longer than that line.")], known)
    assert dated.text == "\n\nThe text itself is longer than that line."


def test_a_section_of_nothing_else_is_emptied() -> None:
    known = repeated("Accept all cookies")
    kept = section("Use\nThe text itself is longer than that, and has to be so.", "Use")
    assert [one.text for one in looked_through([section("Cookies\n\nAccept all cookies", "Cookies"), kept], known)[1]] == [
        "",
        kept.text,
    ]


def test_a_document_that_is_mostly_repeated_is_left_alone() -> None:
    known = repeated(LICENCE)
    parts = [section(f"{LICENCE}\n\nMine.")]
    assert looked_through(parts, known)[1] == tuple(parts)
