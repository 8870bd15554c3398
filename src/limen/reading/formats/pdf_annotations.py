"""What lies upon a PDF's pages: links to addresses, fields that were filled in, notes."""

import ctypes
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pypdfium2
from pypdfium2 import raw

from limen.core.web import Link
from limen.reading.decode import clean
from limen.reading.formats.pdf_words import Box

_MOST = 1_000
_TEXT_UNITS = 4_000
_URL_CHARS = 2_000
_SCHEMES = ("http://", "https://", "mailto:")
# Words of a link stand between two marks, one of the supplementary private characters, until the text is whole.
_FIRST_MARK = 0xF0000
_MOST_LINKS = 60_000
_MARKS = f"{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + _MOST_LINKS)}"
_RUN = re.compile(f"([{_MARKS}])([^{_MARKS}\n]*)\\1(?:( ?)\\1([^{_MARKS}\n]*)\\1)*")
_MARK = re.compile(f"[{_MARKS}]")
_UNSAFE = {ord(char): f"%{ord(char):02X}" for char in ' <>()[]"\\^`{|}'} | dict.fromkeys((*range(32), 127), "")
_FIELD_NAME = re.compile(r"\[\d+\]")
_FILLED_KINDS = (
    raw.FPDF_FORMFIELD_TEXTFIELD,
    raw.FPDF_FORMFIELD_COMBOBOX,
    raw.FPDF_FORMFIELD_LISTBOX,
    raw.FPDF_FORMFIELD_CHECKBOX,
    raw.FPDF_FORMFIELD_RADIOBUTTON,
)
_NOTES = {raw.FPDF_ANNOT_FREETEXT: "Note", raw.FPDF_ANNOT_TEXT: "Comment"}


class Upon(msgspec.Struct):
    """Of a page: places of links with their marks, and lines for what its fields and notes say."""

    targets: list[tuple[Box, str]] = []
    lines: list[str] = []


class Links:
    """The addresses of a document, each once, and their marks in its text."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: dict[int, str] = {}

    def mark(self, url: str) -> str:
        """The mark of words that lead to `url`; empty for what is no address of the web."""
        url = url.strip().translate(_UNSAFE)[:_URL_CHARS]
        if not url.lower().startswith(_SCHEMES) or len(self._numbers) >= _MOST_LINKS:
            return ""
        return chr(_FIRST_MARK + self._numbers.setdefault(url, len(self._numbers)))

    def resolved(self, text: str) -> str:
        """The text with links for marks; an address that is written out stays bare."""
        if not self._numbers or not _MARK.search(text):
            return text
        urls = list(self._numbers)
        return _MARK.sub("", _RUN.sub(lambda found: self._link(found[0], urls), text))

    def _link(self, run: str, urls: list[str]) -> str:
        number, words = ord(run[0]) - _FIRST_MARK, _MARK.sub("", run).strip()
        if number >= len(urls) or not words:
            return words
        url = urls[number]
        self._texts.setdefault(number, words)
        if _bare(words).startswith(_bare(url)):
            return words.replace(" ", "")
        inner = words[1:-1] if words.startswith("[") and words.endswith("]") else words
        return words if "[" in inner or "]" in inner else f"[{inner}]({url})"

    def found(self) -> tuple[Link, ...]:
        """All of them, numbered in the order in which they were met."""
        return tuple(Link(n + 1, self._texts.get(n, ""), url) for url, n in self._numbers.items())


def without_marks(text: str) -> str:
    """A text without the marks of links."""
    return _MARK.sub("", text)


def _bare(url: str) -> str:
    return url.replace(" ", "").removeprefix("mailto:").removeprefix("https://").removeprefix("http://").rstrip("/.").casefold()


def upon(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, links: Links) -> Upon:
    """Links, filled fields and notes of a page, the first thousand of them."""
    found = Upon()
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            if kind == raw.FPDF_ANNOT_LINK:
                _note_link(document, annotation, links, found)
            elif kind == raw.FPDF_ANNOT_WIDGET and document.formenv is not None:
                _note_field(document.formenv, annotation, found)
            elif kind in _NOTES:
                text = _read(lambda *to, one=annotation: raw.FPDFAnnot_GetStringValue(one, b"Contents", *to))
                if text:
                    found.lines.append(f"{_NOTES[kind]}: {text}")
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return found


def _note_link(document: pypdfium2.PdfDocument, annotation: Any, links: Links, found: Upon) -> None:
    link = raw.FPDFAnnot_GetLink(annotation)
    action = raw.FPDFLink_GetAction(link) if link else None
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return
    size = raw.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(min(size, 4 * _URL_CHARS) + 1)
    raw.FPDFAction_GetURIPath(document, action, buffer, len(buffer))
    mark = links.mark(clean(buffer.value.decode("utf-8", "replace")))
    rect = raw.FS_RECTF()
    if mark and raw.FPDFAnnot_GetRect(annotation, rect):
        low, high = sorted((rect.bottom, rect.top))
        found.targets.append(((rect.left, low, rect.right, high), mark))


def _note_field(form: Any, annotation: Any, found: Upon) -> None:
    if raw.FPDFAnnot_GetFormFieldType(form, annotation) not in _FILLED_KINDS:
        return
    value = _read(lambda *to: raw.FPDFAnnot_GetFormFieldValue(form, annotation, *to))
    if not value or value == "Off":
        return
    name = _read(lambda *to: raw.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *to)) or _FIELD_NAME.sub(
        "", _read(lambda *to: raw.FPDFAnnot_GetFormFieldName(form, annotation, *to)).rpartition(".")[2]
    )
    line = f"{name}: {value}" if name else value
    if line not in found.lines:
        found.lines.append(line)


def _read(function: Callable[..., int]) -> str:
    """A text that PDFium writes as UTF-16, on one line."""
    size = function(None, 0)
    if not 2 < size <= 2 * _TEXT_UNITS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(clean(bytes(buffer).decode("utf-16-le", "replace")).split())
