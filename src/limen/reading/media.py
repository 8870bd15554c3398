"""Which bytes are no text: documents of other formats by their first bytes, and what cannot be read at all."""

import re
from pathlib import PurePosixPath

from limen.core.fault import ToolFault
from limen.reading.text_kind import declared_type, path_of

# First bytes of formats that are no text. Sources: the formats' own specifications.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm", "application/wasm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
)
_PDF = b"%PDF-"
# Where viewers look for a PDF's head (ISO 32000-1, implementation note 13), and what editors leave before it.
_PDF_HEAD_BYTES = 1_024
_BEFORE_PDF = b"\xef\xbb\xbf \t\r\n\x00"
_OFFICE_FOLDERS = {
    b"word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_UNSUPPORTED = ("application/rtf", "application/x-ole-storage", "application/epub+zip")
_SNIFF_BYTES = 4_096
# Share of control bytes from which a file is no text: prose has none, random bytes 11 %.
_CONTROL_SHARE = 0.05
_CONTROL_FEW = 8
_CONTROL = bytes(set(range(32)) - {9, 10, 12, 13, 27} | {127})


def refuse_binary(data: bytes, content_type: str | None, url: str) -> None:
    """Raise ToolFault where the bytes are no text: `reading.unsupported` for documents, `reading.binary` for the rest."""
    found = _binary_type(data, declared_type(content_type), url)
    if not found:
        return
    size = f"{len(data):,} bytes"
    if found in _UNSUPPORTED or "officedocument" in found or "opendocument" in found:
        raise ToolFault(
            "reading.unsupported",
            f"this is a document of type {found} ({size}); only HTML, PDF, Markdown, JSON and text can be read",
            "convert it to text or HTML first, and read that",
        )
    raise ToolFault("reading.binary", f"this is {found} ({size}), which holds no text to read", "ask for a page or a text file")


def is_pdf(data: bytes, content_type: str | None) -> bool:
    """Whether these bytes are a PDF, whatever they are called. What calls itself one may have a few bytes before its head."""
    if declared_type(content_type) == "application/pdf":
        return _PDF in data[:_PDF_HEAD_BYTES]
    return data.startswith(_PDF) or data[:_PDF_HEAD_BYTES].lstrip(_BEFORE_PDF).startswith(_PDF)


def _binary_type(data: bytes, declared: str, url: str) -> str:
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    if data.startswith(b"PK\x03\x04"):
        return _zip_type(data, url)
    if data[4:8] == b"ftyp":
        return "video/mp4"
    if data[:4] == b"RIFF":
        return "image/webp" if data[8:12] == b"WEBP" else "audio/wav" if data[8:12] == b"WAVE" else "video/x-msvideo"
    head = data[:_SNIFF_BYTES]
    if not head or data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return ""
    controls = len(head) - len(head.translate(None, _CONTROL))
    if _wide(head) or controls <= max(len(head) * _CONTROL_SHARE, _CONTROL_FEW):
        return ""
    return declared if declared and not declared.startswith("text/") else "application/octet-stream"


def _wide(head: bytes) -> bool:
    """Whether the NULs stand as they do in UTF-16 of Latin text: in one half of the byte pairs only."""
    even, odd, pairs = head[0::2].count(0), head[1::2].count(0), len(head) // 2
    return pairs >= 4 and max(even, odd) > pairs * 0.7 and min(even, odd) <= pairs * 0.02


def _zip_type(data: bytes, url: str) -> str:
    head = data[:_SNIFF_BYTES]
    named = re.search(rb"mimetype(application/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z]+))", head)
    if named:
        return named.group(1).decode("ascii")
    if b"[Content_Types].xml" in head or b"_rels/.rels" in head:
        for folder, media_type in _OFFICE_FOLDERS.items():
            if folder in data:
                return media_type
    suffix = PurePosixPath(path_of(url)).suffix.lower()
    return {".docx": _OFFICE_FOLDERS[b"word/"], ".xlsx": _OFFICE_FOLDERS[b"xl/"], ".pptx": _OFFICE_FOLDERS[b"ppt/"]}.get(
        suffix, "application/zip"
    )
