"""PDFs to a Page: the text of their pages, one after another, by PDFium. Native code over hostile bytes: run it in the worker."""

import re
import threading
from collections.abc import Iterator
from itertools import islice

import msgspec
import pypdfium2
from pypdfium2 import raw

from limen.core.fault import ToolFault
from limen.core.web import Heading, Page
from limen.reading.decode import clean

# At 5 ms a page this is half of what a document may take.
_MOST_PAGES = 2_000
_MOST_BOOKMARKS = 500
_TITLE_CHARS = 200
_PROGRAM = re.compile(r"^(?:Microsoft \w+|\w+ Writer) - ")
_DATE = re.compile(r"D?:?(\d{4})(\d{2})?(\d{2})?")
# A hyphen that PDFium takes for one of line-breaking alone, with the line's end behind it.
_BROKEN_WORD = re.compile(r"[\x02\ufffe\xad]\n?")
# Where the Symbol and Wingdings fonts keep the bullets of lists.
_BULLETS = str.maketrans({"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓"})
# Characters of no common meaning: a font whose glyphs say nothing of letters has been read.
_MEANINGLESS = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff\x01\x03-\x08\x0b\x0e-\x1f\x80-\x9f]")
_MEANINGLESS_SHARE = 0.05
_PAGE_TREE = re.compile(rb"/Type\s{0,9}/Pages\b")
_COUNT = re.compile(rb"/Count\s{1,9}(\d{1,7})\b")
# PDFium keeps state of its own for the whole process and is not safe among threads.
_ONE_AT_A_TIME = threading.Lock()


class _Read(msgspec.Struct):
    """What the pages gave: a text for each that could be read, and the numbers of those that hold none or are broken."""

    count: int
    texts: dict[int, str] = {}
    textless: list[int] = []
    broken: list[int] = []


def read_pdf(data: bytes, url: str) -> Page:
    """The text of a PDF, its pages apart by a blank line; the outline leads to bookmarks, or to pages where it has none.

    Raises ToolFault `reading.pdf_encrypted`, `reading.pdf_no_text` and `reading.pdf_damaged`.
    """
    with _ONE_AT_A_TIME:
        document = _opened(data)
        try:
            found = _pages(document)
            about = {name: clean(value).strip() for name, value in document.get_metadata_dict().items()}
            bookmarks = list(islice(_bookmarks(document), _MOST_BOOKMARKS))
        finally:
            document.close()
    if not found.texts:
        raise _nothing_to_read(found, len(data))
    lines = _first_lines(found)
    text = "\n\n".join(found.texts.values())
    return Page(
        url=url,
        title=_PROGRAM.sub("", about.get("Title", "")) or text.lstrip().partition("\n")[0][:_TITLE_CHARS].strip(),
        text=text,
        media_type="application/pdf",
        outline=_outline(bookmarks, lines),
        author=about.get("Author", ""),
        published=_date(about.get("CreationDate", "")),
        notices=tuple(_notices(found, text)),
    )


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            count = _count_of_locked(data)
            pages = f"{count:,} pages" if count else "its number of pages is locked as well"
            raise ToolFault(
                "reading.pdf_encrypted",
                f"this PDF is encrypted and opens with a password alone ({pages})",
                "save it without a password, and: limen library add FILE",
            ) from error
        raise _damaged(len(data)) from error


def _damaged(size: int) -> ToolFault:
    reason = f"this PDF of {size:,} bytes is damaged or cut off"
    return ToolFault("reading.pdf_damaged", reason, "read it again later, or another copy of it")


def _nothing_to_read(found: _Read, size: int) -> ToolFault:
    if not found.textless:
        return _damaged(size)
    reason = f"this PDF has no text on its {_counted(found.count, 'page')}, only pictures: it needs OCR"
    return ToolFault("reading.pdf_no_text", reason, "ocrmypdf IN.pdf OUT.pdf, and: limen library add OUT.pdf")


def _pages(document: pypdfium2.PdfDocument) -> _Read:
    found = _Read(len(document))
    for number in range(1, min(found.count, _MOST_PAGES) + 1):
        try:
            text = _text_of(document, number - 1)
        except (pypdfium2.PdfiumError, UnicodeError):
            found.broken.append(number)
            continue
        if text:
            found.texts[number] = text
        else:
            found.textless.append(number)
    return found


def _text_of(document: pypdfium2.PdfDocument, index: int) -> str:
    page = document[index]
    try:
        layer = page.get_textpage()
        try:
            text = clean(layer.get_text_range(errors="replace"))
        finally:
            layer.close()
    finally:
        page.close()
    lines = _BROKEN_WORD.sub("", text).translate(_BULLETS).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _bookmarks(document: pypdfium2.PdfDocument) -> Iterator[tuple[int, str, int]]:
    """Level from 1, title and page from 1 of each bookmark that leads to a page."""
    for bookmark in document.get_toc(max_depth=6):
        target = bookmark.get_dest()
        index = target.get_index() if target is not None else None
        title = " ".join(clean(bookmark.get_title()).split())[:_TITLE_CHARS]
        if title and index is not None:
            yield min(bookmark.level + 1, 6), title, index + 1


def _first_lines(found: _Read) -> dict[int, int]:
    """The line on which each page with text begins."""
    lines, line = {}, 1
    for number, text in found.texts.items():
        lines[number] = line
        line += text.count("\n") + 2
    return lines


def _outline(bookmarks: list[tuple[int, str, int]], lines: dict[int, int]) -> tuple[Heading, ...]:
    if not bookmarks and len(lines) > 1:
        bookmarks = [(1, f"Page {number}", number) for number in lines]
    return tuple(Heading(level, title, lines[page], f"page={page}") for level, title, page in bookmarks if page in lines)


def _date(said: str) -> str:
    found = _DATE.match(said)
    return "-".join(part for part in found.groups() if part) if found else ""


def _notices(found: _Read, text: str) -> Iterator[str]:
    """What is missing of the text, and whether it can be believed."""
    if found.count > _MOST_PAGES:
        yield f"Only the first {_MOST_PAGES:,} of {found.count:,} pages were read."
    if found.textless:
        yield f"No text, perhaps a picture of it, on {_share(found.textless, found.count)}."
    if found.broken:
        yield f"Could not be read: {_share(found.broken, found.count)}."
    letters = len("".join(text.split()))
    meaningless = len(_MEANINGLESS.findall(text))
    if meaningless > letters * _MEANINGLESS_SHARE:
        yield (
            f"The text is unreliable: {meaningless:,} of {letters:,} characters have no meaning, since the PDF's fonts do not "
            "say which letters they show."
        )


def _share(numbers: list[int], count: int) -> str:
    named = ", ".join(map(str, numbers[:10])) + (" …" if len(numbers) > 10 else "")
    return f"{len(numbers):,} of {_counted(count, 'page')} ({named})"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _count_of_locked(data: bytes) -> int:
    """The number of pages as the page tree has it, which is plain where only texts and pictures are encrypted; else 0."""
    trees = (part for part in data.split(b"endobj") if _PAGE_TREE.search(part))
    return max((int(count) for part in trees for count in _COUNT.findall(part)), default=0)
