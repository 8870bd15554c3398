"""PDFs to a Page: Markdown of their pages, one after another, by PDFium. Native code over hostile bytes: run it in the worker."""

import re
import threading
import time
from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec
import pypdfium2
from pypdfium2 import raw

from limen.core.fault import ToolFault
from limen.core.web import Heading, Page
from limen.reading.dates import iso_date
from limen.reading.decode import clean
from limen.reading.formats.pdf_annotations import Links, upon, without_marks
from limen.reading.formats.pdf_facts import MOST_BOOKMARKS, TITLE_CHARS, attached_to, bookmarks_of, language_of, title_of
from limen.reading.formats.pdf_headings import Bookmark, Found, headings_of
from limen.reading.formats.pdf_paragraphs import style_of, written
from limen.reading.formats.pdf_rows import Row, body_size, is_typewritten, rows_of
from limen.reading.formats.pdf_running import without_running
from limen.reading.formats.pdf_tables import tables_of
from limen.reading.formats.pdf_words import HYPHEN, page_text

# Seconds after which no further page is read, well within what a document may take in all; pages that memory bears.
BUDGET_S = 11.0
_MOST_PAGES = 5_000
# Characters of no common meaning: a font whose glyphs say nothing of letters has been read.
_MEANINGLESS = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff\x01\x03-\x08\x0b\x0e-\x1f\x80-\x9f]")
_MEANINGLESS_SHARE = 0.05
_UNMAPPED_SHARE = 0.3
_FROM_PAGE = re.compile(r"#page=(\d{1,6})$")
_PAGE_TREE = re.compile(rb"/Type\s{0,9}/Pages\b")
_COUNT = re.compile(rb"/Count\s{1,9}(\d{1,7})\b")
# PDFium keeps state of its own for the whole process and is not safe among threads.
_ONE_AT_A_TIME = threading.Lock()


class _Read(msgspec.Struct):
    """What a document gave: the rows of its pages, what lies upon them, and the numbers of those that hold no text, are
    broken, or have text that means nothing."""

    count: int
    first: int = 1
    rows: dict[int, list[Row]] = {}
    lines: dict[int, list[str]] = {}
    labels: dict[int, str] = {}
    textless: list[int] = []
    broken: list[int] = []
    unreliable: list[int] = []
    last: int = 0


class _Written(msgspec.Struct):
    """The text of all pages, the line on which each begins, and their headings."""

    text: str
    first_lines: dict[int, int]
    headings: list[Heading]


def read_pdf(data: bytes, url: str, budget_s: float = BUDGET_S) -> Page:
    """A PDF as Markdown. Where it has several pages, each begins with a line `[Page 3]`, or `[Page 3, "iii"]` where another
    number is printed on it. The outline leads to headings and bookmarks, or to pages where there are none. `#page=3` behind
    the address reads from that page on.

    Raises ToolFault `reading.pdf_encrypted`, `reading.pdf_no_text` and `reading.pdf_damaged`.
    """
    links = Links()
    with _ONE_AT_A_TIME:
        document = _opened(data)
        try:
            found = _pages(document, links, _first_page(url, len(document)), time.monotonic() + budget_s)
            about = {name: clean(value).strip() for name, value in document.get_metadata_dict().items()}
            language = language_of(document)
            bookmarks = list(islice(bookmarks_of(document), MOST_BOOKMARKS))
            attached = attached_to(document)
        finally:
            document.close()
    if not found.rows and not found.lines:
        raise _nothing_to_read(found, len(data))
    dropped = without_running(found.rows, found.labels)
    whole = _written(found, bookmarks, links)
    return Page(
        url=url,
        title=title_of(about.get("Title", ""), whole.headings, whole.text),
        text=whole.text,
        media_type="application/pdf",
        links=links.found(),
        outline=tuple(whole.headings) or _outline_of_pages(whole.first_lines),
        author=about.get("Author", ""),
        published=iso_date(about.get("CreationDate", "").removeprefix("D:"))[:10],
        language=language,
        dropped=dropped,
        notices=tuple(_notices(found, attached, url)),
    )


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(data)
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
    if document.get_formtype() != raw.FORMTYPE_NONE:
        document.init_forms()
    return document


def _damaged(size: int) -> ToolFault:
    reason = f"this PDF of {size:,} bytes is damaged or cut off"
    return ToolFault("reading.pdf_damaged", reason, "read it again later, or another copy of it")


def _nothing_to_read(found: _Read, size: int) -> ToolFault:
    if not found.textless:
        return _damaged(size)
    reason = f"this PDF has no text on its {_counted(found.count, 'page')}, only pictures: it needs OCR"
    return ToolFault("reading.pdf_no_text", reason, "ocrmypdf IN.pdf OUT.pdf, and: limen library add OUT.pdf")


def _first_page(url: str, count: int) -> int:
    """The page that an address leads to, else the first."""
    named = _FROM_PAGE.search(url)
    return int(named[1]) if named and 1 <= int(named[1]) <= count else 1


def _pages(document: pypdfium2.PdfDocument, links: Links, first: int, until: float) -> _Read:
    found = _Read(len(document), first)
    for number in range(first, min(found.count, first + _MOST_PAGES - 1) + 1):
        if number > first and time.monotonic() > until:
            break
        found.last = number
        try:
            _read_page(document, number, links, found)
        except (pypdfium2.PdfiumError, UnicodeError):
            found.broken.append(number)
    return found


def _read_page(document: pypdfium2.PdfDocument, number: int, links: Links, found: _Read) -> None:
    page = document[number - 1]
    try:
        above = upon(document, page, links)
        layer = page.get_textpage()
        try:
            read = page_text(layer, number, above.targets)
        finally:
            layer.close()
    finally:
        page.close()
    if above.lines:
        found.lines[number] = above.lines
    if not read.pieces:
        found.textless.append(number)
        return
    label = clean(document.get_page_label(number - 1)).strip()[:20]
    if label and label != str(number):
        found.labels[number] = label
    text = without_marks("".join(piece.text for piece in read.pieces))
    if read.unmapped > _UNMAPPED_SHARE * read.asked or len(_MEANINGLESS.findall(text)) > _MEANINGLESS_SHARE * len(text):
        found.unreliable.append(number)
    found.rows[number] = rows_of(read.pieces)


def _written(found: _Read, bookmarks: list[Bookmark], links: Links) -> _Written:
    tables = {number: tables_of(rows) for number, rows in found.rows.items()}
    headings = headings_of(found.rows, tables, bookmarks, body_size(found.rows.values()))
    style = style_of(found.rows, is_typewritten(found.rows.values()))
    parts: list[str] = []
    first_lines: dict[int, int] = {}
    outline: list[Heading] = []
    line = 1
    for number in sorted({*found.rows, *found.lines, *found.textless}):
        rows = found.rows.get(number, [])
        text, at = written(rows, tables.get(number, {}), headings.levels.get(number, {}), style) if rows else ("", [])
        mark = _mark(found, number)
        first_lines[number] = line
        above = 2 if mark else 0
        for level, down, said in at:
            said = without_marks(said).replace(HYPHEN, "-")[:TITLE_CHARS]
            outline.append(Heading(level, said, line + above + down, f"page={number}"))
        extra = "\n".join(f"- {one}" for one in found.lines.get(number, ()))
        part = "\n\n".join(piece for piece in (mark, text, extra) if piece)
        parts.append(clean(links.resolved(part).replace(HYPHEN, "-")))
        line += part.count("\n") + 2
    return _Written("\n\n".join(parts), first_lines, _with_bookmarks(outline, headings, first_lines))


def _mark(found: _Read, number: int) -> str:
    if found.count == 1:
        return ""
    label = f', "{found.labels[number]}"' if number in found.labels else ""
    return f"[Page {number}{label}{', no text' if number in found.textless else ''}]"


def _with_bookmarks(outline: list[Heading], found: Found, first_lines: Mapping[int, int]) -> list[Heading]:
    """The headings and those bookmarks that are none of them, which lead to their pages."""
    more = [
        Heading(min(mark.level, 6), mark.title, first_lines[mark.page], f"page={mark.page}")
        for mark in found.elsewhere
        if mark.page in first_lines
    ]
    return sorted(outline + more, key=lambda heading: heading.line)


def _outline_of_pages(lines: Mapping[int, int]) -> tuple[Heading, ...]:
    if len(lines) < 2:
        return ()
    return tuple(Heading(1, f"Page {number}", line, f"page={number}") for number, line in lines.items())


def _notices(found: _Read, attached: list[str], url: str) -> Iterator[str]:
    """What is missing of the text, and whether it can be believed."""
    named = _FROM_PAGE.search(url)
    url = _FROM_PAGE.sub("", url)
    if found.first > 1:
        yield f"Read from page {found.first:,} of {found.count:,} on; from the first: {url or 'without #page'}"
    elif named and named[1] != "1":
        yield f"There is no page {named[1]}: the PDF has {_counted(found.count, 'page')}."
    if found.last < found.count:
        yield f"Pages {found.first:,} to {found.last:,} of {found.count:,} were read; on from there: {url}#page={found.last + 1}"
    if found.textless:
        yield f"No text, perhaps a picture of it, on {_share(found.textless, found.count)}."
    if found.broken:
        yield f"Could not be read: {_share(found.broken, found.count)}."
    if found.unreliable:
        yield (
            f"The text of {_share(found.unreliable, found.count)} is unreliable: the fonts do not say which letters they show. "
            "It needs OCR."
        )
    if attached:
        yield f"The PDF carries {_counted(len(attached), 'file')}, which were not read: {', '.join(attached)}."


def _share(numbers: list[int], count: int) -> str:
    named = ", ".join(map(str, numbers[:10])) + (" …" if len(numbers) > 10 else "")
    return f"{len(numbers):,} of {_counted(count, 'page')} ({named})"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _count_of_locked(data: bytes) -> int:
    """The number of pages as the page tree has it, which is plain where only texts and pictures are encrypted; else 0."""
    trees = (part for part in data.split(b"endobj") if _PAGE_TREE.search(part))
    return max((int(count) for part in trees for count in _COUNT.findall(part)), default=0)
