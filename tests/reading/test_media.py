"""What is no text is told by its bytes, and refused by name."""

import io
import zipfile

import pytest

from limen.core.fault import ToolFault
from limen.reading.media import is_pdf, refuse_binary


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "code", "named"),
    [
        (zipped("[Content_Types].xml", "word/document.xml"), "reading.unsupported", "wordprocessingml"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "reading.unsupported", "spreadsheetml"),
        (zipped("a.txt"), "reading.binary", "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "reading.unsupported", "ole"),
        (b"\x89PNG\r\n\x1a\n...", "reading.binary", "image/png"),
        (b"RIFF....WEBPVP8 ", "reading.binary", "image/webp"),
        (b"....ftypisom", "reading.binary", "video/mp4"),
        (b"\x1f\x8b\x08....", "reading.binary", "application/gzip"),
        (bytes(range(256)) * 8, "reading.binary", "application/octet-stream"),
        (b"\x00" * 2_000, "reading.binary", "2,000 bytes"),
    ],
)
def test_what_holds_no_text_is_refused_with_its_type(data, code, named):
    with pytest.raises(ToolFault) as caught:
        refuse_binary(data, "text/html", "")
    assert caught.value.code == code
    assert named in caught.value.reason
    assert caught.value.mend


@pytest.mark.parametrize(
    "data", [b"", b"words", b"a\x00b", "words enough".encode("utf-16"), "words enough".encode("utf-16-le"), b"\x1b[31mred\x1b[0m"]
)
def test_text_with_a_few_odd_bytes_is_text(data):
    refuse_binary(data, None, "")


@pytest.mark.parametrize(
    ("data", "content_type", "expected"),
    [
        (b"%PDF-1.7\n", None, True),
        (b"%PDF-1.7\n", "text/html", True),
        (b"\r\n\xef\xbb\xbf%PDF-1.4", "text/plain", True),
        (b"HTTP/1.1 200\r\n\r\n%PDF-1.4", "application/pdf", True),
        (b"<p>A file begins with %PDF-1.7</p>", "text/html", False),
        (b"<p>No such file</p>", "application/pdf", False),
        (b"x" * 2_000 + b"%PDF-1.7", "application/pdf", False),
        (b"", "application/pdf", False),
    ],
)
def test_a_pdf_is_known_by_its_head(data, content_type, expected):
    assert is_pdf(data, content_type) is expected
