"""Exports: one document a line, whatever its fields are called."""

import gzip
import json
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.library.inline_reader import InlineReader, open_index

from limen.core.web import SearchRequest
from limen.web.library.export import is_export, row_of

pytestmark = pytest.mark.anyio


def line(number: int, **fields: str) -> str:
    text = f"# Article {number}\n\nThe animal{number} of article {number} eats plant{number * 3}, and nothing else at all.\n"
    return json.dumps({"url": f"https://wiki.test/{number}", "title": f"Article {number}", "text": text, **fields})


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "wiki.jsonl"
    path.write_text("\n".join(map(line, range(100))) + "\n\n{broken\n[1]\n" + json.dumps({"no": "text"}) + "\n")
    return path


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        ({"url": "https://x.test/a#b", "title": "T", "text": "words"}, ("https://x.test/a", "T", "words", "text/markdown")),
        ({"link": "http://x.test/", "name": "T", "content": "words"}, ("http://x.test/", "T", "words", "text/markdown")),
        ({"page_content": "words", "metadata": {"source": "https://x.test/a", "title": "T"}},
         ("https://x.test/a", "T", "words", "text/markdown")),
        ({"markdown": "# m", "html": "<p>h</p>", "metadata": {"sourceURL": "https://x.test/"}},
         ("https://x.test/", "", "# m", "text/markdown")),
        ({"html": "<p>h</p>"}, ("", "", "<p>h</p>", "text/html")),
        ({"content": "<p>h</p>", "id": "7"}, ("", "", "<p>h</p>", "text/html")),
        ({"id": "https://x.test/7", "body": "words"}, ("https://x.test/7", "", "words", "text/markdown")),
    ],
)  # fmt: skip
def test_fields_are_known_by_their_usual_names(fields: dict, row: tuple[str, ...]) -> None:
    found = row_of(3, json.dumps(fields).encode())
    assert found is not None
    assert (found.line, found.url, found.title, found.text, found.media_type) == (3, *row)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'\xef\xbb\xbf{"text": "first of a file"}', "first of a file"),
        (rb'{"text": "half \ud83e of a pair"}', "half \ufffd of a pair"),
        (b'{"text": "caf\xe9 in Latin-1"}', "caf\ufffd in Latin-1"),
        (b'{"text": "a\ttab"}', "a\ttab"),
    ],
)
def test_what_json_forbids_loses_no_document(data: bytes, text: str) -> None:
    found = row_of(1, data)
    assert found is not None
    assert found.text == text


@given(st.binary(max_size=100))
def test_any_line_is_read(data: bytes) -> None:
    row_of(1, data)


@pytest.mark.parametrize("data", [b"", b"[]", b"1", b"{}", b'{"text": 1}', b'{"text": " "}', b"{" * 100_000, b'{"metadata": 1}'])
def test_a_line_without_a_document(data: bytes) -> None:
    assert row_of(1, data) is None


async def test_an_export_is_read_and_kept_fresh(tmp_path: Path, export: Path) -> None:
    reader = InlineReader()
    async with open_index(tmp_path / "limen.db", reader) as index:
        report = await index.add([str(export)])
        assert (report.added, report.skipped) == (100, {"damaged": 3})
        hit = (await index.search(SearchRequest("What does animal77 eat?"))).hits[0]
        assert (hit.title, hit.url) == ("Article 77", "https://wiki.test/77")
        reader.urls.clear()
        assert (await index.refresh()).unchanged == 100
        changed = [*map(line, range(1, 101)), line(50, text="# New\n\nNow it eats capers alone.")]
        await anyio.Path(export).write_text("\n".join(changed))
        report = await index.refresh()
        assert (report.added, report.removed, report.updated, report.unchanged) == (1, 1, 1, 99)
        assert len(reader.urls) == 2
        assert "capers" in (await index.open("https://wiki.test/50"))[1]
        (source,) = await index.sources()
        assert (source.kind, source.documents) == ("export", 100)
        assert await index.remove(str(export)) == 100
        assert list(await index.sources()) == []


async def test_lines_without_an_address_are_called_by_their_number(tmp_path: Path) -> None:
    export = tmp_path / "notes #1.ndjson"
    export.write_text(json.dumps({"text": "The first note is about beavers and their dams in the river."}) + "\n")
    async with open_index(tmp_path / "limen.db") as index:
        await index.add([str(export)])
        hit = (await index.search(SearchRequest("beavers"))).hits[0]
        assert "beavers" in (await index.open(hit.url))[1]
        assert "changed" not in hit.title
        with export.open("a") as file:
            file.write(json.dumps({"text": "The second note is about otters, which live by the sea."}) + "\n")
        assert "changed since it was indexed" in (await index.search(SearchRequest("beavers"))).hits[0].title
        report = await index.refresh()
        assert (report.added, report.unchanged) == (1, 1)
        export.unlink()
        gone = await index.refresh()
        assert (gone.missing, gone.unchanged, gone.removed) == ((str(export),), 2, 0)


async def test_a_packed_export_and_one_that_is_cut(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(map(line, range(60))).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    async with open_index(tmp_path / "limen.db") as index:
        assert (await index.add([str(tmp_path / "a.jsonl.gz")])).added == 60
        (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
        report = await index.refresh()
        assert (report.failed, report.removed) == (1, 0)
        assert report.problems[0].code == "library.unreadable"
        assert len(await index.list()) == 60


async def test_a_file_of_data_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"level": "info"}\n{"level": "warn"}\n')
    assert not is_export(tmp_path / "log.jsonl")
    assert not is_export(tmp_path / "none.jsonl")
    (tmp_path / "text.json").write_text(line(1))
    assert not is_export(tmp_path / "text.json")


async def test_one_broken_document_costs_itself_alone(tmp_path: Path, export: Path) -> None:
    def before(url: str) -> None:
        if url.endswith("/7"):
            raise RuntimeError("a bug is no bad document")

    async with open_index(tmp_path / "limen.db", InlineReader(before)) as index:
        with pytest.raises(RuntimeError):
            await index.add([str(export)])
        (source,) = await index.sources()
        assert not source.finished
    async with open_index(tmp_path / "limen.db") as index:
        assert (await index.refresh()).added == 100
