"""What is no text is told by its bytes."""

import io
import zipfile

import pytest

from limen.reading.media import binary_type, is_pdf


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def compound(stream):
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504 + stream.encode("utf-16-le")


@pytest.mark.parametrize(
    ("data", "url", "found"),
    [
        (zipped("[Content_Types].xml", "word/document.xml"), "", WORD),
        (zipped("xl/workbook.xml"), "", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (zipped("a.txt", "inner.docx"), "", "application/zip"),
        (zipped("[Content_Types].xml"), "https://e.example/a.docx?x=1", WORD),
        (zipped("a.txt"), "https://e.example/a.docx", "application/zip"),
        (zipped("x" * 9_000)[:8_000], "https://e.example/a.docx", WORD),
        (zipped("META-INF/container.xml"), "", "application/epub+zip"),
        (zipped("content.xml", "META-INF/manifest.xml"), "a.odt", "application/vnd.oasis.opendocument.text"),
        (zipped("META-INF/MANIFEST.MF"), "a.odt", "application/zip"),
        (b"\x00\x01\x00\x00\x00\x0c\x00\x80", "", "font/ttf"),
        (b"\x00\x01\x00\x00\x00\x00\x00\x0c" * 9, "", "application/octet-stream"),
        (b"!<arch>\ndebian-binary   1709550000  0", "", "application/x-archive"),
        (compound("WordDocument"), "", "application/msword"),
        (compound("EncryptedPackage"), "", "application/x-encrypted-office"),
        (compound("Other"), "", "application/x-ole-storage"),
        (b"\x89PNG\r\n\x1a\n...", "", "image/png"),
        (b"RIFF....WEBPVP8 ", "", "image/webp"),
        (b"....ftypisom", "", "video/mp4"),
        (b"....ftypavif", "", "image/avif"),
        (b"\x1f\x8b\x08....", "", "application/gzip"),
        (b"GIF89a\x01\x00\x01\x00", "", "image/gif"),
        (b"\x00" * 257 + b"ustar", "", "application/x-tar"),
        (b"\xff\xfb\x90\x00" + bytes(40), "", "audio/mpeg"),
        (bytes(range(256)) * 8, "", "application/octet-stream"),
        (b"\x8b\x02\x80words", "https://e.example/a.json.br", "application/x-brotli"),
    ],
)
def test_what_holds_no_text_is_told_by_its_bytes(data, url, found):
    assert binary_type(data, "text/html", url) == found


def test_what_nobody_knows_is_what_it_calls_itself():
    assert binary_type(bytes(range(256)) * 8, "x/y", "") == "x/y"


@pytest.mark.parametrize(
    "data",
    [
        b"", b"words", b"a\x00b", "words enough".encode("utf-16"), "words enough".encode("utf-16-le"), b"\x1b[31mred\x1b[0m",
        b"GIF89a is a format of pictures", b"BZhang, MZ and ID3 are names", b"OggS, wOFF, RIFF",
    ],
)  # fmt: skip
def test_text_is_text_however_it_begins(data):
    assert binary_type(data, None, "") == ""


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
        (b"Writer 1.0\n%PDF-1.7\n" + b"x" * 2_000 + b"\n%%EOF\n", None, True),
        (b"A PDF begins so:\n%PDF-1.7\n", None, False),
        (b"", "application/pdf", False),
    ],
)
def test_a_pdf_is_known_by_its_head(data, content_type, expected):
    assert is_pdf(data, content_type) is expected
