"""Pages of PDFs as pictures: what is drawn, how large it may become, and what a hostile document does."""

import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading.made_pdf import made_pdf

from limen.core.fault import Refusal
from limen.core.ports import Picture
from limen.kit.process import Worker
from limen.reading.formats.picture import MOST_PIXELS_A_SIDE, WorkerPainter, draw_page, png_of, scale_of

pytestmark = pytest.mark.anyio
LETTER = b"/MediaBox [0 0 612 792]"


def pixels(png):
    """The rows of an RGB picture, read back without the code that wrote it."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + length
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, 2)
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == height * (1 + width * 3)
    return width, [raw[row * (1 + width * 3) + 1 : (row + 1) * (1 + width * 3)] for row in range(height)]


def sized(box):
    return made_pdf("Hello").replace(LETTER, b"/MediaBox [%s]" % box)


def test_a_page_is_drawn_at_144_dots_an_inch():
    picture = draw_page(made_pdf("Hello\nWorld", "second"), 1)
    assert (picture.width, picture.height, picture.page, picture.pages) == (1224, 1584, 1, 2)
    width, rows = pixels(picture.png)
    assert width == 1224
    inked = [number for number, row in enumerate(rows) if min(row) < 100]
    assert inked, "nothing was drawn"
    assert 100 < inked[0] < inked[-1] < 250, "the text stands at the top"
    assert rows[0] == b"\xff" * 1224 * 3


@pytest.mark.parametrize("page", [0, -1, 3, 10**9])
def test_a_page_out_of_range_says_how_many_there_are(page):
    failed = draw_page(made_pdf("one", "two"), page)
    assert (failed.code, failed.detail) == ("screenshot.no_page", {"pages": 2})
    assert "2 pages" in failed.reason


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (made_pdf("x", locked=True), "screenshot.encrypted"),
        (b"%PDF-1.7 nonsense", "screenshot.broken"),
        (b"", "screenshot.broken"),
        (made_pdf("x" * 500)[:600], "screenshot.broken"),
    ],
)
def test_what_cannot_be_drawn_says_why(data, code):
    assert draw_page(data, 1).code == code


@pytest.mark.parametrize(
    "box", [b"0 0 28346 28346", b"0 0 9e9 9e8", b"0 0 99999 1", b"0 0 1 99999", b"0 0 .1 .1", b"-9 -9 -1 -1"]
)
def test_no_page_however_large_becomes_a_large_picture(box):
    picture = draw_page(sized(box), 1)
    assert isinstance(picture, Picture)
    assert 1 <= picture.width <= MOST_PIXELS_A_SIDE
    assert 1 <= picture.height <= MOST_PIXELS_A_SIDE


@given(st.floats(), st.floats())
def test_a_scale_keeps_both_sides_within_bounds_or_there_is_none(width, height):
    scale = scale_of(width, height)
    if scale is not None:
        assert 0 < scale <= 2
        assert max(width, height) * scale <= MOST_PIXELS_A_SIDE
    else:
        assert not (0 < width < float("inf") and 0 < height < float("inf"))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5), st.binary(min_size=300, max_size=300))
def test_a_png_holds_the_rows_without_what_lies_between_them(width, height, gap, data):
    stride = width * 3 + gap
    read_width, rows = pixels(png_of(data, width, height, stride))
    assert read_width == width
    assert rows == [data[row * stride : row * stride + width * 3] for row in range(height)]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1_500), st.binary(min_size=1, max_size=12))
def test_a_damaged_document_is_a_picture_or_a_reason(at, junk):
    data = bytearray(made_pdf("Hello", "two"))
    data[at : at + len(junk)] = junk
    drawn = draw_page(bytes(data), 1)
    assert isinstance(drawn, Picture) or drawn.code.startswith("screenshot.")


async def test_the_worker_draws_and_says_what_cannot_be():
    async with Worker() as worker:
        painter = WorkerPainter(worker)
        drawn = await painter.paint(made_pdf("Hello"), 1)
        assert (drawn.page, drawn.pages) == (1, 1)
        refused = await painter.paint(made_pdf("Hello"), 5)
        assert isinstance(refused, Refusal)
        assert (refused.code, refused.detail) == ("screenshot.no_page", {"pages": 1})


async def test_a_drawing_that_takes_too_long_is_stopped():
    async with Worker() as worker:
        refused = await WorkerPainter(worker, timeout_s=1e-4).paint(made_pdf("Hello"), 1)
    assert refused.code == "screenshot.timeout"


async def test_a_drawing_that_needs_too_much_memory_fails_alone():
    """A picture inside a page that unpacks to gigabytes: the process that draws may end, this one goes on."""
    side = 60_000
    dictionary = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8" % (side, side)
    image = b"<< %s /Filter /FlateDecode /Length 20 >>\nstream\n%s\nendstream" % (dictionary, zlib.compress(b"\0" * 50)[:20])
    page = made_pdf("Hello").replace(b"/Resources <<", b"/Resources << /XObject << /I 900 0 R >>")
    data = page.replace(b"BT /F1", b"q 600 0 0 700 0 0 cm /I Do Q BT /F1") + b"\n900 0 obj\n" + image + b"\nendobj\n"
    async with Worker(memory_limit_bytes=600 << 20) as worker:
        painter = WorkerPainter(worker)
        first = await painter.paint(data, 1)
        assert isinstance(first, Picture) or first.code in ("screenshot.failed", "screenshot.broken", "screenshot.timeout")
        assert isinstance(await painter.paint(made_pdf("Hello"), 1), Picture)
