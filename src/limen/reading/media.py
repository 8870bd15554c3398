"""Which bytes are no text, and what they are: told by the bytes themselves, whatever they are called."""

import re
from pathlib import PurePosixPath

from limen.core.endings import ENDINGS, ending_type
from limen.reading.text_kind import declared_type, path_of

# First bytes of formats that are no text. Sources: the formats' own specifications.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/vnd.microsoft.icon"),
    (b"\xff\x0a", "image/jxl"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x1f\x9d", "application/x-compress"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x04\x22\x4d\x18", "application/x-lz4"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"MSCF\x00", "application/vnd.ms-cab-compressed"),
    (b"\xed\xab\xee\xdb", "application/x-rpm"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm", "application/wasm"),
    (b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x89HDF", "application/x-hdf5"),
    (b"\x93NUMPY", "application/x-npy"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"!<arch>\n", "application/x-archive"),
)
# First bytes that a text could begin with too: they count where bytes follow that no text has.
_WORDS: tuple[tuple[bytes, str], ...] = (
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"8BPS", "image/vnd.adobe.photoshop"),
    (b"BZh", "application/x-bzip2"),
    (b"MZ", "application/x-msdownload"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"MThd", "audio/midi"),
    (b"FLV\x01", "video/x-flv"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO", "font/otf"),
    (b"ttcf", "font/collection"),
    (b"PAR1", "application/vnd.apache.parquet"),
)
_WORD_BYTES = 64
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {b"avif": "image/avif", b"avis": "image/avif", b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic",
           b"M4A ": "audio/mp4", b"M4B ": "audio/mp4", b"qt  ": "video/quicktime"}  # fmt: skip
# Frames of MPEG audio layer III without a head of their own.
_MP3 = (b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2")
_PDF = b"%PDF-"
# Where viewers look for a PDF's head (ISO 32000-1, implementation note 13), and what editors leave before it.
_PDF_HEAD_BYTES = 1_024
_BEFORE_PDF = b"\xef\xbb\xbf \t\r\n\x00"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Streams of a compound file that say whose it is ([MS-CFB]; their names are UTF-16).
_STREAMS = {
    "EncryptedPackage": "application/x-encrypted-office", "WordDocument": "application/msword",
    "Workbook": "application/vnd.ms-excel", "PowerPoint Document": "application/vnd.ms-powerpoint",
    "__substg1.0_": "application/vnd.ms-outlook", "VisioDocument": "application/vnd.visio", "Book": "application/vnd.ms-excel",
}  # fmt: skip
WORD, SHEETS, SLIDES = ENDINGS[".docx"], ENDINGS[".xlsx"], ENDINGS[".pptx"]
BINARY_SHEETS = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
_PARTS = {
    b"word/document": WORD, b"xl/workbook.bin": BINARY_SHEETS, b"xl/workbook": SHEETS, b"ppt/presentation": SLIDES,
    b"META-INF/container.xml": "application/epub+zip",
    b"Index/Document.iwa": "application/x-iwork", b"Index.zip": "application/x-iwork",
}  # fmt: skip
_MIMETYPE = re.compile(rb"mimetype(application/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z-]+))")
_END, _END_BYTES = b"PK\x05\x06", 65_557
_SNIFF_BYTES = 4_096
# Share of control bytes from which a file is no text: prose has none, random bytes 11 %.
_CONTROL_SHARE = 0.05
_CONTROL_FEW = 8
_CONTROL = bytes(set(range(32)) - {9, 10, 12, 13, 27} | {127})


def is_pdf(data: bytes, content_type: str | None) -> bool:
    """Whether these bytes are a PDF, whatever they are called. What calls itself one, or ends as one, may have lines before its
    head: what a program said while it wrote the file."""
    head = data[:_PDF_HEAD_BYTES]
    if declared_type(content_type) == "application/pdf":
        return _PDF in head
    return head.lstrip(_BEFORE_PDF).startswith(_PDF) or (b"\n%PDF-" in head and b"%%EOF" in data[-_PDF_HEAD_BYTES:])


def binary_type(data: bytes, content_type: str | None, url: str) -> str:
    """The media type of bytes that are no text; empty for text, `application/octet-stream` for what nobody knows."""
    head = data[:_SNIFF_BYTES]
    found = _by_first_bytes(head, data, url)
    if found:
        return found
    if PurePosixPath(path_of(url)).suffix.lower() == ".br" and not _is_utf8(head):
        return "application/x-brotli"  # it has no first bytes of its own
    if not head or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return ""
    if _wide(head) or _controls(head) <= max(len(head) * _CONTROL_SHARE, _CONTROL_FEW):
        return ""
    declared = declared_type(content_type)
    return declared if declared and not declared.startswith("text/") else "application/octet-stream"


def _by_first_bytes(head: bytes, data: bytes, url: str) -> str:
    controls = _controls(head[:_WORD_BYTES])
    named = (
        kind
        for table, fits in ((_MAGIC, True), (_WORDS, controls > 0))
        for magic, kind in table
        if fits and head.startswith(magic)
    )
    found = next(named, "")
    if found:
        return found
    if head.startswith((b"PK\x03\x04", _END)):
        return _zip_type(data, url)
    if head.startswith(_OLE):
        return next((kind for name, kind in _STREAMS.items() if name.encode("utf-16-le") in data), "application/x-ole-storage")
    return _by_place(head)


def _by_place(head: bytes) -> str:
    """What is told by words that stand further in."""
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[:4] == b"FORM" and head[8:12] in {b"AIFF", b"AIFC"}:
        return "audio/aiff"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if b"webm" in head[:_WORD_BYTES] else "video/x-matroska"
    if head.startswith(b"\x00\x01\x00\x00\x00") and head[5:6].strip(b"\x00"):  # a font has tables
        return "font/ttf"
    if head[257:262] == b"ustar":
        return "application/x-tar"
    if head[60:68] == b"BOOKMOBI":
        return "application/x-mobipocket-ebook"
    return "audio/mpeg" if head.startswith(_MP3) and _controls(head) else ""


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3
    return True


def _controls(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROL))


def _wide(head: bytes) -> bool:
    """Whether the NULs stand as they do in UTF-16 of Latin text: in one half of the byte pairs only."""
    even, odd, pairs = head[0::2].count(0), head[1::2].count(0), len(head) // 2
    return pairs >= 4 and max(even, odd) > pairs * 0.7 and min(even, odd) <= pairs * 0.02


def _zip_type(data: bytes, url: str) -> str:
    """Whose ZIP package this is: by the type it begins with, else by its list of parts, else by its name."""
    stated = _MIMETYPE.search(data[:_SNIFF_BYTES])
    if stated:
        return stated.group(1).decode("ascii")
    end = data.rfind(_END, max(len(data) - _END_BYTES, 0))
    size, start = int.from_bytes(data[end + 12 : end + 16], "little"), int.from_bytes(data[end + 16 : end + 20], "little")
    parts = data[start : start + size] if end >= 0 else data[:_SNIFF_BYTES]
    for part, media_type in _PARTS.items():
        if part in parts:
            return media_type
    is_package = end < 0 or b"[Content_Types].xml" in parts or b"META-INF/manifest.xml" in parts
    named = ending_type(path_of(url))
    return named if is_package and named.startswith("application/") else "application/zip"
