"""The Reader: small documents here, large ones in a child, every failure a ToolFault."""

import pytest
from reading.made_pdf import made_pdf

from limen.core.fault import ToolFault
from limen.core.ports import Reader
from limen.kit.process import Worker
from limen.reading import read
from limen.reading.reader import WorkerReader

pytestmark = pytest.mark.anyio

HTML = b"<main><h1>Lamp</h1><p>" + b"word " * 2_000 + b"</p></main>"


@pytest.mark.parametrize("inline_limit_bytes", [1, 1_000_000])
async def test_both_ways_read_the_same(inline_limit_bytes):
    async with Worker() as worker:
        reader: Reader = WorkerReader(worker, inline_limit_bytes=inline_limit_bytes)
        page = await reader.read(HTML, url="https://e.example/", content_type="text/html")
        assert page == read(HTML, "https://e.example/", "text/html")


@pytest.mark.parametrize("inline_limit_bytes", [1, 1_000_000])
async def test_faults_are_those_of_read(inline_limit_bytes):
    async with Worker() as worker:
        with pytest.raises(ToolFault) as caught:
            await WorkerReader(worker, inline_limit_bytes=inline_limit_bytes).read(b"\x28\xb5\x2f\xfd and more")
        assert caught.value.code == "reading.unsupported"
        assert "application/zstd" in caught.value.reason


async def test_a_pdf_is_read_by_a_process_of_its_own_however_small_it_is():
    async with Worker() as worker:
        page = await WorkerReader(worker).read(made_pdf("The words."), url="https://e.example/a.pdf")
        assert (page.text, page.media_type) == ("The words.", "application/pdf")
        assert len(worker._idle) == 1
        with pytest.raises(ToolFault) as caught:
            await WorkerReader(worker).read(made_pdf("x", locked=True))
        assert caught.value.code == "reading.pdf_encrypted"


async def test_small_documents_start_no_process():
    async with Worker() as worker:
        await WorkerReader(worker).read(HTML)
        assert worker._idle == []


@pytest.mark.parametrize("inline_limit_bytes", [1, 100_000_000])
async def test_a_document_beyond_its_time_is_given_up(inline_limit_bytes):
    slow = b"<p>" + b"<b>a</b> " * 300_000
    async with Worker() as worker:
        reader = WorkerReader(worker, timeout_s=0.05, inline_limit_bytes=inline_limit_bytes)
        with pytest.raises(ToolFault) as caught:
            await reader.read(slow, content_type="text/html")
        assert caught.value.code == "reading.timeout"
        assert caught.value.mend


async def test_a_document_beyond_memory_is_given_up_and_the_next_one_is_read():
    async with Worker(memory_limit_bytes=200_000_000) as worker:
        reader = WorkerReader(worker, inline_limit_bytes=1)
        with pytest.raises(ToolFault) as caught:
            await reader.read(b"<p>x" * 4_900_000, content_type="text/html")
        assert caught.value.code in {"reading.memory", "reading.crashed"}
        assert (await reader.read(HTML, content_type="text/html")).title == "Lamp"
