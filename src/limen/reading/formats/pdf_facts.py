"""What a PDF says of itself: title, date, language, bookmarks, attached files."""

import re
from collections.abc import Iterator, Sequence

import pypdfium2
from pypdfium2 import raw

from limen.core.web import Heading
from limen.reading.decode import clean
from limen.reading.formats.pdf_headings import Bookmark

MOST_BOOKMARKS = 3_000
_MOST_ATTACHMENTS = 20
TITLE_CHARS = 200
_PROGRAM = re.compile(r"^(?:Microsoft \w+|\w+ Writer) - ")
_NO_TITLE = re.compile(
    r"(?:untitled|untitled document|unbenannt|title|document\d*|presentation\d*|powerpoint presentation|slide 1|"
    r"\S+\.(?:docx?|dvi|tex|indd|qxd|qxp|pdf|rtf|odt|pptx?|od[ps]|xlsx?|exe|fm|pages|p65|html?|ps|md))",
    re.IGNORECASE,
)


def title_of(said: str, headings: Sequence[Heading], text: str) -> str:
    """What the document says of itself, else its largest heading of the first page, else its first line."""
    said = _PROGRAM.sub("", said)
    if said and not _NO_TITLE.fullmatch(said):
        return said
    first = [heading for heading in headings if heading.anchor == "page=1"]
    if first:
        return min(first, key=lambda heading: heading.level).text
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("[Page "))
    return next(lines, "").strip(" #|-")[:TITLE_CHARS]


def bookmarks_of(document: pypdfium2.PdfDocument) -> Iterator[Bookmark]:
    """The bookmarks that lead to a page."""
    for bookmark in document.get_toc(max_depth=6):
        target = bookmark.get_dest()
        index = target.get_index() if target is not None else None
        title = " ".join(clean(bookmark.get_title()).split())[:TITLE_CHARS]
        if title and index is not None:
            yield Bookmark(min(bookmark.level + 1, 6), title, index + 1)


def attached_to(document: pypdfium2.PdfDocument) -> list[str]:
    """Names of the files that the document carries."""
    count = min(document.count_attachments(), _MOST_ATTACHMENTS)
    return [clean(document.get_attachment(index).get_name()).strip() or "unnamed" for index in range(count)]


def language_of(document: pypdfium2.PdfDocument) -> str:
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    if not 2 < size < 200:
        return ""
    buffer = (raw.FPDF_WCHAR * (size // 2))()
    raw.FPDFCatalog_GetLanguage(document, buffer, size)
    return clean(bytes(buffer).decode("utf-16-le", "replace")).strip("\0 ")
