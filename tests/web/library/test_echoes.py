"""A document that says the same hundreds of times keeps nothing else out of an answer."""

from pathlib import Path

import pytest
from web.library.inline_reader import open_index

from limen.core.web import SearchRequest

pytestmark = pytest.mark.anyio


OTHERS = {
    "valve.md": "# Valves\n\nBefore somebody opens a valve by hand, the pressure of the pump has to be low and the lamp out.\n",
    "tank.md": "# The tank\n\nWhen it is full, a pump stops of itself: its float rises with the water until pressure ends.\n",
    "filter.md": "# Filters\n\nDirt raises the pressure before the pump. Wash them weekly, in warm weather every second day.\n",
}


@pytest.mark.parametrize("echoes", [60, 250])
async def test_equal_sections_of_one_document_leave_room_for_others(tmp_path: Path, echoes: int) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    line = "The pump was checked and its pressure was written down, as the rule for each pump has it. " * 2
    (folder / "log.md").write_text("# Log\n\n" + "\n\n".join(f"## Pump {number}\n\n{line}" for number in range(echoes)))
    for name, text in OTHERS.items():
        (folder / name).write_text(text)
    async with open_index(tmp_path / "db") as index:
        await index.add([str(folder)])
        answer = await index.search(SearchRequest("pump pressure", limit=5))
    titles = [hit.url.rpartition("/")[2].partition("#")[0] for hit in answer.hits]
    assert set(OTHERS) <= set(titles)
    assert titles.count("log.md") == 1
    assert answer.source.dropped == 0


async def test_sections_that_differ_by_more_than_numbers_all_count(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    words = ("valve", "tank", "filter")
    parts = [f"## The {word}\n\nThe pump has a part called {word}, and it holds the pressure well.\n" for word in words]
    (folder / "pump.md").write_text("# Pump\n\n" + "\n".join(parts))
    async with open_index(tmp_path / "db") as index:
        await index.add([str(folder)])
        answer = await index.search(SearchRequest("pump filter", limit=5))
    assert "filter" in answer.hits[0].snippet
