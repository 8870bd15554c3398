"""Pages of a PDF as pictures, drawn by PDFium. Native code over hostile bytes: only ever in the worker process."""

import math
import struct
import zlib

import pypdfium2
from pypdfium2 import raw

from limen.core.fault import Refusal
from limen.core.ports import Picture
from limen.kit.process import Worker, WorkerCrashed, WorkerFailed, WorkerTimedOut

# 144 dots an inch. No side is longer than what a vendor's model looks at, however large a page says it is.
_SCALE = 2.0
MOST_PIXELS_A_SIDE = 2_000
_COLOURS = 3
_PNG_TRUECOLOUR = 2


def draw_page(data: bytes, page: int) -> Picture | Refusal:
    """A PDF's page, counted from 1, as PNG. Runs in the worker's child."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            mend = "Save a copy without its password, and picture that."
            return Refusal("screenshot", "screenshot.encrypted", "The PDF is encrypted.", mend)
        return Refusal("screenshot", "screenshot.broken", f"The PDF of {len(data):,} bytes is damaged.", "Get it again.")
    try:
        pages = len(document)
        if not 1 <= page <= pages:
            reason = f"There is no page {page:,}: the PDF has {'1 page' if pages == 1 else f'{pages:,} pages'}."
            return Refusal("screenshot", "screenshot.no_page", reason, f"Ask for 1 to {pages}.", {"pages": pages})
        return _drawn(document, page, pages)
    except pypdfium2.PdfiumError as error:
        reason = f"Page {page:,} of the PDF cannot be drawn: {error}"
        return Refusal("screenshot", "screenshot.broken", reason, "Ask for another page.")
    finally:
        document.close()


def _drawn(document: pypdfium2.PdfDocument, number: int, pages: int) -> Picture | Refusal:
    if document.get_formtype():
        document.init_forms()  # or what was filled in would not show
    page = document[number - 1]
    scale = scale_of(*page.get_size())
    if scale is None:
        return Refusal("screenshot", "screenshot.broken", f"Page {number:,} of the PDF has no size.", "Ask for another page.")
    bitmap = page.render(scale=scale, rev_byteorder=True, limit_image_cache=True)
    rows = bytes(bitmap.buffer)
    return Picture(png_of(rows, bitmap.width, bitmap.height, bitmap.stride), bitmap.width, bitmap.height, number, pages)


def scale_of(width: float, height: float) -> float | None:
    """Pixels a point for a page of this size in points, so that no side becomes too long; None for what is no size."""
    if not (math.isfinite(width) and math.isfinite(height)) or min(width, height) <= 0:
        return None
    return min(_SCALE, (MOST_PIXELS_A_SIDE - 0.5) / max(width, height))  # half a pixel for what arithmetic rounds up


def png_of(rows: bytes, width: int, height: int, stride: int) -> bytes:
    """A PNG of RGB rows that lie `stride` bytes apart (ISO/IEC 15948; eight bits a channel, no filter)."""
    taken = width * _COLOURS
    scanlines = b"".join(b"\0" + rows[start : start + taken] for start in range(0, stride * height, stride))
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_TRUECOLOUR, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(scanlines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


class WorkerPainter:
    """The `Painter` port: draws in a process of its own, within `timeout_s` and the worker's memory."""

    def __init__(self, worker: Worker, *, timeout_s: float = 30.0) -> None:
        self._worker = worker
        self._timeout_s = timeout_s

    async def paint(self, data: bytes, page: int) -> Picture | Refusal:
        """A page as PNG, no side longer than 2,000 pixels. Codes: `screenshot.{no_page,encrypted,broken,timeout,failed}`."""
        try:
            return await self._worker.run(draw_page, data, page, timeout_s=self._timeout_s)
        except WorkerTimedOut:
            reason = f"Drawing page {page:,} took longer than {self._timeout_s:g} s."
            return Refusal("screenshot", "screenshot.timeout", reason, _ANOTHER)
        except (MemoryError, WorkerCrashed):
            reason = f"Drawing page {page:,} took more than a drawing may take, or broke the program that draws."
            return Refusal("screenshot", "screenshot.failed", reason, _ANOTHER)
        except WorkerFailed as error:
            return Refusal("screenshot", "screenshot.failed", f"Page {page:,} cannot be drawn: {error}", _ANOTHER)


_ANOTHER = "Ask for another page, or open its text."
