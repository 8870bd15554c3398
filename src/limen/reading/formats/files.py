"""Files that are no text, by their media type: read, unpacked, told of, or refused with the command that makes a readable one."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from shlex import quote

import msgspec

from limen.core.fault import ToolFault
from limen.core.web import Page, PageFormat
from limen.reading.formats.archive import ARCHIVES, read_archive, read_packed_archive
from limen.reading.formats.compressed import PACKED, inner_url, unpacked
from limen.reading.formats.epub import read_epub
from limen.reading.formats.file_facts import file_of, save
from limen.reading.formats.media_facts import MEDIA, read_media
from limen.reading.formats.office.open_document import read_open_document
from limen.reading.formats.office.open_sheet import read_open_sheets
from limen.reading.formats.office.package import damaged, encrypted
from limen.reading.formats.office.sheet import read_sheets
from limen.reading.formats.office.slides import read_slides
from limen.reading.formats.office.word import read_word
from limen.reading.formats.rtf import read_rtf
from limen.reading.media import BINARY_SHEETS, SHEETS, SLIDES, WORD

_OPEN = "application/vnd.oasis.opendocument."
_DOCUMENTS: Mapping[str, Callable[[bytes], Page]] = {
    WORD: read_word,
    SHEETS: read_sheets,
    SLIDES: read_slides,
    "application/rtf": read_rtf,
    f"{_OPEN}spreadsheet": read_open_sheets,
    f"{_OPEN}spreadsheet-template": read_open_sheets,
}
# Formats that are not read: what they are, and what makes a readable file of one.
_OFFICE = "soffice --headless --convert-to"
_CONVERTED = {
    "application/msword": ("a Word document of before 2007", f"{_OFFICE} docx {{}}", ".doc", ".docx"),
    "application/vnd.ms-excel": ("an Excel workbook of before 2007", f"{_OFFICE} xlsx {{}}", ".xls", ".xlsx"),
    BINARY_SHEETS: ("a binary Excel workbook", f"{_OFFICE} xlsx {{}}", ".xlsb", ".xlsx"),
    "application/vnd.ms-powerpoint": ("a presentation of before 2007", f"{_OFFICE} pptx {{}}", ".ppt", ".pptx"),
    "application/vnd.ms-outlook": ("an Outlook message", "msgconvert {}", ".msg", ".eml"),
    "application/vnd.visio": ("a Visio drawing", f"{_OFFICE} pdf {{}}", ".vsd", ".pdf"),
    "application/x-mobipocket-ebook": ("a Mobipocket book", "ebook-convert {} {}", ".mobi", ".epub"),
    "image/vnd.djvu": ("a DjVu document", "djvutxt {} {}", ".djvu", ".txt"),
    "application/x-iwork": ("an iWork document", f"{_OFFICE} pdf {{}}", ".pages", ".pdf"),
    "application/x-ole-storage": ("a file of an older program", f"{_OFFICE} pdf {{}}", ".ole", ".pdf"),
}


def read_file(data: bytes, url: str, media_type: str, page_format: PageFormat) -> Page | tuple[bytes, str]:
    """A page of a file that is no text, or the bytes that it packs with the address by which their type is known.

    A page of format HTML is yet to be written as what was asked for.

    Raises ToolFault `reading.unsupported` with the command that converts it, `reading.{damaged,encrypted,too_large}`, and
    `reading.binary` for what nobody knows.
    """
    try:
        return _read(data, url, media_type, page_format)
    except RecursionError as error:
        raise damaged(len(data), "it is nested deeper than any document that a program writes") from error


def _read(data: bytes, url: str, media_type: str, page_format: PageFormat) -> Page | tuple[bytes, str]:
    if media_type in _DOCUMENTS or media_type.startswith(_OPEN):
        page = _DOCUMENTS.get(media_type, read_open_document)(data)
        return msgspec.structs.replace(page, url=url, media_type=media_type)
    if media_type == "application/epub+zip":
        return msgspec.structs.replace(read_epub(data, page_format), url=url, media_type=media_type)
    if media_type in PACKED:
        return read_packed_archive(data, url, media_type) or (unpacked(data, url, media_type), inner_url(url))
    if media_type in ARCHIVES:
        return read_archive(data, url, media_type)
    if media_type == "application/x-encrypted-office":
        raise encrypted("this document")
    if media_type in _CONVERTED:
        raise _converted(len(data), url, media_type)
    if media_type in MEDIA:
        return read_media(data, url, media_type)
    reason = f"this is {media_type} ({len(data):,} bytes), which holds no text to read"
    raise ToolFault("reading.binary", reason, "ask for a page or a text file")


def _converted(size: int, url: str, media_type: str) -> ToolFault:
    what, command, ending, made = _CONVERTED[media_type]
    source = file_of(url, ending)
    target = quote(PurePosixPath(source).with_suffix(made).name)
    steps = [save(url), command.format(quote(source), target), f"limen library add {target}"]
    reason = f"this is {what} ({size:,} bytes), which is not read as it is"
    return ToolFault("reading.unsupported", reason, " && ".join(filter(None, steps)))
