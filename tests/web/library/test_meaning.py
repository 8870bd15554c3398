"""A library that is searched by meaning too."""

from pathlib import Path

import pytest
from web.library.inline_reader import open_index

from limen.core.fault import Refusal, ToolFault
from limen.core.web import SearchRequest
from limen.testing.hash_embedder import HashEmbedder

pytestmark = pytest.mark.anyio

ROOM = "It may be left alone for a day or two, since it looks after itself and washes without being told to do so by anybody.\n"
DOCUMENTS = {
    "cats.md": f"# Felines\n\n{ROOM}",
    "cars.md": "# Cars\n\nAn engine wants oil, and whoever forgets that pays for another one before the year comes to its end.\n",
    "pets.md": "# Insurance\n\nKitten owners pay less for their insurance in the first year, and more in every one after that.\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    return folder


def embedder() -> HashEmbedder:
    return HashEmbedder(alike={"kitten": "felin", "cat": "felin"})


async def found(index, query: str) -> list[str]:
    hits = (await index.search(SearchRequest(query, limit=3))).hits
    return [hit.url.rpartition("/")[2].partition("#")[0] for hit in hits]


async def test_what_means_the_same_is_found_without_a_shared_word(docs: Path, tmp_path: Path) -> None:
    async with open_index(tmp_path / "db", embedder=embedder()) as index:
        await index.add([str(docs)])
        assert (await found(index, "cat"))[0] == "cats.md"
        assert {"pets.md", "cats.md"} == set((await found(index, "kitten"))[:2])
        assert await found(index, "cat path:cars") == ["cars.md"]
        assert "cats.md" not in await found(index, "kitten -felines")
    async with open_index(tmp_path / "db") as index:
        assert await found(index, "cat") == []


async def test_only_what_is_new_is_embedded(docs: Path, tmp_path: Path) -> None:
    asked = embedder()
    async with open_index(tmp_path / "db", embedder=asked) as index:
        await index.add([str(docs)])
        assert len(asked.asked) == 3
        await index.refresh()
        assert len(asked.asked) == 3
        (docs / "cats.md").write_text(f"# Cats\n\nChanged. {ROOM}")
        (docs / "cars.md").unlink()
        await index.refresh()
        assert len(asked.asked) == 4
        assert (await found(index, "felines"))[0] == "cats.md"
        assert await found(index, "engine oil") != ["cars.md"]


async def test_documents_that_were_there_before_are_embedded_with_the_next_round(docs: Path, tmp_path: Path) -> None:
    async with open_index(tmp_path / "db") as index:
        await index.add([str(docs)])
    async with open_index(tmp_path / "db", embedder=embedder()) as index:
        await index.refresh()
        assert (await found(index, "cat"))[0] == "cats.md"


async def test_without_its_embedder_a_library_is_searched_by_words_and_says_so(docs: Path, tmp_path: Path) -> None:
    failing = embedder()
    failing.refusal = Refusal("hash", "search.failed", "the endpoint is down", "start it")
    async with open_index(tmp_path / "db", embedder=failing) as index:
        report = await index.add([str(docs)])
        assert (report.added, report.refusal) == (3, None)
        answer = await index.search(SearchRequest("engine oil"))
    assert [hit.title for hit in answer.hits] == ["Cars"]
    assert answer.source.notices == ("the endpoint is down; the library was searched by words alone",)


class Odd(HashEmbedder):
    def __init__(self, vectors) -> None:
        super().__init__()
        self.vectors = vectors

    async def embed(self, texts):
        if isinstance(self.vectors, Exception):
            raise self.vectors
        return self.vectors


@pytest.mark.parametrize(
    "vectors", [[], [[]], [[1.0], [1.0, 2.0], [1.0]], [[float("nan")]] * 3, ToolFault("x.y", "it broke")], ids=str
)
async def test_an_embedder_that_gives_what_is_no_vector_costs_nothing_else(vectors, docs: Path, tmp_path: Path) -> None:
    async with open_index(tmp_path / "db", embedder=Odd(vectors)) as index:
        await index.add([str(docs)])
        answer = await index.search(SearchRequest("engine oil"))
    assert [hit.title for hit in answer.hits] == ["Cars"]
    assert len(answer.source.notices) == 1


async def test_vectors_of_another_length_or_name_do_not_compare(docs: Path, tmp_path: Path) -> None:
    async with open_index(tmp_path / "db", embedder=embedder()) as index:
        await index.add([str(docs)])
    shorter = HashEmbedder(32, {"cat": "felin"})
    async with open_index(tmp_path / "db", embedder=shorter) as index:
        assert await found(index, "cat") == []
    shorter.name = "another"
    async with open_index(tmp_path / "db", embedder=shorter) as index:
        assert await found(index, "cat") == []
        await index.refresh()
        assert (await found(index, "cat"))[0] == "cats.md"
