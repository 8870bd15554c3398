"""The Reader: small documents here, large ones in a child, every failure a ToolFault."""

import sys
import zlib

import pytest
from reading.made_pdf import made_pdf, packed_bomb, stream

import limen
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


_DEFLATED = b"/Filter /FlateDecode"
_FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /N %d 0 R >> >>"


def _page(resources):
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << %s >> /Contents 11 0 R >>" % resources


def _blanks():
    """A page of two gigabytes of blanks, packed twice."""
    twice = zlib.compress(packed_bomb(b" " * 1_000_000, 2_000), 9)
    return made_pdf("x", more={11: stream(twice, b"/Filter [/FlateDecode /FlateDecode]")})


def _texts():
    return made_pdf("x", more={11: stream(packed_bomb(b"BT /F1 8 Tf (spam eggs) Tj ET\n" * 10_000, 400), _DEFLATED)})


def _font():
    file = stream(packed_bomb(bytes(1_000_000), 2_000), b"/Length1 2000000000 " + _DEFLATED)
    font = b"<< /Type /Font /Subtype /TrueType /BaseFont /AAAAAA+X /FontDescriptor 41 0 R /Encoding /WinAnsiEncoding >>"
    about = b"<< /Type /FontDescriptor /FontName /AAAAAA+X /Flags 32 /FontBBox [0 0 9 9] /StemV 80 /FontFile2 42 0 R >>"
    return made_pdf("Words in a font.", more={3: font, 41: about, 42: file})


def _letters():
    ranges = packed_bomb(b"1 beginbfrange <0000> <FFFF> <0020> endbfrange\n" * 10_000, 600)
    return made_pdf("Words.", private_use=True, more={4: stream(ranges, _DEFLATED)})


def _forms():
    """A form that is drawn ten times by one that is drawn ten times by another, and so on."""
    forms = {at: stream(b"/N Do " * 10, _FORM % (at + 1)) for at in range(60, 71)}
    forms[71] = stream(b"BT /F1 8 Tf (ha ha) Tj ET", _FORM % 71)
    return made_pdf("x", more={**forms, 10: _page(b"/XObject << /N 60 0 R >>"), 11: stream(b"/N Do")})


def _objects():
    """A document whose objects are packed with gigabytes behind them."""
    inner = (
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
    )  # fmt: skip
    places = b"1 0 2 %d 4 %d " % (len(inner[0]), len(inner[0]) + len(inner[1]))
    packed = packed_bomb(b" " * 1_000_000, 2_000, places + b"".join(inner))
    head = b"%PDF-1.5\n3 0 obj\n"
    body = head + stream(packed, b"/Type /ObjStm /N 3 /First %d " % len(places) + _DEFLATED) + b"\nendobj\n"
    rows = ((0, 0, 0), (2, 3, 0), (2, 3, 1), (1, len(head) - 8, 0), (2, 3, 2), (1, len(body), 0))
    table = b"".join(bytes([kind]) + at.to_bytes(4) + index.to_bytes(2) for kind, at, index in rows)
    table = stream(table, b"/Type /XRef /Size 6 /W [1 4 2] /Root 1 0 R")
    return body + b"5 0 obj\n" + table + b"\nendobj\nstartxref\n%d\n%%%%EOF" % len(body)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is looked at every now and then")
@pytest.mark.parametrize("bomb", [_blanks, _texts, _font, _letters, _forms, _objects])
async def test_a_pdf_that_unpacks_without_end_costs_its_process_alone(bomb):
    data = bomb()
    assert len(data) < 3_000_000
    async with Worker() as worker:
        reader = WorkerReader(worker)
        with pytest.raises(ToolFault) as caught:
            await reader.read(data)
        assert caught.value.code == "reading.memory"
        assert (await reader.read(made_pdf("The words."))).text == "The words."


async def test_limen_read_hands_all_but_small_texts_to_a_process():
    """Inside a running event loop as well, and with what `limen.reading.read` gives."""
    long = "<h1>Lamp</h1>" + "<p>word \ud800 word</p>" * 20_000
    for data in (HTML, made_pdf("The words."), long, bytearray(HTML)):
        assert limen.read(data, "https://e.example/") == read(data, "https://e.example/")
    with pytest.raises(ToolFault) as caught:
        limen.read(made_pdf("x", locked=True))
    assert caught.value.code == "reading.pdf_encrypted"
